// Plants faults in a copy of the agent library, one at a time, and checks that the tests of the statement that each
// fault breaks notice it. Fails when a fault survives, or when the text it replaces is not there any more.
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { mutants } from "./mutants/list.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "mutants-"));
const wanted = process.argv.slice(2);
const chosen = mutants.filter(
  ({ id, file }) => wanted.length === 0 || wanted.some((part) => id === part || file.includes(part)),
);
const testFiles = filesByStatement();
const waiting = [...chosen];
const outcomes = [];

try {
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, (_, index) => work(index)));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const bad = outcomes.filter(({ outcome }) => outcome !== "killed");
for (const { mutant, outcome } of bad)
  console.log(`${outcome}: ${mutant.id} ${mutant.fault}\n  in src/agent/${mutant.file}`);
console.log(`${outcomes.length - bad.length} of ${chosen.length} faults were noticed.`);
process.exitCode = bad.length === 0 ? 0 : 1;

/** Each worker has a copy of its own, so that faults never meet. */
async function work(index) {
  const copy = join(folder, `${index}`);
  for (const part of ["src/agent", "test/agent", "test/support", "package.json"]) {
    cpSync(join(root, part), join(copy, part), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
    outcomes.push({ mutant, outcome: await tryMutant(copy, mutant) });
  }
}

async function tryMutant(copy, { id, file, find, replace }) {
  const path = join(copy, "src/agent", file);
  const source = readText(path);
  if (source?.split(find).length !== 2) return "text does not occur exactly once";
  const tests = testFiles.get(id);
  if (tests === undefined) return "no test is named by the statement";
  writeFileSync(
    path,
    source.replace(find, () => replace),
  );
  const mutated = await runTests(copy, id, tests);
  writeFileSync(path, source);
  if (mutated !== 0) return (await runTests(copy, id, tests)) === 0 ? "killed" : "its tests fail without the fault";
  return "survived";
}

/** Runs the tests of one statement. A fault that hangs them is noticed too. */
function runTests(copy, id, tests) {
  const mocha = join(copy, "node_modules/mocha/bin/mocha.js");
  const args = [mocha, "--bail", "--exit", "--timeout", "4000", "--grep", titlePattern(id), ...tests];
  const options = { cwd: copy, timeout: 60_000 };
  return new Promise((resolve) => {
    execFile(join(copy, "node_modules/node/bin/node"), args, options, (error) => resolve(error === null ? 0 : 1));
  });
}

function titlePattern(id) {
  return `(^|[ ,&])${id}[,: &]`;
}

function filesByStatement() {
  const files = new Map();
  for (const name of listTests()) {
    const text = readFileSync(join(root, name), "utf8");
    for (const [, lead] of text.matchAll(/\bit\(\s*["'`]([A-E]\d+(?:\s*[,&]\s*[A-E]\d+)*):/g)) {
      for (const id of lead.match(/[A-E]\d+/g)) files.set(id, (files.get(id) ?? new Set()).add(name));
    }
    // One test may be run once for each of several statements, named in a list.
    for (const [, id] of text.matchAll(/"([A-E]\d+)"/g)) files.set(id, (files.get(id) ?? new Set()).add(name));
  }
  return files;
}

function listTests() {
  return readdirSync(join(root, "test/agent"), { recursive: true })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => join("test/agent", name));
}

function readText(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
