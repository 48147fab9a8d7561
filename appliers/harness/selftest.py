"""A test of the harness: fake appliers whose behaviour is known must receive the verdict for it.

Each fake is a short Python program. `EXPECTED` has its verdict for each kind of case. A broken judgement fails the
test.
"""

import os
import sys

from . import judge as verdicts
from . import kills as kill_module
from .applier import Applier
from .case import FAILED_TREE, REFUSAL, TREE, UNCHANGED, Case
from .runner import judge_run
from .sandbox import Sandbox
from .trace import NotSupported
from .tree import link, text_file

BEFORE = {"a.txt": text_file("a\n"), "b.txt": text_file("b\n"), "c.sh": text_file("c\n"), "l": link("a.txt")}
TRUTH = {"a.txt": text_file("A\n"), "b.txt": text_file("B\n"), "c.sh": text_file("c\n", True), "l": link("b.txt")}

# What a fake does in the root. `put` writes a file; each program ends with the exit code of its behaviour.
PRELUDE = """
import os, sys, time
def put(name, text, mode=0o644):
    with open(name, "w") as file: file.write(text)
    os.chmod(name, mode)
def point(target):
    os.remove("l"); os.symlink(target, "l")
"""
ALL = "put('a.txt', 'A\\n'); put('b.txt', 'B\\n'); os.chmod('c.sh', 0o755); point('b.txt')\n"
FAKES = {
    "does it": ALL,
    "does it and keeps a reject file": ALL + "put('a.txt.rej', 'x')\n",
    "does it and reports failure": ALL + "sys.exit(1)\n",
    "refuses": "sys.exit(1)\n",
    "does nothing and reports success": "",
    "does half and reports success": "put('a.txt', 'A\\n')\n",
    "does half and reports failure": "put('a.txt', 'A\\n'); sys.exit(1)\n",
    "writes other text": "put('a.txt', 'A\\n'); put('b.txt', 'x\\n')\n",
    "writes half of a file": "put('a.txt', '')\n",
    "forgets the mode": "put('a.txt', 'A\\n'); put('b.txt', 'B\\n'); point('b.txt')\n",
    "forgets the link": "put('a.txt', 'A\\n'); put('b.txt', 'B\\n'); os.chmod('c.sh', 0o755)\n",
    "leaves another file": ALL + "put('new.txt', 'x')\n",
    "deletes": "os.remove('a.txt')\n",
    "hangs": "time.sleep(60)\n",
    "changes and hangs": "put('a.txt', 'A\\n'); time.sleep(60)\n",
    "writes outside": ALL + "put('../outside/secret.txt', 'x')\n",
    "changes git's configuration": ALL + "put('.git/config', 'x')\n",
    "keeps data of its own": ALL + "os.mkdir('.fake'); put('.fake/log', 'x')\n",
}

RIGHT, REFUSED, WRONG = verdicts.RIGHT, verdicts.REFUSED, verdicts.WRONG_TREE
FALSE, CHANGED = verdicts.FALSE_SUCCESS, verdicts.CHANGED

# The verdicts for a case that accepts: the tree; a refusal; an unchanged tree; the tree in spite of a failure.
ACCEPTS = ((TREE,), (REFUSAL,), (UNCHANGED,), (FAILED_TREE, REFUSAL))
EXPECTED = {
    "does it": (RIGHT, WRONG, WRONG, WRONG),
    "does it and keeps a reject file": (RIGHT, WRONG, WRONG, WRONG),
    "does it and reports failure": (CHANGED, CHANGED, CHANGED, RIGHT),
    "refuses": (REFUSED, RIGHT, RIGHT, RIGHT),
    "does nothing and reports success": (FALSE, FALSE, RIGHT, FALSE),
    "does half and reports success": (FALSE, WRONG, WRONG, FALSE),
    "does half and reports failure": (CHANGED, CHANGED, CHANGED, CHANGED),
    "writes other text": (WRONG, WRONG, WRONG, WRONG),
    "writes half of a file": (WRONG, WRONG, WRONG, WRONG),
    "forgets the mode": (FALSE, WRONG, WRONG, FALSE),
    "forgets the link": (FALSE, WRONG, WRONG, FALSE),
    "leaves another file": (WRONG, WRONG, WRONG, WRONG),
    "deletes": (WRONG, WRONG, WRONG, WRONG),
    "hangs": (REFUSED, RIGHT, RIGHT, RIGHT),
    "changes and hangs": (CHANGED, CHANGED, CHANGED, CHANGED),
    "writes outside": (WRONG, WRONG, WRONG, WRONG),
    "changes git's configuration": (WRONG, WRONG, WRONG, WRONG),
    "keeps data of its own": (RIGHT, WRONG, WRONG, WRONG),
}
ESCAPES = ("writes outside", "changes git's configuration")

