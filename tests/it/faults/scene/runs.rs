//! Runs with a fault, and whether each ends with a right tree.

use std::path::Path;
use std::process::Output;

use super::{Scene, Tree, files, is_scratch, names, tree, without_directories};
use crate::faults::strace::{Ending, Injection};

impl Scene {
    /// Applies the patch with a fault, then recovers.
    pub(crate) fn apply(&self, injection: &Injection) -> Ending {
        self.lay();
        let (was_met, output) = self.strike("apply", injection);
        let directly = self.unswept();
        let (recover, finally) = self.recover();
        let code = output.status.code();
        let is_right = match code {
            Some(0) => self.is_after(&directly) && self.is_after(&finally),
            // Killed, or the disk did not let it roll back.
            None | Some(5) => self.is_whole(&finally),
            Some(_) => directly == self.before && finally == self.before,
        };
        let problem = format!(
            "{injection:?}: {:?}, recover {:?}\n{}{}\ndirectly {:#?}\nfinally {:#?}",
            output.status,
            recover.status,
            String::from_utf8_lossy(&output.stderr),
            String::from_utf8_lossy(&recover.stderr),
            names(&directly),
            names(&finally)
        );
        Ending {
            was_met,
            problem: (!is_right || !recover.status.success()).then_some(problem),
        }
    }

    /// Applies the patch with a kill, then checks it, which must touch nothing, then applies it.
    pub(in crate::faults) fn apply_again(&self, injection: &Injection) -> Ending {
        self.lay();
        let (was_met, _) = self.strike("apply", injection);
        let (is_after, traces) = (
            self.is_after(&self.unswept()),
            crate::tree::traces(&self.root),
        );
        let check = self.run(&[], "check");
        let is_traceless = crate::tree::traces(&self.root) == traces;
        let again = self.run(&[], "apply");
        let finally = tree(&self.root);
        let is_right = match again.status.code() {
            Some(0) => true,
            // It had happened.
            Some(1) => is_after,
            _ => false,
        };
        let problem = format!(
            "{injection:?}: {check:?}, {is_traceless}\n{again:?}\nfinally {:#?}",
            names(&finally)
        );
        let is_right =
            is_right && is_traceless && check.status.code().is_some() && self.is_after(&finally);
        Ending {
            was_met,
            problem: (!is_right).then_some(problem),
        }
    }

    /// Kills an apply as `dead` says, recovers with a fault, and recovers again.
    pub(in crate::faults) fn recover_twice(
        &self,
        dead: &Injection,
        injection: &Injection,
    ) -> Ending {
        self.lay();
        self.strike("apply", dead);
        let (was_met, output) = self.strike("recover", injection);
        let directly = self.unswept();
        let (recover, finally) = self.recover();
        let is_right =
            finally == self.before && (!output.status.success() || directly == self.before);
        let problem = format!(
            "{injection:?}: {:?}\n{recover:?}\n{:#?}",
            output.status,
            names(&finally)
        );
        Ending {
            was_met,
            problem: (!is_right || !recover.status.success()).then_some(problem),
        }
    }

    /// Applies the patch where it becomes an entry of the history, and takes that back with a
    /// fault; then recovers. What was not taken back must still be possible to.
    pub(in crate::faults) fn undo(&self, injection: &Injection) -> Ending {
        self.lay_applied();
        let (was_met, output) = self.strike("undo", injection);
        let directly = files(&self.root);
        let (recover, _) = self.recover();
        let finally = files(&self.root);
        let [before, after] =
            [&self.before, &self.after].map(|side| without_directories(side.clone()));
        let is_right = match output.status.code() {
            Some(0) => directly == before && finally == before,
            // Killed, or the disk did not let it roll back.
            None | Some(5) => finally == before || finally == after,
            Some(_) => directly == after && finally == after,
        };
        let again = (finally == after).then(|| self.run(&[], "undo"));
        let is_undone = again.as_ref().is_none_or(|again| again.status.success())
            && files(&self.root) == before;
        let problem = format!(
            "{injection:?}: {output:?}\n{recover:?}\n{again:?}\ndirectly {:#?}\nfinally {:#?}",
            names(&directly),
            names(&finally)
        );
        let is_right = is_right && recover.status.success() && is_undone;
        Ending {
            was_met,
            problem: (!is_right).then_some(problem),
        }
    }

    /// Lays the tree after, with a history that can take it back.
    pub(in crate::faults) fn lay_applied(&self) {
        self.lay();
        match &self.home {
            None => fs_err::create_dir(self.root.join(".git")).unwrap(),
            Some(home) if home.exists() => fs_err::remove_dir_all(home).unwrap(),
            Some(_) => {}
        }
        let output = self.run(&[], "apply");
        assert!(output.status.success(), "{output:?}");
    }

    /// Returns the tree without what could not be swept, which the next command does.
    fn unswept(&self) -> Tree {
        let mut tree = tree(&self.root);
        tree.retain(|path, _| !is_scratch(path));
        tree
    }

    /// Recovers, and returns the tree then.
    fn recover(&self) -> (Output, Tree) {
        (self.run(&[], "recover"), tree(&self.root))
    }

    fn is_whole(&self, tree: &Tree) -> bool {
        *tree == self.before || self.is_after(tree)
    }

    /// Returns whether it is the tree after; a directory that was emptied may stay when it may not
    /// be removed.
    fn is_after(&self, tree: &Tree) -> bool {
        let mut tree = tree.clone();
        tree.remove(Path::new("old"));
        tree == self.after
    }
}
