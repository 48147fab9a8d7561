//! What users of Claw find here, statement by statement.
