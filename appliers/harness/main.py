"""The command line of the benchmark."""

import argparse
import multiprocessing
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor

from . import kills as kill_module
from . import report
from .applier import NotInstalled, load_appliers
from .case import FORMATS
from .runner import SETS, load_cases, measure, run_cases
from .sandbox import make_template, write_patch
from .trace import NotSupported

ALL_SETS = (*SETS, "kills")


def parse_arguments():
    """Returns the options."""
    default_cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "appliers")
    parser = argparse.ArgumentParser(prog="appliers/run", description="Compare programs that apply patches.")
    add = parser.add_argument
    add("--only", metavar="APPLIER", action="append", help="run only this applier; repeat it for several")
    add("--cases", metavar="SET", action="append", choices=ALL_SETS, help=f"run only this set: {', '.join(ALL_SETS)}")
    add("--match", metavar="TEXT", help="run only cases whose id contains TEXT")
    add("--json", metavar="FILE", default="results.json", help="write the results to FILE [default: results.json]")
    add("--costs", metavar="FILE", default="costs.json", help="write times and memory to FILE [default: costs.json]")
    add("--cache", metavar="DIR", default=default_cache,
        help=f"keep programs and histories in DIR [default: {default_cache}]")
    add("--jobs", metavar="N", type=int, default=min(2, os.cpu_count() or 1), help="run N cases at once [default: 2]")
    add("--kinds", action="store_true", help="also print a table for each kind of case")
    add("--failures", action="store_true", help="also print each result that is not right")
    add("--list", action="store_true", help="print the appliers and the cases, and run nothing")
    add("--write", nargs=2, metavar=("CASE", "DIR"),
        help="write the tree and the patch of CASE to DIR, and run nothing")
    add("--self-test", action="store_true", help="test the judgements with fake appliers")
    return parser.parse_args()


def install(options):
    """Returns the installed appliers, their versions, and {name: reason} of the others."""
    options.cache = os.path.abspath(options.cache)
    os.makedirs(options.cache, exist_ok=True)
    installed, versions, absent = [], {}, {}
    for applier in load_appliers():
        if options.only and applier.name not in options.only:
            continue
        try:
            applier.install(options.cache)
            versions[applier.name] = applier.version()
            installed.append(applier)
        except NotInstalled as error:
            absent[applier.name] = str(error)
    if options.only and len(installed) + len(absent) < len(set(options.only)):
        known = ", ".join(applier.name for applier in load_appliers())
        sys.exit(f"appliers/run: an applier of --only does not exist; known appliers: {known}")
    return installed, versions, absent


def show_progress(done, total):
    """Prints the progress to a terminal."""
    if sys.stderr.isatty():
        print(f"\r{done} of {total} cases", end="\n" if done == total else "", file=sys.stderr, flush=True)


def run_kills(options, appliers):
    """Returns the kill points of the appliers, and the reason if there are none."""
    cases, _ = load_cases(["kills"], options.cache)
    cases.sort(key=lambda case: (-len(case.name), FORMATS.index(case.format)))  # the richest patch first
    work = [(cases, applier) for applier in appliers if applier.writes]
    with ProcessPoolExecutor(options.jobs, multiprocessing.get_context("fork")) as pool:
        try:
            return list(pool.map(kill_module.kill, work, chunksize=1)), None
        except NotSupported as error:
            return [], str(error)


def write_case(options):
    """Writes one case to a directory that does not exist."""
    name, directory = options.write
    cases, _ = load_cases([name.split("/")[0]], options.cache)
    found = [case for case in cases if case.id == name]
    if not found or os.path.exists(directory):
        sys.exit(f"appliers/run: {'no case is named ' + name if not found else directory + ' exists'}; try --list")
    os.makedirs(directory)
    make_template(found[0], directory)
    print(f"cd {os.path.join(directory, 'root')}  # the patch is {write_patch(found[0], os.path.abspath(directory))}")
    print(f"right: {', '.join(found[0].accepts)}; source: {found[0].source or 'this benchmark'}")


def print_list(options, appliers, absent, cases):
    """Prints the appliers and the cases."""
    for applier in appliers:
        print(f"{applier.name}: {applier.summary}; reads {', '.join(applier.formats)}")
    for name, reason in absent.items():
        print(f"{name}: not installed: {reason}")
    for case in cases:
        print(case.id)


def run(options):
    """Runs the benchmark and prints the tables."""
    start = time.monotonic()
    appliers, versions, absent = install(options)
    installed_after = time.monotonic() - start
    sets = options.cases or ALL_SETS
    cases, missing = load_cases([name for name in sets if name != "kills"], options.cache)
    cases = [case for case in cases if not options.match or options.match in case.id]
    if options.list:
        return print_list(options, appliers, absent, cases)
    start = time.monotonic()
    results = run_cases(cases, appliers, options.jobs, show_progress)
    kills, reason = run_kills(options, appliers) if "kills" in sets and not options.match else ([], None)
    if reason:
        missing["kills"] = [("ptrace", reason)]
    costs = measure(cases, appliers, 8)
    names = [applier.name for applier in appliers]
    print("versions: " + "; ".join(f"{name} {version}" for name, version in versions.items()))
    for name, why in absent.items():
        print(f"{name}: not installed: {why}")
    for name, pairs in missing.items():
        for what, why in pairs:
            print(f"{name}: missing: {what}: {why}")
    print("\n" + report.verdict_table(results, names, kills, costs))
    print("\n" + report.set_table(results, names))
    if options.kinds:
        print("\n" + report.kind_tables(results, names))
    if options.failures:
        print("\n" + report.failures(results))
    report.write_json(options.json, report.result_data(results, versions, missing, absent, kills))
    seconds = round(time.monotonic() - start)
    report.write_json(options.costs, {"costs": costs, "seconds": seconds, "jobs": options.jobs})
    print(f"\n{len(cases)} cases, {seconds} s, and {round(installed_after)} s for the installation")


def main():
    """Runs the command."""
    options = parse_arguments()
    if options.self_test:
        from .selftest import self_test

        sys.exit(self_test())
    if options.write:
        return write_case(options)
    run(options)
