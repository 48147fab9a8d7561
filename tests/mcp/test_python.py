"""Tests of `wpatch mcp` with the SDK for Python as the client. Usage: test_python.py PROGRAM

Every message of the server is also validated against the published JSON Schema of the protocol.
"""

import asyncio
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
import warnings

from jsonschema import Draft202012Validator
from mcp import Client, MCPError, StdioServerParameters
from mcp.shared.exceptions import MCPDeprecationWarning
from mcp.types import ElicitResult, ListRootsResult, Root

TOOLS = pathlib.Path(os.environ.get("WPATCH_MCP", "/var/cache/wpatch/mcp"))
CALLS = json.loads(pathlib.Path(__file__).with_name("calls.json").read_text())
ASK = '[[rule]]\npaths = ["**"]\nops = ["write"]\nverdict = "ask"\n'
PATCH = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n-one\n+1\n two\n three\n"
TIMEOUT = 300
RESULTS = {
    "initialize": "InitializeResult",
    "server/discover": "DiscoverResult",
    "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult",
    "ping": "EmptyResult",
}
REQUESTS = {"elicitation/create": "ElicitRequest", "roots/list": "ListRootsRequest"}


def write_tree(root, files):
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)


def read_tree(root):
    paths = (path for path in root.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {str(path.relative_to(root)): path.read_text() for path in paths}


def large_change(count):
    """Returns files, and a patch that changes each of them."""
    files = {f"{number % 50}/{number}.txt": "old\nline\n" for number in range(count)}
    hunks = (f"--- a/{name}\n+++ b/{name}\n@@ -1,2 +1,2 @@\n-old\n+new\n line\n" for name in files)
    return files, "".join(hunks)


def subschemas(schema):
    """Returns `schema` and all schemas in it."""
    children = [*schema.get("properties", {}).values(), *schema.get("anyOf", []), *schema.get("oneOf", [])]
    children += [schema[name] for name in ("items", "additionalProperties") if isinstance(schema.get(name), dict)]
    return [schema, *(inner for child in children for inner in subschemas(child))]


class Conversation:
    """The messages of a connection, as the programs wrote them."""

    def __init__(self, directory):
        self.requests, self.responses = directory / "requests", directory / "responses"

    def server(self, *arguments, **options):
        """Returns the parameters of a server whose messages are recorded."""
        script = 'requests=$1 responses=$2; shift 2; tee "$requests" | "$@" | tee "$responses"'
        files = [str(self.requests), str(self.responses)]
        command = ["-c", script, "sh", *files, os.path.abspath(sys.argv[1]), "mcp", *arguments]
        return StdioServerParameters(command="sh", args=command, **options)

    def received(self):
        return [json.loads(line) for line in self.responses.read_text().splitlines()]

    def validate(self, version):
        """Validates the messages of the server. Returns the names of the used definitions."""
        schema = json.loads((TOOLS / "schema" / f"{version}.json").read_text())
        sent = [json.loads(line) for line in self.requests.read_text().splitlines()]
        methods = {message["id"]: message["method"] for message in sent if "method" in message and "id" in message}
        used = set()
        for message in self.received():
            if "result" in message:
                name = RESULTS[methods[message["id"]]]
                if message["result"].get("resultType") == "input_required":
                    name = "InputRequiredResult"
                parts = [("JSONRPCResultResponse", message), (name, message["result"])]
            elif "error" in message:
                parts = [("JSONRPCErrorResponse", message)]
            else:
                parts = [(REQUESTS.get(message["method"], "ServerNotification"), message)]
            for name, part in parts:
                Draft202012Validator({**schema, "$ref": f"#/$defs/{name}"}).validate(part)
                used.add(name)
        return used


class Generation:
    """The tests of a generation of the protocol."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.root = self.directory / "root"
        subprocess.run(["git", "init", "--quiet", self.root], check=True)
        self.conversation = Conversation(self.directory)
        warnings.simplefilter("ignore", MCPDeprecationWarning)

    async def asyncSetUp(self):
        # `unittest` enables the debug mode, which is slow.
        asyncio.get_running_loop().set_debug(False)

    @contextlib.asynccontextmanager
    async def connect(self, server=None, **options):
        """Connects to a server. At the end its messages are validated."""
        server = server or self.conversation.server("--root", str(self.root))
        async with Client(server, mode=self.mode, read_timeout_seconds=TIMEOUT, **options) as client:
            self.assertEqual(client.protocol_version, self.version)
            yield client
        self.definitions = self.conversation.validate(self.version)

    def assert_result(self, result, schema, is_error):
        document = result.structured_content
        self.assertEqual((result.is_error, document["ok"]), (is_error, not is_error), document)
        self.assertEqual([content.text for content in result.content], [document["message"]])
        Draft202012Validator(schema).validate(document)

    async def test_every_tool_has_strict_schemas(self):
        async with self.connect() as client:
            tools = (await client.list_tools()).tools
        self.assertEqual({tool.name for tool in tools}, {call[0] for call in CALLS["good"]})
        for tool in tools:
            self.assertFalse(tool.input_schema["additionalProperties"], tool.name)
            for schema in subschemas(tool.input_schema) + subschemas(tool.output_schema):
                self.assertNotIn("$ref", schema, tool.name)
                self.assertIsInstance(schema.get("type", ""), str, tool.name)
                self.assertTrue("format" not in schema or schema["type"] == "string", tool.name)

    async def test_every_tool_accepts_its_arguments(self):
        write_tree(self.root, CALLS["before"])
        async with self.connect() as client:
            schemas = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
            for name, arguments in CALLS["good"]:
                with self.subTest(name, arguments=arguments):
                    self.assert_result(await client.call_tool(name, arguments), schemas[name], is_error=False)
        self.assertEqual(read_tree(self.root), CALLS["after"])
        self.assertIn("CallToolResult", self.definitions)

    async def test_an_error_names_the_invalid_argument(self):
        write_tree(self.root, CALLS["before"])
        async with self.connect() as client:
            schemas = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
            for name, arguments, wrong in CALLS["bad"]:
                with self.subTest(name, arguments=arguments):
                    result = await client.call_tool(name, arguments)
                    self.assert_result(result, schemas[name], is_error=True)
                    self.assertRegex(result.structured_content["message"].splitlines()[0], rf"\b{wrong}\b")
            with self.assertRaisesRegex(MCPError, "unknown tool move"):
                await client.call_tool("move", {})
        self.assertEqual(read_tree(self.root), CALLS["before"])

    async def test_a_cancelled_call_changes_nothing(self):
        files, patch = large_change(5000)
        write_tree(self.root, files)
        is_changing = asyncio.Event()

        async def report(progress, total, message):
            if message.startswith("reading files"):
                is_changing.set()

        async with self.connect() as client:
            call = asyncio.create_task(client.call_tool("apply_patch", {"patch": patch}, progress_callback=report))
            await is_changing.wait()
            call.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await call
            # The server answers after the rollback.
            listed = await client.call_tool("list", {})
        self.assertEqual(len(listed.structured_content["message"].splitlines()), 50)
        self.assertTrue(read_tree(self.root) == files)
        self.assertIn("ServerNotification", self.definitions)

    async def test_a_large_change_has_a_short_result_and_delays_no_other_request(self):
        files, patch = large_change(8000)
        write_tree(self.root, files)
        delays = []
        async with self.connect() as client:
            # The newer generation has no ping.
            session = client.session
            ask = session.send_ping if self.mode == "legacy" else lambda: session.send_discover(self.version)
            call = asyncio.create_task(client.call_tool("apply_patch", {"patch": patch}))
            while not call.done():
                start = time.perf_counter()
                await ask()
                delays.append(time.perf_counter() - start)
                await asyncio.sleep(0.2)
            self.assertFalse((await call).is_error)
        self.assertEqual(set(read_tree(self.root).values()), {"new\nline\n"})
        results = [message["result"] for message in self.conversation.received()]
        sizes = [len(json.dumps(result).encode()) for result in results if "structuredContent" in result]
        self.assertLessEqual(max(sizes), 100_000)
        delays.sort()
        print(
            f"{self.version}: {len(delays)} requests during a call, median {delays[len(delays) // 2] * 1000:.1f} ms,"
            f" maximum {delays[-1] * 1000:.1f} ms; result of the call: {max(sizes)} bytes"
        )
        self.assertGreater(len(delays), 3)
        self.assertLess(delays[-1], 1)

    async def test_simultaneous_calls_are_all_answered(self):
        files = {f"{number}.txt": f"{number}\n" for number in range(60)}
        async with self.connect() as client:
            calls = [client.call_tool("create", {"path": name, "file_text": text}) for name, text in files.items()]
            results = await asyncio.gather(*calls)
        self.assertEqual([result.structured_content["files"][0]["path"] for result in results], list(files))
        self.assertEqual(read_tree(self.root), files)

    async def apply_under_policy(self, **options):
        """Applies a patch for which policy asks. Returns the result and the tree."""
        write_tree(self.root, {"a.txt": "one\ntwo\nthree\n", "wpatch.toml": ASK})
        async with self.connect(**options) as client:
            result = await client.call_tool("apply_patch", {"patch": PATCH})
        return result, read_tree(self.root)["a.txt"]

    async def test_the_user_decides_if_policy_asks(self):
        for answer, is_made in [
            (ElicitResult(action="accept", content={"approve": True}), True),
            (ElicitResult(action="accept", content={"approve": False}), False),
            (ElicitResult(action="decline"), False),
            (ElicitResult(action="cancel"), False),
        ]:
            questions = []

            async def elicit(context, parameters, answer=answer):
                questions.append(parameters.message)
                return answer

            with self.subTest(answer=answer):
                result, text = await self.apply_under_policy(elicitation_callback=elicit)
                self.assertEqual(len(questions), 1)
                self.assertIn("modify a.txt +1 -1", questions[0])
                self.assertEqual(result.is_error, not is_made, result)
                self.assertEqual(text, "1\ntwo\nthree\n" if is_made else "one\ntwo\nthree\n")
                asks = "ElicitRequest" if self.mode == "legacy" else "InputRequiredResult"
                self.assertIn(asks, self.definitions)

    async def test_a_change_is_refused_if_the_client_cannot_ask_the_user(self):
        result, text = await self.apply_under_policy()
        self.assertTrue(result.is_error)
        self.assertEqual(result.structured_content["problems"][0]["kind"], "approval_required")
        self.assertEqual(text, "one\ntwo\nthree\n")

    def connect_with_roots(self, roots):
        """Connects a client with `roots` to a server in another directory."""

        async def list_roots(context):
            return ListRootsResult(roots=[Root(uri=root.as_uri()) for root in roots])

        elsewhere = self.directory / "elsewhere"
        elsewhere.mkdir()
        return self.connect(self.conversation.server(cwd=elsewhere), list_roots_callback=list_roots)

    def read_directories(self):
        trees = {path.name: read_tree(path) for path in self.directory.iterdir() if path.is_dir()}
        return {name: sorted(tree) for name, tree in trees.items()}


class Generation2025(Generation, unittest.IsolatedAsyncioTestCase):
    mode, version = "legacy", "2025-11-25"

    async def test_the_first_root_of_the_client_is_the_root(self):
        roots = [self.directory / "wörk #1 %20", self.directory / "second"]
        for root in roots:
            root.mkdir()
        async with self.connect_with_roots(roots) as client:
            await client.call_tool("create", {"path": "a.txt", "file_text": "a\n"})
            roots.reverse()
            await client.send_roots_list_changed()
            await client.call_tool("create", {"path": "b.txt", "file_text": "b\n"})
        expected = {"root": [], "elsewhere": [], "wörk #1 %20": ["a.txt"], "second": ["b.txt"]}
        self.assertEqual(self.read_directories(), expected)
        self.assertIn("ListRootsRequest", self.definitions)


class Generation2026(Generation, unittest.IsolatedAsyncioTestCase):
    mode, version = "auto", "2026-07-28"

    async def test_the_roots_of_the_client_are_not_used(self):
        async with self.connect_with_roots([self.root]) as client:
            await client.call_tool("create", {"path": "a.txt", "file_text": "a\n"})
        self.assertEqual(self.read_directories(), {"root": [], "elsewhere": ["a.txt"]})


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
