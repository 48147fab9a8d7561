// Tests of `wpatch mcp` with the SDK for TypeScript as the client. Usage: WPATCH=PROGRAM node --test sdk.test.mjs

import assert from "node:assert";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";

const require = createRequire(path.join(process.env.WPATCH_MCP ?? "/var/cache/wpatch/mcp", "node/"));
const { Client } = require("@modelcontextprotocol/client");
const { StdioClientTransport } = require("@modelcontextprotocol/client/stdio");
const { AjvJsonSchemaValidator } = require("@modelcontextprotocol/client/validators/ajv");

const GENERATIONS = [
  { version: "2025-11-25", mode: "legacy" },
  { version: "2026-07-28", mode: "auto" },
];
const TIMEOUT = 300_000;
const CALLS = JSON.parse(fs.readFileSync(new URL("calls.json", import.meta.url)));
const ASK = '[[rule]]\npaths = ["**"]\nops = ["write"]\nverdict = "ask"\n';
const PATCH = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n-one\n+1\n two\n three\n";

const validator = new AjvJsonSchemaValidator();
let directory;
let root;

beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "wpatch-mcp-"));
  root = path.join(directory, "root");
  execFileSync("git", ["init", "--quiet", root]);
});
afterEach(() => fs.rmSync(directory, { recursive: true }));

function writeTree(files) {
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.join(root, path.dirname(name)), { recursive: true });
    fs.writeFileSync(path.join(root, name), content);
  }
}

function readTree(directory = root) {
  const files = fs.readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)));
  const names = paths.filter((name) => !name.startsWith(".git/"));
  return Object.fromEntries(names.map((name) => [name, fs.readFileSync(path.join(directory, name), "utf8")]));
}

// Returns files, and a patch that changes each of them.
function largeChange(count) {
  const names = Array.from({ length: count }, (_, number) => `${number % 50}/${number}.txt`);
  const hunks = names.map((name) => `--- a/${name}\n+++ b/${name}\n@@ -1,2 +1,2 @@\n-old\n+new\n line\n`);
  return { files: Object.fromEntries(names.map((name) => [name, "old\nline\n"])), patch: hunks.join("") };
}

// Returns `schema` and all schemas in it.
function subschemas(schema) {
  const { properties = {}, anyOf = [], oneOf = [], items = [], additionalProperties = [] } = schema;
  const children = [...Object.values(properties), ...anyOf, ...oneOf, items, additionalProperties];
  return [schema, ...children.filter((child) => child.constructor === Object).flatMap(subschemas)];
}

function assertResult(result, schema, isError) {
  const { ok, message } = result.structuredContent;
  assert.deepStrictEqual([result.isError, ok], [isError, !isError], message);
  assert.deepStrictEqual(result.content, [{ type: "text", text: message }]);
  assert.strictEqual(validator.getValidator(schema)(result.structuredContent).errorMessage, undefined);
}

