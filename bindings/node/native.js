"use strict";

// The native part and the program are in a package of each platform.

const path = require("node:path");

const PACKAGES = {
  "darwin-arm64": "wpatch-darwin-arm64",
  "darwin-x64": "wpatch-darwin-x64",
  "linux-arm64": "wpatch-linux-arm64-gnu",
  "linux-x64": "wpatch-linux-x64-gnu",
  "win32-x64": "wpatch-win32-x64-gnu",
};

/** Returns the directory of the package with the native part for this platform. */
function platformDirectory() {
  const platform = `${process.platform}-${process.arch}`;
  const name = PACKAGES[platform];
  if (name === undefined) throw new Error(`wpatch does not support ${platform}`);
  try {
    return path.dirname(require.resolve(`${name}/package.json`));
  } catch {
    throw new Error(
      `the package ${name} is missing; install wpatch again without --omit=optional`,
    );
  }
}

/** Returns the path of the program. */
function programPath() {
  const directory = platformDirectory();
  return path.join(directory, process.platform === "win32" ? "wpatch.exe" : "wpatch");
}

module.exports = { programPath };

Object.defineProperties(
  module.exports,
  Object.fromEntries(
    ["Cancel", "NativeDirectory", "NativeTree", "call"].map((name) => [
      name,
      { enumerable: true, get: () => require(path.join(platformDirectory(), "wpatch.node"))[name] },
    ]),
  ),
);
