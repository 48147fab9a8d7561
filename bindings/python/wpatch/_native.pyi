"""The native part of the package."""

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

__version__: str

class Cancel:
    """Cancels all calls that received this object, from any thread."""

    def __init__(self) -> None: ...
    def cancel(self) -> None:
        """Cancels the calls. A change that is not complete is rolled back."""
    @property
    def is_cancelled(self) -> bool: ...

class Directory:
    """A directory that is opened once for several calls, which are then faster.

    The location of the repository, git's configuration and the policy of the user are read once.
    Later changes of them have no effect.
    """

    def __init__(self, path: str | bytes | PathLike[str]) -> None: ...
    @property
    def path(self) -> str:
        """The absolute path."""

class Tree:
    """A tree of files in memory, with a history of its changes."""

    def __init__(
        self,
        files: Mapping[str, bytes | str] | None = None,
        *,
        executable: Iterable[str] | None = None,
        links: Mapping[str, str] | None = None,
    ) -> None: ...
    @property
    def files(self) -> dict[str, bytes]:
        """The contents of the files by path."""
    @property
    def executable(self) -> set[str]:
        """The paths of the executable files."""
    @property
    def links(self) -> dict[str, str]:
        """The targets of the symbolic links by path."""

def call(
    command: str,
    operands: Iterable[Any],
    options: Mapping[str, Any],
    input: bytes,
    root: str | bytes | PathLike[str] | Directory | Tree,
    is_page: bool,
    cancel: Cancel | None,
) -> tuple[str | None, Any]: ...
