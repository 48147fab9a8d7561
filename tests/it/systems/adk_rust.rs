//! What users of ADK-Rust find here, statement by statement.
