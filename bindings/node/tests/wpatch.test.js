"use strict";

const assert = require("node:assert");
const { execFileSync, spawn } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { test } = require("node:test");
const { pathToFileURL } = require("node:url");
const vm = require("node:vm");
const wpatch = require("wpatch");

const PATCH = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n";

const texts = (tree) =>
  Object.fromEntries(Object.entries(tree.files).map(([name, content]) => [name, content.toString()]));
const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function withDirectory(work) {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "wpatch-"));
  try {
    await work(directory);
  } finally {
    fs.rmSync(directory, { recursive: true });
  }
}

test("a patch is applied and undone in memory", async () => {
  const root = new wpatch.Tree({ "a.txt": "one\ntwo\n", b: Buffer.from([255]) });
  const report = await wpatch.check(PATCH, { root });
  assert.deepStrictEqual([report.ok, report.changed], [true, false]);
  await wpatch.apply(Buffer.from(PATCH), { root, approve: report.plan_id });
  assert.strictEqual(texts(root)["a.txt"], "ONE\ntwo\n");
  assert.deepStrictEqual([...root.files.b], [255]);
  const [entry] = (await wpatch.log({ root })).entries;
  assert.strictEqual((await wpatch.show(entry.id, { root })).entries[0].files[0].path, "a.txt");
  await wpatch.undo({ id: entry.id, root });
  assert.strictEqual(texts(root)["a.txt"], "one\ntwo\n");
  await wpatch.redo({ root });
  assert.strictEqual(texts(root)["a.txt"], "ONE\ntwo\n");
});

test("a patch is converted", async () => {
  const root = new wpatch.Tree({ "a.txt": "one\ntwo\n" });
  const { converted } = await wpatch.convert(PATCH, "git", { root });
  assert.strictEqual(converted.text, `diff --git a/a.txt b/a.txt\n${PATCH}`);
});

test("patches are refreshed in a directory", async () => {
  await withDirectory(async (root) => {
    fs.writeFileSync(path.join(root, "a.txt"), "zero\n\none\ntwo\n");
    const file = path.join(root, "p.diff");
    fs.writeFileSync(file, PATCH.replace("-1,2 +1,2", "-2,2 +2,2"));
    const report = await wpatch.refresh([file], { root });
    assert.strictEqual(report.refresh.patches[0].status, "rewritten");
    assert.match(fs.readFileSync(file, "utf8"), /@@ -2,3 \+2,3 @@\n \n-one/);
  });
});

test("a change is recorded with its caller", async () => {
  const root = new wpatch.Tree({ "a.txt": "one\ntwo\n" });
  await wpatch.apply(PATCH, { root, actor: "ai:vendor/model", by: "Alice", requestId: "7" });
  const [entry] = (await wpatch.log({ root })).entries;
  assert.deepStrictEqual([entry.actor, entry.by, entry.request_id], ["ai:vendor/model", "Alice", "7"]);
  const [file] = (await wpatch.verifyAudit({ root })).files;
  assert.deepStrictEqual([file.records, file.problem], [1, null]);
  const [trace] = await wpatch.agentTraces({ root });
  assert.strictEqual(trace.files[0].path, "a.txt");
});

test("modes and links are kept", async () => {
  const root = new wpatch.Tree({ run: "one\n" }, { executable: ["run"], links: { link: "run" } });
  await wpatch.edit("run", { root, old: "one", new: "two" });
  assert.deepStrictEqual([texts(root), root.executable, root.links], [{ run: "two\n" }, ["run"], { link: "run" }]);
});

test("every command works in memory", async () => {
  const root = new wpatch.Tree({ "a.txt": "one\n" });
  await wpatch.write("b/c.txt", "x\n", { root });
  await wpatch.append("b/c.txt", new Uint8Array([121, 10]), { root });
  await wpatch.edit("a.txt", { root, edits: [{ old: "one", new: "1" }] });
  assert.strictEqual((await wpatch.read("b/c.txt", { root })).content, "x\ny\n");
  const { entries } = await wpatch.listDirectory(".", { root });
  assert.deepStrictEqual(entries.map((entry) => entry.name), ["a.txt", "b"]);
  assert.strictEqual((await wpatch.diff("a.txt", "b/c.txt", { root })).identical, false);
  assert.match(await wpatch.showHtml(PATCH, { root }), /<!DOCTYPE html>/);
  await assert.rejects(wpatch.showHtml(PATCH, { root, strip: "x" }), wpatch.UsageError);
  assert.strictEqual((await wpatch.explain("a.txt", { root })).path, "a.txt");
});

