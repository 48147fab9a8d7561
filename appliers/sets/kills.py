"""Kill points: the tracer kills an applier at each system call that changes a file of the tree.

An applier receives the richest of these patches that it applies without a kill.
"""

from harness import render
from harness.case import Case
from harness.history import Change
from harness.tree import text_file

OLD = [f"line {number}" for number in range(1, 401)]
NEW = OLD[:100] + ["line 101 is new"] + OLD[101:]
ID = {"old": "1" * 40, "new": "2" * 40, "none": "0" * 40}


def text(lines):
    """Returns the entry of a file."""
    return text_file("".join(line + "\n" for line in lines))


def change(path, old, new, edits):
    """Returns the change of one file."""
    return Change(path, old, new, ID["old" if old else "none"], ID["new" if new else "none"], edits)


def modified(path):
    """Returns the change of one line of a file."""
    return change(path, OLD, NEW, [(100, OLD[100:101], NEW[100:101])])


CREATED = change("created.txt", None, NEW[:50], [])
DELETED = change("deleted.txt", OLD[:50], None, [])
BEFORE = {"a.txt": text(OLD), "b/b.txt": text(OLD), "c.txt": text(OLD), "deleted.txt": text(OLD[:50]),
          "other.txt": text(OLD[:5]), "renamed.txt": text(OLD)}
EDITED = {**BEFORE, "a.txt": text(NEW), "b/b.txt": text(NEW), "c.txt": text(NEW), "created.txt": text(NEW[:50])}
MODIFIED = {path: entry for path, entry in EDITED.items() if path != "created.txt"}
PLAIN = {path: entry for path, entry in EDITED.items() if path != "deleted.txt"}
FULL = {path: entry for path, entry in PLAIN.items() if path != "renamed.txt"}
FULL["d/new-name.txt"] = text(NEW)
CHANGES = [modified("a.txt"), modified("b/b.txt"), modified("c.txt"), CREATED]


def renamed(format):
    """Returns the section that renames and modifies a file."""
    lines = render.diff_hunks(modified("renamed.txt"), 3)
    if format == "git":
        head = ["diff --git a/renamed.txt b/d/new-name.txt", "similarity index 90%", "rename from renamed.txt",
                "rename to d/new-name.txt", "--- a/renamed.txt", "+++ b/d/new-name.txt"]
        return head + lines
    return ["*** Update File: renamed.txt", "*** Move to: d/new-name.txt", "@@", *lines[1:]]


def load(cache):
    """Returns the cases, the richest patch of each format first."""
    cases = []
    for format in ("git", "codex"):
        lines = render.RENDERERS[format]([*CHANGES, DELETED])
        end = [lines.pop()] if format == "codex" else []
        patch = render.encode(lines + renamed(format) + end)
        cases.append(Case("kills", "create, modify, delete, rename", "kill", format, BEFORE, patch, FULL))
    for format in ("git", "codex", "unified"):
        patch = render.encode(render.RENDERERS[format]([*CHANGES, DELETED]))
        cases.append(Case("kills", "create, modify, delete", "kill", format, BEFORE, patch, PLAIN))
    for format in ("git", "codex", "unified", "blocks"):
        patch = render.encode(render.RENDERERS[format](CHANGES))
        cases.append(Case("kills", "create, modify", "kill", format, BEFORE, patch, EDITED))
    for format in ("git", "codex", "unified", "blocks"):
        patch = render.encode(render.RENDERERS[format](CHANGES[:3]))
        cases.append(Case("kills", "modify", "kill", format, BEFORE, patch, MODIFIED))
    return cases, []
