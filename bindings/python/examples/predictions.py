"""Evaluates the patches of a model in the manner of SWE-bench.

Such evaluations try `git apply`, then `git apply --reject`, then `patch --fuzz=5`, and can leave a
half-patched repository. wpatch applies each patch completely or not at all, repairs the mistakes
that have exactly one meaning, and states the reason for each failure.

    predictions.py REPOSITORY PREDICTIONS

PREDICTIONS is a JSON Lines file with the fields `instance_id` and `model_patch`. Without arguments,
the program evaluates three patches of its own in memory.
"""

import json
import sys

import wpatch

EXAMPLES = {
    "exact": "--- a/f.py\n+++ b/f.py\n@@ -1,2 +1,2 @@\n-a = 1\n+a = 2\n b = 1\n",
    "wrong line numbers": "--- a/f.py\n+++ b/f.py\n@@ -40,9 +40,9 @@\n-a = 1\n+a = 2\n b = 1\n",
    "wrong context": "--- a/f.py\n+++ b/f.py\n@@ -1,2 +1,2 @@\n-a = 1\n+a = 2\n b = 3\n",
}


def evaluate(patch: str, root: str | wpatch.Tree) -> tuple[str, str]:
    """Applies one patch. Returns the result and its reason."""
    reason = ""
    for result, lenient in [("applied", False), ("repaired", True)]:
        try:
            wpatch.apply(patch, root, lenient=lenient)
            return result, ""
        except (wpatch.NotApplied, wpatch.Malformed) as error:
            reason = str(error)
        except wpatch.Error as error:
            return "refused", str(error)
    return "not applied", reason


def main() -> None:
    if len(sys.argv) == 3:
        root, file = sys.argv[1:]
        for line in open(file, encoding="utf-8"):
            prediction = json.loads(line)
            result, reason = evaluate(prediction["model_patch"], root)
            print(prediction["instance_id"], result, reason)
            if result in ("applied", "repaired"):
                # Run the tests here. Then prepare the repository for the next patch.
                wpatch.undo(root=root)
        return
    results = {}
    for name, patch in EXAMPLES.items():
        results[name], reason = evaluate(patch, wpatch.Tree({"f.py": "a = 1\nb = 1\n"}))
        print(f"{name}: {results[name]} {reason}")
    assert results == {"exact": "applied", "wrong line numbers": "repaired", "wrong context": "not applied"}


if __name__ == "__main__":
    main()
