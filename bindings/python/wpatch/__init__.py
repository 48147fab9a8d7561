"""Applies a patch to a tree of files as a whole, or not at all.

Each function runs one command of the program ``wpatch`` in this process. Its keyword arguments are
the options of the command, with ``_`` in place of ``-``: ``max_file=1000`` is ``--max-file=1000``.
Its result is the document that the program prints with ``--json``.

A command that is refused raises an exception with the report. With ``raises=False`` it returns the
report instead. A refused command has changed nothing, unless the exception is
:class:`RollbackIncomplete` or the option ``reject`` is given.

The functions can run in several threads at the same time, and release the GIL.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias, Unpack

from ._native import Cancel, Directory, Tree, __version__, call as _call
from .documents import AuditReport, Difference, Explanation, Extract, Listing, Log, Report, SymbolListing
from .options import (
    AbortOptions,
    AppendOptions,
    ApplyOptions,
    BeginOptions,
    CheckOptions,
    CommitOptions,
    ConvertOptions,
    DiffOptions,
    EditOptions,
    GcOptions,
    InitOptions,
    ListOptions,
    LogOptions,
    NotebookDeleteOptions,
    NotebookInsertOptions,
    NotebookReplaceOptions,
    PolicyExplainOptions,
    ReadOptions,
    RecoverOptions,
    RedoOptions,
    RefreshOptions,
    RejectOptions,
    ShowOptions,
    UndoOptions,
    WriteOptions,
)

__all__ = [
    "Cancel",
    "Cancelled",
    "Denied",
    "Directory",
    "Error",
    "Failed",
    "Locked",
    "Malformed",
    "NotApplied",
    "RollbackIncomplete",
    "Tree",
    "UsageError",
    "__version__",
    "abort",
    "agent_traces",
    "append",
    "apply",
    "begin",
    "check",
    "commit",
    "convert",
    "diff",
    "diff_session",
    "edit",
    "explain",
    "gc",
    "init",
    "list_directory",
    "list_symbols",
    "log",
    "notebook_delete",
    "notebook_insert",
    "notebook_replace",
    "read",
    "recover",
    "redo",
    "refresh",
    "reject",
    "show",
    "show_html",
    "undo",
    "verify_audit",
    "write",
]

File: TypeAlias = str | bytes | os.PathLike[str]
Root: TypeAlias = File | Directory | Tree
Patch: TypeAlias = str | bytes | os.PathLike[str] | Sequence[os.PathLike[str]]
Content: TypeAlias = str | bytes


class Error(Exception):
    """A command was refused.

    ``report`` is the report, as the program prints it with ``--json``.
    """

    report: Report

    def __init__(self, report: Report) -> None:
        self.report = report
        error: Any = report.get("error") or {}
        message = error.get("message", "the command failed")
        if error.get("path"):
            message = f"{error['path']}: {message}"
        if error.get("help"):
            message = f"{message}\n{error['help']}"
        super().__init__(message)

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.report,))

    @property
    def exit_code(self) -> int:
        """The exit code of the program."""
        return self.report["exit_code"]

    @property
    def kind(self) -> str:
        """The kind of the decisive problem, such as ``not_found``."""
        error: Any = self.report.get("error") or {}
        return str(error.get("kind", ""))


class NotApplied(Error):
    """The change does not apply. The exit code is 1."""


class Malformed(Error):
    """The patch is malformed. The exit code is 2."""


class UsageError(Malformed):
    """The arguments contradict each other, or name a missing file. The exit code is 2."""


class Denied(Error):
    """A policy or a safety check refuses the change. The exit code is 3."""


class Failed(Error):
    """An I/O or system error. The change was rolled back. The exit code is 4."""


class RollbackIncomplete(Error):
    """The change was not rolled back completely; call :func:`recover`. The exit code is 5."""


class Locked(Error):
    """Another process holds the lock. The exit code is 6."""


class Cancelled(Error):
    """The command was cancelled and rolled back. The exit code is 128 + 15."""


_ERRORS = {1: NotApplied, 2: Malformed, 3: Denied, 4: Failed, 5: RollbackIncomplete, 6: Locked}


def _error(report: Any) -> Error:
    exit_code = report["exit_code"]
    if exit_code >= 128:
        return Cancelled(report)
    if exit_code == 2 and (report.get("error") or {}).get("kind") == "usage":
        return UsageError(report)
    return _ERRORS.get(exit_code, Error)(report)


def _run(
    command: str,
    root: Root,
    options: Mapping[str, Any],
    cancel: Cancel | None,
    raises: bool,
    operands: Sequence[Any] = (),
    content: Content = b"",
) -> Any:
    _, result = _call(command, operands, options, _encode(content), root, False, cancel)
    if raises and result.get("ok") is False:
        raise _error(result)
    return result


def _encode(content: Content) -> bytes:
    return content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content


def _patch(patch: Patch) -> tuple[Sequence[Any], Content]:
    """Returns the operands and the standard input for a patch."""
    if isinstance(patch, (str, bytes)):
        return (), patch
    if isinstance(patch, os.PathLike):
        return (patch,), b""
    return list(patch), b""


def check(
    patch: Patch,
    root: Root = ".",
    *,
    cancel: Cancel | None = None,
    raises: bool = True,
    **options: Unpack[CheckOptions],
) -> Report:
    """Checks whether a patch applies, and changes nothing.

    ``patch`` is the text of a patch in any format, or the path of a file (or several) with one.
    ``root`` is the path of a directory, a :class:`Directory`, or a :class:`Tree`.
    """
    return _run("check", root, options, cancel, raises, *_patch(patch))


def apply(
    patch: Patch,
    root: Root = ".",
    *,
    cancel: Cancel | None = None,
    raises: bool = True,
    **options: Unpack[ApplyOptions],
) -> Report:
    """Applies a patch: all of it or nothing. The arguments are the same as for :func:`check`."""
    return _run("apply", root, options, cancel, raises, *_patch(patch))


def edit(
    file: File,
    root: Root = ".",
    *,
    edits: Iterable[Mapping[str, Any]] | File | None = None,
    cancel: Cancel | None = None,
    raises: bool = True,
    **options: Unpack[EditOptions],
) -> Report:
    """Replaces text in a file, or inserts lines.

    ``edits`` is a list of edits, or the path of a JSON file with one.
    """
    if edits is None or isinstance(edits, (str, bytes, os.PathLike)):
        return _run("edit", root, {**options, "edits": edits}, cancel, raises, [file])
    content = json.dumps([dict(entry) for entry in edits])
    return _run("edit", root, {**options, "edits": "-"}, cancel, raises, [file], content)


def write(
    file: File,
    content: Content,
    root: Root = ".",
    *,
    cancel: Cancel | None = None,
    raises: bool = True,
    **options: Unpack[WriteOptions],
) -> Report:
    """Writes a whole file."""
    return _run("write", root, options, cancel, raises, [file], content)


def append(
    file: File,
    content: Content,
    root: Root = ".",
    *,
    cancel: Cancel | None = None,
    raises: bool = True,
    **options: Unpack[AppendOptions],
) -> Report:
    """Appends text to a file."""
    return _run("append", root, options, cancel, raises, [file], content)


def notebook_replace(
    file: File,
    source: str,
    root: Root = ".",
    *,
    cancel: Cancel | None = None,
    raises: bool = True,
    **options: Unpack[NotebookReplaceOptions],
) -> Report:
    """Replaces the source of a cell of a Jupyter notebook."""
    return _run(
        "notebook replace", root, {**options, "source": source}, cancel, raises, [file]
    )


def notebook_insert(
    file: File,
    source: str,
    root: Root = ".",
    *,
    cancel: Cancel | None = None,
    raises: bool = True,
    **options: Unpack[NotebookInsertOptions],
) -> Report:
    """Inserts a cell into a Jupyter notebook."""
    return _run(
        "notebook insert", root, {**options, "source": source}, cancel, raises, [file]
    )


def notebook_delete(
    file: File,
    root: Root = ".",
    *,
    cancel: Cancel | None = None,
    raises: bool = True,
    **options: Unpack[NotebookDeleteOptions],
) -> Report:
    """Deletes a cell of a Jupyter notebook."""
    return _run("notebook delete", root, options, cancel, raises, [file])


def undo(
    id: str | None = None,
    root: Root = ".",
    *,
    cancel: Cancel | None = None,
    raises: bool = True,
    **options: Unpack[UndoOptions],
) -> Report:
    """Undoes the last change, or the change ``id`` of :func:`log`."""
    return _run("undo", root, options, cancel, raises, [] if id is None else [id])


def redo(
    root: Root = ".",
    *,
    cancel: Cancel | None = None,
    raises: bool = True,
    **options: Unpack[RedoOptions],
) -> Report:
    """Undoes the last undo."""
    return _run("redo", root, options, cancel, raises)


def recover(
    root: Root = ".",
    *,
    cancel: Cancel | None = None,
    raises: bool = True,
    **options: Unpack[RecoverOptions],
) -> Report:
    """Recovers from an interrupted run."""
    return _run("recover", root, options, cancel, raises)


def init(
    root: Root = ".",
    *,
    cancel: Cancel | None = None,
    raises: bool = True,
    **options: Unpack[InitOptions],
) -> Report:
    """Creates a state directory for the history, outside git work trees."""
    return _run("init", root, options, cancel, raises)


def gc(
    root: Root = ".",
    *,
    cancel: Cancel | None = None,
    raises: bool = True,
    **options: Unpack[GcOptions],
) -> Report:
    """Removes entries of the history over the limits."""
    return _run("gc", root, options, cancel, raises)


def convert(
    patch: Patch,
    to: str,
    root: Root = ".",
    *,
    cancel: Cancel | None = None,
    raises: bool = True,
    **options: Unpack[ConvertOptions],
) -> Report:
    """Writes a patch in the format ``to``, such as ``git``, with the same effect.

    ``convert(patch, "git", root)["converted"]["text"]`` is the patch.
    """
    return _run("convert", root, {**options, "to": to}, cancel, raises, *_patch(patch))


def refresh(
    patches: Sequence[File] = (),
    root: Root = ".",
    *,
    cancel: Cancel | None = None,
    raises: bool = True,
    **options: Unpack[RefreshOptions],
) -> Report:
    """Rewrites files with patches so that they apply to the current tree without fuzz and offsets.

    The option ``series`` names a quilt series in place of ``patches``. ``root`` must be a directory.
    """
    return _run("refresh", root, options, cancel, raises, patches)


def reject(
    id: str,
    root: Root = ".",
    *,
    cancel: Cancel | None = None,
    raises: bool = True,
    **options: Unpack[RejectOptions],
) -> Report:
    """Rejects the plan ``id``, so that it can no longer be approved."""
    return _run("reject", root, options, cancel, raises, [id])


def begin(
    root: Root = ".",
    *,
    cancel: Cancel | None = None,
    raises: bool = True,
    **options: Unpack[BeginOptions],
) -> Report:
    """Begins an edit session.

    The report has its ID: ``begin(root)["session"]["id"]``. Functions with the option ``session``
    work in the session in place of the files.
    """
    return _run("begin", root, options, cancel, raises)


def commit(
    id: str,
    root: Root = ".",
    *,
    cancel: Cancel | None = None,
    raises: bool = True,
    **options: Unpack[CommitOptions],
) -> Report:
    """Commits the edit session ``id``: all of its changes or none."""
    return _run("commit", root, options, cancel, raises, [id])


def abort(
    id: str,
    root: Root = ".",
    *,
    cancel: Cancel | None = None,
    raises: bool = True,
    **options: Unpack[AbortOptions],
) -> Report:
    """Removes the edit session ``id`` with all its changes."""
    return _run("abort", root, options, cancel, raises, [id])


def log(
    root: Root = ".",
    *,
    cancel: Cancel | None = None,
    raises: bool = True,
    **options: Unpack[LogOptions],
) -> Log:
    """Returns the open edit sessions, and the changes that can be undone, newest first."""
    return _run("log", root, options, cancel, raises)


def verify_audit(
    root: Root = ".",
    *,
    cancel: Cancel | None = None,
    **options: Unpack[LogOptions],
) -> AuditReport:
    """Verifies the audit file. A fault is in the result and raises no exception."""
    result = _run("log", root, {**options, "verify": True}, cancel, False)
    if "error" in result:
        raise _error(result)
    return result


def agent_traces(
    root: Root = ".",
    *,
    cancel: Cancel | None = None,
    **options: Unpack[LogOptions],
) -> list[dict[str, Any]]:
    """Returns the changes in the history as records of Agent Trace, newest first."""
    result = _run("log", root, {**options, "format": "agent-trace"}, cancel, False)
    if isinstance(result, dict):
        raise _error(result)
    return result


def show(
    id: str,
    root: Root = ".",
    *,
    cancel: Cancel | None = None,
    raises: bool = True,
    **options: Unpack[LogOptions],
) -> Log:
    """Returns the change ``id`` of the history, with its diffs."""
    return _run("show", root, options, cancel, raises, [id])


def show_html(
    patch: Patch,
    root: Root = ".",
    *,
    cancel: Cancel | None = None,
    **options: Unpack[ShowOptions],
) -> str:
    """Returns what a patch would change as an HTML page.

    It has a script only with the option `decide`. The page of a patch that does not apply contains the reasons.
    """
    operands, content = _patch(patch)
    page, report = _call("show", operands, options, _encode(content), root, True, cancel)
    if page is None:
        raise _error(report)
    return page


def read(
    file: File,
    root: Root = ".",
    *,
    cancel: Cancel | None = None,
    raises: bool = True,
    **options: Unpack[ReadOptions],
) -> Extract:
    """Reads a file, or a part of it."""
    return _run("read", root, options, cancel, raises, [file])


def list_directory(
    directory: File = ".",
    root: Root = ".",
    *,
    cancel: Cancel | None = None,
    raises: bool = True,
    **options: Unpack[ListOptions],
) -> Listing:
    """Lists a directory."""
    return _run("list", root, options, cancel, raises, [directory])


def list_symbols(
    file: File,
    root: Root = ".",
    *,
    cancel: Cancel | None = None,
    raises: bool = True,
    **options: Unpack[ListOptions],
) -> SymbolListing:
    """Lists the functions, classes and other symbols of a file."""
    return _run("list", root, {**options, "symbols": True}, cancel, raises, [file])


def diff(
    old: File,
    new: File,
    root: Root = ".",
    *,
    cancel: Cancel | None = None,
    raises: bool = True,
    **options: Unpack[DiffOptions],
) -> Difference:
    """Compares two files."""
    return _run("diff", root, options, cancel, raises, [old, new])


def diff_session(
    id: str,
    root: Root = ".",
    *,
    cancel: Cancel | None = None,
    raises: bool = True,
    **options: Unpack[DiffOptions],
) -> Difference:
    """Returns all changes of the edit session ``id`` as one diff."""
    return _run("diff", root, {**options, "session": id}, cancel, raises)


def explain(
    path: File,
    root: Root = ".",
    *,
    cancel: Cancel | None = None,
    raises: bool = True,
    **options: Unpack[PolicyExplainOptions],
) -> Explanation:
    """Explains what policy allows for a path, and which rules decide."""
    return _run("policy explain", root, options, cancel, raises, [path])
