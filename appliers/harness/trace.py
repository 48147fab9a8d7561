"""A tracer that kills a program at its N-th system call that changes a file below a directory.

It uses ptrace through ctypes. Unlike strace, it counts the calls of all threads together. The N-th call is therefore
the same one in each run, even if the program distributes its calls over threads.
"""

import ctypes
import os
import platform
import signal
import threading

SYSCALL, SET_OPTIONS, GET_SYSCALL_INFO, TRACE_ME = 24, 0x4200, 0x420E, 0
OPTIONS = 0x1 | 0x2 | 0x4 | 0x8 | 0x10 | 0x100000  # mark system calls, follow forks and threads, end with the tracer
WAIT_ALL = 0x40000000
ENTRY = 1
AT_CWD = -100
WRITES_FILE = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC

# The number of each call on x86-64 and AArch64, and the kinds of its arguments: `f` is a file descriptor that is
# written, `p` a path, `d` the directory of the next path, `o` the flags of an open, `h` a pointer to them, `-` another
# argument.
CALLS = {
    "open": (2, None, "po"), "creat": (85, None, "p"), "openat": (257, 56, "dpo"), "openat2": (437, 437, "dph"),
    "write": (1, 64, "f"), "pwrite64": (18, 68, "f"), "writev": (20, 66, "f"), "pwritev": (296, 70, "f"),
    "pwritev2": (328, 287, "f"), "ftruncate": (77, 46, "f"), "fchmod": (91, 52, "f"), "fallocate": (285, 47, "f"),
    "copy_file_range": (326, 285, "--f"), "sendfile": (40, 71, "f"), "fsetxattr": (190, 7, "f"),
    "rename": (82, None, "pp"), "renameat": (264, 38, "dpdp"), "renameat2": (316, 276, "dpdp"),
    "unlink": (87, None, "p"), "unlinkat": (263, 35, "dp"), "link": (86, None, "pp"), "linkat": (265, 37, "dpdp"),
    "symlink": (88, None, "-p"), "symlinkat": (266, 36, "-dp"), "mkdir": (83, None, "p"), "mkdirat": (258, 34, "dp"),
    "rmdir": (84, None, "p"), "chmod": (90, None, "p"), "fchmodat": (268, 53, "dp"), "fchmodat2": (452, 452, "dp"),
    "truncate": (76, 45, "p"),
}
COLUMN = {"x86_64": 0, "aarch64": 1}


class NotSupported(Exception):
    """The system does not permit the tracer. The message is the reason."""


class SyscallInfo(ctypes.Structure):
    """The kernel's `struct ptrace_syscall_info` at the entry of a call."""

    _fields_ = [
        ("op", ctypes.c_uint8), ("pad", ctypes.c_uint8 * 3), ("arch", ctypes.c_uint32), ("ip", ctypes.c_uint64),
        ("sp", ctypes.c_uint64), ("nr", ctypes.c_uint64), ("args", ctypes.c_uint64 * 6),
    ]


def known_calls():
    """Returns {number: (name, places)} for this machine."""
    if platform.system() != "Linux" or platform.machine() not in COLUMN:
        raise NotSupported(f"no system call numbers for {platform.system()} on {platform.machine()}")
    column = COLUMN[platform.machine()]
    return {numbers[column]: (name, numbers[2]) for name, numbers in CALLS.items() if numbers[column] is not None}


def ptrace(request, process, address, data):
    """Calls ptrace and returns its result, or -1."""
    function = ctypes.CDLL(None, use_errno=True).ptrace
    function.restype = ctypes.c_long
    function.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    return function(request, process, address, data)


def read_memory(process, address, size):
    """Returns bytes of a traced process, or nothing."""
    try:
        with open(f"/proc/{process}/mem", "rb", buffering=0) as memory:
            memory.seek(address)
            return memory.read(size)
    except (OSError, ValueError, OverflowError):
        return b""


