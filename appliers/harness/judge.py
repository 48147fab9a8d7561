"""The judgement of one run: what the applier reported, against the tree that it left.

This module is the only place that decides. The README explains each rule.
"""

from .case import FAILED_TREE, REFUSAL, TREE, UNCHANGED

RIGHT = "right"
REFUSED = "refused"
WRONG_TREE = "wrong tree"
FALSE_SUCCESS = "false success"
CHANGED = "changed on failure"
NOT_APPLICABLE = "not applicable"

VERDICTS = (RIGHT, REFUSED, WRONG_TREE, FALSE_SUCCESS, CHANGED)


def is_partial(after, before, truth):
    """Returns whether each file is in its old or its new state, and at least one is in its old state."""
    for path in set(after) | set(before) | set(truth):
        if after.get(path) not in (before.get(path), truth.get(path)):
            return False
    return after != truth


def judge(accepts, success, before, after, truth):
    """Returns the verdict for one run. The trees include the directory outside the root."""
    if success:
        return judge_success(accepts, before, after, truth)
    if after == before:
        return RIGHT if REFUSAL in accepts or UNCHANGED in accepts else REFUSED
    if FAILED_TREE in accepts and after == truth:
        return RIGHT
    return CHANGED


def judge_success(accepts, before, after, truth):
    """Returns the verdict for a run that reported success."""
    if TREE in accepts and after == truth:
        return RIGHT
    if after == before:
        return RIGHT if UNCHANGED in accepts else FALSE_SUCCESS
    if truth is not None and is_partial(after, before, truth):
        return FALSE_SUCCESS
    return WRONG_TREE
