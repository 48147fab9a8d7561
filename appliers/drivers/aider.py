"""Aider's appliers, from the PyPI package aider-chat, called as a library without a model."""

import os

from harness.applier import HERE, Applier, pip_install

VERSION = "0.86.2"


class Aider(Applier):
    """One edit format of Aider. Aider applies the text as if a model had written it."""

    def __init__(self, edit_format, formats):
        self.name = f"Aider {edit_format}"
        self.edit_format = edit_format
        self.summary = f"apply_updates() of the coder for the edit format {edit_format}"
        self.formats = formats

    def install(self, cache):
        self.python = pip_install(cache, "aider-chat", VERSION)

    def version(self):
        return VERSION

    def library(self):
        return [self.python, os.path.join(HERE, "drivers", "library", "aider_edit.py")]

    def arguments(self, patch):
        return [self.edit_format, patch]

    def command(self, patch, format):
        return [*self.library(), *self.arguments(patch)]


APPLIERS = [Aider("diff", ("blocks",)), Aider("udiff", ("unified",)), Aider("patch", ("codex",))]
