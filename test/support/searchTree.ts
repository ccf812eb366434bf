import { spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { FileAges } from "../../src/extension/workspace/search/fileAges.ts";
import { ignoreRules } from "../../src/extension/workspace/search/ignoreRules.ts";
import { NewestFiles } from "../../src/extension/workspace/search/newestFiles.ts";
import { findNewest, type RipgrepRoot, ripgrepSearch } from "../../src/extension/workspace/search/ripgrepSearch.ts";
import type { TextSearch } from "../../src/extension/workspace/workspace.ts";

const filesPerFolder = 50;
const extensions = ["ts", "ts", "tsx", "js", "json", "md", "css", "txt"];

/** Bytes of files as a project has them: most are small, a few have most of the text. */
export const projectSizes = [200, 500, 900, 1_500, 2_300, 3_500, 5_500, 9_000, 16_000, 40_000];
const sourceLine = "  const total = order.items.reduce((sum, item) => sum + item.price * item.count, 0);\n";

/** Writes so many source files in folders of fifty, with ignore files at two levels. Without more they have one line. */
export async function writeSearchTree(root: string, files: number, sizes: readonly number[] = [0]): Promise<void> {
  const body = sourceLine.repeat(Math.ceil(Math.max(...sizes) / sourceLine.length));
  for (let first = 0; first < files; first += filesPerFolder) {
    const folder = `${root}/pkg${Math.floor(first / 1_000)}/src/mod${first / filesPerFolder}`;
    await mkdir(folder, { recursive: true });
    const indexes = Array.from({ length: Math.min(filesPerFolder, files - first) }, (_, offset) => first + offset);
    await Promise.all(
      indexes.map((index) => {
        const name = `file${index % filesPerFolder}.${extensions[index % extensions.length]}`;
        const mark = index % 500 === 0 ? "needle stands here\n" : "";
        // Folder by folder the sizes are given to other names: no kind of file has only large ones.
        const size = sizes[(index + first / filesPerFolder) % sizes.length];
        const text = `export const value${index} = ${index};\n${body.slice(0, size)}\n${mark}`;
        return writeFile(`${folder}/${name}`, text);
      }),
    );
  }
  // Without a repository ripgrep on its own would not look at ignore files.
  await mkdir(`${root}/.git`);
  await writeFile(`${root}/.gitignore`, "dist\n*.log\n/pkg0/src/mod1/\n");
  await writeFile(`${root}/pkg0/.gitignore`, "coverage/\n*.css\n");
}

/** A root without unsaved documents and settings, as the editor's workspace hands it to ripgrep. */
export function ripgrepRoot(binary: string, folder: string): RipgrepRoot {
  const tree = { entries: async () => [], readText: async () => undefined, modifiedAt: async () => 0 };
  return { binary, folder, always: ["**/.git", "**/node_modules"], rules: ignoreRules(tree, []) };
}

/** One thing that is asked of our search and, as near as it can be said, of ripgrep itself. */
interface SearchCase {
  name: string;
  /** Gives the count of what was found. */
  ours(root: RipgrepRoot): Promise<number>;
  raw: { args: string[]; most: number; counts(line: string): boolean };
  /** Both do the same; where ours has to know the age of thousands of files and raw does not, the ratio only informs. */
  isBounded: boolean;
  /** Of the bench: the most that ours may take of what raw takes. */
  goal: number;
}

const signal = new AbortController().signal;
const cap = 100;

/** As the editor's workspace does: what was looked up for one search is known to the next. */
const find = (pattern: string, { sorted = false, again = true } = {}): SearchCase => {
  let known: FileAges | undefined;
  return {
    name: `find_files ${pattern}${again ? "" : " for the first time"}${sorted ? ", ripgrep sorting too" : ""}`,
    ...{ isBounded: again, goal: 1.1 },
    async ours(root) {
      if (!again) known?.dispose();
      known ??= new FileAges(root.folder);
      const newest = new NewestFiles(cap);
      await findNewest({ root, ages: known, pattern }, newest, signal);
      return newest.found().paths.length;
    },
    raw: {
      args: ["--files", "-g", pattern, ...(sorted ? ["--sortr", "modified"] : []), "./"],
      most: Number.POSITIVE_INFINITY,
      counts: (line) => line !== "",
    },
  };
};

const search = (query: string, include?: string): SearchCase => ({
  name: `search_text ${query}${include === undefined ? "" : ` in ${include}`}`,
  ...{ isBounded: true, goal: 1.1 },
  async ours(root) {
    const asked: TextSearch = { query, regex: false, caseSensitive: false, contextLines: 0, limit: cap };
    let count = 0;
    for await (const _ of ripgrepSearch(root, include === undefined ? asked : { ...asked, include }, signal)) count++;
    return count;
  },
  raw: {
    args: ["--json", "-i", "-F", ...(include === undefined ? [] : ["-g", include]), "-e", query, "./"],
    most: cap,
    counts: (line) => line.startsWith('{"type":"match"'),
  },
});

export const searchCases: readonly SearchCase[] = [
  find("file7.ts"),
  find("**/file1?.tsx"),
  find("*.ts"),
  find("*.ts", { again: false }),
  find("*.ts", { again: false, sorted: true }),
  find("**/*.ts"),
  find("**/*.ts", { again: false }),
  search("needle stands"),
  search("needle stands", "**/*.ts"),
  search("export const"),
  search("nowhere at all"),
];

/** ripgrep on its own, read to its end or until it has found as many as wanted. */
function runRaw(binary: string, folder: string, { args, most, counts }: SearchCase["raw"]): Promise<number> {
  const child = spawn(binary, args, { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
  let rest = "";
  let found = 0;
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    found += lines.filter(counts).length;
    if (found >= most) child.kill();
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => resolve(Math.min(found, most)));
  });
}

export interface SearchTimes {
  name: string;
  /** Milliseconds; the middle one of all runs. */
  ours: number;
  raw: number;
  /** Ours by raw of the same round, the middle one of all rounds: load on the machine meets both. */
  ratio: number;
}

/** Runs ours and raw by turns, so many rounds after one to warm up. */
export async function timeSearch(
  { name, ours, raw }: SearchCase,
  root: RipgrepRoot,
  rounds: number,
): Promise<SearchTimes> {
  const times: { ours: number; raw: number }[] = [];
  for (let round = 0; round <= rounds; round++) {
    const time = async (work: () => Promise<number>) => {
      const start = performance.now();
      await work();
      return performance.now() - start;
    };
    const runOurs = () => time(() => ours(root));
    const runRipgrep = () => time(() => runRaw(root.binary, root.folder, raw));
    const isEven = round % 2 === 0;
    const first = await (isEven ? runOurs() : runRipgrep());
    const second = await (isEven ? runRipgrep() : runOurs());
    if (round > 0) times.push(isEven ? { ours: first, raw: second } : { ours: second, raw: first });
  }
  return {
    name,
    ours: middle(times.map((each) => each.ours)),
    raw: middle(times.map((each) => each.raw)),
    ratio: middle(times.map((each) => each.ours / each.raw)),
  };
}

function middle(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
