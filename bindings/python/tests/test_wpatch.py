"""Tests of the package."""

import inspect
import json
import multiprocessing
import os
import pathlib
import pickle
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import types
import typing
import unittest

import wpatch

PATCH = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n"


def large_patch():
    """Returns files and a patch for them that several threads process."""
    files = {f"f{number}": "old\n" * 400 for number in range(3000)}
    parts = [f"--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-old\n+new\n" for name in files]
    return files, "".join(parts)


def check_in_child(files, patch, queue):
    queue.put(wpatch.check(patch, wpatch.Tree(files), unidiff_zero=True)["ok"])


class TreeTest(unittest.TestCase):
    def test_a_patch_is_applied_and_undone(self):
        tree = wpatch.Tree({"a.txt": b"one\ntwo\n", "b\udcff": "x"})
        report = wpatch.check(PATCH, tree)
        self.assertEqual((report["ok"], report["changed"]), (True, False))
        self.assertEqual(tree.files["a.txt"], b"one\ntwo\n")
        self.assertTrue(wpatch.apply(PATCH.encode(), tree, approve=report["plan_id"])["changed"])
        self.assertEqual(tree.files, {"a.txt": b"ONE\ntwo\n", "b\udcff": b"x"})
        [entry] = wpatch.log(tree)["entries"]
        self.assertEqual([file["path"] for file in wpatch.show(entry["id"], tree)["entries"][0]["files"]], ["a.txt"])
        wpatch.undo(entry["id"], tree)
        self.assertEqual(tree.files["a.txt"], b"one\ntwo\n")
        wpatch.redo(tree)
        self.assertEqual(tree.files["a.txt"], b"ONE\ntwo\n")

    def test_a_patch_is_converted(self):
        tree = wpatch.Tree({"a.txt": b"one\ntwo\n"})
        converted = wpatch.convert(PATCH, "git", tree)["converted"]
        self.assertEqual(converted["text"], "diff --git a/a.txt b/a.txt\n" + PATCH)
        self.assertIn("*** Update File: a.txt", wpatch.convert(PATCH, "codex", tree)["converted"]["text"])

    def test_patches_are_refreshed_in_a_directory(self):
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory)
            (root / "a.txt").write_text("zero\n\none\ntwo\n")
            (root / "p.diff").write_text(PATCH.replace("-1,2 +1,2", "-2,2 +2,2"))
            report = wpatch.refresh([root / "p.diff"], root)
            self.assertEqual(report["refresh"]["patches"][0]["status"], "rewritten")
            self.assertIn("@@ -2,3 +2,3 @@\n \n-one", (root / "p.diff").read_text())

    def test_a_change_is_recorded_with_its_caller(self):
        tree = wpatch.Tree({"a.txt": b"one\ntwo\n"})
        wpatch.apply(PATCH, tree, actor="ai:vendor/model", by="Alice", request_id="7")
        [entry] = wpatch.log(tree)["entries"]
        self.assertEqual((entry["actor"], entry["by"], entry["request_id"]), ("ai:vendor/model", "Alice", "7"))
        [file] = wpatch.verify_audit(tree)["files"]
        self.assertEqual((file["records"], file["problem"]), (1, None))
        [trace] = wpatch.agent_traces(tree)
        self.assertEqual(trace["files"][0]["path"], "a.txt")
        report = wpatch.check(PATCH, tree, reverse=True)
        wpatch.reject(report["plan_id"], tree, hunk=["f1h1=keep it"])
        with self.assertRaisesRegex(wpatch.Error, "f1h1: keep it"):
            wpatch.apply(PATCH, tree, reverse=True, approve=report["plan_id"])

    def test_modes_and_links_are_kept(self):
        tree = wpatch.Tree({"run": "one\n"}, executable=["run"], links={"link": "run"})
        wpatch.edit("run", tree, old="one", new="two")
        self.assertEqual((tree.files, tree.executable, tree.links), ({"run": b"two\n"}, {"run"}, {"link": "run"}))

    def test_names_that_contradict_each_other_are_refused(self):
        for files, options in [
            ({"a": "x", "a/b": "x"}, {}),
            ({"a": "x", "./a": "x"}, {}),
            ({"a": "x"}, {"links": {"a": "b"}}),
            ({".wpatch/x": "x"}, {}),
            ({"a": "x"}, {"executable": ["b"]}),
        ]:
            with self.subTest(files, **options), self.assertRaises(ValueError):
                wpatch.Tree(files, **options)
        with self.assertRaises(TypeError):
            wpatch.Tree({"run": "x"}, executable="run")

    def test_any_mapping_and_any_path_is_accepted(self):
        files = types.MappingProxyType({"a.txt": "one\ntwo\n"})
        tree = wpatch.Tree(files, links=types.MappingProxyType({"link": "a.txt"}))
        wpatch.edit("a.txt", tree, edits=[types.MappingProxyType({"old": "one", "new": "1"})])
        self.assertEqual(tree.files["a.txt"], b"1\ntwo\n")
        with tempfile.TemporaryDirectory() as directory:
            pathlib.Path(directory, "a.txt").write_text("one\ntwo\n")
            self.assertTrue(wpatch.check(PATCH, directory.encode())["ok"])

    def test_every_command_works_in_memory(self):
        tree = wpatch.Tree({"a.txt": "one\n"})
        wpatch.write("b/c.txt", "x\n", tree)
        wpatch.append("b/c.txt", b"y\n", tree)
        wpatch.edit("a.txt", tree, edits=[{"old": "one", "new": "1"}])
        self.assertEqual(wpatch.read("b/c.txt", tree)["content"], "x\ny\n")
        names = [entry["name"] for entry in wpatch.list_directory(root=tree)["entries"]]
        self.assertEqual(names, ["a.txt", "b"])
        self.assertFalse(wpatch.diff("a.txt", "b/c.txt", tree)["identical"])
        self.assertIn("<!DOCTYPE html>", wpatch.show_html(PATCH, tree))
        applicable = wpatch.Tree({"a.txt": "one\ntwo\n"})
        self.assertIn("script-src", wpatch.show_html(PATCH, applicable, decide=True))
        self.assertEqual(wpatch.explain("a.txt", tree)["path"], "a.txt")

    def test_symbols_are_listed_read_and_edited(self):
        tree = wpatch.Tree({"a.py": "class A:\n    def f(self): pass\n\n    def g(self): pass\n"})
        names = [entry["name"] for entry in wpatch.list_symbols("a.py", tree)["symbols"]]
        self.assertEqual(names, ["A", "A.f", "A.g"])
        self.assertEqual(wpatch.read("a.py", tree, symbol="A.f")["content"], "    def f(self): pass\n")
        wpatch.edit("a.py", tree, symbol="f", new="    f = 1\n")
        wpatch.edit("a.py", tree, edits=[{"symbol": "g", "delete": True}])
        self.assertEqual(tree.files["a.py"], b"class A:\n    f = 1\n")
        with self.assertRaises(wpatch.NotApplied):
            wpatch.edit("a.py", tree, symbol="h", delete=True)

    def test_an_edit_session_is_committed_at_once(self):
        tree = wpatch.Tree({"a.txt": "one\n", "b.txt": "two\n"})
        session = wpatch.begin(tree, note="why")["session"]["id"]
        wpatch.edit("a.txt", tree, old="one", new="1", session=session)
        wpatch.write("c.txt", "three\n", tree, session=session)
        self.assertEqual(tree.files, {"a.txt": b"one\n", "b.txt": b"two\n"})
        self.assertEqual(wpatch.read("c.txt", tree, session=session)["content"], "three\n")
        self.assertIn("+three\n", wpatch.diff_session(session, tree)["diff"])
        [listed] = wpatch.log(tree)["sessions"]
        self.assertEqual((listed["id"], listed["note"]), (session, "why"))
        wpatch.edit("a.txt", tree, old="one", new="zero\none")
        with self.assertRaises(wpatch.NotApplied):
            wpatch.commit(session, tree)
        with self.assertRaises(wpatch.NotApplied):
            wpatch.commit(session, tree, rebase=True)
        wpatch.undo(root=tree)
        self.assertTrue(wpatch.commit(session, tree)["changed"])
        self.assertEqual(tree.files, {"a.txt": b"1\n", "b.txt": b"two\n", "c.txt": b"three\n"})
        other = wpatch.begin(tree)["session"]["id"]
        wpatch.abort(other, tree)
        with self.assertRaises(wpatch.NotApplied):
            wpatch.read("a.txt", tree, session=other)

    def test_the_history_is_protected_and_invisible(self):
        tree = wpatch.Tree({"a.txt": "one\n"})
        wpatch.edit("a.txt", tree, old="one", new="two")
        self.assertEqual(list(tree.files), ["a.txt"])
        for name in [".wpatch-attic/x", ".wpatch/x"]:
            with self.assertRaises(wpatch.Denied):
                wpatch.write(name, "x", tree)

    def test_options_that_need_a_directory_are_refused(self):
        tree = wpatch.Tree({"a.txt": "one\ntwo\n"})
        for name, value in [("verify", "true"), ("index", True), ("from_tree", "HEAD"), ("base", "HEAD")]:
            function = wpatch.check if name == "from_tree" else wpatch.apply
            with self.subTest(name), self.assertRaisesRegex(ValueError, "needs a directory"):
                function(PATCH, tree, **{name: value})
        self.assertEqual(tree.files["a.txt"], b"one\ntwo\n")

    def test_absolute_paths_do_not_leave_the_tree(self):
        with tempfile.TemporaryDirectory() as directory:
            outside = pathlib.Path(directory, "outside")
            with self.assertRaises(wpatch.Error):
                wpatch.write(outside, "x", wpatch.Tree())
            self.assertFalse(outside.exists())


