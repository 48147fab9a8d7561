"""Compares the reports of the program and of the packages for random requests.

    requests.py PROGRAM COUNT FILE

Runs each request with the program and with the Python package, and writes the requests with the
reports of the program to FILE. `requests.js` compares them with the npm package.
"""

import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import wpatch

# The requests are the same in each run.
SEED = 20261127
WORDS = ["alpha", "beta", "gamma", "delta", "x = 1", "    return x", "}", "", "\t", "é", "two words "]
FUNCTIONS = {"append": wpatch.append, "apply": wpatch.apply, "check": wpatch.check, "diff": wpatch.diff}
FUNCTIONS |= {"edit": wpatch.edit, "list": wpatch.list_directory, "read": wpatch.read, "write": wpatch.write}
FLAGS = ["idempotent", "lenient", "no_large_diff", "overwrite", "recount", "reverse", "unidiff_zero", "unique"]
VALUES = {
    "exclude": [["*.md"], ["a/*", "b"]],
    "format": ["auto", "codex", "unified", "blocks"],
    "fuzz": [0, 1, 2],
    "match": ["exact", "ladder"],
    "max_file": [10, 1000],
    "only": ["1", "2-3", "f1"],
    "strip": [0, 1, 2],
}


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def lines(self, count):
        return [self.random.choice(WORDS) + "\n" for _ in range(count)]

    def files(self):
        names = self.random.sample(["a", "b.txt", "a-dir/c", "d.py", "README.md", "é"], self.random.randint(1, 4))
        return {name: "".join(self.lines(self.random.randint(0, 12))) for name in names}

    def patch(self, files):
        """Returns a patch of one or two files, which often does not apply."""
        return "".join(self.part(name, files[name]) for name in self.random.sample(sorted(files), min(2, len(files))))

    def part(self, name, text):
        lines = text.splitlines()
        form = self.random.choice(["unified", "unified", "codex", "blocks", "create", "delete", "noise"])
        start = self.random.randint(0, len(lines))
        old = lines[start : start + self.random.randint(0, 3)]
        if self.random.random() < 0.3:
            old = [line.strip() for line in old] or ["missing"]
        new = [line.rstrip() for line in self.lines(self.random.randint(0, 2))]
        if form == "codex":
            changes = [f"-{line}" for line in old] + [f"+{line}" for line in new]
            return "\n".join(["*** Begin Patch", f"*** Update File: {name}", "@@", *changes, "*** End Patch", ""])
        if form == "blocks":
            return "\n".join([name, "<<<<<<< SEARCH", *old, "=======", *new, ">>>>>>> REPLACE", ""])
        if form == "create":
            header = f"--- /dev/null\n+++ b/new/{name}\n@@ -0,0 +1,{len(new)} @@\n"
            return header + "".join(f"+{line}\n" for line in new)
        if form == "delete":
            header = f"--- a/{name}\n+++ /dev/null\n@@ -1,{len(lines)} +0,0 @@\n"
            return header + "".join(f"-{line}\n" for line in lines)
        if form == "noise":
            return "".join(self.lines(3))
        before = lines[max(0, start - 2) : start]
        after = lines[start + len(old) : start + len(old) + 2]
        first = max(1, start - 1 + self.random.choice([0, 0, 0, 1, 5]))
        counts = [len(before) + len(side) + len(after) for side in (old, new)]
        hunk = [f" {line}" for line in before] + [f"-{line}" for line in old]
        hunk += [f"+{line}" for line in new] + [f" {line}" for line in after]
        header = f"--- a/{name}\n+++ b/{name}\n@@ -{first},{counts[0]} +{first},{counts[1]} @@\n"
        return header + "".join(f"{line}\n" for line in hunk)

    def request(self):
        files = self.files()
        names = [*files, "missing", "../outside"]
        command = self.random.choice(["apply", "check", "check", "check", "edit", "write", "append", "read", "list", "diff"])
        options, operands, content = {}, [self.random.choice(names)], ""
        if command in ("apply", "check"):
            operands, content = [], self.patch(files)
            options = {name: True for name in FLAGS if self.random.random() < 0.1}
            options |= {name: self.random.choice(values) for name, values in VALUES.items() if self.random.random() < 0.1}
            options["deterministic"] = True
        elif command == "edit":
            text = files.get(operands[0]) or "x"
            options = {"old": self.random.choice(text.splitlines() or ["x"]), "new": "new"}
            options["dry_run"] = True
        elif command in ("write", "append"):
            content = "".join(self.lines(2))
            options = {"dry_run": True}
        elif command == "read":
            options = self.random.choice([{}, {"lines": "2-3"}, {"number": True}, {"offset": 3}])
        elif command == "list":
            operands = [self.random.choice([".", "a-dir", "missing"])]
            options = self.random.choice([{}, {"hidden": True}, {"glob": "**/*"}])
        else:
            operands.append(self.random.choice(names))
        return {"files": files, "command": command, "operands": operands, "content": content, "options": options}


def prepare(root, files):
    shutil.rmtree(root, ignore_errors=True)
    for name, text in files.items():
        path = pathlib.Path(root, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, newline="")
        # `list` prints the time.
        os.utime(path, (2_000_000_000, 2_000_000_000))
    for directory in (pathlib.Path(root), *pathlib.Path(root).glob("*-dir")):
        os.utime(directory, (2_000_000_000, 2_000_000_000))


def arguments(options):
    for name, value in options.items():
        option = {"strip": "-p"}.get(name, f"--{name.replace('_', '-')}")
        if value is True:
            yield option
        elif isinstance(value, list):
            yield from (f"{option}={item}" for item in value)
        else:
            yield f"{option}{value}" if option == "-p" else f"{option}={value}"


def program_report(program, root, request):
    line = [program, request["command"], "--json", f"--root={root}", *arguments(request["options"])]
    line += ["--", *request["operands"]] if request["operands"] else []
    return json.loads(subprocess.run(line, input=request["content"].encode(), capture_output=True).stdout)


def package_report(root, request):
    function, operands = FUNCTIONS[request["command"]], list(request["operands"])
    if request["command"] in ("apply", "check", "write", "append"):
        operands.append(request["content"])
    return function(*operands, root=root, raises=False, **request["options"])


def comparable(report):
    """Returns the report without the program name, which suggestions contain."""
    return json.loads(json.dumps(report).replace(sys.argv[1], "wpatch"))


def main(program, count, file):
    generator = Generator(SEED)
    # Outside of this repository, so that no history is kept.
    root = tempfile.mkdtemp(prefix="wpatch-requests-")
    outcomes = {}
    with open(file, "w") as out:
        for number in range(int(count)):
            request = generator.request()
            prepare(root, request["files"])
            expected = comparable(program_report(program, root, request))
            prepare(root, request["files"])
            found = package_report(root, request)
            if found != expected:
                sys.exit(f"request {number}: {json.dumps(request)}\nprogram: {json.dumps(expected)}\npackage: {json.dumps(found)}")
            code = expected.get("exit_code", 0)
            outcomes[code] = outcomes.get(code, 0) + 1
            out.write(json.dumps({"root": root, "request": request, "report": expected}) + "\n")
    shutil.rmtree(root, ignore_errors=True)
    # A property of requests that all fail in the same way would say little.
    assert outcomes.get(0, 0) * 4 > int(count) and len(outcomes) > 3, outcomes
    print(f"{count} reports of the Python package and the program are equal; exit codes {dict(sorted(outcomes.items()))}")


if __name__ == "__main__":
    main(*sys.argv[1:])
