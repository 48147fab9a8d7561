"""Run all appliers on all cases, in parallel and in a fixed order."""

import importlib
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass

from .judge import NOT_APPLICABLE, judge
from .sandbox import Sandbox, without_leftovers
from .tree import differences

SETS = ("malformed", "refusals", "codex", "hostile", "stale")


@dataclass
class Result:
    """The judgement of one applier on one case."""

    case: str
    set: str
    kind: str
    format: str
    applier: str
    verdict: str
    code: int = 0
    timed_out: bool = False
    escaped: bool = False  # a file outside the root or below .git changed
    leftovers: int = 0  # reject and backup files
    differences: tuple = ()  # up to five paths that differ from the best right tree


def load_cases(sets, cache):
    """Returns the cases of the sets, sorted, and {set: [(repository, reason)]} of the missing data."""
    cases, missing = [], {}
    for name in sets:
        loaded, absent = importlib.import_module(f"sets.{name}").load(cache)
        cases += loaded
        if absent:
            missing[name] = absent
    cases.sort(key=lambda case: case.id)
    ids = [case.id for case in cases]
    assert len(ids) == len(set(ids)), "two cases have the same name"
    return cases, missing


def is_protected(path):
    """Returns whether no patch may change the path."""
    return not path.startswith("root/") or path.startswith("root/.git/")


def shown(path, sandbox):
    """Returns a path for the report: relative to the root, printable, and without the name of the sandbox."""
    path = path.replace(sandbox.lstrip("/"), "@SANDBOX@")
    return ascii(path[len("root/"):] if path.startswith("root/") else path)[1:-1]


def judge_run(sandbox, applier, run):
    """Returns the Result of one run."""
    case = sandbox.case
    known = set(sandbox.before) | set(sandbox.truth or {})
    after, leftovers = without_leftovers(run.after, known)
    success = not run.timed_out and applier.succeeded(run.code, run.output)
    verdict = judge(case.accepts, success, sandbox.before, after, sandbox.truth)
    best = sandbox.truth if success and sandbox.truth is not None else sandbox.before
    differing = differences(after, best)
    escaped = any(is_protected(path) for path in differences(after, sandbox.before))
    names = tuple(shown(path, run.directory) for path in differing[:5])
    return Result(case.id, case.set, case.kind, case.format, applier.name, verdict, run.code, run.timed_out, escaped,
                  len(leftovers), names)


def run_case(arguments):
    """Returns the results of all appliers on one case."""
    case, appliers = arguments
    results = []
    with Sandbox(case) as sandbox:
        for applier in appliers:
            if case.format not in applier.formats:
                results.append(Result(case.id, case.set, case.kind, case.format, applier.name, NOT_APPLICABLE))
            else:
                results.append(judge_run(sandbox, applier, sandbox.run(applier)))
    return results


def run_cases(cases, appliers, jobs, progress=lambda done, total: None):
    """Returns the results of all cases in the order of the cases."""
    results = []
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("fork")) as pool:
        work = pool.map(run_case, [(case, appliers) for case in cases], chunksize=1)
        for done, part in enumerate(work, 1):
            results += part
            progress(done, len(cases))
    return results


def measure(cases, appliers, limit):
    """Returns {applier: times and memory} over intact patches, one process at a time, libraries with a full start."""
    costs = {}
    for applier in appliers:
        own = [case for case in cases if case.kind == "intact" and case.format == applier.formats[0]][:limit]
        times, peak = [], 0
        for case in own:
            with Sandbox(case, on_disk=True) as sandbox:
                times.append(sandbox.run(applier, full_start=True).seconds * 1000)
                peak = max(peak, sandbox.memory(applier))
        if times:
            costs[applier.name] = {"milliseconds": round(sorted(times)[len(times) // 2], 1),
                                   "mebibytes": round(peak / 1024, 1), "runs": len(times)}
    return costs


def as_json(results):
    """Returns the results as plain data."""
    return [asdict(result) for result in results]
