"""Damage of Codex envelopes. The functions have the same form as in `damage_diff`."""

from . import damage_diff, fairness, render


def body(lines, replace):
    """Returns the lines with `replace(marker, text)` for each line of an update."""
    result, inside = [], False
    for line in lines:
        if line.startswith(("*** ", "@@")):
            inside = line.startswith("@@") or inside and not line.startswith("*** ")
            result.append(line)
        else:
            result.append(replace(line[0], line[1:]) if inside else line)
    return result


def fence(changes, lines, seed):
    """A Markdown fence around the envelope."""
    return ["```", *lines, "```"]


def prose(changes, lines, seed):
    """Sentences before and after the envelope."""
    return ["I'll apply this patch now.", "", *lines, "", "The change is complete."]


def heredoc(changes, lines, seed):
    """A shell command with a heredoc."""
    return ["apply_patch <<'EOF'", *lines, "EOF"]


def no_begin(changes, lines, seed):
    """No begin marker."""
    return lines[1:]


def no_end(changes, lines, seed):
    """No end marker."""
    return lines[:-1]


def starred_markers(changes, lines, seed):
    """`***` at the end of the begin and end markers and of the headers."""
    return [line + " ***" if line.startswith("*** ") else line for line in lines]


def range_headers(changes, lines, seed):
    """`@@ -1,2 +1,3 @@` in place of `@@`, with correct numbers."""
    result = []
    for change in changes:
        if change.old is not None and change.new is not None:
            groups = render.unique_groups(change)
            offset = 0
            for first, last, edits in groups:
                grow = sum(len(added) - len(removed) for _, removed, added in edits)
                size = last - first
                result.append(f"@@ -{first + 1},{size} +{first + 1 + offset},{size + grow} @@")
                offset += grow
    headers = iter(result)
    return [next(headers) if line == "@@" else line for line in lines]


def diff_names(changes, lines, seed):
    """`---` and `+++` lines after the header of an update."""
    result = []
    for line in lines:
        result.append(line)
        if line.startswith("*** Update File: "):
            name = line[len("*** Update File: "):]
            result += [f"--- a/{name}", f"+++ b/{name}"]
    return result


def blank_context(changes, lines, seed):
    """Blank context lines without the leading blank."""
    return body(lines, lambda marker, text: (marker + text).rstrip() if marker + text == " " else marker + text)


def unmarked_context(changes, lines, seed):
    """Context lines without their marker."""
    if not fairness.survives_unmarking(changes, 3):
        return None
    return body(lines, lambda marker, text: text if marker == " " else marker + text)


def typography(changes, lines, seed):
    """Typographic quotes and dashes in context lines."""
    table = str.maketrans(damage_diff.QUOTES)
    return body(lines, lambda marker, text: marker + (text.translate(table) if marker == " " else text))


def stripped_blanks(changes, lines, seed):
    """No blanks and tabs at the end of context lines and removed lines."""
    if not fairness.survives_stripping(changes, 3):
        return None
    return body(lines, lambda marker, text: marker + (text if marker == "+" else text.rstrip()))


def slash_prefix(changes, lines, seed):
    """File names that begin with `a/`."""
    result = []
    for line in lines:
        for header in ("*** Update File: ", "*** Add File: ", "*** Delete File: "):
            if line.startswith(header):
                line = header + "a/" + line[len(header):]
        result.append(line)
    return result


def add_without_plus(changes, lines, seed):
    """The content of a created file without `+`."""
    result, inside = [], False
    for line in lines:
        if line.startswith("*** "):
            inside = line.startswith("*** Add File: ")
        result.append(line[1:] if inside and line.startswith("+") else line)
    return result


def dedented(changes, lines, seed):
    """All lines of the updates lost their common indentation of four or more blanks."""
    texts = []
    body(lines, lambda marker, text: texts.append(text) or marker + text)
    width = min((len(text) - len(text.lstrip(" ")) for text in texts if text.strip()), default=0)
    if width < 4 or not fairness.survives_dedenting(changes):
        return None
    return body(lines, lambda marker, text: marker + text[width:])


def tabs_to_blanks(changes, lines, seed):
    """Tabs became four blanks, in all lines of the updates."""
    return body(lines, lambda marker, text: marker + text.replace("\t", "    "))


def no_final_newline(changes, lines, seed):
    """The patch ends without a newline. The harness removes it."""
    return lines


def crlf(changes, lines, seed):
    """The patch has CR LF line endings, and the files have LF."""
    return [line + "\r" for line in lines]


DAMAGE = [
    fence, prose, heredoc, no_begin, no_end, starred_markers, range_headers, diff_names, blank_context,
    unmarked_context, typography, stripped_blanks, slash_prefix, add_without_plus, dedented, tabs_to_blanks,
    no_final_newline, crlf,
]
