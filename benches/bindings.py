#!/usr/bin/env python3
"""Compares calls of the Python package with processes that do the same.

    bindings.py PROGRAM [CALLS]

PROGRAM is a release build of wpatch, and CALLS the number of checks of each kind (10,000). The package `wpatch` is
imported from the Python that runs this file. The kinds take turns in blocks, so that all of them see the same load. A
line has the median time of a check in microseconds, and the ratios to the two kinds of process.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import wpatch

BLOCKS = 100

LINES = [f"line {number}\n" for number in range(100)]
PATCH = b"""\
diff --git a/src/file.txt b/src/file.txt
--- a/src/file.txt
+++ b/src/file.txt
@@ -49,3 +49,3 @@
 line 48
-line 49
+line forty-nine
 line 50
"""


def process(*command: str) -> None:
    subprocess.run(command, input=PATCH, capture_output=True, check=True)


def main() -> None:
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    program = str(Path(sys.argv[1]).absolute())
    calls = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    calls = max(calls, BLOCKS)
    with tempfile.TemporaryDirectory() as root:
        os.chdir(root)
        Path("src").mkdir()
        Path("src/file.txt").write_text("".join(LINES))
        subprocess.run(["git", "init", "--quiet"], check=True)
        directory = wpatch.Directory(root)
        tree = wpatch.Tree({"src/file.txt": "".join(LINES)})
        kinds = {
            "git apply --check": lambda: process("git", "apply", "--check"),
            "wpatch check": lambda: process(program, "check", "--json"),
            "path": lambda: wpatch.check(PATCH, root),
            "Directory": lambda: wpatch.check(PATCH, directory),
            "Directory, brief": lambda: wpatch.check(PATCH, directory, brief=True),
            "Tree": lambda: wpatch.check(PATCH, tree),
            "Tree, brief": lambda: wpatch.check(PATCH, tree, brief=True),
        }
        times = {name: [] for name in kinds}
        for _ in range(BLOCKS):
            for name, check in kinds.items():
                start = time.perf_counter()
                for _ in range(calls // BLOCKS):
                    check()
                times[name].append((time.perf_counter() - start) / (calls // BLOCKS))
    medians = {name: statistics.median(blocks) for name, blocks in times.items()}
    git, program_time, *_ = medians.values()
    print(f"{'check':20} {'µs':>8} {'git':>8} {'wpatch':>8}")
    for name, median in medians.items():
        print(f"{name:20} {median * 1e6:8.1f} {f'1/{git / median:.1f}':>8} {f'1/{program_time / median:.1f}':>8}")


main()
