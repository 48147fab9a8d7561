"""Write a change as a patch: unified diff, git diff, Codex envelope, or SEARCH/REPLACE blocks."""

import os


class NotExpressible(Exception):
    """The format cannot express the change."""


def group_edits(change, context):
    """Returns [[(first line, last line, edits)]]: edits whose context touches share a hunk."""
    groups = []
    for edit in change.edits:
        first = max(0, edit[0] - context)
        last = min(len(change.old), edit[0] + len(edit[1]) + context)
        if groups and first <= groups[-1][1]:
            groups[-1] = (groups[-1][0], last, groups[-1][2] + [edit])
        else:
            groups.append((first, last, [edit]))
    return groups


def hunk_lines(change, group):
    """Returns the prefixed lines of one hunk."""
    first, last, edits = group
    lines, at = [], first
    for start, removed, added in edits:
        lines += [" " + line for line in change.old[at:start]]
        lines += ["-" + line for line in removed] + ["+" + line for line in added]
        at = start + len(removed)
    return lines + [" " + line for line in change.old[at:last]]


def heading(change, first):
    """Returns the text after the second @@ by git's default rule."""
    for line in reversed(change.old[:first]):
        if line[:1].isalpha() or line[:1] in ("_", "$"):
            return " " + line[:80].rstrip()
    return ""


def range_text(first, count):
    """Returns one range of a hunk header."""
    start = first + 1 if count else first
    return f"{start}" if count == 1 else f"{start},{count}"


def diff_hunks(change, context):
    """Returns the lines of all hunks of a diff."""
    if change.old is None:
        return [f"@@ -0,0 +{range_text(0, len(change.new))} @@"] + ["+" + line for line in change.new]
    if change.new is None:
        return [f"@@ -{range_text(0, len(change.old))} +0,0 @@"] + ["-" + line for line in change.old]
    lines, offset = [], 0
    for group in group_edits(change, context):
        body = hunk_lines(change, group)
        old = sum(line[0] != "+" for line in body)
        new = sum(line[0] != "-" for line in body)
        ranges = f"-{range_text(group[0], old)} +{range_text(group[0] + offset, new)}"
        lines += [f"@@ {ranges} @@{heading(change, group[0])}"] + body
        offset += new - old
    return lines


def unified(changes, context=3):
    """Returns the lines of a unified diff."""
    lines = []
    for change in changes:
        lines.append("--- /dev/null" if change.old is None else f"--- a/{change.path}")
        lines.append("+++ /dev/null" if change.new is None else f"+++ b/{change.path}")
        lines += diff_hunks(change, context)
    return lines


def git(changes, context=3):
    """Returns the lines of a git diff. All files have the mode 100644."""
    lines = []
    for change in changes:
        lines.append(f"diff --git a/{change.path} b/{change.path}")
        if change.old is None:
            lines.append("new file mode 100644")
        if change.new is None:
            lines.append("deleted file mode 100644")
        mode = " 100644" if change.old is not None and change.new is not None else ""
        lines.append(f"index {change.old_id}..{change.new_id}{mode}")
        if change.old or change.new:
            lines += unified([change], context)
    return lines


def occurrences(lines, block):
    """Returns how often `block` occurs in `lines`."""
    size = len(block)
    return sum(lines[at:at + size] == block for at in range(len(lines) - size + 1))


def unique_groups(change, context=3, limit=40):
    """Returns groups whose old lines occur once in the file. Models receive this instruction."""
    for size in range(context, limit):
        groups = group_edits(change, size)
        blocks = [change.old[first:last] for first, last, _ in groups]
        if all(block and occurrences(change.old, block) == 1 for block in blocks):
            return groups
    raise NotExpressible(f"{change.path}: no unique context")


def codex(changes, context=3):
    """Returns the lines of a Codex envelope."""
    lines = ["*** Begin Patch"]
    for change in changes:
        if change.old is None:
            lines += [f"*** Add File: {change.path}"] + ["+" + line for line in change.new]
        elif change.new is None:
            lines.append(f"*** Delete File: {change.path}")
        else:
            lines.append(f"*** Update File: {change.path}")
            for group in unique_groups(change, context):
                lines += ["@@"] + hunk_lines(change, group)
    return lines + ["*** End Patch"]


LANGUAGES = {".py": "python", ".go": "go", ".js": "javascript", ".rs": "rust", ".rb": "ruby", ".java": "java",
             ".c": "c", ".h": "c", ".cc": "cpp", ".md": "markdown", ".yml": "yaml", ".json": "json"}


def blocks(changes, context=1):
    """Returns the lines of SEARCH/REPLACE blocks in the form that Aider documents for its edit format `diff`."""
    lines = []
    for change in changes:
        if change.new is None:
            raise NotExpressible("a block cannot delete a file")
        if change.old is None:
            pairs = [([], change.new)]
        else:
            groups = unique_groups(change, context)
            pairs = [(change.old[first:last], replaced(change, (first, last, edits))) for first, last, edits in groups]
        fence = "```" + LANGUAGES.get(os.path.splitext(change.path)[1], "")
        for search, replace in pairs:
            lines += [change.path, fence, "<<<<<<< SEARCH", *search, "=======", *replace, ">>>>>>> REPLACE", "```", ""]
    return lines


def replaced(change, group):
    """Returns the new lines of a group."""
    return [line[1:] for line in hunk_lines(change, group) if line[0] != "-"]


RENDERERS = {"git": git, "unified": unified, "codex": codex, "blocks": blocks}


def encode(lines):
    """Returns the bytes of a patch."""
    return "".join(line + "\n" for line in lines).encode()
