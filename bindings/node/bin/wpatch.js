#!/usr/bin/env node
"use strict";

// Runs the program, with the standard streams and the exit code of this process.

const { constants } = require("node:os");
const { spawn } = require("node:child_process");
const { programPath } = require("../native.js");

const child = spawn(programPath(), process.argv.slice(2), { stdio: "inherit" });

// The terminal sends its signals to the program, too. Other signals are passed on.
for (const signal of ["SIGINT", "SIGQUIT"]) process.on(signal, () => {});
for (const signal of ["SIGHUP", "SIGTERM"]) process.on(signal, () => child.kill(signal));

child.on("error", (error) => {
  console.error(`wpatch: cannot start the program: ${error.message}`);
  process.exitCode = 4;
});
child.on("exit", (code, signal) => {
  process.exitCode = code ?? 128 + constants.signals[signal];
});