for (const { version, mode } of GENERATIONS) {
  // Connects a client with `handlers` to a server with `options`, and closes the connection after `work`.
  async function connect(work, handlers = {}, options = {}) {
    const capabilities = {};
    if ("elicitation/create" in handlers) capabilities.elicitation = { form: {} };
    if ("roots/list" in handlers) capabilities.roots = { listChanged: true };
    const client = new Client({ name: "test", version: "1" }, { capabilities, versionNegotiation: { mode } });
    for (const [method, handler] of Object.entries(handlers)) client.setRequestHandler(method, handler);
    const server = { command: path.resolve(process.env.WPATCH), args: ["mcp", "--root", root], ...options };
    await client.connect(new StdioClientTransport(server));
    try {
      assert.strictEqual(client.getNegotiatedProtocolVersion(), version);
      const call = (name, args, options) =>
        client.callTool({ name, arguments: args }, { timeout: TIMEOUT, ...options });
      return await work(client, call);
    } finally {
      await client.close();
    }
  }

  async function outputSchemas(client) {
    const { tools } = await client.listTools();
    return Object.fromEntries(tools.map((tool) => [tool.name, tool.outputSchema]));
  }

  describe(version, () => {
    test("every tool has strict schemas", async () => {
      const { tools } = await connect((client) => client.listTools());
      const names = new Set(CALLS.good.map(([name]) => name));
      assert.deepStrictEqual(new Set(tools.map((tool) => tool.name)), names);
      for (const { name, inputSchema, outputSchema } of tools) {
        assert.strictEqual(inputSchema.additionalProperties, false, name);
        for (const schema of [...subschemas(inputSchema), ...subschemas(outputSchema)]) {
          assert.ok(!("$ref" in schema), name);
          assert.ok(["string", "undefined"].includes(typeof schema.type), name);
          assert.ok(!("format" in schema) || schema.type === "string", name);
        }
      }
    });

    test("every tool accepts its arguments", async () => {
      writeTree(CALLS.before);
      await connect(async (client, call) => {
        const schemas = await outputSchemas(client);
        for (const [name, args] of CALLS.good) assertResult(await call(name, args), schemas[name], false);
      });
      assert.deepStrictEqual(readTree(), CALLS.after);
    });

    test("an error names the invalid argument", async () => {
      writeTree(CALLS.before);
      await connect(async (client, call) => {
        const schemas = await outputSchemas(client);
        for (const [name, args, wrong] of CALLS.bad) {
          const result = await call(name, args);
          assertResult(result, schemas[name], true);
          assert.match(result.content[0].text.split("\n")[0], new RegExp(`\\b${wrong}\\b`));
        }
        await assert.rejects(call("move", {}), /unknown tool move/i);
      });
      assert.deepStrictEqual(readTree(), CALLS.before);
    });

    test("a cancelled call changes nothing", async () => {
      const { files, patch } = largeChange(5000);
      writeTree(files);
      await connect(async (client, call) => {
        const controller = new AbortController();
        const onprogress = ({ message }) => message.startsWith("reading files") && controller.abort("not needed");
        const options = { signal: controller.signal, onprogress };
        await assert.rejects(call("apply_patch", { patch }, options), /not needed/);
        // The server answers after the rollback.
        const listed = await call("list", {});
        assert.strictEqual(listed.structuredContent.message.trim().split("\n").length, 50);
      });
      assert.ok(isDeepStrictEqual(readTree(), files));
    });

    test("a large change has a short result and delays no other request", async (context) => {
      const { files, patch } = largeChange(8000);
      writeTree(files);
      await connect(async (client, call) => {
        let isDone = false;
        const result = call("apply_patch", { patch }).finally(() => (isDone = true));
        const delays = [];
        while (!isDone) {
          const start = performance.now();
          // The newer generation has no ping.
          await (mode === "legacy" ? client.ping() : client.discover());
          delays.push(performance.now() - start);
          await sleep(200);
        }
        const size = Buffer.byteLength(JSON.stringify(await result));
        delays.sort((a, b) => a - b);
        const [median, maximum] = [delays[delays.length >> 1], delays.at(-1)].map((delay) => delay.toFixed(1));
        context.diagnostic(`${delays.length} requests during a call, median ${median} ms, maximum ${maximum} ms`);
        context.diagnostic(`result of the call: ${size} bytes`);
        assert.strictEqual((await result).isError, false);
        assert.ok(size <= 100_000);
        assert.ok(delays.length > 3);
        assert.ok(delays.at(-1) < 1000);
      });
      assert.deepStrictEqual(new Set(Object.values(readTree())), new Set(["new\nline\n"]));
    });

    test("simultaneous calls are all answered", async () => {
      const files = Object.fromEntries(Array.from({ length: 60 }, (_, number) => [`${number}.txt`, `${number}\n`]));
      const results = await connect((_, call) =>
        Promise.all(Object.entries(files).map(([name, text]) => call("create", { path: name, file_text: text }))),
      );
      assert.deepStrictEqual(results.map((result) => result.structuredContent.files[0].path), Object.keys(files));
      assert.deepStrictEqual(readTree(), files);
    });

    // Applies a patch for which policy asks. Returns the result and the file.
    async function applyUnderPolicy(handlers) {
      writeTree({ "a.txt": "one\ntwo\nthree\n", "wpatch.toml": ASK });
      const result = await connect((_, call) => call("apply_patch", { patch: PATCH }), handlers);
      return { result, text: readTree()["a.txt"] };
    }

    for (const [answer, isMade] of [
      [{ action: "accept", content: { approve: true } }, true],
      [{ action: "accept", content: { approve: false } }, false],
      [{ action: "decline" }, false],
      [{ action: "cancel" }, false],
    ]) {
      test(`the user decides if policy asks: ${JSON.stringify(answer)}`, async () => {
        const questions = [];
        const elicit = ({ params }) => {
          questions.push(params.message);
          return answer;
        };
        const { result, text } = await applyUnderPolicy({ "elicitation/create": elicit });
        assert.strictEqual(questions.length, 1);
        assert.match(questions[0], /^modify a\.txt \+1 -1$/m);
        assert.strictEqual(result.isError, !isMade);
        assert.strictEqual(text, isMade ? "1\ntwo\nthree\n" : "one\ntwo\nthree\n");
      });
    }

    test("a change is refused if the client cannot ask the user", async () => {
      const { result, text } = await applyUnderPolicy({});
      assert.strictEqual(result.isError, true);
      assert.strictEqual(result.structuredContent.problems[0].kind, "approval_required");
      assert.strictEqual(text, "one\ntwo\nthree\n");
    });

    test("only the older generation uses the roots of the client", async () => {
      const directories = ["wörk #1 %20", "second", "elsewhere"].map((name) => path.join(directory, name));
      for (const name of directories) fs.mkdirSync(name);
      const [first, second, elsewhere] = directories;
      const roots = [first, second].map((name) => ({ uri: pathToFileURL(name).href }));
      const server = { args: ["mcp"], cwd: elsewhere };
      await connect(
        async (client, call) => {
          await call("create", { path: "a.txt", file_text: "a\n" });
          if (mode !== "legacy") return;
          roots.reverse();
          await client.sendRootsListChanged();
          await call("create", { path: "b.txt", file_text: "b\n" });
        },
        { "roots/list": () => ({ roots }) },
        server,
      );
      const names = directories.map((name) => Object.keys(readTree(name)));
      assert.deepStrictEqual(names, mode === "legacy" ? [["a.txt"], ["b.txt"], []] : [[], [], ["a.txt"]]);
    });
  });
}
