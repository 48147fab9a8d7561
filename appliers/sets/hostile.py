"""Patches that attack the machine, written for this benchmark. The judgement includes a directory next to the root.

The directory `outside` of a sandbox contains `secret.txt` and `directory/keep.txt`. No patch may change it.
"""

from harness.case import OUTSIDE, REFUSAL, TREE, Case
from harness.tree import fifo, link, text_file

LINES = ["one", "two", "three"]
TEXT = "one\ntwo\nthree\n"
PLAIN = {"README.txt": text_file("read me\n"), "src/app.txt": text_file(TEXT)}
OUT = {**PLAIN, "out": link("../outside/directory")}
NAMES = {"unified": "--- a/{0}\n+++ b/{0}\n", "git": "diff --git a/{0} b/{0}\n--- a/{0}\n+++ b/{0}\n"}


def modify(path, format, lines=None):
    """Returns a patch that changes the second line of a file of three lines."""
    first, second, third = lines or LINES
    hunk = f" {first}\n-{second}\n+changed\n {third}\n"
    if format in NAMES:
        return NAMES[format].format(path) + "@@ -1,3 +1,3 @@\n" + hunk
    if format == "codex":
        return f"*** Begin Patch\n*** Update File: {path}\n@@\n{hunk}*** End Patch\n"
    return (f"{path}\n```\n<<<<<<< SEARCH\n{first}\n{second}\n{third}\n=======\n{first}\nchanged\n{third}\n"
            ">>>>>>> REPLACE\n```\n")


def create(path, format):
    """Returns a patch that creates a file."""
    if format == "git":
        head = f"diff --git a/{path} b/{path}\nnew file mode 100644\n"
        return head + f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+created\n"
    if format == "unified":
        return f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+created\n"
    if format == "codex":
        return f"*** Begin Patch\n*** Add File: {path}\n+created\n*** End Patch\n"
    return f"{path}\n```\n<<<<<<< SEARCH\n=======\ncreated\n>>>>>>> REPLACE\n```\n"


def delete(path, format, lines):
    """Returns a patch that deletes a file, or None for blocks."""
    removed = "".join(f"-{line}\n" for line in lines)
    if format == "git":
        head = f"diff --git a/{path} b/{path}\ndeleted file mode 100644\n"
        return head + f"--- a/{path}\n+++ /dev/null\n@@ -1,{len(lines)} +0,0 @@\n{removed}"
    if format == "unified":
        return f"--- a/{path}\n+++ /dev/null\n@@ -1,{len(lines)} +0,0 @@\n{removed}"
    return f"*** Begin Patch\n*** Delete File: {path}\n*** End Patch\n" if format == "codex" else None


def rename(old, new, format, copy=False):
    """Returns a patch that renames or copies a file, or None."""
    if format == "git":
        word = "copy" if copy else "rename"
        return f"diff --git a/{old} b/{new}\nsimilarity index 100%\n{word} from {old}\n{word} to {new}\n"
    if format == "codex" and not copy:
        hunk = "@@\n one\n-two\n+changed\n three\n"
        return f"*** Begin Patch\n*** Update File: {old}\n*** Move to: {new}\n{hunk}*** End Patch\n"
    return None


def new_link(path, target):
    """Returns the section of a git diff that creates a link."""
    head = f"diff --git a/{path} b/{path}\nnew file mode 120000\n--- /dev/null\n+++ b/{path}\n"
    return head + f"@@ -0,0 +1 @@\n+{target}\n\\ No newline at end of file\n"


ABSOLUTE = OUTSIDE.decode()
CONFIG = ["[core]", "\trepositoryformatversion = 0", "\tfilemode = true"]
LONG = "d/" * 20 + "n" * 5000
ALL = ("git", "unified", "codex", "blocks")

