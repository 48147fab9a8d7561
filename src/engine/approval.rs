//! What happens between a check and its change: a plan is kept, carried out as it was kept, or refused.

use serde::{Deserialize, Serialize};

use super::problems::{rejected_plan, unplaced, unswept};
use super::{Lenience, Outcome, Request, Run, WhitespaceRequest, refused};
use crate::digest::{Sha256, is_hex};
use crate::guard::GUARDS;
use crate::plan::{Closeness, Direction, Filter, Selection};
use crate::preflight::{Facts, Options as PreflightOptions, Problem, WhitespaceAction, code};
use crate::report;
use crate::syntax;
use crate::transaction::history::plans::{self, Kept, MAX_PLAN, Saved, Search};
use crate::transaction::history::{Refusal, refusals};
use crate::transaction::{self, Interrupt, Links};
use crate::workspace::Workspace;

/// How a `plan_id` begins.
const SHA256: &str = "sha256:";
/// Fewest hex digits that a plan is named by.
const FEWEST: usize = 8;
/// Most bytes of a reason.
const MAX_REASON: usize = 4096;

/// Does what [`check`](super::check) does, and keeps the plan if it can be carried out, for [`planned`]. It takes the
/// lock to write that down, and recovers what a dead process left, as every change does.
///
/// # Examples
///
/// ```
/// use wpatch::engine::{self, Request};
/// use wpatch::path::RelPath;
/// use wpatch::transaction::{Interrupt, Options};
/// use wpatch::workspace::memory::{Entry, Memory};
///
/// let (path, interrupt) = (RelPath::new(b"a")?, Interrupt::new());
/// let workspace = Memory::with_files([(path.clone(), Entry::file("one\n"))]);
/// assert!(engine::init(&workspace, Options::default(), &interrupt).report.ok);
/// let patch = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+1\n";
/// let saved = engine::save(Request::of(patch), &workspace, &interrupt).report.saved.unwrap();
/// let request = engine::planned(Request::of(""), &workspace, &saved.id).unwrap();
/// assert!(engine::apply(request, &workspace, &interrupt).report.changed);
/// assert_eq!(workspace.files()[&path].contents, b"1\n");
/// # Ok::<(), wpatch::path::PathError>(())
/// ```
pub fn save(mut request: Request, workspace: &dyn Workspace, interrupt: &Interrupt) -> Outcome {
    request.preflight.describe = true;
    let (mut run, mut options) = match Run::begin("check", report::Outcome::WouldApply, &mut request, workspace) {
        Ok(begun) => begun,
        Err(outcome) => return *outcome,
    };
    let (wish, approve, transaction) = (Wish::of(&request), request.approve.clone(), request.transaction);
    let texts: Vec<u8> = request.patches.iter().flat_map(|(_, text)| text).copied().collect();
    if run.read_for(request, workspace, &mut options) {
        run.look(workspace, &options, approve.as_deref(), interrupt);
    }
    if !run.is_refused() {
        run.keep(wish, &texts, workspace, transaction, interrupt);
    }
    run.finish()
}

/// Returns the request to carry out the saved plan `id`: its `plan_id`, or at least eight of its hex digits from the
/// first on. What a plan is about comes from what was saved, all else - the policy, what is told, how it is committed -
/// from `usual`. [`apply`](super::apply) does exactly what was checked, or refuses it as stale.
///
/// # Security
///
/// What was saved is not trusted: it is taken only from files that nobody else can write, and it is worked out anew
/// what it comes to. Whatever that is, it is only done if it is the change that `id` names.
///
/// # Errors
///
/// Returns the report that says why there is no such plan, or more than one, or a damaged one.
pub fn planned(usual: Request, workspace: &dyn Workspace, id: &str) -> Result<Request, Box<Outcome>> {
    let refuse = |problem| refused("apply", problem);
    let digits = digits(id).ok_or_else(|| refuse(unnamed(id)))?;
    match plans::search(workspace, digits) {
        Ok(Search::One(kept)) => restored(usual, &kept).ok_or_else(|| {
            let help = Some("check the patch again".to_owned());
            refuse(Problem { help, ..Problem::new(&code::STATE, "the saved plan does not say what it has to") })
        }),
        Ok(Search::None) => Err(refuse(unsaved(id))),
        Ok(Search::Several(count)) => Err(refuse(ambiguous(id, count))),
        Err(failure) => {
            let mut run = Run::new("apply", report::Outcome::Described);
            run.fail(&failure);
            Err(Box::new(run.finish()))
        }
    }
}

