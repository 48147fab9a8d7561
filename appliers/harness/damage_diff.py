"""Damage of unified and git diffs, as models and chat programs produce it.

Each function receives the changes, the lines of the intact diff and a seed. It returns the damaged lines, or None if
the diff has nothing to damage. Old and new lines keep their meaning, so the truth is the commit.
"""

import html
import re

from . import fairness, render
from .case import stable_number

HEADER = re.compile(r"^@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@(.*)$")
QUOTES = {"'": "\u2019", '"': "\u201d", "-": "\u2010"}


def each_header(lines, replace):
    """Returns the lines with each hunk header replaced by `replace(match, number)`."""
    result, number = [], 0
    for line in lines:
        match = HEADER.match(line)
        if match:
            result.append(replace(match, number))
            number += 1
        else:
            result.append(line)
    return result


def each_body_line(lines, replace):
    """Returns the lines with `replace(marker, text)` for each line of a hunk."""
    result, inside = [], False
    for line in lines:
        if line.startswith(("diff --git ", "--- a/", "--- /dev/null", "@@ ")):
            inside = line.startswith("@@ ")
            result.append(line)
        else:
            result.append(replace(line[0], line[1:]) if inside else line)
    return result


def wrong_counts(changes, lines, seed):
    """Counts that do not fit the body."""
    def replace(match, number):
        old = int((match[2] or ",1")[1:]) + 1 + stable_number(f"{seed} {number}", 3)
        new = int((match[4] or ",1")[1:]) + 2
        return f"@@ -{match[1]},{old} +{match[3]},{new} @@{match[5]}"
    return each_header(lines, replace)


def low_counts(changes, lines, seed):
    """Counts that are too small, so that a trusting applier drops lines."""
    def replace(match, number):
        old, new = (max(0, int((match[group] or ",1")[1:]) - 1) for group in (2, 4))
        return f"@@ -{match[1]},{old} +{match[3]},{new} @@{match[5]}"
    return each_header(lines, replace)


def wrong_lines(changes, lines, seed):
    """Line numbers that are off by up to 60."""
    if not fairness.has_unique_places(changes, 3):
        return None
    def replace(match, number):
        shift = 7 + stable_number(f"{seed} {number}", 54)
        if match[1] == "0" or match[3] == "0":
            return match[0]
        return f"@@ -{int(match[1]) + shift}{match[2] or ''} +{int(match[3]) + shift}{match[4] or ''} @@{match[5]}"
    return each_header(lines, replace)


def first_line(changes, lines, seed):
    """Each hunk pretends to start at line 1."""
    if not fairness.has_unique_places(changes, 3):
        return None
    return each_header(lines, lambda match, number: f"@@ -1{match[2] or ''} +1{match[4] or ''} @@")


def no_numbers(changes, lines, seed):
    """`@@ ... @@` in place of a hunk header."""
    if not fairness.has_unique_places(changes, 3):
        return None
    return each_header(lines, lambda match, number: "@@ ... @@")


def bare_header(changes, lines, seed):
    """`@@` in place of a hunk header."""
    if not fairness.has_unique_places(changes, 3):
        return None
    return each_header(lines, lambda match, number: "@@")


def fence(changes, lines, seed):
    """A Markdown fence around the diff."""
    return ["```diff", *lines, "```"]


def prose(changes, lines, seed):
    """Sentences before and after the diff, and a fence."""
    before = ["Sure! Here is the change:", "", "```diff"]
    return [*before, *lines, "```", "", "This updates the code as you asked. Let me know if it works!"]


def prose_without_fence(changes, lines, seed):
    """Sentences before and after the diff."""
    return ["Here is the change.", "", *lines, "", "Run the tests afterwards."]


def blank_context(changes, lines, seed):
    """Blank context lines without the leading blank."""
    return [line.rstrip(" ") if line == " " else line for line in lines]


def stripped_blanks(changes, lines, seed):
    """No blanks and tabs at the end of context lines and removed lines."""
    if not fairness.survives_stripping(changes, 3):
        return None
    return each_body_line(lines, lambda marker, text: marker + (text if marker == "+" else text.rstrip()))


def no_final_newline(changes, lines, seed):
    """The patch ends without a newline. The harness removes it."""
    return lines


def crlf(changes, lines, seed):
    """The patch has CR LF line endings, and the files have LF."""
    return [line + "\r" for line in lines]


def tabs_to_blanks(changes, lines, seed):
    """Tabs became four blanks, in all lines of the hunks."""
    return each_body_line(lines, lambda marker, text: marker + text.replace("\t", "    "))


def no_prefix(changes, lines, seed):
    """File names without a/ and b/."""
    result = []
    for line in lines:
        line = re.sub(r"^diff --git a/(\S+) b/(\S+)$", r"diff --git \1 \2", line)
        result.append(re.sub(r"^(---|\+\+\+) [ab]/", r"\1 ", line))
    return result


