"""Trees of files in memory: read them from a directory, write them, compare them."""

import hashlib
import os
import stat
from collections import namedtuple

# kind is "file", "link", "fifo" or "dir"; data is the content or the target of the link.
Entry = namedtuple("Entry", "kind mode data")


def text_file(content, executable=False):
    """Returns the entry of a regular file. `content` is text or bytes."""
    data = content.encode() if isinstance(content, str) else content
    return Entry("file", 0o755 if executable else 0o644, data)


def link(target):
    """Returns the entry of a symbolic link."""
    return Entry("link", 0o777, os.fsencode(target))


def fifo():
    """Returns the entry of a named pipe."""
    return Entry("fifo", 0o644, b"")


def write_tree(tree, root):
    """Creates the entries of `tree` below the directory `root`."""
    for path in sorted(tree):
        entry = tree[path]
        name = os.path.join(root, path)
        os.makedirs(os.path.dirname(name), exist_ok=True)
        if entry.kind == "link":
            os.symlink(entry.data, os.fsencode(name))
        elif entry.kind == "fifo":
            os.mkfifo(name)
            os.chmod(name, entry.mode)
        elif entry.kind == "dir":
            os.makedirs(name, exist_ok=True)
        else:
            with open(name, "wb") as file:
                file.write(entry.data)
            os.chmod(name, entry.mode)


def read_entry(name):
    """Returns the entry of one file, or None for a directory."""
    state = os.lstat(name)
    mode = stat.S_IMODE(state.st_mode)
    if stat.S_ISDIR(state.st_mode):
        return None
    if stat.S_ISLNK(state.st_mode):
        return Entry("link", 0o777, os.fsencode(os.readlink(name)))
    if stat.S_ISREG(state.st_mode):
        with open(name, "rb") as file:
            return Entry("file", mode, file.read())
    return Entry("fifo" if stat.S_ISFIFO(state.st_mode) else "other", mode, b"")


def read_tree(root, skip=lambda path: False):
    """Returns the files below `root`. Directories are not entries. `skip` receives relative paths."""
    tree = {}
    pending = [""]
    while pending:
        directory = pending.pop()
        for name in sorted(os.listdir(os.path.join(root, directory))):
            path = os.path.join(directory, name)
            if skip(path):
                continue
            entry = read_entry(os.path.join(root, path))
            if entry is None:
                pending.append(path)
            else:
                tree[path] = entry
    return tree


def digest(tree):
    """Returns a SHA-256 over names, kinds, modes and contents."""
    total = hashlib.sha256()
    for path in sorted(tree):
        entry = tree[path]
        for part in (os.fsencode(path), entry.kind.encode(), b"%o" % entry.mode, entry.data):
            total.update(b"%d:" % len(part) + part)
    return total.hexdigest()


def differences(left, right):
    """Returns the sorted paths whose entries differ."""
    return sorted(path for path in set(left) | set(right) if left.get(path) != right.get(path))
