//! What users of `PicoClaw` find here, statement by statement.
