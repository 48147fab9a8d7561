//! Lists a directory.

use std::cmp::Reverse;
use std::sync::Arc;

use super::{
    LookResult, file_problem, follow_allowed_links, missing_problem, path_problem, refused_outcome,
    workspace_problem,
};
use crate::engine::Outcome;
use crate::engine::govern::extend_policy;
use crate::mode::FileKind;
use crate::path::{PathError, PathPattern, RelPath};
use crate::policy::{Access, Policy, PolicyDecision, RuleMatch, Verdict};
use crate::preflight::code;
use crate::report::{Listing, ListingEntry};
use crate::workspace::{ErrorKind, Stat, Timestamp, Workspace};

/// The limit on the number of names that are examined. It bounds the work in a large tree.
const MAX_NAMES: usize = 1_000_000;
/// The number of extra entries that are kept before the newest entries are selected.
const EXTRA_ENTRIES: usize = 1024;

/// A request to list a directory.
#[derive(Clone, Debug)]
pub struct ListRequest {
    /// The path of the directory below the root; `.` for the root. Links are followed as long as
    /// they stay below the root.
    pub directory: Vec<u8>,
    /// Whether names that start with a dot are listed, and directories with such names are entered.
    pub hidden: bool,
    /// The pattern that paths relative to the directory must match. With a pattern, subdirectories
    /// are entered, except through links.
    pub pattern: Option<PathPattern>,
    /// The order of the entries.
    pub order: ListOrder,
    /// The limit on the number of entries.
    pub max_entries: usize,
    /// The policy. Files that a rule protects from reading are listed. Only files that its grants
    /// do not cover are left out.
    pub policy: Arc<Policy>,
}

/// The order of a listing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ListOrder {
    /// By name, compared as bytes, within each directory.
    #[default]
    Name,
    /// By time of modification, the newest entry first.
    Newest,
}

impl ListRequest {
    /// Returns a request to list all entries of a directory that are not hidden.
    #[must_use]
    pub fn of(directory: impl Into<Vec<u8>>) -> Self {
        Self {
            directory: directory.into(),
            hidden: false,
            pattern: None,
            order: ListOrder::Name,
            max_entries: usize::MAX,
            policy: Arc::default(),
        }
    }
}

/// Lists a directory.
///
/// At most a million names are examined. If the tree has more, the listing is marked as truncated.
///
/// # Errors
///
/// Returns the outcome with the problem, for example if the directory is missing or outside the
/// root.
///
/// # Examples
///
/// ```
/// use wpatch::engine::{self, ListRequest};
/// use wpatch::path::RelPath;
/// use wpatch::workspace::memory::{Entry, Memory};
///
/// let workspace = Memory::with_files([(RelPath::new(b"d/x")?, Entry::file("")), (RelPath::new(b"a")?, Entry::file(""))]);
/// let listing = engine::list(&ListRequest::of("."), &workspace).unwrap();
/// let names: Vec<_> = listing.entries.iter().map(|entry| entry.name.as_str()).collect();
/// assert_eq!(names, ["a", "d"]);
/// # Ok::<(), wpatch::path::PathError>(())
/// ```
pub fn list(request: &ListRequest, workspace: &dyn Workspace) -> Result<Listing, Box<Outcome>> {
    let policy = extend_policy("list", &request.policy, workspace)?;
    list_directory(request, &policy, workspace).map_err(|problem| refused_outcome("list", *problem))
}

fn list_directory(
    request: &ListRequest,
    policy: &Policy,
    workspace: &dyn Workspace,
) -> LookResult<Listing> {
    let directory = resolve_directory(workspace, policy, &request.directory)?;
    let mut walk = ListWalk {
        request,
        policy,
        workspace,
        found: Vec::new(),
        examined: 0,
        is_cut: false,
    };
    walk.enter(directory.as_ref(), b"")?;
    walk.select_entries();
    let entries = walk.found.iter().map(DirectoryEntry::to_report).collect();
    let path = directory.as_ref().map_or(&b"."[..], RelPath::as_bytes);
    Ok(Listing::of(path, entries, walk.is_cut))
}

/// Returns the directory at `path`; `None` for the root.
pub(super) fn resolve_directory(
    workspace: &dyn Workspace,
    policy: &Policy,
    path: &[u8],
) -> LookResult<Option<RelPath>> {
    let end = path
        .iter()
        .rposition(|&byte| byte != b'/')
        .map_or(path.len().min(1), |last| last + 1);
    let path = match RelPath::new(&path[..end]) {
        Ok(path) => follow_allowed_links(workspace, policy, &path, |path| {
            listing_decision(policy, path)
        })?,
        Err(PathError::Empty | PathError::Root) => return Ok(None),
        Err(error) => return Err(path_problem(path, error)),
    };
    match workspace
        .stat(&path)
        .map_err(|error| workspace_problem(&error))?
    {
        None => Err(missing_problem(&path)),
        Some(stat) if stat.kind == FileKind::Directory => Ok(Some(path)),
        Some(stat) => {
            let message = format!("is a {}, not a directory", stat.kind);
            Err(file_problem(&path, &code::NOT_A_DIRECTORY, &message))
        }
    }
}

