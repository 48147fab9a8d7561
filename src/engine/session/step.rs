//! Changes an edit session: a request on the tree of a session.

use super::{removed_problem, session_report};
use crate::engine::stages::{Committed, StagingTarget};
use crate::engine::task::CommandRun;
use crate::preflight;
use crate::transaction::Failure;
use crate::transaction::sessions::SessionStep;
use crate::workspace::LayeredTree;

impl CommandRun<'_> {
    /// Changes the session of `tree`, unless there is a problem. The change itself is not made in
    /// the tree.
    pub(in crate::engine) fn change_session(
        &self,
        tree: &LayeredTree<'_>,
        options: &preflight::Options,
        done: &mut Committed,
    ) -> Result<(), Failure> {
        let (step, recovered) = SessionStep::begin(
            tree.base(),
            tree.name(),
            self.request.transaction_options(),
            self.interrupt(),
        )?;
        done.note_recovered(recovered);
        let Some(step) = step else {
            done.problems().push(removed_problem(tree.name()));
            return Ok(());
        };
        // Another process may have changed the session since the tree was opened.
        tree.set_layer(step.session().layer());
        let staging = StagingTarget {
            sink: &step,
            transaction: None,
        };
        self.resolve(options, &staging, &mut done.resolved)?;
        if done.is_refused() {
            step.abandon();
            return Ok(());
        }
        let session = step.commit()?;
        tree.set_layer(session.layer());
        done.result.session = Some(session_report(&session));
        Ok(())
    }
}
