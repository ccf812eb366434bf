// Shows which behaviour statements of the agent library have a passing test. A test covers the statements that its
// title starts with (docs/behaviour.md lists them): "B57: names a skill after its folder", "A19, C28: results come in call order".
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Statements that ask for words, not for behaviour: where those words stand. */
const notes = { D37: { file: "src/agent/README.md", words: "USD" } };

const root = fileURLToPath(new URL("..", import.meta.url));
const catalogue = readText("docs/behaviour.md");
/** The groups of statements by their letter. The rules of section U say which of two statements counts; they have no tests of their own. */
const groups = new Map([...catalogue.matchAll(/^## ([A-E])\. (.+)$/gm)].map(([, letter, title]) => [letter, title]));
const ids = [...catalogue.matchAll(/^- \*\*([A-E]\d+)\*\*/gm)].map(([, id]) => id);
const statements = new Map(ids.map((id) => [id, { passed: 0, failed: [] }]));

const results = runTests();
const unknown = new Set();
for (const test of results.passes) for (const id of idsOf(test.title)) count(id, (statement) => statement.passed++);
for (const test of results.failures) {
  for (const id of idsOf(test.title)) count(id, (statement) => statement.failed.push(test.fullTitle));
}
for (const [id, { file, words }] of Object.entries(notes)) {
  if (readText(file).includes(words)) count(id, (statement) => statement.passed++);
}

const rows = [...groups].map(([group, title]) => {
  const mine = [...statements].filter(([id]) => id.startsWith(group)).map(([, statement]) => statement);
  const covered = mine.filter((statement) => statement.passed > 0 || statement.failed.length > 0).length;
  return { group: `${group} ${title}`, total: mine.length, covered, passing: mine.filter(isPassing).length };
});
const sum = (key) => rows.reduce((total, row) => total + row[key], 0);
printTable([...rows, { group: "All", total: sum("total"), covered: sum("covered"), passing: sum("passing") }]);

const missing = [...statements].filter(([, { passed, failed }]) => passed === 0 && failed.length === 0);
const failing = [...statements].filter(([, { failed }]) => failed.length > 0);
if (missing.length > 0) console.log(`\nWithout a test: ${missing.map(([id]) => id).join(", ")}`);
for (const [id, { failed }] of failing) console.log(`\n${id} fails:\n  ${failed.join("\n  ")}`);
if (unknown.size > 0) console.log(`\nTests name statements that do not exist: ${[...unknown].join(", ")}`);
const others = results.failures.filter((test) => idsOf(test.title).length === 0);
if (others.length > 0) console.log(`\nOther failing tests:\n  ${others.map((test) => test.fullTitle).join("\n  ")}`);
console.log(`\n${results.passes.length} tests pass, ${results.failures.length} fail.`);
process.exitCode = missing.length + failing.length + others.length + unknown.size === 0 ? 0 : 1;

function idsOf(title) {
  const lead = /^([A-E]\d+(?:\s*[,&]\s*[A-E]\d+)*):/.exec(title);
  return lead?.[1]?.match(/[A-E]\d+/g) ?? [];
}

function count(id, change) {
  const statement = statements.get(id);
  if (statement === undefined) unknown.add(id);
  else change(statement);
}

function isPassing({ passed, failed }) {
  return passed > 0 && failed.length === 0;
}

function runTests() {
  const folder = mkdtempSync(join(tmpdir(), "conformance-"));
  const output = join(folder, "results.json");
  const node = join(root, "node_modules/node/bin/node");
  const mocha = join(root, "node_modules/mocha/bin/mocha.js");
  // On a busy machine tests take many times as long.
  const options = ["--exit", "--timeout", "60000", "--reporter", "json", "--reporter-option", `output=${output}`];
  const run = spawnSync(node, [mocha, ...options, "test/agent/**/*.test.ts"], {
    cwd: root,
    encoding: "utf8",
    // Tests that spin instead of failing must not take the report with them.
    timeout: 300_000,
    killSignal: "SIGKILL",
  });
  try {
    return JSON.parse(readFileSync(output, "utf8"));
  } catch {
    console.error(`The tests did not run.\n${run.stderr}${run.stdout.slice(0, 2000)}`);
    return process.exit(1);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readText(file) {
  try {
    return readFileSync(join(root, file), "utf8");
  } catch {
    return "";
  }
}

function printTable(lines) {
  const width = Math.max(...lines.map(({ group }) => group.length));
  const line = (group, ...cells) =>
    `| ${group.padEnd(width)} | ${cells.map((cell) => `${cell}`.padStart(10)).join(" | ")} |`;
  console.log(line("Group", "statements", "covered", "passing"));
  console.log(`|-${"-".repeat(width)}-|${`${"-".repeat(11)}:|`.repeat(3)}`);
  for (const { group, total, covered, passing } of lines) console.log(line(group, total, covered, passing));
}
