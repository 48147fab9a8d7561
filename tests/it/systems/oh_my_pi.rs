//! What users of Oh My Pi find here, statement by statement.
