"""Libraries with a slow start: one process imports the library, and forks for each run.

`serve` is the side of the library. `Preloaded` is the side of the harness. Messages are lines of JSON.
"""

import json
import os
import resource
import signal
import subprocess
import sys
import time
import traceback


def run_child(request, main):
    """Runs `main` in the child process. Never returns."""
    code = 1
    try:
        os.setsid()
        os.umask(0o022)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (request["file_limit"],) * 2)
        output = os.open(request["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        empty = os.open(os.devnull, os.O_RDONLY)
        for number, descriptor in ((0, empty), (1, output), (2, output)):
            os.dup2(descriptor, number)
        sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", closefd=False)
        os.environ.clear()
        os.environ.update(request["environment"])
        os.chdir(request["directory"])
        code = main(*request["arguments"])
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code or 0)


def serve(main):
    """Reads requests from standard input until it ends; answers with the wait status and the time-out flag."""
    requests, answers = os.fdopen(os.dup(0), "r"), os.fdopen(os.dup(1), "w")
    expired = []
    signal.signal(signal.SIGALRM, lambda *_: expired.append(True) or os.kill(child, signal.SIGKILL))
    for line in requests:
        request = json.loads(line)
        expired.clear()
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            run_child(request, main)
        signal.alarm(request["time_limit"])
        _, status = os.waitpid(child, 0)
        signal.alarm(0)
        answers.write(json.dumps([status, bool(expired)]) + "\n")
        answers.flush()


class Preloaded:
    """The process of one library."""

    processes = {}

    @classmethod
    def of(cls, command):
        """Returns the process for a command. Each worker of the harness starts its own processes."""
        key = (os.getpid(), tuple(command))
        if key not in cls.processes:
            cls.processes[key] = cls(command)
        return cls.processes[key]

    def __init__(self, command):
        environ = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", PYTHONUTF8="1", PYTHONHASHSEED="0", LC_ALL="C")
        self.process = subprocess.Popen([*command, "--serve"], env=environ, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd="/")

    def run(self, arguments, directory, environ, output, time_limit, file_limit):
        """Returns code, output, seconds, and whether the run reached the time limit."""
        request = {"arguments": arguments, "directory": directory, "environment": environ, "output": output,
                   "time_limit": time_limit, "file_limit": file_limit}
        start = time.monotonic()
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        seconds = time.monotonic() - start
        if not answer:
            raise RuntimeError(f"the process of {self.process.args} ended")
        status, expired = json.loads(answer)
        with open(output, "rb") as file:
            text = file.read(1 << 20)
        return os.waitstatus_to_exitcode(status), text, seconds, expired
