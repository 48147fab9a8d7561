"""mpatch from crates.io: default options, and --atomic."""

from harness.applier import Applier, cargo_install, first_line

VERSION = "1.8.1"


class Mpatch(Applier):
    """`mpatch PATCH`. The feature `clipboard` needs a desktop library and is left out."""

    formats = ("git", "unified", "blocks")

    def __init__(self, name, options, writes=False):
        self.name = name
        self.options = options
        self.writes = writes
        self.summary = " ".join(["mpatch", *options, "PATCH"])

    def install(self, cache):
        options = ["--no-default-features", "--features", "parallel"]
        self.program = cargo_install(cache, "mpatch", VERSION, options)

    def version(self):
        return first_line([self.program, "--version"])

    def command(self, patch, format):
        return [self.program, *self.options, patch]


APPLIERS = [Mpatch("mpatch", [], writes=True), Mpatch("mpatch --atomic", ["--atomic"])]