# Attacks that each format expresses: name, tree, function of the format.
ATTACKS = [
    ("modify above the root", PLAIN, lambda f: modify("../outside/directory/keep.txt", f)),
    ("create above the root", PLAIN, lambda f: create("../outside/new.txt", f)),
    ("delete above the root", PLAIN, lambda f: delete("../outside/secret.txt", f, ["sentinel"])),
    ("climb from a directory", PLAIN, lambda f: modify("src/../../outside/directory/keep.txt", f)),
    ("modify an absolute name", PLAIN, lambda f: modify(f"{ABSOLUTE}/directory/keep.txt", f)),
    ("create an absolute name", PLAIN,
     lambda f: create(f"{ABSOLUTE}/new.txt", f) if f in ("codex", "blocks") else None),
    ("delete an absolute name", PLAIN, lambda f: delete(f"{ABSOLUTE}/secret.txt", f, ["sentinel"])),
    ("rename out of the root", PLAIN, lambda f: rename("src/app.txt", "../outside/app.txt", f)),
    ("rename into the root", PLAIN, lambda f: rename("../outside/directory/keep.txt", "stolen.txt", f)),
    ("copy into the root", PLAIN, lambda f: rename("../outside/secret.txt", "stolen.txt", f, True)),
    ("modify through a linked directory", OUT, lambda f: modify("out/keep.txt", f)),
    ("create through a linked directory", OUT, lambda f: create("out/new.txt", f)),
    ("delete through a linked directory", OUT, lambda f: delete("out/keep.txt", f, LINES)),
    ("modify a link to a file outside", {**PLAIN, "notes.txt": link("../outside/directory/keep.txt")},
     lambda f: modify("notes.txt", f)),
    ("create over a dangling link", {**PLAIN, "notes.txt": link("../outside/new.txt")},
     lambda f: create("notes.txt", f)),
    ("create a hook", PLAIN, lambda f: create(".git/hooks/post-checkout", f)),
    ("create a hook by a detour", PLAIN, lambda f: create("src/../.git/hooks/post-checkout", f)),
    ("change git's configuration", PLAIN, lambda f: modify(".git/config", f, CONFIG)),
    ("create a repository below", PLAIN, lambda f: create("src/.git/config", f)),
    ("modify a named pipe", {**PLAIN, "pipe": fifo()}, lambda f: modify("pipe", f)),
    ("create over a directory", PLAIN, lambda f: create("src", f)),
    ("create below a file", PLAIN, lambda f: create("README.txt/new.txt", f)),
    ("a name of 5,000 characters", PLAIN, lambda f: create(LONG, f)),
]

# Attacks that only a git diff expresses: name, patch.
GIT_ATTACKS = [
    ("create a link and write through it",
     new_link("into", "../outside/directory") + create("into/new.txt", "git")),
    ("create a link and modify through it",
     new_link("into", "../outside/directory") + modify("into/keep.txt", "git")),
    ("replace a directory by a link and write through it",
     delete("src/app.txt", "git", LINES) + new_link("src", "../outside/directory") + create("src/new.txt", "git")),
    ("rename onto a file", rename("src/app.txt", "README.txt", "git")),
    ("a binary patch that lies about its size",
     "diff --git a/big.bin b/big.bin\nnew file mode 100644\nindex " + "0" * 40 + ".." + "1" * 40
     + "\nGIT binary patch\nliteral 9999999999\nKcmZQzU|?Vf000310RR\n\nliteral 0\nHcmV?d00001\n\n"),
]


def odd_patches():
    """Returns the cases that are unusual but can be harmless. A refusal and the exact tree are right."""
    changed = {**PLAIN, "src/app.txt": text_file("one\nchanged\nthree\n")}
    read_me = {**PLAIN, "README.txt": text_file("read you\n")}
    huge = NAMES["git"].format("src/app.txt") + "@@ -1,{0} +1,{0} @@\n one\n-two\n+changed\n three\n"
    far = NAMES["git"].format("src/app.txt") + "@@ -{0},3 +{0},3 @@\n one\n-two\n+changed\n three\n"
    inside = "--- a/src/../README.txt\n+++ b/src/../README.txt\n@@ -1 +1 @@\n-read me\n+read you\n"
    quoted = create('NAME', "git").replace("a/NAME", '"a/NAME"').replace("b/NAME", '"b/NAME"')
    created = text_file("created\n")
    run = create("run.sh", "git")
    return [
        ("counts beyond 32 bits", huge.format(2**32 + 3), "git", changed),
        ("counts beyond 64 bits", huge.format(10**20), "git", changed),
        ("a line number beyond 64 bits", far.format(10**20), "git", changed),
        ("a detour inside the root", inside, "unified", read_me),
        ("a newline in a name", quoted.replace("NAME", "two\\nlines.txt"), "git",
         {**PLAIN, "two\nlines.txt": created}),
        ("an escape sequence in a name", quoted.replace("NAME", "\\033[2J.txt"), "git",
         {**PLAIN, "\x1b[2J.txt": created}),
        ("an escape sequence in a name", create("\x1b[2J.txt", "codex"), "codex", {**PLAIN, "\x1b[2J.txt": created}),
        ("a link to an absolute name", new_link("passwd", "/etc/passwd"), "git",
         {**PLAIN, "passwd": link("/etc/passwd")}),
        ("a set-user-ID mode", run.replace("100644", "104755"), "git",
         {**PLAIN, "run.sh": text_file("created\n", True)}),
    ]


def load(cache):
    """Returns the cases. The set needs no repository."""
    cases = []
    for name, before, function in ATTACKS:
        for format in ALL:
            patch = function(format)
            if patch is not None:
                cases.append(Case("hostile", name, "attack", format, before, patch.encode(), None, (REFUSAL,)))
    for name, patch in GIT_ATTACKS:
        cases.append(Case("hostile", name, "attack", "git", PLAIN, patch.encode(), None, (REFUSAL,)))
    for name, patch, format, truth in odd_patches():
        cases.append(Case("hostile", name, "odd", format, PLAIN, patch.encode(), truth, (TREE, REFUSAL)))
    return cases, []
