"use strict";

// An agent harness: a model proposes patches, a person approves them, and wpatch applies them. A list takes the place of
// the model.

const assert = require("node:assert");
const wpatch = require("wpatch");

const REPLIES = [
  // The model remembers a line that does not exist.
  "*** Begin Patch\n*** Update File: app.js\n@@\n-log('hallo');\n+log('good morning');\n*** End Patch\n",
  "*** Begin Patch\n*** Update File: app.js\n@@\n-log('hello');\n+log('good morning');\n*** End Patch\n",
];

/** Shows the change to a person. */
function approve(report) {
  for (const file of report.files) console.log(file.diff);
  return true;
}

/** Applies the patch of a model. Returns the answer for the model. */
async function answer(patch, root) {
  try {
    const report = await wpatch.check(patch, { root, lenient: true });
    if (!approve(report)) return "The user rejected this change.";
    await wpatch.apply(patch, { root, lenient: true, approve: report.plan_id });
    return `Changed ${report.summary.files} file.`;
  } catch (error) {
    if (!(error instanceof wpatch.WpatchError)) throw error;
    // The message names the file, the line and the next step. No file was changed.
    return `Error: ${error.message}`;
  }
}

async function main() {
  const root = new wpatch.Tree({ "app.js": "log('hello');\n" });
  for (const patch of REPLIES) console.log(await answer(patch, root));
  assert.strictEqual(root.files["app.js"].toString(), "log('good morning');\n");
}

main();