class RefusalTest(unittest.TestCase):
    def refusal(self, kind, function, *arguments, **options):
        with self.assertRaises(wpatch.Error) as caught:
            function(*arguments, **options)
        self.assertIs(type(caught.exception), kind, caught.exception)
        return caught.exception

    def test_each_exit_code_has_an_exception(self):
        tree = wpatch.Tree({"a.txt": "1\ntwo\n"})
        outside = "--- /dev/null\n+++ b/../x\n@@ -0,0 +1 @@\n+x\n"
        error = self.refusal(wpatch.NotApplied, wpatch.apply, PATCH, tree)
        self.assertEqual((error.exit_code, error.kind, error.report["files"][0]["path"]), (1, "not_found", "a.txt"))
        self.assertIn("a.txt", str(error))
        self.refusal(wpatch.Malformed, wpatch.apply, "--- a/a\n+++ b/a\n@@ x @@\n", tree)
        self.refusal(wpatch.Denied, wpatch.apply, outside, tree)
        self.refusal(wpatch.UsageError, wpatch.check, PATCH, tree, strip="x")
        self.refusal(wpatch.UsageError, wpatch.check, PATCH, "/nonexistent")
        self.refusal(wpatch.UsageError, wpatch.check, pathlib.Path("/nonexistent"))
        self.assertEqual(tree.files, {"a.txt": b"1\ntwo\n"})

    def test_a_report_can_be_returned_instead(self):
        report = wpatch.check(PATCH, wpatch.Tree(), raises=False)
        self.assertEqual((report["ok"], report["exit_code"]), (False, 1))

    def test_exceptions_can_be_pickled(self):
        error = self.refusal(wpatch.NotApplied, wpatch.apply, PATCH, wpatch.Tree())
        copy = pickle.loads(pickle.dumps(error))
        self.assertEqual((str(copy), copy.report), (str(error), error.report))

    def test_wrong_arguments_are_type_errors(self):
        tree = wpatch.Tree()
        for options in [{"bogus": 1}, {"json": True}, {"output": "text"}, {"lenient": "x"}, {"fuzz": object()}]:
            with self.subTest(options), self.assertRaises(TypeError):
                wpatch.check(PATCH, tree, **options)
        with self.assertRaises(ValueError):
            wpatch.Tree({"../x": "x"})

    def test_nothing_is_printed(self):
        code = (
            "import wpatch\n"
            "for options in [{}, {'strip': 'x'}, {'format': 'bogus'}]:\n"
            "    wpatch.check('x', raises=False, **options)\n"
            "    wpatch.log(raises=False)\n"
        )
        with tempfile.TemporaryDirectory() as directory:
            done = subprocess.run([sys.executable, "-c", code], cwd=directory, capture_output=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))


