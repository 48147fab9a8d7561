"""One case: a tree, a patch for it, and the results that count as right."""

from dataclasses import dataclass, field
from typing import Optional

FORMATS = ("git", "unified", "codex", "blocks")

# What a case accepts as right.
TREE = "tree"  # success is reported, and the tree is the truth
REFUSAL = "refusal"  # failure is reported, and the tree is unchanged
UNCHANGED = "unchanged"  # the tree is unchanged; both reports are right
FAILED_TREE = "failed tree"  # failure is reported, and the tree is the truth

# The patch text contains this name where the sandbox inserts the absolute name of its sentinel directory.
OUTSIDE = b"@OUTSIDE@"


@dataclass
class Case:
    """A case. `truth` is None if only a refusal or an unchanged tree is right."""

    set: str
    name: str
    kind: str  # the damage, the attack or the kind of history
    format: str  # one of FORMATS
    before: dict
    patch: bytes
    truth: Optional[dict] = None
    accepts: tuple = (TREE,)
    base: dict = field(default_factory=dict)  # the tree that the patch was made for, if it is another one
    source: str = ""  # repository and commit, or the reason why the case exists

    @property
    def id(self):
        """The unique name of the case."""
        return f"{self.set}/{self.name}.{self.format}"


def stable_number(text, limit):
    """Returns a number below `limit` that depends only on `text`."""
    import hashlib

    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") % limit
