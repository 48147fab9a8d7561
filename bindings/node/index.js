"use strict";

const { fileURLToPath } = require("node:url");
const { Cancel, NativeDirectory, NativeTree, call } = require("./native.js");

/** A command was refused. `report` is the report, as the program prints it with `--json`. */
class WpatchError extends Error {
  constructor(report) {
    const error = report.error ?? {};
    const place = error.path ? `${error.path}: ` : "";
    const help = error.help ? `\n${error.help}` : "";
    super(`${place}${error.message ?? "the command failed"}${help}`);
    this.name = new.target.name;
    this.report = report;
    this.exitCode = report.exit_code;
    this.kind = error.kind ?? "";
  }
}

class NotApplied extends WpatchError {}
class Malformed extends WpatchError {}
class UsageError extends Malformed {}
class Denied extends WpatchError {}
class Failed extends WpatchError {}
class RollbackIncomplete extends WpatchError {}
class Locked extends WpatchError {}
class Cancelled extends WpatchError {}

const ERRORS = {
  1: NotApplied,
  2: Malformed,
  3: Denied,
  4: Failed,
  5: RollbackIncomplete,
  6: Locked,
};

function errorOf(report) {
  const code = report.exit_code;
  if (code >= 128) return new Cancelled(report);
  if (code === 2 && report.error?.kind === "usage") return new UsageError(report);
  return new (ERRORS[code] ?? WpatchError)(report);
}

/** A tree of files in memory, with a history of its changes. */
class Tree {
  constructor(files = {}, { executable = [], links = {} } = {}) {
    const marked = new Set(executable);
    for (const name of marked) {
      if (!Object.hasOwn(files, name)) throw new TypeError(`executable names no file: ${name}`);
    }
    const entries = Object.entries(files).map(([name, content]) => ({
      path: name,
      kind: marked.has(name) ? "executable" : "file",
      content: bytes(content),
    }));
    for (const [name, target] of Object.entries(links)) {
      entries.push({ path: name, kind: "link", content: bytes(target) });
    }
    this.native = new NativeTree(entries);
  }

  /** The contents of the files by path. */
  get files() {
    return this.#select((entry) => entry.kind !== "link", (entry) => entry.content);
  }

  /** The paths of the executable files. */
  get executable() {
    return this.native
      .entries()
      .filter((entry) => entry.kind === "executable")
      .map((entry) => entry.path);
  }

  /** The targets of the symbolic links by path. */
  get links() {
    return this.#select((entry) => entry.kind === "link", (entry) => entry.content.toString());
  }

  #select(isWanted, value) {
    const wanted = this.native.entries().filter(isWanted);
    return Object.fromEntries(wanted.map((entry) => [entry.path, value(entry)]));
  }
}

/** Returns the options as the command line has them, with `-` and lower-case letters. */
function callOptions(options) {
  return Object.entries(options)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => ({
      name: name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      value: optionValue(value),
    }));
}

function optionValue(value) {
  if (Array.isArray(value)) return value.map(text);
  return typeof value === "boolean" ? value : text(value);
}

/** A directory that is opened once for several calls. */
class Directory {
  constructor(path) {
    this.native = new NativeDirectory(text(path));
  }

  /** The absolute path. */
  get path() {
    return this.native.path();
  }
}

/** Returns a string, a number, a `file:` URL or UTF-8 bytes as a string. */
function text(value) {
  if (value instanceof URL) return fileURLToPath(value);
  if (value instanceof Uint8Array) {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(value);
  }
  if (typeof value === "string" || typeof value === "number" || typeof value === "bigint") {
    return String(value);
  }
  throw new TypeError(`expected a string, a number, bytes or a URL, not ${typeof value}`);
}

/** Returns a string in UTF-8, or bytes. */
function bytes(content) {
  if (typeof content === "string" || content instanceof Uint8Array) return Buffer.from(content);
  throw new TypeError(`expected a string or a Uint8Array, not ${typeof content}`);
}

/** Throws an error for a root or another value in the place of the options. */
function requireOptions(options) {
  const prototype = typeof options === "object" && options !== null ? Object.getPrototypeOf(options) : undefined;
  if (options === undefined || prototype === null || prototype?.constructor?.name === "Object") return;
  throw new TypeError("the options must be an object, such as { root: directory }");
}

