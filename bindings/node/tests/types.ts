// Checks the types of the package; see `.ci/bindings`.

import * as wpatch from "..";

export async function run(): Promise<string[]> {
  const root = new wpatch.Tree({ a: "b", c: Buffer.from([1]) }, { executable: ["a"], links: { d: "a" } });
  const options: wpatch.options.CheckOptions = { lenient: true, maxFile: 5, exclude: ["*.md"], match: "ladder" };
  const report: wpatch.Report = await wpatch.check("x", { root, signal: AbortSignal.timeout(1), ...options });
  await wpatch.edit("a", { root: new URL("file:///x"), edits: [{ old: "a", new: "b" }], raises: false });
  await wpatch.undo({ id: "0", root: new wpatch.Directory("x") });
  // @ts-expect-error No command has this option.
  await wpatch.apply("x", { bogus: 1 });
  // @ts-expect-error `check` runs no command of the user.
  await wpatch.check("x", { verify: "true" });
  // @ts-expect-error This is not one of the values.
  await wpatch.check("x", { match: "fuzzy" });
  try {
    await wpatch.write("a", new Uint8Array(), { mode: "0755" });
  } catch (error) {
    if (error instanceof wpatch.Denied) return [error.report.outcome, `${error.exitCode}`, error.kind];
  }
  return report.files.map((file) => file.path);
}
