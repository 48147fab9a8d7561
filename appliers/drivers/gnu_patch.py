"""GNU patch, as installed."""

from harness.applier import Applier, NotInstalled, find_program, first_line


class GnuPatch(Applier):
    """`patch -p1`. Without a terminal, GNU patch takes the default answer to each of its questions."""

    name = "GNU patch"
    summary = "patch -p1 -i PATCH"
    formats = ("git", "unified")

    def install(self, cache):
        self.program = find_program("patch")
        if first_line([self.program, "--version"], 0) != "GNU":
            raise NotInstalled("the program patch is not GNU patch")

    def version(self):
        return first_line([self.program, "--version"])

    def command(self, patch, format):
        return [self.program, "-p1", "-i", patch]


APPLIERS = [GnuPatch()]