/// Refuses the plan `id`, a whole `plan_id` or the beginning of that of a saved one: it is noted in the history, what was
/// saved of it goes, and nobody's approval of it counts until [`withdraw`].
pub fn reject(
    id: &str,
    reason: Option<&str>,
    workspace: &dyn Workspace,
    (options, interrupt): (transaction::Options, &Interrupt),
) -> Outcome {
    let mut run = Run::new("reject", report::Outcome::Rejected);
    let Some(kept) = run.named(id, workspace) else { return run.finish() };
    if reason.is_some_and(|reason| reason.len() > MAX_REASON) {
        let message = format!("the reason has more than {MAX_REASON} bytes");
        run.problems.push(Problem::new(&code::USAGE, message));
        return run.finish();
    }
    let plan = format!("{SHA256}{}", kept.name);
    let files = Wish::read(&kept).map(|(wish, _)| wish.files).unwrap_or_default();
    let refusal = Refusal { plan: plan.clone(), reason: reason.map(str::to_owned), files };
    match refusals::refuse(workspace, options, interrupt, &refusal) {
        Ok(Some(saved)) => {
            run.kept(saved);
            plans::forget(workspace, &kept.name);
            run.plan_id = Some(plan);
        }
        Ok(None) => run.problems.push(unplaced("a refusal")),
        Err(failure) => run.fail(&failure),
    }
    run.finish()
}

/// Takes every refusal of the plan `id` back, which is a whole `plan_id`.
pub fn withdraw(id: &str, workspace: &dyn Workspace) -> Outcome {
    let mut run = Run::new("reject", report::Outcome::Withdrawn);
    if !is_plan_id(id) {
        run.problems.push(unnamed(id));
        return run.finish();
    }
    match refusals::withdraw(workspace, id) {
        Ok(0) => run.problems.push(Problem::new(&code::NOTHING_TO_UNDO, "no refusal of this plan is kept")),
        Ok(_) => run.plan_id = Some(id.to_owned()),
        Err(failure) => run.fail(&failure),
    }
    run.finish()
}

/// Returns whether `id` has the form of a `plan_id`.
fn is_plan_id(id: &str) -> bool {
    id.strip_prefix(SHA256).is_some_and(|digits| digits.len() == 64 && is_hex(digits))
}

/// Returns the hex digits of a `plan_id`, or of its beginning.
fn digits(id: &str) -> Option<&str> {
    match id.strip_prefix(SHA256) {
        Some(digits) => is_plan_id(id).then_some(digits),
        None => ((FEWEST..=64).contains(&id.len()) && is_hex(id)).then_some(id),
    }
}

fn unnamed(id: &str) -> Problem {
    let help = format!("a plan_id is {SHA256} and 64 hex digits; of a saved plan {FEWEST} of them are enough");
    Problem { help: Some(help), ..Problem::new(&code::USAGE, format!("`{id}` names no plan")) }
}

fn unsaved(id: &str) -> Problem {
    let help = Some("`wpatch check --save` keeps one; it goes when it is carried out, and with its age".to_owned());
    Problem { help, ..Problem::new(&code::NOT_SAVED, format!("no plan is saved whose name begins with {id}")) }
}

fn ambiguous(id: &str, count: usize) -> Problem {
    Problem::new(&code::USAGE, format!("{count} saved plans have names that begin with {id}"))
}

impl Run {
    /// Says so if what was approved is no name of a plan, or the name of one that was refused.
    pub(super) fn admit(&mut self, approve: Option<&str>, workspace: &dyn Workspace) {
        let Some(approve) = approve else { return };
        if !is_plan_id(approve) {
            let help = Some("it is what `wpatch check --json` has under plan_id".to_owned());
            let message = "an approval names a whole plan_id, sha256: and 64 hex digits";
            self.problems.push(Problem { help, ..Problem::new(&code::USAGE, message) });
            return;
        }
        match refusals::find(workspace, approve) {
            Ok(None) => {}
            Ok(Some(refusal)) => self.problems.push(rejected_plan(&refusal)),
            Err(failure) => self.fail(&failure),
        }
    }

    /// Forgets what was saved of a plan that was carried out.
    pub(super) fn settle(&self, approve: Option<&str>, workspace: &dyn Workspace) {
        if let Some(name) = approve.and_then(|approve| approve.strip_prefix(SHA256)).filter(|_| !self.is_refused()) {
            plans::forget(workspace, name);
        }
    }

