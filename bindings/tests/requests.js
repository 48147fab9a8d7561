"use strict";

// Compares the reports of the npm package with the reports of the program, which requests.py has written to a file.

const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const wpatch = require("wpatch");

const TIME = new Date(2_000_000_000_000);
const FUNCTIONS = { list: "listDirectory" };

function prepare(root, files) {
  fs.rmSync(root, { recursive: true, force: true });
  const directories = new Set([root]);
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(root, name);
    directories.add(path.dirname(file));
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
    fs.utimesSync(file, TIME, TIME);
  }
  for (const directory of directories) fs.utimesSync(directory, TIME, TIME);
}

function camel(options) {
  const entries = Object.entries(options);
  return Object.fromEntries(
    entries.map(([name, value]) => [name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase()), value]),
  );
}

async function main(file) {
  const lines = fs.readFileSync(file, "utf8").split("\n").filter(Boolean);
  for (const [number, line] of lines.entries()) {
    const { root, request, report } = JSON.parse(line);
    prepare(root, request.files);
    const operands = [...request.operands];
    if (["apply", "check", "write", "append"].includes(request.command)) operands.push(request.content);
    const name = FUNCTIONS[request.command] ?? request.command;
    const found = await wpatch[name](...operands, { ...camel(request.options), root, raises: false });
    assert.deepStrictEqual(found, report, `request ${number}`);
    fs.rmSync(root, { recursive: true, force: true });
  }
  console.log(`${lines.length} reports of the npm package and the program are equal`);
}

main(process.argv[2]);