test("symbols are listed, read and edited", async () => {
  const text = "class A:\n    def f(self): pass\n\n    def g(self): pass\n";
  const root = new wpatch.Tree({ "a.py": text });
  const { symbols } = await wpatch.listSymbols("a.py", { root });
  assert.deepStrictEqual(symbols.map((symbol) => symbol.name), ["A", "A.f", "A.g"]);
  const { content } = await wpatch.read("a.py", { root, symbol: "A.f" });
  assert.strictEqual(content, "    def f(self): pass\n");
  await wpatch.edit("a.py", { root, symbol: "f", new: "    f = 1\n" });
  await wpatch.edit("a.py", { root, edits: [{ symbol: "g", delete: true }] });
  assert.strictEqual(Buffer.from(root.files["a.py"]).toString(), "class A:\n    f = 1\n");
  await assert.rejects(wpatch.edit("a.py", { root, symbol: "h", delete: true }), wpatch.NotApplied);
});

test("the script of a page for decisions writes the commands", async () => {
  const page = await wpatch.showHtml(PATCH, { root: new wpatch.Tree({ "a.txt": "one\ntwo\n" }), decide: true });
  const [, script] = page.match(/<script>([^]*)<\/script>/);
  const { commandsOf, documentOf, quoteWord, statusOf } = vm.runInNewContext(
    `${script}; ({ commandsOf, documentOf, quoteWord, statusOf })`,
  );
  const hunk = (id, decision = "", reason = "") => ({ id, decision, reason });
  const file = (id, decision = "", reason = "", hunks = []) => ({ ...hunk(id, decision, reason), path: `${id}.c`, hunks });
  const plan = (files, decision = "", reason = "") => {
    const words = { approve: "approve x", part: ["part ", " x"], reject: "reject" };
    return { id: "sha256:0", decision, reason, files, ...words };
  };
  const hunks = [hunk("f2h1", "accept"), hunk("f2h2", "reject", "it's \n`x` "), hunk("f2h3")];
  const parts = [file("f1"), file("f2", "", "", hunks)];
  assert.strictEqual(commandsOf(plan(parts)), "part f2h1 x &&\nreject --hunk 'f2h2=it'\\''s \n`x`'");
  assert.strictEqual(statusOf(plan(parts)), "1 accepted, 1 rejected, 2 undecided");
  assert.strictEqual(commandsOf(plan(parts, "accept")).split(" &&")[0], "part f1,f2h1,f2h3 x");
  assert.strictEqual(commandsOf(plan([file("f1"), file("f2", "", "", [hunk("f2h1"), hunk("f2h2")])], "accept")), "approve x");
  assert.strictEqual(commandsOf(plan([file("f1", "reject", "no"), file("f2")])), "reject --hunk f1=no");
  assert.strictEqual(commandsOf(plan([file("f1"), file("f2")], "reject", "no")), "reject --reason=no");
  assert.strictEqual(commandsOf(plan([file("f1", "reject"), file("f2", "accept")])), "part f2 x &&\nreject --hunk f1=rejected");
  assert.strictEqual(commandsOf(plan([file("f1")])), "");
  const many = Array.from({ length: 300 }, (_, index) => file(`f${index}`, "reject", index === 299 ? "why" : ""));
  const reasons = commandsOf(plan([...many, file("last")])).split(" --hunk ");
  assert.deepStrictEqual([reasons.length, reasons[1]], [257, "f299=why"]);
  assert.deepStrictEqual(JSON.parse(documentOf(plan(parts))), {
    schema: "wpatch.decisions/1",
    plan_id: "sha256:0",
    only: "f2h1",
    files: [
      { id: "f1", path: "f1.c", decision: "undecided" },
      {
        id: "f2",
        path: "f2.c",
        decision: "partial",
        hunks: [
          { id: "f2h1", decision: "accepted" },
          { id: "f2h2", decision: "rejected", reason: "it's \n`x`" },
          { id: "f2h3", decision: "undecided" },
        ],
      },
    ],
  });
  for (const text of ["", "a'b", "''", "$(x) `y` \"z\" \\", "two\nlines", "!history *? ~ #", "-x", "é\u{1f600}"]) {
    const echoed = execFileSync("sh", ["-c", `printf %s ${quoteWord(text)}`], { encoding: "utf8" });
    assert.strictEqual(echoed, text);
  }
  assert.strictEqual(quoteWord("a\u001b[31m\tb\r\n"), "'a[31m b\n'");
});