async function run(command, operands, content, options, isPage = false) {
  requireOptions(options);
  const { root = ".", signal, raises = true, ...rest } = options ?? {};
  signal?.throwIfAborted();
  const cancel = new Cancel();
  const abort = () => cancel.cancel();
  signal?.addEventListener("abort", abort, { once: true });
  let answer;
  try {
    const tree = root instanceof Tree ? root.native : null;
    const directory = root instanceof Directory ? root.native : null;
    const request = {
      command,
      operands: operands.map(text),
      options: callOptions(rest),
      input: bytes(content),
      root: tree || directory ? "" : text(root),
      isPage,
    };
    answer = await call(request, tree, directory, cancel);
  } finally {
    signal?.removeEventListener("abort", abort);
  }
  if (answer.isPage) return answer.text.toString();
  const result = JSON.parse(answer.text);
  // A call that makes no page cannot return its report.
  if (isPage || (raises && result.ok === false)) throw errorOf(result);
  return result;
}

/** Returns the operands and the standard input for a patch: a text, or the URLs of files. */
function patchInput(patch) {
  if (patch instanceof URL) return [[patch], ""];
  if (Array.isArray(patch)) return [patch, ""];
  return [[], patch];
}

function runPatch(command, patch, options, isPage) {
  const [operands, content] = patchInput(patch);
  return run(command, operands, content, options, isPage);
}

const check = (patch, options) => runPatch("check", patch, options);
const apply = (patch, options) => runPatch("apply", patch, options);
const showHtml = (patch, options) => runPatch("show", patch, options, true);

function convert(patch, to, options) {
  const [operands, content] = patchInput(patch);
  return runWith("convert", operands, content, options, { to });
}

const refresh = (patches, options) => run("refresh", patches, "", options);

/** Runs a command with options in addition to those of the caller. */
async function runWith(command, operands, content, options, more) {
  requireOptions(options);
  return run(command, operands, content, { ...options, ...more });
}

function edit(file, options) {
  if (Array.isArray(options?.edits)) {
    return runWith("edit", [file], JSON.stringify(options.edits), options, { edits: "-" });
  }
  return run("edit", [file], "", options);
}

const write = (file, content, options) => run("write", [file], content, options);
const append = (file, content, options) => run("append", [file], content, options);
const notebookReplace = (file, source, options) =>
  runWith("notebook replace", [file], "", options, { source });
const notebookInsert = (file, source, options) =>
  runWith("notebook insert", [file], "", options, { source });
const notebookDelete = (file, options) => run("notebook delete", [file], "", options);
const undo = (options) => {
  const id = options?.id ?? undefined;
  return runWith("undo", id === undefined ? [] : [id], "", options, { id: undefined });
};
const redo = (options) => run("redo", [], "", options);
const recover = (options) => run("recover", [], "", options);
const init = (options) => run("init", [], "", options);
const gc = (options) => run("gc", [], "", options);
const reject = (id, options) => run("reject", [id], "", options);
const begin = (options) => run("begin", [], "", options);
const commit = (id, options) => run("commit", [id], "", options);
const abort = (id, options) => run("abort", [id], "", options);
const log = (options) => run("log", [], "", options);
const agentTraces = (options) => runWith("log", [], "", options, { format: "agent-trace" });
async function verifyAudit(options) {
  const result = await runWith("log", [], "", options, { verify: true, raises: false });
  // A fault is in the result. Only a failure of the command is an error.
  if (result.error) throw errorOf(result);
  return result;
}
const show = (id, options) => run("show", [id], "", options);
const read = (file, options) => run("read", [file], "", options);
const listDirectory = (directory = ".", options = undefined) =>
  run("list", [directory], "", options);
const listSymbols = (file, options) => runWith("list", [file], "", options, { symbols: true });
const diff = (before, after, options) => run("diff", [before, after], "", options);
const diffSession = (id, options) => runWith("diff", [], "", options, { session: id });
const explain = (file, options) => run("policy explain", [file], "", options);

module.exports = {
  Cancelled,
  Denied,
  Directory,
  Failed,
  Locked,
  Malformed,
  NotApplied,
  RollbackIncomplete,
  Tree,
  UsageError,
  WpatchError,
  abort,
  agentTraces,
  append,
  apply,
  begin,
  check,
  commit,
  convert,
  diff,
  diffSession,
  edit,
  explain,
  gc,
  init,
  listDirectory,
  listSymbols,
  log,
  notebookDelete,
  notebookInsert,
  notebookReplace,
  read,
  recover,
  redo,
  refresh,
  reject,
  show,
  showHtml,
  undo,
  verifyAudit,
  write,
};
