//! What users of Reasonix find here, statement by statement.
