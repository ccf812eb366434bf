import { glob } from "node:fs/promises";
import path from "node:path";
import Mocha from "mocha";

function fromRunner(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: run this suite by \`npm test -- host\`.`);
  return value;
}

/** What the extension host calls. A rejection is what makes the editor end with 1. */
export async function run(): Promise<void> {
  const grep = process.env.ARBOR_TEST_GREP;
  const mocha = new Mocha({
    ui: "bdd",
    timeout: 60_000,
    forbidOnly: true,
    forbidPending: true,
    reporter: fromRunner("ARBOR_TEST_REPORTER"),
    reporterOptions: { output: fromRunner("ARBOR_TEST_REPORT") },
    ...(grep !== undefined && { grep }),
  });
  const files = fromRunner("ARBOR_TEST_FILES");
  const only = process.env.ARBOR_TEST_ONLY?.split(",");
  for await (const file of glob("**/*.test.cjs", { cwd: files })) {
    if (only === undefined || only.includes(path.basename(file))) mocha.addFile(path.join(files, file));
  }
  const failures = await new Promise<number>((resolve) => void mocha.run(resolve));
  if (failures > 0) throw new Error(`${failures} failed.`);
}
