/** `npm run soak`: the tests that try random cases, at their full figures. The outcome is kept in docs/soak.md. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { mustRun } from "./command.mjs";
import { runScript } from "./commandLine.mjs";
import { root } from "./paths.mjs";
import { setUpEditorHost } from "./setup.mjs";
import { runMocha } from "./test/mochaSuite.mjs";

const resultFile = path.join(root, "docs/soak.md");
const figures = JSON.parse(await readFile(path.join(root, "test/support/soakFigures.json"), "utf8"));
const usage = `npm run soak                    all at their full figures, kept in docs/soak.md
npm run soak -- --share 0.1     a tenth of each figure
npm run soak -- --seed 42       the random cases of an earlier run
npm run soak -- NAME...         some of: ${Object.keys(figures).join(", ")}; these are only printed`;

function readArguments() {
  const options = { share: { type: "string" }, seed: { type: "string" }, help: { type: "boolean" } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const share = Number(values.share ?? 1);
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
  if (!(share > 0) || !Number.isInteger(seed)) throw new Error("The share is above 0, the seed a whole number.");
  const unknown = positionals.find((name) => figures[name] === undefined);
  if (unknown) throw new Error(`There is no property "${unknown}".`);
  return { share, seed, names: positionals, help: values.help === true };
}

const isDriven = ({ file }) => file.startsWith("test/host/");

/** @param {{ share: number; seed: number }} run */
async function soak(name, { share, seed }) {
  const { goal, file, test, full } = figures[name];
  const host = isDriven(figures[name]) ? await setUpEditorHost() : {};
  const startedAt = performance.now();
  const { passed, failed, problem } = await runMocha([file], {
    grep: test.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"),
    env: { ...process.env, ...host, ARBOR_SOAK: String(share), ARBOR_SOAK_SEED: String(seed) },
    timeoutMs: 3_600_000,
  });
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  // A test that was renamed must not look like one that holds.
  const outcome = failed > 0 ? "failed" : passed === 0 ? "no such test" : "holds";
  const row = { goal, full, tried: Math.max(1, Math.round(full * share)), outcome, seconds };
  console.log(`${outcome}: ${goal} (${row.tried} tried, ${seconds} s)${problem === undefined ? "" : `\n${problem}`}`);
  return row;
}

const count = (number) => number.toLocaleString("en-US");

function document(rows, { share, seed, date }) {
  const size = share === 1 ? "Every figure is full." : `A reduced run: ${share} of each full figure.`;
  const lines = rows.map(
    ({ goal, full, tried, outcome, seconds }) =>
      `| ${goal} | ${count(full)} | ${count(tried)} | ${outcome} | ${seconds} |`,
  );
  return `# Soak

Written by \`npm run soak\` on ${date}, seed ${seed}. ${size}

A figure counts the random cases of each property; where a row stands for several properties, each of them gets it.

| Property | Full figure | Tried | Outcome | Seconds |
|---|--:|--:|---|--:|
${lines.join("\n")}
`;
}

async function main({ share, seed, names }) {
  console.log(`Seed ${seed}`);
  const chosen = names.length > 0 ? names : Object.keys(figures);
  // An editor runs what was built.
  if (chosen.some((name) => isDriven(figures[name]))) await mustRun(process.execPath, ["esbuild.mjs"]);
  const rows = [];
  for (const name of chosen) rows.push(await soak(name, { share, seed }));
  if (names.length === 0) {
    const date = new Date().toISOString().slice(0, 10);
    await mkdir(path.dirname(resultFile), { recursive: true });
    await writeFile(resultFile, document(rows, { share, seed, date }));
  }
  return rows.every(({ outcome }) => outcome === "holds") ? 0 : 1;
}

await runScript({ usage, readArguments, main });
