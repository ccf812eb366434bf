/** `node scripts/house.mjs`: measures the structure of src and fails where it is worse than its limits. */
import { parseArgs } from "node:util";
import { runScript } from "./commandLine.mjs";
import { cyclesIn } from "./house/cycles.mjs";
import { readModules, readTests } from "./house/modules.mjs";

const usage = `node scripts/house.mjs            the figures, against their limits
node scripts/house.mjs --list     and what each of them counts`;

/**
 * The goals are those of docs/architecture.md; a limit above its goal is what the code comes to today, and only goes down.
 * @type {Record<string, { goal: number; limit: number }>}
 */
const limits = {
  "small files with one importer": { goal: 0, limit: 0 },
  "long files that don't say why": { goal: 0, limit: 0 },
  "exports with one importing file, %": { goal: 30, limit: 47 },
  "cycles between rooms": { goal: 0, limit: 0 },
  "files in the largest cycle": { goal: 5, limit: 5 },
  "names exported twice": { goal: 0, limit: 0 },
  "names with words of a private vocabulary": { goal: 0, limit: 0 },
  "comments and titles with such words": { goal: 0, limit: 0 },
};

const smallFileLines = 40;
const longFileLines = 300;

/** A small file with one importer that is a file of its own for a reason. */
const small = new Map([
  ["extension/fetching/markdownWorker.ts", "the entry of a worker thread"],
  ["extension/panel/status/statusBoard.ts", "what reads the status acts on the editor, this decides when"],
]);
/** One tool, one file, however small. */
const isTool = ({ room, exports }) => room === "extension/tools" && exports.length === 1 && exports[0].endsWith("Tool");

/** Words for which the field has others, where they are part of a name: "notify", "receive", "revert", "metadata", "max". */
const privateWords =
  /^(?:wish(?:es)?|standing|stands|told|tells?|hear[sd]?|heard|spoken|mend(?:s|ed)?|traffic|passage|growth|grown|shapes|carried|carries|anew|whoever|nobody|untold|letgo|takedown|longest|most)$/;
/** The same in comments, where some of the words above mean what they mean everywhere. */
const privateText =
  /\b(?:wish(?:es)?|standing|stands|told|tells?|hears?|heard|spoken|mend(?:s|ed|ing)?|anew|whoever|nobody|carried|carries|takes? back|taken back|took back|lets? go|letting go|by itself|by themselves)\b/i;
/** Names that are words of a text. */
const quoted = new Set(["extension/demo/query.ts tell"]);

const layers = ["agent", "protocol", "extension", "webview"];

const sorted = (numbers) => numbers.toSorted((a, b) => a - b);
const quantile = (numbers, share) => sorted(numbers)[Math.floor(share * (numbers.length - 1))] ?? 0;

/** Who imports a name of a module; a module that only passes it on counts as one who does. */
function importersOf(modules) {
  const importers = new Map();
  for (const { file, imports } of modules) {
    for (const imported of imports) {
      for (const name of imported.names) {
        const key = `${imported.file} ${name}`;
        importers.set(key, (importers.get(key) ?? new Set()).add(file));
      }
    }
  }
  return importers;
}

function smallFiles(modules) {
  const importers = new Map();
  for (const { file, imports } of modules) {
    for (const imported of imports) importers.set(imported.file, (importers.get(imported.file) ?? new Set()).add(file));
  }
  return modules
    .filter((module) => module.layer === "extension" && module.lines < smallFileLines && !isTool(module))
    .map(({ file }) => file)
    .filter((file) => importers.get(file)?.size === 1 && !small.has(file));
}

function unexplainedLongFiles(modules) {
  return modules.filter(({ lines, saysWhyLong }) => lines > longFileLines && !saysWhyLong).map(({ file }) => file);
}