    fn keep(
        &mut self,
        wish: Wish,
        texts: &[u8],
        workspace: &dyn Workspace,
        options: transaction::Options,
        interrupt: &Interrupt,
    ) {
        let report = self.report();
        let Some(name) = report.plan_id.as_deref().and_then(|id| id.strip_prefix(SHA256)) else { return };
        let files = report.files.iter();
        let files = files.map(|file| (file.op.name().to_owned(), report::path_text(&file.path))).collect();
        let Ok(mut bytes) = serde_json::to_vec(&Wish { files, ..wish }) else { return };
        bytes.push(b'\n');
        bytes.extend_from_slice(texts);
        if bytes.len() as u64 > MAX_PLAN {
            let facts = Facts { limit: Some(MAX_PLAN), size: Some(bytes.len() as u64), ..Facts::default() };
            let message = format!("the patch is too large to be saved, over {MAX_PLAN} bytes");
            self.problems.push(Problem { facts, ..Problem::new(&code::TOO_LARGE, message) });
            return;
        }
        match plans::save(workspace, options, interrupt, &Kept { name: name.to_owned(), bytes }) {
            Ok(Some(saved)) => {
                self.kept(saved);
                let now = u64::try_from(workspace.now().seconds).unwrap_or_default();
                self.saved_until = Some(now.saturating_add(options.history.age.as_secs()));
            }
            Ok(None) => self.problems.push(unplaced("a plan")),
            Err(failure) => self.fail(&failure),
        }
    }

    /// Tells of what was kept how that went.
    fn kept(&mut self, saved: Saved) {
        self.recovered = saved.recovered;
        let told = |failure| unswept(&format!("what is older could not all be removed: {failure}"));
        self.problems.extend(saved.warning.map(told));
    }

    /// Returns the plan that `id` names; of one that is not saved, its name alone.
    fn named(&mut self, id: &str, workspace: &dyn Workspace) -> Option<Kept> {
        let Some(digits) = digits(id) else {
            self.problems.push(unnamed(id));
            return None;
        };
        match plans::search(workspace, digits) {
            Ok(Search::One(kept)) => return Some(kept),
            // Whatever is wrong with what was saved, it can be refused.
            _ if digits.len() == 64 => return Some(Kept { name: digits.to_owned(), bytes: Vec::new() }),
            Ok(Search::None) => self.problems.push(unsaved(id)),
            Ok(Search::Several(count)) => self.problems.push(ambiguous(id, count)),
            Err(failure) => self.fail(&failure),
        }
        None
    }
}

/// What a request asks for that decides what comes of it, as it is written down; the patches stand behind it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools, reason = "each is a wish of its own")]
struct Wish {
    /// What would be done to which file, for people.
    files: Vec<(String, String)>,
    /// The name and the length of each patch.
    patches: Vec<(String, usize)>,
    format: String,
    recount: bool,
    max_files: usize,
    max_hunks: usize,
    forgiving: bool,
    lenient: Option<Vec<u8>>,
    relocate: bool,
    strip: usize,
    #[serde(default)]
    guesses_strip: bool,
    directory: Vec<u8>,
    filters: Vec<(bool, String)>,
    reverse: bool,
    file: Option<Vec<u8>>,
    expected: Option<String>,
    only: Option<String>,
    roots: Vec<Vec<u8>>,
    /// How closely texts and lines have to fit.
    closeness: (u8, u8),
    context: usize,
    fuzz: usize,
    zero_context: bool,
    ignore_whitespace: Option<bool>,
    /// The action, where one was asked for.
    whitespace: Option<String>,
    inaccurate_eof: bool,
    unique: bool,
    overwrite: bool,
    idempotent: bool,
    in_place: bool,
    max_file: u64,
    max_ratio: u64,
    max_growth: u64,
    guards: Vec<String>,
}

/// How closely something fits, by its place here.
const CLOSENESS: [Closeness; 3] = [Closeness::Exact, Closeness::Ladder, Closeness::Reindented];

fn rank(closeness: Closeness) -> u8 {
    CLOSENESS.iter().position(|known| *known == closeness).and_then(|rank| u8::try_from(rank).ok()).unwrap_or_default()
}