class CancelTest(unittest.TestCase):
    def test_a_cancelled_change_is_rolled_back(self):
        tree = wpatch.Tree({"a.txt": "one\ntwo\n"})
        cancel = wpatch.Cancel()
        cancel.cancel()
        self.assertTrue(cancel.is_cancelled)
        with self.assertRaises(wpatch.Cancelled) as caught:
            wpatch.apply(PATCH, tree, cancel=cancel)
        self.assertEqual((caught.exception.exit_code, tree.files["a.txt"]), (143, b"one\ntwo\n"))

    def test_a_cancelled_page_is_an_exception(self):
        files, patch = large_patch()
        cancel = wpatch.Cancel()
        cancel.cancel()
        with self.assertRaises(wpatch.Cancelled):
            wpatch.show_html(patch, wpatch.Tree(files), unidiff_zero=True, cancel=cancel)

    def test_a_keyboard_interrupt_ends_a_long_check(self):
        previous = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, previous)
        lines = "".join(f"line {number}\n" for number in range(200_000))
        tree = wpatch.Tree({"a.txt": lines})
        body = "".join(f" line {number} \n" for number in range(0, 4_000, 2))
        patch = f"--- a/a.txt\n+++ b/a.txt\n@@ -1,2000 +1,2001 @@\n{body}+x\n"
        self.assertLess(len(patch), 1 << 16)
        cancel = wpatch.Cancel()
        threading.Timer(0.1, os.kill, [os.getpid(), signal.SIGINT]).start()
        with self.assertRaises(KeyboardInterrupt):
            while True:
                wpatch.check(patch, tree, lenient=True, raises=False, cancel=cancel)
        self.assertFalse(cancel.is_cancelled)

    def waiting(self, directory):
        """Starts a process that holds the lock as long as the file `held` exists."""
        with open(os.path.join(directory, "a.txt"), "w") as file:
            file.write("one\ntwo\n")
        verify = "touch held; while [ -e held ]; do sleep 0.01; done"
        script = f"import wpatch, sys\nwpatch.write('b', 'x', sys.argv[1], verify={verify!r})"
        holder = subprocess.Popen([sys.executable, "-c", script, directory])
        while not os.path.exists(os.path.join(directory, "held")):
            time.sleep(0.01)
        return holder

    def test_another_thread_ends_a_wait_for_the_lock(self):
        with tempfile.TemporaryDirectory() as directory:
            holder = self.waiting(directory)
            cancel = wpatch.Cancel()
            threading.Timer(0.2, cancel.cancel).start()
            with self.assertRaises(wpatch.Cancelled):
                wpatch.apply(PATCH, directory, cancel=cancel, lock_timeout="60s")
            os.remove(os.path.join(directory, "held"))
            self.assertEqual(holder.wait(), 0)

    def test_a_keyboard_interrupt_ends_a_wait_for_the_lock(self):
        # A process that was started in the background ignores the signal.
        previous = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, previous)
        with tempfile.TemporaryDirectory() as directory:
            holder = self.waiting(directory)
            threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGINT]).start()
            with self.assertRaises(KeyboardInterrupt):
                wpatch.apply(PATCH, directory, lock_timeout="60s")
            os.remove(os.path.join(directory, "held"))
            self.assertEqual(holder.wait(), 0)
            wpatch.apply(PATCH, directory)


