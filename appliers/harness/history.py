"""Commits of public repositories: fetch them into the cache, read their trees, and compute their changes."""

import os
import re
import subprocess
from dataclasses import dataclass

from .tree import Entry


class Missing(Exception):
    """A repository or a commit is not available. The message is the reason."""


@dataclass
class Change:
    """The change of one file: edits are (first old line from 0, old lines, new lines), without line endings."""

    path: str
    old: list  # the old lines, None for a new file
    new: list  # the new lines, None for a deleted file
    old_id: str
    new_id: str
    edits: list


class History:
    """A bare repository."""

    def __init__(self, directory):
        self.directory = directory
        self.reader = None

    def git(self, *arguments, check=True):
        """Returns the output of a git command as bytes."""
        environ = dict(os.environ, LC_ALL="C", GIT_TERMINAL_PROMPT="0", GIT_NO_LAZY_FETCH="1")
        command = ["git", f"--git-dir={self.directory}", *arguments]
        done = subprocess.run(command, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        if check and done.returncode:
            lines = done.stderr.decode(errors="replace").strip().splitlines() or ["no output"]
            raise Missing(f"git {arguments[0]}: {lines[-1][:200]}")
        return done.stdout

    def has(self, commit):
        """Returns whether the commit and its tree are present."""
        return self.git("cat-file", "-t", commit + "^{tree}", check=False).strip() == b"tree"

    def fetch(self, url, commits):
        """Fetches single commits without their ancestors."""
        if not os.path.exists(self.directory):
            subprocess.run(["git", "init", "--quiet", "--bare", self.directory], check=True)
        missing = [commit for commit in commits if not self.has(commit)]
        if missing:
            self.git("fetch", "--quiet", "--no-tags", "--depth=1", url, *missing)

    def files(self, commit, *paths):
        """Returns {path: (mode, object id)} of the commit's files, below `paths` if there are any."""
        result = {}
        for record in self.git("ls-tree", "-r", "-z", commit, "--", *paths).split(b"\0"):
            if record:
                head, path = record.split(b"\t", 1)
                mode, _, oid = head.decode().split()
                result[os.fsdecode(path)] = (mode, oid)
        return result

    def blob(self, oid):
        """Returns the content of an object."""
        if self.reader is None:
            command = ["git", f"--git-dir={self.directory}", "cat-file", "--batch"]
            self.reader = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.reader.stdin.write(oid.encode() + b"\n")
        self.reader.stdin.flush()
        head = self.reader.stdout.readline().split()
        if len(head) != 3:
            raise Missing(f"object {oid} is missing")
        data = self.reader.stdout.read(int(head[2]))
        self.reader.stdout.read(1)
        return data

    def close(self):
        """Ends the process that reads objects."""
        if self.reader is not None:
            self.reader.stdin.close()
            self.reader.wait()
            self.reader.stdout.close()
            self.reader = None

    def entry(self, mode, oid):
        """Returns the tree entry of a file."""
        if mode == "120000":
            return Entry("link", 0o777, self.blob(oid))
        return Entry("file", 0o755 if mode == "100755" else 0o644, self.blob(oid))

    def raw_changes(self, old, new):
        """Returns [(status, path, old mode, new mode, old id, new id)] with renames as deletion and creation."""
        fields = self.git("diff-tree", "-r", "--raw", "--no-renames", "--no-abbrev", "-z", old, new).split(b"\0")
        result = []
        for head, path in zip(fields[0::2], fields[1::2]):
            old_mode, new_mode, old_id, new_id, status = head.decode().lstrip(":").split()
            result.append((status, os.fsdecode(path), old_mode, new_mode, old_id, new_id))
        return result

    def changes(self, old, new):
        """Returns the Change of each file between two commits, sorted by path. All files must be text."""
        result = []
        for status, path, _, _, old_id, new_id in self.raw_changes(old, new):
            before = None if status == "A" else lines_of(self.blob(old_id))
            after = None if status == "D" else lines_of(self.blob(new_id))
            edits = self.edits(old_id, new_id, before, after) if status == "M" else [(0, before or [], after or [])]
            result.append(Change(path, before, after, old_id, new_id, edits))
        return result

    def edits(self, old_id, new_id, before, after):
        """Returns the edits between two versions of a file, as git's default algorithm finds them."""
        options = ["--no-color", "--no-ext-diff", "--diff-algorithm=myers", "--unified=0", "--inter-hunk-context=0"]
        result = []
        for line in self.git("diff", *options, old_id, new_id).split(b"\n"):
            match = HUNK.match(line)
            if match:
                old_start, new_start = int(match[1]), int(match[3])
                old_count, new_count = (1 if match[n] is None else int(match[n]) for n in (2, 4))
                first = old_start - 1 if old_count else old_start
                second = new_start - 1 if new_count else new_start
                result.append((first, before[first:first + old_count], after[second:second + new_count]))
        return result


def lines_of(data):
    """Returns the lines of a text that ends with a newline."""
    return data.decode().split("\n")[:-1]


HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


def is_plain(data, line_limit):
    """Returns whether a file is UTF-8 text with LF line endings, a final newline and few lines."""
    if not data.endswith(b"\n") or b"\r" in data or b"\0" in data or data.count(b"\n") > line_limit:
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def cache_directory(cache, url):
    """Returns the directory of a repository in the cache."""
    owner, name = url.rstrip("/").split("/")[-2:]
    return os.path.join(cache, "histories", f"{owner}+{name}.git")