impl Wish {
    fn of(request: &Request) -> Self {
        let Request { selection, preflight, syntax, .. } = request;
        let rules = &preflight.rules;
        Self {
            files: Vec::new(),
            patches: request.patches.iter().map(|(name, text)| (name.clone(), text.len())).collect(),
            format: request.format.clone(),
            recount: syntax.recount,
            max_files: syntax.max_files,
            max_hunks: syntax.max_hunks,
            forgiving: syntax.lenient,
            lenient: request.lenience.as_ref().map(|lenience| lenience.root.clone()),
            relocate: request.relocate,
            strip: selection.strip,
            guesses_strip: selection.guesses_strip,
            directory: selection.directory.clone(),
            filters: selection.filters.iter().map(|it| (it.takes, it.pattern.glob().glob().to_owned())).collect(),
            reverse: selection.direction == Direction::Reverse,
            file: selection.file.clone(),
            expected: selection.expected.map(|digest| digest.to_string()),
            only: selection.only.as_ref().map(ToString::to_string),
            roots: selection.roots.clone(),
            closeness: (rank(selection.closeness), rank(rules.closeness)),
            context: rules.context,
            fuzz: rules.fuzz,
            zero_context: rules.zero_context,
            ignore_whitespace: request.whitespace.ignores,
            whitespace: request.whitespace.action.map(|action| action.name().to_owned()),
            inaccurate_eof: rules.inaccurate_eof,
            unique: rules.unique,
            overwrite: preflight.overwrite,
            idempotent: preflight.idempotent,
            in_place: request.transaction.links == Links::Kept,
            max_file: preflight.max_file,
            max_ratio: preflight.max_ratio,
            max_growth: preflight.max_growth,
            guards: preflight.guards.iter().map(|guard| guard.name.to_owned()).collect(),
        }
    }

    /// Returns what `kept` says, and the patches.
    fn read(kept: &Kept) -> Option<(Self, &[u8])> {
        let end = memchr::memchr(b'\n', &kept.bytes)?;
        Some((serde_json::from_slice(&kept.bytes[..end]).ok()?, &kept.bytes[end + 1..]))
    }

    fn selection(&self) -> Option<Selection> {
        let filter = |(takes, pattern): &(bool, String)| Filter::new(*takes, pattern).ok();
        Some(Selection {
            strip: self.strip,
            guesses_strip: self.guesses_strip,
            directory: self.directory.clone(),
            filters: self.filters.iter().map(filter).collect::<Option<_>>()?,
            direction: if self.reverse { Direction::Reverse } else { Direction::Forward },
            file: self.file.clone(),
            expected: self.expected.as_deref().map(|digest| Sha256::parse(digest).ok_or(())).transpose().ok()?,
            only: self.only.as_deref().map(str::parse).transpose().ok()?,
            closeness: *CLOSENESS.get(usize::from(self.closeness.0))?,
            roots: self.roots.clone(),
        })
    }
}

/// Returns the request that was saved as `kept`; `None` if that does not say what it has to.
fn restored(usual: Request, kept: &Kept) -> Option<Request> {
    let (wish, mut rest) = Wish::read(kept)?;
    let mut patches = Vec::new();
    for (name, length) in &wish.patches {
        let (text, others) = rest.split_at_checked(*length)?;
        patches.push((name.clone(), text.to_vec()));
        rest = others;
    }
    if !rest.is_empty() {
        return None;
    }
    let mut preflight = usual.preflight;
    preflight.rules.closeness = *CLOSENESS.get(usize::from(wish.closeness.1))?;
    preflight.rules.context = wish.context;
    preflight.rules.fuzz = wish.fuzz;
    preflight.rules.zero_context = wish.zero_context;
    preflight.rules.inaccurate_eof = wish.inaccurate_eof;
    let action = wish.whitespace.as_ref().map(|name| WhitespaceAction::named(name.as_bytes()).ok_or(()));
    let action = action.transpose().ok()?;
    let whitespace = WhitespaceRequest { action, ignores: wish.ignore_whitespace, ..usual.whitespace };
    preflight.rules.unique = wish.unique;
    preflight.guards = GUARDS.iter().filter(|guard| wish.guards.iter().any(|name| name == guard.name)).collect();
    let (overwrite, idempotent) = (wish.overwrite, wish.idempotent);
    let (max_file, max_ratio, max_growth) = (wish.max_file, wish.max_ratio, wish.max_growth);
    let links = if wish.in_place { Links::Kept } else { Links::Parted };
    let (max_files, max_hunks) = (wish.max_files, wish.max_hunks);
    Some(Request {
        patches,
        selection: wish.selection()?,
        syntax: syntax::Options { recount: wish.recount, max_files, max_hunks, lenient: wish.forgiving },
        preflight: PreflightOptions { overwrite, max_file, max_ratio, max_growth, idempotent, ..preflight },
        transaction: transaction::Options { links, ..usual.transaction },
        approve: Some(format!("{SHA256}{}", kept.name)),
        lenience: wish.lenient.map(|root| Lenience { root }),
        relocate: wish.relocate,
        whitespace,
        format: wish.format,
        is_saved: true,
        ..usual
    })
}
