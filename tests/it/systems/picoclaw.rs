//! What users of `PicoClaw` find here, statement by statement.

mod board;
mod edit;
mod look;