function exportsOfOne(modules) {
  const importers = importersOf(modules);
  const exported = modules.flatMap(({ file, exports }) =>
    exports.map((name) => ({
      name: `${file} ${name}`,
      users: new Set([...(importers.get(`${file} ${name}`) ?? []), ...(importers.get(`${file} *`) ?? [])]).size,
    })),
  );
  const ofOne = exported.filter(({ users }) => users === 1).map(({ name }) => name);
  return { ofOne, share: Math.round((100 * ofOne.length) / Math.max(1, exported.length)) };
}

function fileCycles(modules) {
  return cyclesIn(new Map(modules.map(({ file, imports }) => [file, new Set(imports.map((each) => each.file))])));
}

function roomCycles(modules) {
  const roomOf = new Map(modules.map(({ file, room }) => [file, room]));
  const edges = new Map(modules.map(({ room }) => [room, new Set()]));
  for (const { room, layer, imports } of modules) {
    for (const { file } of imports) {
      const other = roomOf.get(file);
      // A file beside the rooms (an entry, what all of them share) is no room.
      if (other !== undefined && other !== room && other !== layer && room !== layer) edges.get(room).add(other);
    }
  }
  return cyclesIn(edges);
}

function exportedTwice(modules) {
  const files = new Map();
  for (const { file, exports } of modules) {
    for (const name of exports) files.set(name, [...(files.get(name) ?? []), file]);
  }
  return [...files].filter(([, { length }]) => length > 1).map(([name, where]) => `${name}: ${where.join(", ")}`);
}

function privateNames(modules) {
  const wordsOf = (name) => name.split(/(?=[A-Z])|_/).map((word) => word.toLowerCase());
  return modules.flatMap(({ file, names }) => {
    const fileName = file.split("/").at(-1)?.replace(/\..*$/, "") ?? "";
    const found = [fileName, ...names].filter((name) => wordsOf(name).some((word) => privateWords.test(word)));
    return found.map((name) => `${file} ${name}`).filter((name) => !quoted.has(name));
  });
}

function privateTexts(files) {
  return files.flatMap(({ file, texts }) =>
    texts.filter((text) => privateText.test(text)).map((text) => `${file}: ${text}`),
  );
}

function printSizes(modules) {
  console.log("layer        files   lines  median   p90");
  for (const layer of layers) {
    const lines = modules.filter((module) => module.layer === layer).map((module) => module.lines);
    const total = lines.reduce((sum, each) => sum + each, 0);
    const cells = [lines.length, total, quantile(lines, 0.5), quantile(lines, 0.9)];
    console.log(layer.padEnd(10) + cells.map((cell) => String(cell).padStart(8)).join(""));
  }
}

async function main({ list }) {
  const modules = await readModules();
  const cycles = fileCycles(modules);
  const { ofOne, share } = exportsOfOne(modules);
  const found = {
    "small files with one importer": smallFiles(modules),
    "long files that don't say why": unexplainedLongFiles(modules),
    "exports with one importing file, %": ofOne,
    "cycles between rooms": roomCycles(modules).map((rooms) => rooms.join(" ↔ ")),
    "files in the largest cycle": cycles[0] ?? [],
    "names exported twice": exportedTwice(modules),
    "names with words of a private vocabulary": privateNames(modules),
    "comments and titles with such words": privateTexts([
      ...modules.map(({ file, comments }) => ({ file, texts: comments })),
      ...(await readTests()),
    ]),
  };
  printSizes(modules);
  console.log(`\n${"".padEnd(42)} now   limit    goal`);
  let isWorse = false;
  for (const [name, { goal, limit }] of Object.entries(limits)) {
    const now = name.endsWith("%") ? share : found[name].length;
    isWorse ||= now > limit;
    const cells = [now, limit, goal].map((cell) => String(cell).padStart(7)).join(" ");
    console.log(`${now > limit ? "✗" : " "} ${name.padEnd(40)}${cells}`);
    if (list) for (const each of found[name]) console.log(`    ${each}`);
  }
  return isWorse ? 1 : 0;
}

await runScript({
  usage,
  readArguments() {
    const options = { list: { type: "boolean" }, help: { type: "boolean" } };
    const { values } = parseArgs({ options });
    return { list: values.list === true, help: values.help === true };
  },
  main,
});
