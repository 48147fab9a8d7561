"""The interface of a driver. A driver is a module in `drivers/` with a list `APPLIERS`."""

import importlib.util
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class NotInstalled(Exception):
    """The applier is not available. The message is the reason."""


class Applier:
    """One row of the table: a program with fixed options."""

    name = ""  # the row
    summary = ""  # the command as a reader types it
    formats = ()  # the formats that the program reads by its documentation
    state = ()  # directories in the root where the program keeps its own data
    writes = True  # False: another row has the same code for writing, and the set `kills` skips this row

    def install(self, cache):
        """Installs the program below the directory `cache`, or raises NotInstalled."""

    def version(self):
        """Returns the version of the program."""
        return ""

    def command(self, patch, format):
        """Returns the command that applies the file `patch` to the current directory."""
        raise NotImplementedError

    def recover(self):
        """Returns the command that recovers the current directory after a kill, or None."""
        return None

    def library(self):
        """Returns the command of a library that `preload.serve` runs, or None for a program."""
        return None

    def arguments(self, patch):
        """Returns the arguments of the library's function for the file `patch`."""
        return [patch]

    def environment(self):
        """Returns environment variables that the program needs in addition to the clean environment."""
        return {}

    def succeeded(self, code, output):
        """Returns whether the program reports success. `output` is its standard output and error."""
        return code == 0


def run_quiet(command, log, **options):
    """Runs an installation command, or raises NotInstalled with its last line of output."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options
        )
    except OSError as error:
        raise NotInstalled(f"{command[0]}: {error.strerror}")
    with open(log, "wb") as file:
        file.write(done.stdout)
    if done.returncode:
        lines = done.stdout.decode(errors="replace").strip().splitlines() or ["no output"]
        raise NotInstalled(f"{' '.join(command[:3])} failed: {lines[-1][:200]}")


def first_line(command, number=-1):
    """Returns one word of the first line that a command prints."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    line = (done.stdout.decode(errors="replace").splitlines() or ["unknown"])[0]
    return line.split()[number]


def find_program(name):
    """Returns the path of a program, or raises NotInstalled."""
    path = shutil.which(name)
    if path is None:
        raise NotInstalled(f"{name} is not on PATH")
    return path


def cargo_install(cache, crate, version, options=()):
    """Installs a program from crates.io and returns its path."""
    root = os.path.join(cache, f"{crate}-{version}")
    program = os.path.join(root, "bin", crate)
    if not os.path.exists(program):
        command = ["cargo", "install", "--locked", "--version", version, "--root", root, crate, *options]
        run_quiet(command, os.path.join(cache, f"{crate}.log"))
    return program


def pip_install(cache, package, version):
    """Installs a package from PyPI into an environment of its own and returns its Python."""
    root = os.path.join(cache, f"{package}-{version}")
    python = os.path.join(root, "bin", "python")
    if not os.path.exists(os.path.join(root, "complete")):
        shutil.rmtree(root, ignore_errors=True)
        log = os.path.join(cache, f"{package}.log")
        run_quiet([sys.executable, "-m", "venv", root], log)
        run_quiet([python, "-m", "pip", "install", "--quiet", f"{package}=={version}"], log)
        with open(os.path.join(root, "complete"), "w"):
            pass
    return python


def load_appliers(directory=None):
    """Returns the appliers of all drivers, sorted by file and position."""
    directory = directory or os.path.join(HERE, "drivers")
    appliers = []
    for name in sorted(os.listdir(directory)):
        if name.endswith(".py"):
            path = os.path.join(directory, name)
            spec = importlib.util.spec_from_file_location(f"driver_{name[:-3]}", path)
            module = importlib.util.module_from_spec(spec)
            sys.modules[spec.name] = module  # worker processes find the classes by this name
            spec.loader.exec_module(module)
            appliers += module.APPLIERS
    return appliers