/// Returns the ruling on listing the directory at `path`. A grant also allows the directories above
/// its files.
fn listing_decision(policy: &Policy, path: &RelPath) -> PolicyDecision {
    let ruling = policy.judge(path, Access::Read);
    if !policy.is_visible(Some(path)) {
        return ruling;
    }
    PolicyDecision::of(
        ruling
            .matches
            .into_iter()
            .filter(|hit| !hit.is_missing_grant())
            .collect::<Vec<RuleMatch>>(),
    )
}

/// A walk through the tree.
struct ListWalk<'a> {
    request: &'a ListRequest,
    policy: &'a Policy,
    workspace: &'a dyn Workspace,
    found: Vec<DirectoryEntry>,
    examined: usize,
    is_cut: bool,
}

/// An entry of the directory.
struct DirectoryEntry {
    /// The path relative to the listed directory.
    name: Vec<u8>,
    stat: Stat,
}

impl DirectoryEntry {
    fn to_report(&self) -> ListingEntry {
        ListingEntry::new(
            &self.name,
            self.stat.kind,
            self.stat.size,
            self.stat.modified.seconds,
        )
    }

    /// Returns a sort key that orders the newest entry first.
    fn newest_first_key(&self) -> (Reverse<Timestamp>, &[u8]) {
        (Reverse(self.stat.modified), &self.name)
    }
}

impl ListWalk<'_> {
    /// Adds the entries of `directory`. `prefix` is the path of `directory` relative to the listed
    /// directory.
    fn enter(&mut self, directory: Option<&RelPath>, prefix: &[u8]) -> LookResult<()> {
        let names = match self.workspace.list(directory) {
            Ok(names) => names,
            // A subdirectory that cannot be read or no longer exists is skipped.
            Err(_) if !prefix.is_empty() => return Ok(()),
            Err(error) => {
                return Err(match (error.kind, directory) {
                    (ErrorKind::Missing, Some(path)) => missing_problem(path),
                    _ => workspace_problem(&error),
                });
            }
        };
        for name in names {
            if self.is_full() {
                return Ok(());
            }
            if self.request.hidden || !name.starts_with(b".") {
                self.visit(directory, prefix, &name)?;
            }
        }
        Ok(())
    }

    fn visit(&mut self, directory: Option<&RelPath>, prefix: &[u8], name: &[u8]) -> LookResult<()> {
        let path = directory.map_or_else(|| RelPath::new(name), |directory| directory.join(name));
        let Ok(path) = path else { return Ok(()) };
        self.examined += 1;
        if !self.policy.is_visible(Some(&path)) {
            return Ok(());
        }
        let Ok(Some(stat)) = self.workspace.stat(&path) else {
            return Ok(());
        };
        let name = [prefix, name].concat();
        let is_entered = stat.kind == FileKind::Directory && self.may_match_below(&name);
        if self.is_wanted(&name) {
            self.add(DirectoryEntry {
                name: name.clone(),
                stat,
            });
        }
        if is_entered && listing_decision(self.policy, &path).verdict == Verdict::Allow {
            self.enter(Some(&path), &[&name[..], b"/"].concat())?;
        }
        Ok(())
    }

    /// Returns whether the pattern can match a path below the directory `name`. A pattern without
    /// `**` matches only paths with at most as many slashes as the pattern.
    fn may_match_below(&self, name: &[u8]) -> bool {
        let slashes = |text: &[u8]| memchr::memchr_iter(b'/', text).count();
        self.request
            .pattern
            .as_ref()
            .map(PathPattern::text)
            .is_some_and(|pattern| {
                pattern.contains("**") || slashes(name) < slashes(pattern.as_bytes())
            })
    }

    fn is_wanted(&self, name: &[u8]) -> bool {
        self.request
            .pattern
            .as_ref()
            .is_none_or(|pattern| pattern.is_match(name))
    }

    fn add(&mut self, entry: DirectoryEntry) {
        let most = self.request.max_entries;
        self.found.push(entry);
        // The newest entries are known only after sorting. `EXTRA_ENTRIES` keeps the number of sorts low.
        if self.request.order == ListOrder::Newest
            && self.found.len() > most.saturating_mul(2).saturating_add(EXTRA_ENTRIES)
        {
            self.select_entries();
        }
    }

    /// Returns whether further entries cannot change the listing. Records whether the listing is
    /// incomplete.
    fn is_full(&mut self) -> bool {
        let has_enough =
            self.request.order == ListOrder::Name && self.found.len() > self.request.max_entries;
        let is_over_limit = self.examined >= MAX_NAMES;
        self.is_cut |= is_over_limit;
        has_enough || is_over_limit
    }

    /// Sorts the entries, and keeps the requested number of them.
    fn select_entries(&mut self) {
        if self.request.order == ListOrder::Newest {
            self.found.sort_unstable_by(|one, other| {
                one.newest_first_key().cmp(&other.newest_first_key())
            });
        }
        self.is_cut |= self.found.len() > self.request.max_entries;
        self.found.truncate(self.request.max_entries);
    }
}
