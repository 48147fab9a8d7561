//! The edit session in the record of its commit.

use serde::{Deserialize, Serialize};

/// The edit session that a transaction committed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommittedSession {
    /// The ID of the session.
    pub id: String,
    /// The note of the user.
    pub note: Option<String>,
}
