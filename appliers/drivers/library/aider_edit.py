"""Applies a patch with one of Aider's coders. Arguments: the edit format and the patch file.

A coder normally belongs to a chat with a model. This program creates the object without its constructor and sets the
fields that `apply_updates` reads. All files of the tree are files of the chat, and each question is answered with yes.
"""

import os
import sys

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from aider.coders.editblock_coder import EditBlockCoder
from aider.coders.patch_coder import PatchCoder
from aider.coders.udiff_coder import UnifiedDiffCoder
from aider.io import InputOutput
from harness.preload import serve

CODERS = {"diff": EditBlockCoder, "udiff": UnifiedDiffCoder, "patch": PatchCoder}


def files_below(root):
    """Returns the absolute names of the regular files of the tree."""
    names = set()
    for directory, directories, files in os.walk(root):
        directories[:] = sorted(name for name in directories if name != ".git")
        for name in files:
            path = os.path.join(directory, name)
            if os.path.isfile(path):
                names.add(path)
    return names


def make_coder(edit_format, text):
    """Returns a coder that received `text` from its model."""
    coder = object.__new__(CODERS[edit_format])
    coder.io = InputOutput(pretty=False, yes=True, fancy_input=False)
    coder.root = os.path.realpath(os.getcwd())
    coder.repo = None
    coder.dry_run = False
    coder.abs_root_path_cache = {}
    coder.abs_fnames = files_below(coder.root)
    coder.abs_read_only_fnames = set()
    coder.warning_given = True
    coder.auto_commits = False
    coder.dirty_commits = False
    coder.shell_commands = []
    coder.num_malformed_responses = 0
    coder.reflected_message = None
    coder.partial_response_content = text
    return coder


def fenced(text):
    """Returns a diff with a fence around each file. Aider reads nothing outside a fence."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    result = ["```diff"]
    for number, line in enumerate(lines):
        is_header = line.startswith("--- ") and lines[number + 1:number + 2] and lines[number + 1].startswith("+++ ")
        if number and is_header:
            result += ["```", "```diff"]
        result.append(line)
    return "\n".join(result + ["```", ""])


def main(edit_format, patch):
    """Returns 0 if Aider applied at least one edit and reported no error."""
    with open(patch, encoding="utf-8", newline="") as file:
        text = file.read()
    if edit_format == "udiff" and "```diff" not in text:
        text = fenced(text)
    coder = make_coder(edit_format, text)
    edited = coder.apply_updates()
    if coder.reflected_message:
        return 1
    return 0 if edited else 2


if sys.argv[1:] == ["--serve"]:
    serve(main)
else:
    sys.exit(main(*sys.argv[1:]))
