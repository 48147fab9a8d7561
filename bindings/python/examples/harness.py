"""An agent harness: a model proposes patches, a person approves them, and wpatch applies them.

Run it in any directory. A list takes the place of the model.
"""

import pathlib
import tempfile

import wpatch

REPLIES = [
    # The model remembers a line that does not exist.
    "*** Begin Patch\n*** Update File: app.py\n@@\n-print('hallo')\n+print('good morning')\n*** End Patch\n",
    "*** Begin Patch\n*** Update File: app.py\n@@\n-print('hello')\n+print('good morning')\n*** End Patch\n",
]


def approve(report: wpatch.documents.Report) -> bool:
    """Shows the change to a person."""
    for file in report["files"]:
        print(file.get("diff", ""), end="")
    return True


def answer(patch: str, root: pathlib.Path) -> str:
    """Applies the patch of a model. Returns the answer for the model."""
    try:
        report = wpatch.check(patch, root, lenient=True)
        plan_id = report["plan_id"]
        if plan_id is None or not approve(report):
            return "The user rejected this change."
        wpatch.apply(patch, root, lenient=True, approve=plan_id)
    except wpatch.Error as error:
        # The message names the file, the line and the next step. No file was changed.
        return f"Error: {error}"
    return f"Changed {report['summary']['files']} file."


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        root = pathlib.Path(directory)
        (root / "app.py").write_text("print('hello')\n")
        for patch in REPLIES:
            print(answer(patch, root))
        assert (root / "app.py").read_text() == "print('good morning')\n"


if __name__ == "__main__":
    main()
