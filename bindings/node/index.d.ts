import type * as documents from "./documents";
import type * as options from "./options";

export type { documents, options };
export type { AuditReport, Difference, Explanation, Extract, Listing, Log, Report } from "./documents";

/** A path, or the URL of a file. */
export type File = string | URL;
/** A text in any format of patches, or the URLs of files with patches. */
export type Patch = string | Uint8Array | URL | URL[];
/** The content of a file. */
export type Content = string | Uint8Array;

/** The options of every function. */
export interface CallOptions {
  /** A directory, or a tree in memory. The default is the current directory. */
  root?: File | Directory | Tree;
  /** Cancels the call. A change that is not complete is rolled back. */
  signal?: AbortSignal;
  /** Whether a refused command rejects the promise. The default is true. */
  raises?: boolean;
}

/** A tree of files in memory, with a history of its changes. */
export class Tree {
  constructor(
    files?: Record<string, Content>,
    others?: { executable?: Iterable<string>; links?: Record<string, string> },
  );
  /** The contents of the files by path. */
  get files(): Record<string, Buffer>;
  /** The paths of the executable files. */
  get executable(): string[];
  /** The targets of the symbolic links by path. */
  get links(): Record<string, string>;
}

/**
 * A directory that is opened once for several calls, which are then faster.
 *
 * The location of the repository, git's configuration and the policy of the user are read once.
 * Later changes of them have no effect.
 */
export class Directory {
  constructor(path: File);
  /** The absolute path. */
  get path(): string;
}

/**
 * A command was refused. It has changed nothing, unless it is `RollbackIncomplete` or the option `reject` is given.
 */
export class WpatchError extends Error {
  /** The report, as the program prints it with `--json`. */
  readonly report: documents.Report;
  /** The exit code of the program. */
  readonly exitCode: number;
  /** The kind of the decisive problem, such as `not_found`. */
  readonly kind: string;
}
/** The change does not apply. The exit code is 1. */
export class NotApplied extends WpatchError {}
/** The patch is malformed. The exit code is 2. */
export class Malformed extends WpatchError {}
/** The arguments contradict each other, or name a missing file. The exit code is 2. */
export class UsageError extends Malformed {}
/** A policy or a safety check refuses the change. The exit code is 3. */
export class Denied extends WpatchError {}
/** An I/O or system error. The change was rolled back. The exit code is 4. */
export class Failed extends WpatchError {}
/** The change was not rolled back completely; call `recover`. The exit code is 5. */
export class RollbackIncomplete extends WpatchError {}
/** Another process holds the lock. The exit code is 6. */
export class Locked extends WpatchError {}
/** The command was cancelled and rolled back. The exit code is 128 + 15. */
export class Cancelled extends WpatchError {}

/** Checks whether a patch applies, and changes nothing. */
export function check(
  patch: Patch,
  options?: CallOptions & options.CheckOptions,
): Promise<documents.Report>;
/** Applies a patch: all of it or nothing. */
export function apply(
  patch: Patch,
  options?: CallOptions & options.ApplyOptions,
): Promise<documents.Report>;
/** Replaces text in a file, or inserts lines. `edits` is a list of edits, or a JSON file with one. */
export function edit(
  file: File,
  options?: CallOptions & options.EditOptions & { edits?: object[] | File },
): Promise<documents.Report>;
/** Writes a whole file. */
export function write(
  file: File,
  content: Content,
  options?: CallOptions & options.WriteOptions,
): Promise<documents.Report>;
/** Appends text to a file. */
export function append(
  file: File,
  content: Content,
  options?: CallOptions & options.AppendOptions,
): Promise<documents.Report>;
/** Replaces the source of a cell of a Jupyter notebook. */
export function notebookReplace(
  file: File,
  source: string,
  options?: CallOptions & options.NotebookReplaceOptions,
): Promise<documents.Report>;
/** Inserts a cell into a Jupyter notebook. */
export function notebookInsert(
  file: File,
  source: string,
  options?: CallOptions & options.NotebookInsertOptions,
): Promise<documents.Report>;
/** Deletes a cell of a Jupyter notebook. */
export function notebookDelete(
  file: File,
  options?: CallOptions & options.NotebookDeleteOptions,
): Promise<documents.Report>;
/** Undoes the last change, or the change `id` of `log`. */
export function undo(
  options?: CallOptions & options.UndoOptions & { id?: string },
): Promise<documents.Report>;
/** Undoes the last undo. */
export function redo(options?: CallOptions & options.RedoOptions): Promise<documents.Report>;
/** Recovers from an interrupted run. */
export function recover(options?: CallOptions & options.RecoverOptions): Promise<documents.Report>;
/** Creates a state directory for the history, outside git work trees. */
export function init(options?: CallOptions & options.InitOptions): Promise<documents.Report>;
/** Removes entries of the history over the limits. */
export function gc(options?: CallOptions & options.GcOptions): Promise<documents.Report>;
/**
 * Writes a patch in the format `to`, such as `git`, with the same effect. `report.converted.text` is the
 * patch.
 */
