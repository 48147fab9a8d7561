//! What users of Codex's patch tool find here, statement by statement.
