"""Patches that no applier can apply as they were meant. Only a refusal with an unchanged tree is right.

The commits are the ones of the set `malformed`. Here the tree is changed or the patch is incomplete.
"""

import hashlib
import re

from harness import render
from harness.case import REFUSAL, TREE, UNCHANGED, Case, stable_number
from harness.commits import Material, materials, text_tree
from harness.history import Change
from harness.tree import text_file

EACH = 3  # commits for each kind and format
FORMATS = ("git", "unified", "codex", "blocks")


def other_word(line):
    """Returns the line with another word in place of its first word of three letters, or None."""
    changed = re.sub(r"[A-Za-z]{3,}", lambda match: match[0] + "Other", line, count=1)
    return None if changed == line else changed


def updates(material):
    """Returns the changes of existing files."""
    return [change for change in material.changes if change.old is not None and change.new is not None]


def tree_with(material, change, lines):
    """Returns the tree before with other lines in one file."""
    return {**material.before, **text_tree({change.path: lines})}


def patch_of(material, format):
    """Returns the intact patch."""
    return render.encode(render.RENDERERS[format](material.changes))


def with_other_removed_line(material, change):
    """Returns the tree in which the last removed line of a file has another word, or None."""
    for start, removed, _ in reversed(change.edits):
        for offset, line in reversed(list(enumerate(removed))):
            changed = other_word(line)
            if changed and changed not in change.old:
                lines = list(change.old)
                lines[start + offset] = changed
                return tree_with(material, change, lines)
    return None


def one_edit(material):
    """Returns the Material of the first edit alone that replaces lines, or None."""
    for change in updates(material):
        for start, removed, added in change.edits:
            if removed and added and start:
                new = change.old[:start] + added + change.old[start + len(removed):]
                text = "".join(line + "\n" for line in new).encode()
                new_id = hashlib.sha1(b"blob %d\0" % len(text) + text).hexdigest()
                single = Change(change.path, change.old, new, change.old_id, new_id, [(start, removed, added)])
                return Material(material.name, material.source, [single], material.before,
                                {**material.before, **text_tree({change.path: new})})
    return None


def stale_line(material, format):
    """A removed line has another word in the file. A fuzzy match would delete the work of another person."""
    single = one_edit(material)
    tree = single and with_other_removed_line(single, single.changes[0])
    return tree and (tree, patch_of(single, format))


def stale_second_hunk(material, format):
    """The last hunk does not match. The earlier hunks of the file match."""
    files = [change for change in updates(material) if len(render.group_edits(change, 3)) > 1]
    if len(material.changes) != 1 or not files:
        return None
    tree = with_other_removed_line(material, files[0])
    return tree and (tree, patch_of(material, format))


def stale_last_file(material, format):
    """The last file does not match. The earlier files match."""
    if len(material.changes) < 2 or material.changes[-1] not in updates(material):
        return None
    tree = with_other_removed_line(material, material.changes[-1])
    return tree and (tree, patch_of(material, format))


def missing_file(material, format):
    """The last file of the patch does not exist."""
    files = updates(material)
    tree = {path: entry for path, entry in material.before.items() if path != files[-1].path}
    return tree, patch_of(material, format)


def existing_file(material, format):
    """The patch creates a file that exists with other content."""
    created = [change for change in material.changes if change.old is None]
    if not created:
        return None
    tree = {**material.before, created[0].path: text_file("other content\nof another person\n")}
    return tree, patch_of(material, format)


def other_deleted_content(material, format):
    """The patch deletes a file that has other content."""
    deleted = [change for change in material.changes if change.new is None]
    if not deleted or format == "codex":  # an envelope does not contain the deleted content
        return None
    tree = tree_with(material, deleted[0], deleted[0].old + ["a new line of another person"])
    return tree, patch_of(material, format)


def ambiguous(material, format):
    """The old lines occur twice, and nothing in the patch selects a place."""
    files = updates(material)
    if len(material.changes) != 1:
        return None
    patch = patch_of(material, format)
    if format in ("git", "unified"):
        patch = re.sub(rb"(?m)^@@ -\d.*$", b"@@ ... @@", patch)
    return tree_with(material, files[0], files[0].old + ["", ""] + files[0].old), patch


def truncated(material, format):
    """The patch ends in the middle of a line, at about two thirds of its length."""
    patch = patch_of(material, format)
    cut = len(patch) * 2 // 3
    while cut > 0 and (patch[cut - 1:cut] in (b"\n", b" ", b"+", b"-") or patch[cut:cut + 1] == b"\n"):
        cut -= 1
    line = patch[:cut].rsplit(b"\n", 1)[-1]
    if format == "blocks" and patch.count(b"<<<<<<< SEARCH", 0, cut) == patch.count(b">>>>>>> REPLACE", 0, cut):
        return None  # the cut is between two blocks
    is_header = line.startswith((b"@@", b"***", b"---", b"+++", b"diff", b"index"))
    return None if is_header else (material.before, patch[:cut])


def prose_only(material, format):
    """The text contains no patch."""
    text = f"I looked at {material.changes[0].path}, but I could not make the change.\nPlease give me more details.\n"
    return material.before, text.encode()


def headers_only(material, format):
    """The patch names a file but contains no change of it."""
    name = updates(material)[0].path
    texts = {
        "git": f"diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n",
        "unified": f"--- a/{name}\n+++ b/{name}\n",
        "codex": f"*** Begin Patch\n*** Update File: {name}\n*** End Patch\n",
    }
    return (material.before, texts[format].encode()) if format in texts else None


def already_applied(material, format):
    """The tree is the result of the patch. Each report is right as long as the tree stays."""
    return material.after, patch_of(material, format)


def changed_context(material, format):
    """One context line has another word in the file. A refusal and the obvious result are right."""
    single = one_edit(material)
    if single is None:
        return None
    change = single.changes[0]
    place = change.edits[0][0] - 1
    changed = other_word(change.old[place])
    if changed is None or changed in change.old:
        return None
    before, truth = list(change.old), list(change.new)
    before[place] = truth[place] = changed
    return tree_with(material, change, before), patch_of(single, format), tree_with(material, change, truth)


KINDS = (
    *((function, (REFUSAL,)) for function in (
        stale_line, stale_second_hunk, stale_last_file, missing_file, existing_file, other_deleted_content, ambiguous,
        truncated, prose_only, headers_only)),
    (already_applied, (UNCHANGED,)),
    (changed_context, (TREE, REFUSAL)),
)


def load(cache):
    """Returns the cases and the missing repositories."""
    all_materials, missing = materials(cache)
    cases = []
    for function, accepts in KINDS:
        kind = function.__name__
        start = stable_number(kind, max(1, len(all_materials)))
        for format in FORMATS:
            found = 0
            for material in all_materials[start:] + all_materials[:start]:
                if found == EACH or format == "blocks" and any(change.new is None for change in material.changes):
                    continue
                made = function(material, format)
                if made:
                    truth = made[2] if len(made) > 2 else None
                    cases.append(Case("refusals", f"{kind}/{material.name}", kind, format, made[0], made[1], truth,
                                      accepts, material.before, material.source))
                    found += 1
    return cases, missing
