"""Damage of SEARCH/REPLACE blocks. The functions have the same form as in `damage_diff`."""

from . import damage_diff, fairness, render


def each_search_line(lines, replace):
    """Returns the lines with `replace(line)` for each line of a SEARCH part."""
    result, inside = [], False
    for line in lines:
        if line in ("<<<<<<< SEARCH", "======="):
            inside = line != "======="
            result.append(line)
        else:
            result.append(replace(line) if inside else line)
    return result


def names(lines, replace):
    """Returns the lines with `replace(name)` for each file name."""
    result = []
    for number, line in enumerate(lines):
        is_name = number + 2 < len(lines) and lines[number + 2] == "<<<<<<< SEARCH"
        result.append(replace(line) if is_name else line)
    return result


def prose(changes, lines, seed):
    """Sentences before, between and after the blocks."""
    result = ["Here are the edits:", ""]
    for number, line in enumerate(lines):
        result.append(line)
        if line == "```" and lines[number - 1] == ">>>>>>> REPLACE":
            result += ["", "And the next one:"]
    return [*result[:-2], "That completes the change."]


def name_inside_fence(changes, lines, seed):
    """The file name is inside the fence, as in Aider's edit format `diff-fenced`."""
    result = []
    for line in lines:
        if line == "<<<<<<< SEARCH":
            result[-2:] = [result[-1], result[-2]]
        result.append(line)
    return result


def no_fence(changes, lines, seed):
    """No fences around the blocks."""
    return [line for line in lines if not line.startswith("```")]


def quoted_name(changes, lines, seed):
    """The file name is in backquotes."""
    return names(lines, lambda name: f"`{name}`")


def bold_name(changes, lines, seed):
    """The file name is bold and has a colon."""
    return names(lines, lambda name: f"**{name}**:")


def short_markers(changes, lines, seed):
    """Markers of five characters."""
    table = {"<<<<<<< SEARCH": "<<<<< SEARCH", "=======": "=====", ">>>>>>> REPLACE": ">>>>> REPLACE"}
    return [table.get(line, line) for line in lines]


def stripped_blanks(changes, lines, seed):
    """No blanks and tabs at the end of SEARCH lines."""
    if not fairness.survives_stripping(changes, 1):
        return None
    return each_search_line(lines, str.rstrip)


def added_blanks(changes, lines, seed):
    """A blank at the end of each SEARCH line."""
    return each_search_line(lines, lambda line: line + " ")


def typography(changes, lines, seed):
    """Typographic quotes and dashes in SEARCH lines that also are in the REPLACE part."""
    table = str.maketrans(damage_diff.QUOTES)
    kept = set()
    for change in changes:
        if change.old is not None:
            removed = {line for edit in change.edits for line in edit[1]}
            kept |= set(change.old) - removed
    return each_search_line(lines, lambda line: line.translate(table) if line in kept else line)


def dedented(changes, lines, seed):
    """Each block lost its common indentation of four or more blanks."""
    if not fairness.survives_dedenting(changes):
        return None
    result, number, is_damaged = list(lines), 0, False
    while number < len(lines):
        if lines[number] == "<<<<<<< SEARCH":
            end = lines.index(">>>>>>> REPLACE", number)
            inner = [line for line in lines[number + 1:end] if line.strip() and line != "======="]
            width = min((len(line) - len(line.lstrip(" ")) for line in inner), default=0)
            if width >= 4:
                is_damaged = True
                for at in range(number + 1, end):
                    result[at] = lines[at] if lines[at] == "=======" else lines[at][width:]
            number = end
        number += 1
    return result if is_damaged else None


def elided(changes, lines, seed):
    """`...` in place of long unchanged runs, in both parts, as Aider documents."""
    if any(change.new is None for change in changes):
        return None
    longer = render.blocks(changes, 8)
    result, number = [], 0
    while number < len(longer):
        end = next((at for at in range(number, len(longer)) if longer[at] == "======="), None)
        if longer[number] != "<<<<<<< SEARCH" or end is None:
            result.append(longer[number])
            number += 1
            continue
        close = longer.index(">>>>>>> REPLACE", end)
        search, replace = longer[number + 1:end], longer[end + 1:close]
        same = next((at for at, pair in enumerate(zip(search, replace)) if pair[0] != pair[1]), 0)
        if same > 6:
            search, replace = (part[:2] + ["..."] + part[same - 2:] for part in (search, replace))
        result += ["<<<<<<< SEARCH", *search, "=======", *replace, ">>>>>>> REPLACE"]
        number = close + 1
    return result if "..." in result else None


def tabs_to_blanks(changes, lines, seed):
    """Tabs became four blanks."""
    return [line.replace("\t", "    ") for line in lines]


def leading_blank_line(changes, lines, seed):
    """A blank line before the SEARCH text."""
    result = []
    for number, line in enumerate(lines):
        result.append(line)
        if line == "<<<<<<< SEARCH" and lines[number + 1] != "=======":
            result.append("")
    return result


def no_final_newline(changes, lines, seed):
    """The patch ends without a newline. The harness removes it."""
    return lines[:-1]


def crlf(changes, lines, seed):
    """The patch has CR LF line endings, and the files have LF."""
    return [line + "\r" for line in lines]


DAMAGE = [
    prose, name_inside_fence, no_fence, quoted_name, bold_name, short_markers, stripped_blanks, added_blanks,
    typography, dedented, elided, tabs_to_blanks, leading_blank_line, no_final_newline, crlf,
]
