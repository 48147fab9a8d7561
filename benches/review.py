#!/usr/bin/env python3
"""Measures the time from a key to the end of the next frame of `review`.

    review.py PROGRAM [HUNKS]

PROGRAM is a release build of wpatch, and HUNKS the number of hunks of the patch (10,000). The peer is `less` on the same
patch, in the same kind of terminal. Each line has the median and the largest time of a key in milliseconds, and the
ratio of the medians to a line of `less`. A frame ends when the program has written nothing for 20 ms.
"""

import fcntl
import os
import pty
import select
import shutil
import statistics
import struct
import sys
import tempfile
import termios
import time
from pathlib import Path

QUIET = 0.02
SIZE = (50, 160)
REPEATS = 40


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, root: str, *command: str) -> None:
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(root)
            os.environ.update(TERM="xterm-256color", LANG="C.UTF-8", LESS="")
            os.execvp(command[0], command)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))

    def frame(self, timeout: float = 60.0) -> float:
        """Returns the time of the last output before a pause."""
        last = time.perf_counter()
        wait = timeout
        while select.select([self.terminal], [], [], wait)[0]:
            os.read(self.terminal, 1 << 20)
            last = time.perf_counter()
            wait = QUIET
        return last

    def press(self, keys: str) -> float:
        """Returns the time until the frame after `keys` is complete, in milliseconds."""
        start = time.perf_counter()
        os.write(self.terminal, keys.encode())
        return (self.frame(5.0) - start) * 1000

    def end(self, keys: str) -> None:
        os.write(self.terminal, keys.encode())
        os.close(self.terminal)
        os.waitpid(self.process, 0)


def make_patch(root: Path, hunks: int) -> None:
    """Writes a tree with ten hunks in each file, and the patch."""
    patch = []
    for file in range(hunks // 10):
        lines = [f"let value_{file}_{number} = compute({number}); // a comment\n" for number in range(200)]
        (root / f"f{file}.rs").write_text("".join(lines))
        patch.append(f"--- a/f{file}.rs\n+++ b/f{file}.rs\n")
        for hunk in range(10):
            start = hunk * 20 + 5
            old, new = lines[start + 3], lines[start + 3].replace("compute", "derive")
            before, after = lines[start : start + 3], lines[start + 4 : start + 7]
            body = "".join(f" {line}" for line in before)
            body += f"-{old}+{new}" + "".join(f" {line}" for line in after)
            patch.append(f"@@ -{start + 1},7 +{start + 1},7 @@\n{body}")
    (root / "change.diff").write_text("".join(patch))


def main() -> None:
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    program = str(Path(sys.argv[1]).absolute())
    hunks = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    if shutil.which("less") is None:
        sys.exit("review.py needs less")
    with tempfile.TemporaryDirectory() as root:
        make_patch(Path(root), hunks)
        less = Terminal(root, "less", "change.diff")
        less.frame()
        started = time.perf_counter()
        review = Terminal(root, program, "review", "change.diff")
        print(f"first frame of {hunks} hunks: {(review.frame() - started) * 1000:.0f} ms")
        keys = {
            "next hunk": "j",
            "accept": "y",
            "next page": "\x1b[6~",
            "next file": "J",
            "undo": "u",
            "split": "s",
            "more context": "+",
            "last hunk": "G",
            "first hunk": "g",
            "search": "/f9.rs\r",
            "accept all": "A",
            "resize": "",
        }
        times = {name: [] for name in keys}
        floor = []
        # The programs take turns, so that both see the same load.
        for turn in range(REPEATS):
            for name, key in keys.items():
                if name == "resize":
                    size = (SIZE[0] - turn % 2, SIZE[1], 0, 0)
                    start = time.perf_counter()
                    fcntl.ioctl(review.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", *size))
                    times[name].append((review.frame(5.0) - start) * 1000)
                else:
                    times[name].append(review.press(key))
                floor.append(less.press("f" if turn % 2 == 0 else "b"))
        peer = statistics.median(floor)
        print(f"{'key':14} {'median':>8} {'largest':>8} {'/ less':>8}")
        print(f"{'less, a page':14} {peer:8.1f} {max(floor):8.1f} {1:8.1f}")
        for name, found in times.items():
            median = statistics.median(found)
            print(f"{name:14} {median:8.1f} {max(found):8.1f} {median / peer:8.1f}")
        review.end("\x03")
        less.end("q")


if __name__ == "__main__":
    main()
