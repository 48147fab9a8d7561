"""Which damage leaves enough information. A case is used only if the damaged patch still determines the commit.

These rules look at the commit and the patch. They look at no applier.
"""

from . import render


def updates(changes):
    """Returns the changes of existing files."""
    return [change for change in changes if change.old is not None and change.new is not None]


def has_unique_places(changes, context):
    """Returns whether the old lines of each hunk occur once in their file, so that line numbers are not needed."""
    return all(
        first < last and render.occurrences(change.old, change.old[first:last]) == 1
        for change in updates(changes) for first, last, _ in render.group_edits(change, context)
    )


def survives_stripping(changes, context):
    """Returns whether the places are unique without the blanks at line ends, and no edit changes only such blanks."""
    for change in updates(changes):
        stripped = [line.rstrip() for line in change.old]
        for first, last, edits in render.group_edits(change, context):
            if render.occurrences(stripped, stripped[first:last]) != 1:
                return False
            for _, removed, added in edits:
                if {line.rstrip() for line in removed} & {line.rstrip() for line in added}:
                    return False
    return True


def survives_dedenting(changes):
    """Returns whether no new line consists of blanks alone. Such a line loses its content."""
    return not any(line and not line.strip() for change in changes for edit in change.edits for line in edit[2])


def survives_unmarking(changes, context):
    """Returns whether no context line begins like another line of a patch when its marker is missing."""
    return not any(
        line.startswith((" -", " +", " @@", " ***"))
        for change in updates(changes) for group in render.group_edits(change, context)
        for line in render.hunk_lines(change, group)
    )