test("an edit session is committed at once", async () => {
  const root = new wpatch.Tree({ "a.txt": "one\n" });
  const session = (await wpatch.begin({ root, note: "why" })).session.id;
  await wpatch.edit("a.txt", { root, old: "one", new: "1", session });
  await wpatch.write("b.txt", "two\n", { root, session });
  assert.deepStrictEqual(texts(root), { "a.txt": "one\n" });
  assert.strictEqual((await wpatch.read("b.txt", { root, session })).content, "two\n");
  assert.match((await wpatch.diffSession(session, { root })).diff, /\+two\n/);
  assert.deepStrictEqual((await wpatch.log({ root })).sessions.map((one) => one.note), ["why"]);
  await wpatch.commit(session, { root });
  assert.deepStrictEqual(texts(root), { "a.txt": "1\n", "b.txt": "two\n" });
  const other = (await wpatch.begin({ root })).session.id;
  await wpatch.abort(other, { root });
  await assert.rejects(wpatch.commit(other, { root }), wpatch.NotApplied);
});

test("a directory and patch files can be named", () =>
  withDirectory(async (directory) => {
    fs.writeFileSync(path.join(directory, "a.txt"), "one\ntwo\n");
    fs.writeFileSync(path.join(directory, "p.diff"), PATCH);
    const file = pathToFileURL(path.join(directory, "p.diff"));
    assert.strictEqual((await wpatch.check(file, { root: directory })).ok, true);
    await wpatch.apply([file], { root: pathToFileURL(directory), maxFile: 100 });
    assert.strictEqual(fs.readFileSync(path.join(directory, "a.txt"), "utf8"), "ONE\ntwo\n");
  }));

test("an opened directory has the same results as its path", () =>
  withDirectory(async (directory) => {
    const file = path.join(directory, "a.txt");
    fs.writeFileSync(file, "one\ntwo\n");
    const root = new wpatch.Directory(directory);
    assert.strictEqual(root.path, directory);
    assert.deepStrictEqual(await wpatch.check(PATCH, { root }), await wpatch.check(PATCH, { root: directory }));
    await wpatch.apply(PATCH, { root });
    assert.strictEqual(fs.readFileSync(file, "utf8"), "ONE\ntwo\n");
    await assert.rejects(wpatch.check(PATCH, { root }), wpatch.NotApplied);
    assert.throws(() => new wpatch.Directory(path.join(directory, "missing")), /cannot open the root/);
  }));

test("each exit code has an error", async () => {
  const root = new wpatch.Tree({ "a.txt": "1\ntwo\n" });
  const outside = "--- /dev/null\n+++ b/../x\n@@ -0,0 +1 @@\n+x\n";
  const refusal = (kind) => (error) => error.constructor === kind && error instanceof wpatch.WpatchError;
  await assert.rejects(wpatch.apply(PATCH, { root }), (error) => {
    assert.deepStrictEqual([error.exitCode, error.kind, error.name], [1, "not_found", "NotApplied"]);
    assert.strictEqual(error.report.files[0].path, "a.txt");
    return refusal(wpatch.NotApplied)(error);
  });
  await assert.rejects(wpatch.apply("--- a/a\n+++ b/a\n@@ x @@\n", { root }), refusal(wpatch.Malformed));
  await assert.rejects(wpatch.apply(outside, { root }), refusal(wpatch.Denied));
  await assert.rejects(wpatch.check(PATCH, { root, strip: "x" }), refusal(wpatch.UsageError));
  await assert.rejects(wpatch.check(PATCH, { root: "/nonexistent" }), refusal(wpatch.UsageError));
  const report = await wpatch.check(PATCH, { root, raises: false });
  assert.deepStrictEqual([report.ok, report.exit_code], [false, 1]);
});

