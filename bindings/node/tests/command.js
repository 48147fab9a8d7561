"use strict";

// Runs a command line of wpatch through the package, for runners that expect a program. The generated types state which
// options are flags; the word after any other option is its value.

const fs = require("node:fs");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const wpatch = require("wpatch");

const FUNCTIONS = {
  append: ["append", "content"],
  apply: ["apply"],
  check: ["check"],
  diff: ["diff"],
  edit: ["edit"],
  list: ["listDirectory"],
  log: ["log"],
  "notebook delete": ["notebookDelete"],
  "notebook insert": ["notebookInsert", "source"],
  "notebook replace": ["notebookReplace", "source"],
  read: ["read"],
  redo: ["redo"],
  undo: ["undo"],
  write: ["write", "content"],
};

/** Returns the names of the flags of a command, and of its options that can be given several times. */
function optionKinds(command) {
  const declared = path.join(path.dirname(require.resolve("wpatch")), "options.d.ts");
  const title = command.replace(/(^|[ -])(\w)/g, (_, __, letter) => letter.toUpperCase());
  const [, body] = fs.readFileSync(declared, "utf8").split(`interface ${title}Options {`);
  const fields = [...body.split("\n}")[0].matchAll(/^ {2}(\w+)\?: (.*);$/gm)];
  const named = (pattern) => fields.filter(([, , type]) => pattern.test(type)).map(([, name]) => name);
  return { flags: named(/^boolean$/), lists: named(/\[\]$/) };
}

function split(words, command) {
  const { flags, lists } = optionKinds(command);
  const operands = [];
  const options = {};
  for (let index = 0; index < words.length; index++) {
    const [, name, value] = words[index].match(/^--([\w-]+)(?:=([^]*))?$/) ?? [];
    if (name === undefined) {
      operands.push(words[index]);
      continue;
    }
    const key = name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
    if (key === "json" || flags.includes(key)) options[key] = true;
    else if (lists.includes(key)) (options[key] ??= []).push(value ?? words[++index]);
    else options[key] = value ?? words[++index];
  }
  return { operands, options };
}

function run(command, operands, options) {
  const [name, argument] = FUNCTIONS[command];
  const input = () => fs.readFileSync(0);
  if (name === "apply" || name === "check") {
    return wpatch[name](operands.length ? operands.map((file) => pathToFileURL(file)) : input(), options);
  }
  if (argument === undefined) {
    if (name === "listDirectory") return wpatch.listDirectory(operands[0], options);
    if (name === "undo") return wpatch.undo({ ...options, id: operands[0] });
    return wpatch[name](...operands, options);
  }
  const { [argument]: value, ...rest } = options;
  return wpatch[name](...operands, value ?? input(), rest);
}

async function main(words) {
  const length = words[0] === "notebook" ? 2 : 1;
  const command = words.slice(0, length).join(" ");
  const { operands, options } = split(words.slice(length), command);
  const { json, ...rest } = options;
  let document;
  try {
    document = await run(command, operands, rest);
  } catch (error) {
    if (!(error instanceof wpatch.WpatchError)) throw error;
    (json ? console.log : console.error)(json ? JSON.stringify(error.report) : error.message);
    return command === "diff" ? 2 : error.exitCode;
  }
  if (json) console.log(JSON.stringify(document));
  else if (command === "read") {
    process.stdout.write(Buffer.from(document.content, document.encoding === "base64" ? "base64" : "utf8"));
  } else if (command === "diff") process.stdout.write(document.diff);
  return command === "diff" && !document.identical ? 1 : 0;
}

main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
