"""The commits of the manifest as trees and changes."""

import json
import os
from dataclasses import dataclass

from .applier import HERE
from .history import History, Missing, cache_directory
from .tree import Entry

BYSTANDERS = 3  # unchanged files of the same directories that a tree contains


@dataclass
class Material:
    """A change with its trees."""

    name: str
    source: str
    changes: list
    before: dict
    after: dict


def manifest():
    """Returns the content of `data/histories.json`."""
    with open(os.path.join(HERE, "data", "histories.json"), encoding="utf-8") as file:
        return json.load(file)


def open_histories(cache, records, fields):
    """Fetches the commits of the records. Returns {url: History} and [(url, reason)] of the missing ones."""
    wanted, histories, missing = {}, {}, []
    for record in records:
        wanted.setdefault(record["repository"], set()).update(record[field] for field in fields)
    os.makedirs(os.path.join(cache, "histories"), exist_ok=True)
    for url in sorted(wanted):
        history = History(cache_directory(cache, url))
        try:
            history.fetch(url, sorted(wanted[url]))
            histories[url] = history
        except (Missing, OSError) as error:
            missing.append((url, str(error)))
    return histories, missing


def text_tree(lines_by_path):
    """Returns the tree of plain files."""
    return {path: Entry("file", 0o644, "".join(line + "\n" for line in lines).encode())
            for path, lines in lines_by_path.items()}


def bystanders(history, commit, paths):
    """Returns unchanged files of the same directories, the first ones by name."""
    directories = sorted({os.path.dirname(path) for path in paths})
    found = {}
    files = history.files(commit, *[name + "/" if name else "." for name in directories])
    for path, (mode, oid) in sorted(files.items()):
        if len(found) < BYSTANDERS and os.path.dirname(path) in directories and path not in paths:
            if mode in ("100644", "100755"):
                found[path] = history.entry(mode, oid)
    return found


def material(history, record):
    """Returns the Material of a record with the fields `before` and `after`."""
    changes = history.changes(record["before"], record["after"])
    others = bystanders(history, record["before"], [change.path for change in changes])
    before = text_tree({change.path: change.old for change in changes if change.old is not None})
    after = text_tree({change.path: change.new for change in changes if change.new is not None})
    project = record["repository"].rsplit("/", 1)[1]
    name = f"{project}-{record['after'][:8]}"
    source = f"{record['repository']} {record['after']}"
    return Material(name, source, changes, {**others, **before}, {**others, **after})


def materials(cache):
    """Returns the Material of each commit of the manifest, and the missing repositories."""
    records = manifest()["commits"]
    histories, missing = open_histories(cache, records, ("before", "after"))
    result = [material(histories[record["repository"]], record) for record in records
              if record["repository"] in histories]
    for history in histories.values():
        history.close()
    return result, missing
