"""Kill an applier at each system call that changes a file of the tree, and compare the tree afterwards."""

import os
import shutil
from dataclasses import dataclass

from .judge import RIGHT, judge
from .sandbox import Sandbox, environment, execute, limits, snapshot, without_leftovers, write_patch
from .trace import Tracer

LIMIT = 60  # seconds, because the tracer slows the applier down


@dataclass
class Kills:
    """The kill points of one applier."""

    applier: str
    patch: str  # the case whose patch was applied, or "" if the applier applies none
    survived: int = 0
    points: int = 0
    littered: int = 0  # kills after which only files remain that belong to neither tree
    lost: tuple = ()  # the first points with another tree, as system call and position


def one_processor():
    """Sets the limits, and lets the child use one processor so that it starts as few threads as possible."""
    limits()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def traced(sandbox, applier, kill_at=None):
    """Runs the applier in a fresh copy; returns the directory of the copy and the names of the calls."""
    directory = sandbox.copy()
    command = applier.command(write_patch(sandbox.case, directory), sandbox.case.format)
    tracer = Tracer(os.path.join(directory, "root"), kill_at)
    return directory, tracer.run(command, environment(directory, applier.environment()), LIMIT, one_processor)


def after_kill(sandbox, applier, kill_at):
    """Returns `survived`, `littered` or `lost` for the tree after a kill and the applier's own recovery."""
    directory, _ = traced(sandbox, applier, kill_at)
    if applier.recover() is not None:
        execute(applier.recover(), os.path.join(directory, "root"), environment(directory, applier.environment()))
    after = snapshot(directory, applier)
    shutil.rmtree(directory, ignore_errors=True)
    if after in (sandbox.before, sandbox.truth):
        return "survived"
    known = {path: entry for path, entry in after.items() if path in sandbox.before or path in sandbox.truth}
    return "littered" if known in (sandbox.before, sandbox.truth) else "lost"


def first_applied(cases, applier):
    """Returns the richest case that the applier applies, or None."""
    for case in cases:
        if case.format in applier.formats:
            with Sandbox(case) as sandbox:
                run = sandbox.run(applier, full_start=True)
                after, _ = without_leftovers(run.after, set(sandbox.before) | set(sandbox.truth))
                success = applier.succeeded(run.code, run.output)
                if judge(case.accepts, success, sandbox.before, after, sandbox.truth) == RIGHT:
                    return case
    return None


def kill(arguments):
    """Returns the Kills of one applier."""
    cases, applier = arguments
    case = first_applied(cases, applier)
    if case is None:
        return Kills(applier.name, "")
    with Sandbox(case) as sandbox:
        directory, points = traced(sandbox, applier)
        shutil.rmtree(directory, ignore_errors=True)
        states = [after_kill(sandbox, applier, number) for number in range(1, len(points) + 1)]
    lost = [f"{name} {number}" for number, (name, state) in enumerate(zip(points, states), 1) if state == "lost"]
    return Kills(applier.name, case.id, states.count("survived"), len(points), states.count("littered"),
                 tuple(lost[:10]))