test("wrong arguments are rejected", async () => {
  const root = new wpatch.Tree({ "a.txt": "one\ntwo\n" });
  for (const options of [{ bogus: 1 }, { json: true }, { lenient: "x" }, { verify: "true" }, { fuzz: {} }]) {
    await assert.rejects(wpatch.apply(PATCH, { root, ...options }), (error) => !(error instanceof wpatch.WpatchError));
  }
  assert.strictEqual(texts(root)["a.txt"], "one\ntwo\n");
  assert.throws(() => new wpatch.Tree({ "../x": "x" }), /outside/);
  for (const [files, options] of [
    [{ a: "x", "a/b": "x" }, {}],
    [{ a: "x", "./a": "x" }, {}],
    [{ a: "x" }, { links: { a: "b" } }],
    [{ a: "x" }, { executable: ["b"] }],
    [{ a: new Uint16Array(1) }, {}],
  ]) {
    assert.throws(() => new wpatch.Tree(files, options));
  }
  for (const options of [new URL("file:///nowhere/"), "/nowhere", "", 1, true, [], new Map(), root, null]) {
    const refused = /the options must be an object/;
    await assert.rejects(wpatch.check(PATCH, options), refused);
    await assert.rejects(wpatch.undo(options), refused);
    await assert.rejects(wpatch.edit("a.txt", options), refused);
    await assert.rejects(wpatch.notebookInsert("a.ipynb", "", options), refused);
  }
  await assert.rejects(wpatch.write("b", new DataView(new ArrayBuffer(1)), { root }), TypeError);
});

test("a signal cancels a call before its start and while it waits", { skip: process.platform === "win32" }, () =>
  withDirectory(async (directory) => {
    const signal = AbortSignal.abort();
    const root = new wpatch.Tree({ "a.txt": "one\ntwo\n" });
    await assert.rejects(wpatch.apply(PATCH, { root, signal }), { name: "AbortError" });
    assert.strictEqual(texts(root)["a.txt"], "one\ntwo\n");

    fs.writeFileSync(path.join(directory, "a.txt"), "one\ntwo\n");
    const held = path.join(directory, "held");
    const verify = "touch held; while [ -e held ]; do sleep 0.01; done";
    const script = `require("wpatch").write("b", "x", ${JSON.stringify({ root: directory, verify })})`;
    const holder = spawn(process.execPath, ["-e", script], { cwd: __dirname, stdio: "inherit" });
    const ended = new Promise((resolve) => holder.on("exit", resolve));
    while (!fs.existsSync(held)) await sleep(10);
    const waiting = wpatch.apply(PATCH, { root: directory, lockTimeout: "60s", signal: AbortSignal.timeout(200) });
    await assert.rejects(waiting, (error) => error instanceof wpatch.Cancelled && error.exitCode === 143);
    fs.rmSync(held);
    assert.strictEqual(await ended, 0);
  }));

test("many calls can run at the same time", async () => {
  const names = Array.from({ length: 8 }, (_, number) => `${number}.txt`);
  const root = new wpatch.Tree(Object.fromEntries(names.map((name) => [name, "one\ntwo\n"])));
  const patches = names.map((name) => PATCH.replaceAll("a.txt", name));
  const checks = patches.flatMap((patch) => Array.from({ length: 50 }, () => wpatch.check(patch, { root })));
  assert.ok((await Promise.all(checks)).every((report) => report.ok));
  await Promise.all(patches.map((patch) => wpatch.apply(patch, { root, lockTimeout: "60s" })));
  assert.deepStrictEqual(new Set(Object.values(texts(root))), new Set(["ONE\ntwo\n"]));
});

test("the program passes on its exit code and its streams", () => {
  const program = path.join(path.dirname(require.resolve("wpatch")), "bin", "wpatch.js");
  const { version } = require("wpatch/package.json");
  assert.strictEqual(execFileSync(process.execPath, [program, "--version"], { encoding: "utf8" }), `wpatch ${version}\n`);
  const failing = () => execFileSync(process.execPath, [program, "check"], { input: PATCH, stdio: "pipe" });
  assert.throws(failing, (error) => error.status === 1 && /a\.txt/.test(error.stderr));
});