def project_prefix(changes, lines, seed):
    """File names that begin with the name of the project."""
    result = []
    for line in lines:
        line = re.sub(r"^diff --git a/(\S+) b/(\S+)$", r"diff --git a/project/\1 b/project/\2", line)
        result.append(re.sub(r"^(---|\+\+\+) ([ab])/", r"\1 \2/project/", line))
    return result


def typography(changes, lines, seed):
    """Typographic quotes and dashes in context lines."""
    table = str.maketrans(QUOTES)
    return each_body_line(lines, lambda marker, text: marker + (text.translate(table) if marker == " " else text))


def short_context(changes, lines, seed):
    """One line of context, and line numbers that are off by five."""
    if not fairness.has_unique_places(changes, 1):
        return None
    shorter = render.RENDERERS["git" if lines[0].startswith("diff ") else "unified"](changes, 1)
    def replace(match, number):
        if match[1] == "0" or match[3] == "0":
            return match[0]
        return f"@@ -{int(match[1]) + 5}{match[2] or ''} +{int(match[3]) + 5}{match[4] or ''} @@"
    return each_header(shorter, replace)


def elided(changes, lines, seed):
    """`...` in place of long runs of context inside a hunk."""
    longer = render.RENDERERS["git" if lines[0].startswith("diff ") else "unified"](changes, 10)
    result, run = [], []
    for line in longer + [""]:
        if line.startswith(" "):
            run.append(line)
            continue
        inside = result and result[-1][:1] in "+-" and line[:1] in ("+", "-") and not result[-1].startswith("+++")
        result += run[:2] + [" ..."] + run[-2:] if inside and len(run) > 6 else run
        run = []
        result.append(line)
    return result[:-1]


def only_new_name(changes, lines, seed):
    """No `---` lines."""
    return [line for line in lines if not line.startswith(("--- a/", "--- /dev/null"))]


def only_git_line(changes, lines, seed):
    """No `---` and `+++` lines after `diff --git`."""
    if not lines[0].startswith("diff --git"):
        return None
    return [line for line in lines if not line.startswith(("--- a/", "+++ b/", "--- /dev/null", "+++ /dev/null"))]


def no_dev_null(changes, lines, seed):
    """A created file has its name on both sides."""
    result = []
    for line in lines:
        if line.startswith("+++ b/") and result[-1] == "--- /dev/null":
            result[-1] = "--- a/" + line[6:]
        result.append(line)
    return [line for line in result if not line.startswith("new file mode")]


def swapped_hunks(changes, lines, seed):
    """The hunks of each file are in reverse order."""
    result, hunks = [], []
    for line in lines + ["diff --git"]:
        if HEADER.match(line):
            hunks.append([line])
        elif hunks and not line.startswith(("diff --git", "--- a/", "--- /dev/null")):
            hunks[-1].append(line)
        else:
            result += [part for hunk in reversed(hunks) for part in hunk] + [line]
            hunks = []
    return result[:-1]


def indented(changes, lines, seed):
    """The diff is indented by four blanks, as in a Markdown list."""
    return ["    " + line for line in lines]


def unmarked_context(changes, lines, seed):
    """Context lines without their marker."""
    if not fairness.survives_unmarking(changes, 3):
        return None
    return each_body_line(lines, lambda marker, text: text if marker == " " else marker + text)


def glued_context(changes, lines, seed):
    """The first context line of a hunk is at the end of the hunk header."""
    result = []
    for number, line in enumerate(lines):
        match = HEADER.match(lines[number - 1]) if number else None
        if match and line.startswith(" ") and line.strip():
            result[-1] = result[-1][:len(result[-1]) - len(match[5])] + line
        else:
            result.append(line)
    return result


def html_entities(changes, lines, seed):
    """`<`, `>` and `&` are HTML entities in context lines and removed lines."""
    def replace(marker, text):
        return marker + (text if marker == "+" else html.escape(text, quote=False))
    return each_body_line(lines, replace)


def dedented(changes, lines, seed):
    """All lines of the hunks lost their common indentation of four or more blanks."""
    texts = []
    each_body_line(lines, lambda marker, text: texts.append(text) or marker + text)
    width = min((len(text) - len(text.lstrip(" ")) for text in texts if text.strip()), default=0)
    if width < 4 or not fairness.survives_dedenting(changes):
        return None
    return each_body_line(lines, lambda marker, text: marker + text[width:])


def dropped_blank(changes, lines, seed):
    """Blank lines between two other context lines are missing."""
    result = []
    for number, line in enumerate(lines):
        around = lines[number - 1:number] + lines[number + 1:number + 2]
        if line == " " and len(around) == 2 and all(other.startswith(" ") and other.strip() for other in around):
            continue
        result.append(line)
    return result


DAMAGE = [
    wrong_counts, low_counts, wrong_lines, first_line, no_numbers, bare_header, fence, prose, prose_without_fence,
    blank_context, stripped_blanks, no_final_newline, crlf, tabs_to_blanks, no_prefix, project_prefix, typography,
    short_context, elided, only_new_name, only_git_line, no_dev_null, swapped_hunks, indented, unmarked_context,
    glued_context, html_entities, dedented, dropped_blank,
]
