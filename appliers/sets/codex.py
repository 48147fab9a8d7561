"""The scenarios of the apply-patch tests of openai/codex, read from its repository at a fixed commit.

A scenario is a patch, the files before and the files afterwards. It does not state the exit code.
"""

import os

from harness.case import FAILED_TREE, OUTSIDE, REFUSAL, TREE, Case
from harness.commits import manifest, open_histories


def scenario(name, files, source):
    """Returns the case of one scenario, or None if it has no patch."""
    trees = {"input": {}, "expected": {}}
    for path, entry in files.items():
        top, _, rest = path.partition("/")
        if top in trees and rest:
            trees[top][rest] = entry
    if "patch.txt" not in files or OUTSIDE in files["patch.txt"].data:
        return None
    before, truth = trees["input"], trees["expected"]
    if before == truth:
        accepts, kind, truth = (REFUSAL,), "must refuse", None
    elif "failure" in name:
        # The tool fails here and leaves a part of the change. A complete refusal is right as well.
        accepts, kind = (FAILED_TREE, REFUSAL), "fails after a partial change"
    else:
        accepts, kind = (TREE,), "must apply"
    return Case("codex", name, kind, "codex", before, files["patch.txt"].data, truth, accepts, source=source)


def load(cache):
    """Returns the cases and the missing repositories."""
    record = manifest()["codex"]
    histories, missing = open_histories(cache, [record], ("commit",))
    if missing:
        return [], missing
    history = histories[record["repository"]]
    scenarios = {}
    for path, found in history.files(record["commit"], record["path"] + "/").items():
        name, _, rest = os.path.relpath(path, record["path"]).partition("/")
        if rest:
            scenarios.setdefault(name, {})[rest] = history.entry(*found)
    history.close()
    source = f"{record['repository']} {record['commit']}"
    made = [scenario(name, files, source) for name, files in sorted(scenarios.items())]
    return [case for case in made if case is not None], missing