def read_path(process, address):
    """Returns the text at an address of a traced process."""
    end = 4096 - address % 4096  # the next page can be absent
    data = read_memory(process, address, end)
    if b"\0" not in data:
        data += read_memory(process, address + end, 4096)
    return os.fsdecode(data.split(b"\0", 1)[0])


def target_of(name):
    """Returns the target of a link in /proc, or an empty text."""
    try:
        return os.readlink(name)
    except OSError:
        return ""


class Tracer:
    """One traced run. `points` are the names of the calls that changed a file below the root."""

    def __init__(self, root, kill_at=None):
        self.root = os.path.realpath(root) + "/"
        self.kill_at = kill_at
        self.calls = known_calls()
        self.points = []

    def is_inside(self, path):
        """Returns whether an absolute path is below the root."""
        return (os.path.normpath(path) + "/").startswith(self.root)

    def changes_file(self, process, places, args):
        """Returns whether the call at its entry changes a file below the root."""
        directory, is_inside = AT_CWD, False
        for place, value in zip(places, args):
            number = ctypes.c_int(value & 0xFFFFFFFF).value
            if place == "f":
                is_inside |= self.is_inside(target_of(f"/proc/{process}/fd/{number}"))
            elif place == "d":
                directory = number
            elif place == "p":
                name = "cwd" if directory == AT_CWD else f"fd/{directory}"
                path = os.path.join(target_of(f"/proc/{process}/{name}"), read_path(process, value))
                is_inside |= self.is_inside(path)
                directory = AT_CWD
            elif place in "oh":
                flags = int.from_bytes(read_memory(process, value, 8), "little") if place == "h" else value
                is_inside &= bool(flags & WRITES_FILE)
        return is_inside

    def at_entry(self, process, info):
        """Counts a call. Returns whether this call is the one at which the program must die."""
        name, places = self.calls.get(info.nr, (None, ""))
        if name is None or not self.changes_file(process, places, info.args):
            return False
        self.points.append(name)
        return len(self.points) == self.kill_at

    def resume(self, process, number=0):
        """Lets a traced process run until its next system call."""
        ptrace(SYSCALL, process, None, number)

    def follow(self, first):
        """Follows the process and its children until all of them ended."""
        known, info = {first}, SyscallInfo()
        while known:
            try:
                process, status = os.waitpid(-1, WAIT_ALL)
            except ChildProcessError:
                return
            if not os.WIFSTOPPED(status):
                known.discard(process)
                continue
            number = os.WSTOPSIG(status)
            if number == signal.SIGTRAP | 0x80:
                ptrace(GET_SYSCALL_INFO, process, ctypes.sizeof(info), ctypes.addressof(info))
                if info.op == ENTRY and self.at_entry(process, info):
                    os.killpg(first, signal.SIGKILL)
                number = 0
            elif status >> 16 or process not in known:
                number = 0  # an event, or the first stop of a new thread
            known.add(process)
            self.resume(process, number)

    def run(self, command, environ, time_limit, before_exec):
        """Runs the command in the root. The program and its threads form one process group."""
        child = os.fork()
        if child == 0:
            start_traced(command, self.root, environ, before_exec)
        _, status = os.waitpid(child, 0)
        if not os.WIFSTOPPED(status) or ptrace(SET_OPTIONS, child, None, OPTIONS):
            raise NotSupported("the system does not permit ptrace")
        timer = threading.Timer(time_limit, os.killpg, (child, signal.SIGKILL))
        timer.start()
        self.resume(child)
        self.follow(child)
        timer.cancel()
        return self.points


def start_traced(command, root, environ, before_exec):
    """Starts the command in a child process. Never returns."""
    try:
        os.setsid()
        before_exec()
        os.chdir(root)
        null = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(null, number)
        if ptrace(TRACE_ME, 0, None, None) == 0:
            os.kill(os.getpid(), signal.SIGSTOP)
            os.execvpe(command[0], command, environ)
    finally:
        os._exit(127)
