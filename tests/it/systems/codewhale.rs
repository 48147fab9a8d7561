//! What users of `CodeWhale` find here, statement by statement.
