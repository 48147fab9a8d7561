"""A sandbox directory for one run: a fresh copy of the tree, a clean environment, limits, and the tree afterwards."""

import os
import resource
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass

from .case import OUTSIDE
from .memory import peak_kib
from .preload import Preloaded
from .tree import read_tree, text_file, write_tree

TIME_LIMIT = 10  # seconds
FILE_LIMIT = 256 << 20  # bytes that one file can have

# The files next to the root. No applier may change them.
SENTINEL = {"outside/secret.txt": text_file("sentinel\n"), "outside/directory/keep.txt": text_file("one\ntwo\nthree\n")}

# Git's own data, which an applier may update. All other files below `.git` are part of the tree.
GIT_DATA = ("root/.git/index", "root/.git/objects", "root/.git/logs")


@dataclass
class Run:
    """The result of one run."""

    code: int
    output: bytes
    after: dict
    seconds: float
    timed_out: bool
    directory: str  # the sandbox, which is removed


def environment(sandbox, extra):
    """Returns the clean environment of a run."""
    home = os.path.join(sandbox, "home")
    clean = {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "HOME": home,
        "XDG_CONFIG_HOME": home,
        "XDG_STATE_HOME": home,
        "XDG_CACHE_HOME": home,
        "TMPDIR": os.path.join(sandbox, "tmp"),
        "LC_ALL": "C",
        "TZ": "UTC",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_DATE": "2000-01-01T00:00:00Z",
        "GIT_COMMITTER_DATE": "2000-01-01T00:00:00Z",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
        "PYTHONHASHSEED": "0",
    }
    clean.update(extra)
    return clean


def git(root, *arguments):
    """Runs git in the root without output, under the clean environment."""
    command = ["git", "-c", "user.name=appliers", "-c", "user.email=appliers@example.invalid"]
    environ = environment(os.path.dirname(root), {})
    subprocess.run(command + list(arguments), cwd=root, env=environ, check=True, stdout=subprocess.DEVNULL)


def make_template(case, directory):
    """Creates the sandbox of a case: the root is a git repository that contains the base and the tree before."""
    root = os.path.join(directory, "root")
    for name in ("root", "home", "tmp", "patch"):
        os.makedirs(os.path.join(directory, name))
    write_tree(SENTINEL, directory)
    git(root, "init", "--quiet", "--initial-branch=main", "--template=")
    # The copies of the template keep size and time of each file, but not the other data of the index.
    git(root, "config", "core.checkStat", "minimal")
    git(root, "config", "core.trustctime", "false")
    if case.base:
        write_tree(case.base, root)
        git(root, "add", "--all", "--force")
        git(root, "commit", "--quiet", "--message=base")
        for name in os.listdir(root):
            if name != ".git":
                path = os.path.join(root, name)
                shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.remove(path)
    write_tree(case.before, root)
    git(root, "add", "--all", "--force")
    git(root, "commit", "--quiet", "--allow-empty", "--message=before")


def copy_template(template, sandbox):
    """Copies a sandbox. The system's cp keeps links, named pipes, modes and times."""
    subprocess.run(["cp", "-a", template, sandbox], check=True)


def write_patch(case, sandbox):
    """Writes the patch next to the root and returns its name."""
    name = os.path.join(sandbox, "patch", "change.txt")
    with open(name, "wb") as file:
        file.write(case.patch.replace(OUTSIDE, os.fsencode(os.path.join(sandbox, "outside"))))
    return name


def limits():
    """Sets the limits of the child process."""
    os.umask(0o022)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_LIMIT, FILE_LIMIT))


def execute(command, root, environ, time_limit=TIME_LIMIT, before_exec=limits):
    """Runs a command; returns code, output, seconds, and whether it reached the time limit."""
    with tempfile.TemporaryFile() as output:
        start = time.monotonic()
        process = subprocess.Popen(
            command, cwd=root, env=environ, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            start_new_session=True, preexec_fn=before_exec,
        )
        expired = threading.Event()

        def stop():
            expired.set()
            os.killpg(process.pid, signal.SIGKILL)

        timer = threading.Timer(time_limit, stop)
        timer.start()
        process.wait()
        timer.cancel()
        seconds = time.monotonic() - start
        try:
            os.killpg(process.pid, signal.SIGKILL)  # background processes of the applier
        except (ProcessLookupError, PermissionError):
            pass
        output.seek(0)
        text = output.read(1 << 20)
    return process.returncode, text, seconds, expired.is_set()


def snapshot(sandbox, applier):
    """Returns all files of the sandbox except the applier's own data."""
    own = ["home", "tmp", "patch", *GIT_DATA, *(f"root/{name}" for name in applier.state)]
    return read_tree(sandbox, lambda path: path in own)


def expected(tree, template_files):
    """Returns the snapshot that belongs to `tree`."""
    whole = {f"root/{path}": entry for path, entry in tree.items()}
    whole.update(template_files)
    return whole


def without_leftovers(after, known):
    """Splits a snapshot into the tree and the sorted names of reject and backup files."""
    extra = sorted(
        path for path in after if path not in known and path.startswith("root/") and path.endswith((".rej", ".orig"))
    )
    return {path: entry for path, entry in after.items() if path not in extra}, extra


def fast_directory():
    """Returns a directory in memory for the sandboxes, or None for the default directory."""
    name = "/dev/shm"
    if os.access(name, os.W_OK) and shutil.disk_usage(name).free > 1 << 30:
        return name
    return None


class Sandbox:
    """The template of one case, and the runs in copies of it."""

    def __init__(self, case, time_limit=TIME_LIMIT, on_disk=False):
        self.case = case
        self.time_limit = time_limit
        self.directory = tempfile.mkdtemp(prefix="appliers-", dir=None if on_disk else fast_directory())
        self.template = os.path.join(self.directory, "template")
        os.mkdir(self.template)
        make_template(case, self.template)
        self.fixed = read_tree(
            self.template, lambda path: path in ("home", "tmp", "patch", *GIT_DATA)
            or path.startswith("root/") and not (path + "/").startswith("root/.git/")
        )
        self.before = expected(case.before, self.fixed)
        self.truth = None if case.truth is None else expected(case.truth, self.fixed)
        self.count = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.directory, ignore_errors=True)

    def copy(self):
        """Returns the name of a fresh copy. Each copy has a name of the same length."""
        self.count += 1
        sandbox = os.path.join(self.directory, f"{self.count:06d}")
        copy_template(self.template, sandbox)
        return sandbox

    def run(self, applier, full_start=False):
        """Applies the patch in a fresh copy and returns the Run. `full_start` starts libraries again."""
        sandbox = self.copy()
        root = os.path.join(sandbox, "root")
        patch = write_patch(self.case, sandbox)
        environ = environment(sandbox, applier.environment())
        library = None if full_start else applier.library()
        if library:
            output = os.path.join(sandbox, "tmp", "output")
            process = Preloaded.of(library)
            result = process.run(applier.arguments(patch), root, environ, output, self.time_limit, FILE_LIMIT)
        else:
            result = execute(applier.command(patch, self.case.format), root, environ, self.time_limit)
        after = snapshot(sandbox, applier)
        shutil.rmtree(sandbox, ignore_errors=True)
        return Run(result[0], result[1], after, result[2], result[3], sandbox)

    def memory(self, applier):
        """Returns the peak memory of a run in KiB."""
        sandbox = self.copy()
        command = applier.command(write_patch(self.case, sandbox), self.case.format)
        kib = peak_kib(command, os.path.join(sandbox, "root"), environment(sandbox, applier.environment()))
        shutil.rmtree(sandbox, ignore_errors=True)
        return kib