# For the kill points: one fake writes in place, the other one has a journal of one rename.
IN_PLACE = "put('a.txt', 'A\\n'); put('b.txt', 'B\\n')\n"
AT_ONCE = "put('a.new', 'A\\n'); os.rename('a.new', 'a.txt')\n"


class Fake(Applier):
    """A fake applier. A kill leaves `a.new` behind, and the recovery removes it."""

    formats = ("git",)
    state = (".fake",)

    def __init__(self, name, program, recovery=None):
        self.name = name
        self.program = PRELUDE + program
        self.recovery = recovery

    def command(self, patch, format):
        return [sys.executable, "-I", "-c", self.program, patch]

    def recover(self):
        return self.recovery


def case_that_accepts(accepts):
    """Returns a case for the fakes. The truth of a mere refusal is None."""
    truth = TRUTH if TREE in accepts or FAILED_TREE in accepts else None
    return Case("self-test", "case", "fake", "git", BEFORE, b"patch\n", truth, accepts)


def check_verdicts():
    """Returns the wrong verdicts, and the set of all verdicts that occurred."""
    wrong, seen = [], set()
    for column, accepts in enumerate(ACCEPTS):
        with Sandbox(case_that_accepts(accepts), time_limit=2) as sandbox:
            for name, program in FAKES.items():
                fake = Fake(name, program)
                result = judge_run(sandbox, fake, sandbox.run(fake))
                seen.add(result.verdict)
                if result.verdict != EXPECTED[name][column]:
                    wrong.append(f"{name}, {accepts}: {result.verdict}, expected {EXPECTED[name][column]}")
                if result.escaped != (name in ESCAPES):
                    wrong.append(f"{name}: escaped is {result.escaped}")
    return wrong, seen


def check_kills():
    """Returns the wrong results of the kill points."""
    new_a = {**BEFORE, "a.txt": text_file("A\n")}
    new_b = {**new_a, "b.txt": text_file("B\n")}
    wrong = []
    for name, program, truth, recovery, is_safe in (
        ("writes in place", IN_PLACE, new_b, None, False),
        ("renames without recovery", AT_ONCE, new_a, None, False),
        ("renames with recovery", AT_ONCE, new_a, ["rm", "-f", "a.new"], True),
    ):
        case = Case("kills", name, "kill", "git", BEFORE, b"patch\n", truth)
        result = kill_module.kill(([case], Fake(name, program, recovery)))
        if result.points < 3 or (result.survived == result.points) != is_safe:
            wrong.append(f"{name}: {result.survived} of {result.points} kills survived")
    return wrong


def self_test():
    """Prints the result and returns the exit code."""
    os.environ.pop("WPATCH", None)
    wrong, seen = check_verdicts()
    wrong += [f"the verdict `{verdict}` did not occur" for verdict in verdicts.VERDICTS if verdict not in seen]
    try:
        wrong += check_kills()
    except NotSupported as error:
        print(f"the kill points are not tested: {error}")
    for line in wrong:
        print(line)
    print(f"self-test: {len(FAKES) * len(ACCEPTS)} verdicts, {len(wrong)} wrong")
    return 1 if wrong else 0