export function convert(
  patch: Patch,
  to: string,
  options?: CallOptions & options.ConvertOptions,
): Promise<documents.Report>;
/**
 * Rewrites files with patches so that they apply to the current tree without fuzz and offsets. The
 * option `series` names a quilt series in place of `patches`. The root must be a directory.
 */
export function refresh(
  patches: File[],
  options?: CallOptions & options.RefreshOptions,
): Promise<documents.Report>;
/** Rejects the plan `id`, so that it can no longer be approved. */
export function reject(
  id: string,
  options?: CallOptions & options.RejectOptions,
): Promise<documents.Report>;
/**
 * Begins an edit session. The report has its ID: `report.session.id`. Functions with the option
 * `session` work in the session in place of the files.
 */
export function begin(options?: CallOptions & options.BeginOptions): Promise<documents.Report>;
/** Commits the edit session `id`: all of its changes or none. */
export function commit(
  id: string,
  options?: CallOptions & options.CommitOptions,
): Promise<documents.Report>;
/** Removes the edit session `id` with all its changes. */
export function abort(
  id: string,
  options?: CallOptions & options.AbortOptions,
): Promise<documents.Report>;
/** Returns the open edit sessions, and the changes that can be undone, newest first. */
export function log(options?: CallOptions & options.LogOptions): Promise<documents.Log>;
/** Verifies the audit file. A fault is in the result and is no error. */
export function verifyAudit(
  options?: CallOptions & options.LogOptions,
): Promise<documents.AuditReport>;
/** Returns the changes in the history as records of Agent Trace, newest first. */
export function agentTraces(
  options?: CallOptions & options.LogOptions,
): Promise<Record<string, unknown>[]>;
/** Returns the change `id` of the history, with its diffs. */
export function show(
  id: string,
  options?: CallOptions & options.LogOptions,
): Promise<documents.Log>;
/**
 * Returns what a patch would change as an HTML page. It has a script only with the option `decide`.
 * The page of a patch that does not apply contains the reasons.
 */
export function showHtml(
  patch: Patch,
  options?: CallOptions & options.ShowOptions,
): Promise<string>;
/** Reads a file, or a part of it. */
export function read(
  file: File,
  options?: CallOptions & options.ReadOptions,
): Promise<documents.Extract>;
/** Lists a directory. */
export function listDirectory(
  directory?: File,
  options?: CallOptions & options.ListOptions,
): Promise<documents.Listing>;
/** Lists the functions, classes and other symbols of a file. */
export function listSymbols(
  file: File,
  options?: CallOptions & options.ListOptions,
): Promise<documents.SymbolListing>;
/** Compares two files. */
export function diff(
  before: File,
  after: File,
  options?: CallOptions & options.DiffOptions,
): Promise<documents.Difference>;
/** Returns all changes of the edit session `id` as one diff. */
export function diffSession(
  id: string,
  options?: CallOptions & options.DiffOptions,
): Promise<documents.Difference>;
/** Explains what policy allows for a path, and which rules decide. */
export function explain(
  file: File,
  options?: CallOptions & options.PolicyExplainOptions,
): Promise<documents.Explanation>;
