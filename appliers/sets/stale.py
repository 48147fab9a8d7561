"""Real stale patches: one side of a merge, a revert or a cherry-pick, applied to the other side.

The truth is the commit that people made. If a three-way merge has conflicts there, people resolved them, and a refusal
is right as well.
"""

import os

from harness import render
from harness.case import REFUSAL, TREE, Case
from harness.commits import bystanders, manifest, open_histories


def tree_of(history, commit, paths, others):
    """Returns the tree with the files of the change and the bystanders of the tree that is patched."""
    return {**others, **{path: history.entry(*found) for path, found in history.files(commit, *paths).items()}}


def cases_of(history, record):
    """Returns the cases of one record in all formats."""
    changes = history.changes(record["base"], record["theirs"])
    paths = [change.path for change in changes]
    others = bystanders(history, record["ours"], paths)
    base = tree_of(history, record["base"], paths, {})
    before = tree_of(history, record["ours"], paths, others)
    truth = tree_of(history, record["result"], paths, others)
    accepts = (TREE,) if record["class"] == "clean" else (TREE, REFUSAL)
    kind = f"{record['kind']}, {record['class']}"
    name = f"{record['kind']}/{os.path.basename(record['repository'])}-{record['result'][:8]}"
    source = f"{record['repository']} {record['theirs']} onto {record['ours']}, truth {record['result']}"
    return [Case("stale", name, kind, format, before, render.encode(render.RENDERERS[format](changes)), truth, accepts,
                 base, source) for format in render.RENDERERS]


def load(cache):
    """Returns the cases and the missing repositories."""
    records = manifest()["stale"]
    histories, missing = open_histories(cache, records, ("base", "theirs", "ours", "result"))
    cases = []
    for record in records:
        if record["repository"] in histories:
            cases += cases_of(histories[record["repository"]], record)
    for history in histories.values():
        history.close()
    return cases, missing