class DocumentTest(unittest.TestCase):
    def test_calls_with_the_same_arguments_have_their_own_trees_and_patches(self):
        trees = [wpatch.Tree({"a.txt": f"one\ntwo\n{number}\n"}) for number in range(3)]
        for number, tree in enumerate(trees):
            patch = f"--- a/a.txt\n+++ b/a.txt\n@@ -3 +3 @@\n-{number}\n+changed {number}\n"
            wpatch.apply(patch, tree, unidiff_zero=True)
        for number, tree in enumerate(trees):
            self.assertEqual(tree.files, {"a.txt": f"one\ntwo\nchanged {number}\n".encode()})
        cancel = wpatch.Cancel()
        cancel.cancel()
        with self.assertRaises(wpatch.Cancelled):
            wpatch.apply(PATCH, trees[0], cancel=cancel)
        self.assertTrue(wpatch.apply(PATCH, trees[0], cancel=wpatch.Cancel())["ok"])

    def test_text_and_numbers_are_exact(self):
        name = "\u202e\U0001f600\x7f.txt"
        tree = wpatch.Tree({name: "one\n", "wpatch.toml": "[policy]\nmax_write_bytes = 9223372036854775808\n"})
        self.assertIn(name, [entry["name"] for entry in wpatch.list_directory(".", tree)["entries"]])
        self.assertIn("9223372036854775808", json.dumps(wpatch.explain("a", tree)))

    def test_a_page_that_cannot_be_made_is_an_error_with_the_report(self):
        for options in [{"strip": "x"}, {"format": "bogus"}]:
            with self.subTest(options), self.assertRaises(wpatch.Error) as caught:
                wpatch.show_html(PATCH, wpatch.Tree(), **options)
            self.assertEqual(caught.exception.exit_code, 2)


