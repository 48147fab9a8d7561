"""The tables and the JSON of a run."""

import json
from dataclasses import asdict

from .judge import NOT_APPLICABLE, RIGHT, VERDICTS
from .runner import as_json

FAMILY = {"git": "diffs", "unified": "diffs", "codex": "envelopes", "blocks": "blocks"}


def table(head, rows):
    """Returns a Markdown table. The first column is text, the others are numbers."""
    widths = [max(len(str(row[column])) for row in [head, *rows]) for column in range(len(head))]
    lines = []
    for row in [head, None, *rows]:
        if row is None:
            cells = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
        else:
            numbers = [str(cell).rjust(width) for cell, width in zip(row[1:], widths[1:])]
            cells = [str(row[0]).ljust(widths[0]), *numbers]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def of(results, applier):
    """Returns the results of one applier for the formats that it reads."""
    return [result for result in results if result.applier == applier and result.verdict != NOT_APPLICABLE]


def share(results):
    """Returns `right of all` as text."""
    right = sum(result.verdict == RIGHT for result in results)
    return f"{right}/{len(results)}" if results else "-"


def verdict_table(results, names, kills, costs):
    """Returns the main table."""
    head = ["applier", "cases", *VERDICTS, "escapes", "kills survived", "littered", "ms", "MiB"]
    survived = {kill.applier: f"{kill.survived}/{kill.points}" if kill.points else "-" for kill in kills}
    littered = {kill.applier: kill.littered if kill.points else "-" for kill in kills}
    rows = []
    for name in names:
        own = of(results, name)
        counts = [sum(result.verdict == verdict for result in own) for verdict in VERDICTS]
        cost = costs.get(name, {})
        rows.append([name, len(own), *counts, sum(result.escaped for result in own), survived.get(name, "-"),
                     littered.get(name, "-"), cost.get("milliseconds", "-"), cost.get("mebibytes", "-")])
    return table(head, rows)


def group_of(result):
    """Returns the column of a result in the table of the sets."""
    return f"{result.set} {FAMILY[result.format]}" if result.set in ("malformed", "stale") else result.set


def set_table(results, names):
    """Returns the share of right results for each set and family of formats."""
    groups = sorted({group_of(result) for result in results})
    rows = [[name, *(share([result for result in of(results, name) if group_of(result) == group]) for group in groups)]
            for name in names]
    return table(["right", *groups], rows)


def kind_tables(results, names):
    """Returns a table for each set: kinds of cases against appliers."""
    parts = []
    for set_name in sorted({result.set for result in results}):
        for family in ("diffs", "envelopes", "blocks"):
            own = [result for result in results if result.set == set_name and FAMILY[result.format] == family]
            readers = [name for name in names if of(own, name)]
            if not readers:
                continue
            kinds = sorted({result.kind for result in own})
            rows = [[kind, *(share([result for result in of(own, name) if result.kind == kind]) for name in readers)]
                    for kind in kinds]
            parts.append(f"{set_name}, {family}\n\n" + table(["right", *readers], rows))
    return "\n\n".join(parts)


def failures(results):
    """Returns a line for each result that is neither right nor refused."""
    lines = []
    for result in results:
        if result.verdict not in (RIGHT, NOT_APPLICABLE):
            extra = " (time limit)" if result.timed_out else ""
            paths = ", ".join(result.differences)
            lines.append(f"{result.applier}: {result.verdict}{extra}: {result.case}" + (f": {paths}" if paths else ""))
    return "\n".join(sorted(lines))


def write_json(name, data):
    """Writes a JSON file with sorted keys."""
    with open(name, "w", encoding="utf-8") as file:
        json.dump(data, file, indent=1, sort_keys=True)
        file.write("\n")


def result_data(results, versions, missing, absent, kills):
    """Returns everything except times and memory."""
    return {
        "versions": versions,
        "not_installed": absent,
        "missing_data": {name: [{"repository": url, "reason": reason} for url, reason in pairs]
                         for name, pairs in missing.items()},
        "results": as_json(results),
        "kills": [asdict(kill) for kill in kills],
    }
