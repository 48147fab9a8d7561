"""Runs a command line of wpatch through the package, for runners that expect a program.

The generated types state which options are flags; the word after any other option is its value.
"""

import base64
import json
import pathlib
import sys
import typing

import wpatch
from wpatch import options as types

PATCHES = {
    "apply": (wpatch.apply, types.ApplyOptions),
    "check": (wpatch.check, types.CheckOptions),
}
# Each function, its options, and the option that is an argument of the function.
FILES = {
    "append": (wpatch.append, types.AppendOptions, "content"),
    "notebook delete": (wpatch.notebook_delete, types.NotebookDeleteOptions, None),
    "notebook insert": (wpatch.notebook_insert, types.NotebookInsertOptions, "source"),
    "notebook replace": (wpatch.notebook_replace, types.NotebookReplaceOptions, "source"),
    "write": (wpatch.write, types.WriteOptions, "content"),
}
OTHERS = {
    "diff": (wpatch.diff, types.DiffOptions),
    "edit": (wpatch.edit, types.EditOptions),
    "list": (wpatch.list_directory, types.ListOptions),
    "log": (wpatch.log, types.LogOptions),
    "read": (wpatch.read, types.ReadOptions),
    "redo": (wpatch.redo, types.RedoOptions),
    "undo": (wpatch.undo, types.UndoOptions),
}
ALL = PATCHES | FILES | OTHERS


def split(words, option_type):
    """Returns the operands and the options of a command line."""
    kinds = typing.get_type_hints(option_type)
    operands, options = [], {}
    words = iter(words)
    for word in words:
        if not word.startswith("--"):
            operands.append(word)
            continue
        name, has_value, value = word[2:].partition("=")
        key = name.replace("-", "_")
        kind = kinds.get(key)
        if kind is bool or key == "json":
            options[key] = True
            continue
        value = value if has_value else next(words)
        if typing.get_origin(kind) is list:
            options.setdefault(key, []).append(value)
        else:
            options[key] = value
    return operands, options


def run(command, operands, options):
    function = ALL[command][0]
    if command in PATCHES:
        return function([pathlib.Path(name) for name in operands] or sys.stdin.buffer.read(), **options)
    if command not in FILES:
        return function(*operands, **options)
    name = FILES[command][2]
    if name is None:
        return function(*operands, **options)
    value = options.pop(name, None)
    if value is None:
        value = sys.stdin.buffer.read()
    return function(*operands, value, **options)


def main(words):
    command, words = words[0], words[1:]
    if command == "notebook":
        command, words = f"{command} {words[0]}", words[1:]
    operands, options = split(words, ALL[command][1])
    has_json = options.pop("json", False)
    try:
        document = run(command, operands, options)
    except wpatch.Error as error:
        print(json.dumps(error.report) if has_json else error, file=sys.stdout if has_json else sys.stderr)
        return 2 if command == "diff" else error.exit_code
    if has_json:
        print(json.dumps(document))
    elif command == "read":
        content = document["content"]
        is_binary = document["encoding"] == "base64"
        sys.stdout.buffer.write(base64.b64decode(content) if is_binary else content.encode())
    elif command == "diff":
        sys.stdout.buffer.write(document["diff"].encode())
    return int(command == "diff" and not document["identical"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