class ProcessTest(unittest.TestCase):
    def test_threads_can_share_a_tree(self):
        tree = wpatch.Tree({f"{number}.txt": "one\ntwo\n" for number in range(8)})
        patches = [PATCH.replace("a.txt", f"{number}.txt") for number in range(8)]
        failures = []

        def work(patch):
            try:
                for _ in range(50):
                    assert wpatch.check(patch, tree)["ok"]
                wpatch.apply(patch, tree, lock_timeout="60s")
            except Exception as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=[patch]) for patch in patches]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        self.assertEqual(set(tree.files.values()), {b"ONE\ntwo\n"})
        self.assertEqual(len(wpatch.log(tree)["entries"]), 8)

    @unittest.skipUnless(hasattr(os, "fork"), "needs fork(2)")
    def test_a_forked_process_has_no_threads_of_its_parent(self):
        files, patch = large_patch()
        self.assertTrue(wpatch.check(patch, wpatch.Tree(files), unidiff_zero=True)["ok"])
        context = multiprocessing.get_context("fork")
        queue = context.Queue()
        child = context.Process(target=check_in_child, args=[files, patch, queue])
        child.start()
        self.assertTrue(queue.get(timeout=120))
        child.join()

    @unittest.skipUnless(hasattr(os, "fork"), "needs fork(2)")
    def test_a_forked_process_does_not_wait_for_calls_of_other_threads(self):
        is_over = threading.Event()
        tree = wpatch.Tree({"a.txt": "one\ntwo\n"})

        def work():
            while not is_over.is_set():
                wpatch.check(PATCH, tree)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(100):
                child = os.fork()
                if child == 0:
                    # A child that waits for ever ends with SIGALRM.
                    signal.alarm(20)
                    wpatch.check(PATCH, wpatch.Tree({"a.txt": "one\ntwo\n"}))
                    os._exit(0)
                self.assertEqual(os.waitpid(child, 0)[1], 0)
        finally:
            is_over.set()
            for thread in threads:
                thread.join()

    def test_memory_does_not_grow_with_the_number_of_calls(self):
        tree = wpatch.Tree({"a.txt": "one\ntwo\n"})
        calls = int(os.environ.get("WPATCH_CALLS", "2000"))

        def run(count):
            for _ in range(count):
                wpatch.check(PATCH, tree)
                wpatch.check(PATCH.replace("two", "x"), tree, raises=False)
                wpatch.read("a.txt", tree)

        run(calls // 10)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        run(calls)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        self.assertLess(grown, 4096, f"{grown} KiB after {3 * calls} calls")


class DirectoryTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = pathlib.Path(directory.name).resolve()
        self.file = self.path / "a.txt"
        self.file.write_bytes(b"one\ntwo\n")

    def test_calls_return_what_they_return_for_the_path(self):
        for repository in [False, True]:
            if repository:
                subprocess.run(["git", "init", "-q", self.path], check=True)
            directory = wpatch.Directory(self.path)
            self.assertEqual(directory.path, str(self.path))
            for patch in [PATCH, PATCH.replace("two", "x"), "junk"]:
                reports = [wpatch.check(patch, root, raises=False) for root in [self.path, directory, directory]]
                self.assertEqual(reports[0], reports[1])
                self.assertEqual(reports[0], reports[2])

    def test_calls_read_files_and_attributes_again(self):
        subprocess.run(["git", "init", "-q", self.path], check=True)
        directory = wpatch.Directory(self.path)
        wpatch.apply(PATCH, directory)
        self.assertEqual(self.file.read_bytes(), b"ONE\ntwo\n")
        wpatch.undo(root=directory)
        (self.path / ".gitattributes").write_text("*.txt text eol=crlf\n")
        self.file.write_bytes(b"one\r\ntwo\r\n")
        wpatch.apply(PATCH, directory)
        self.assertEqual(self.file.read_bytes(), b"ONE\r\ntwo\r\n")
        self.assertEqual(len(wpatch.log(directory)["entries"]), 3)
        moved = self.path / "moved"
        (self.path / "d").mkdir()
        (self.path / "d" / "f").write_bytes(b"one\ntwo\n")
        patch = PATCH.replace("a.txt", "d/f")
        wpatch.check(patch, directory)
        (self.path / "d").rename(moved)
        with self.assertRaises(wpatch.NotApplied):
            wpatch.check(patch, directory)

    def test_the_policy_of_the_project_is_read_again(self):
        directory = wpatch.Directory(self.path)
        wpatch.check(PATCH, directory)
        rule = '[[rule]]\npaths = ["a.txt"]\nops = ["write"]\nverdict = "deny"\nreason = "x"\n'
        (self.path / "wpatch.toml").write_text(rule)
        with self.assertRaises(wpatch.Denied):
            wpatch.check(PATCH, directory)

    def test_another_directory_at_the_path_is_an_error(self):
        path = self.path / "d"
        path.mkdir()
        directory = wpatch.Directory(path)
        path.rename(self.path / "moved")
        path.mkdir()
        (path / "a.txt").write_bytes(b"one\ntwo\n")
        for run in [wpatch.check, wpatch.apply]:
            with self.assertRaisesRegex(wpatch.Failed, "open the directory again"):
                run(PATCH, directory)
        self.assertEqual((path / "a.txt").read_bytes(), b"one\ntwo\n")

    def test_a_missing_directory_is_an_error(self):
        with self.assertRaisesRegex(OSError, "cannot open the root"):
            wpatch.Directory(self.path / "missing")


class InterfaceTest(unittest.TestCase):
    def test_every_function_has_the_options_of_its_command(self):
        for name in wpatch.__all__:
            function = getattr(wpatch, name)
            if not inspect.isfunction(function):
                continue
            with self.subTest(name):
                hints = typing.get_type_hints(function)
                [options] = typing.get_args(hints["options"])
                self.assertTrue(issubclass(options, dict) and options.__annotations__)
                self.assertTrue(function.__doc__)
                self.assertIn("cancel", inspect.signature(function).parameters)

    def test_the_program_is_installed(self):
        program = pathlib.Path(sys.executable).with_name("wpatch")
        if not program.exists():
            self.skipTest("the package is not installed from a wheel")
        done = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, f"wpatch {wpatch.__version__}\n")


if __name__ == "__main__":
    unittest.main()
