//! What users of Claude Code find here, statement by statement.
