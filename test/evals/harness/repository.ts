import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const fixtures = join(import.meta.dirname, "../../fixtures/evals");

/** The files of a task by path; none where they are made by its code. */
export async function readFixture(task: string): Promise<Record<string, string>> {
  const folder = join(fixtures, task);
  const paths = await filesIn(folder).catch(() => []);
  const texts = paths.map(async (path) => [path, await readFile(join(folder, path), "utf8")] as const);
  return Object.fromEntries(await Promise.all(texts));
}

/** What a task's own script finds of what came of its files; nothing where it has none. */
export async function checkProblems(repository: Repository, task: string): Promise<string[]> {
  const name = "check.mjs";
  const script = await readFile(join(fixtures, `${task}.${name}`), "utf8").catch(() => undefined);
  if (script === undefined) return [];
  const { code, output } = await repository.check([process.execPath, name], { [name]: script });
  return code === 0 ? [] : [failureText(name, output)];
}

const maxShownLines = 12;

/** What a script printed before it failed, without the stack and without what Node adds of its own. */
export function failureText(script: string, output: string): string {
  const lines = output
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^\s*(?:at |node:|triggerUncaught|\^|Node\.js v)/.test(line));
  return `${script} fails: ${lines.slice(0, maxShownLines).join("\n")}`;
}

/** How a program ended. */
interface Outcome {
  code: number;
  output: string;
}

/** The files of a task on the disk, and what became of them. */
export interface Repository {
  readonly folder: string;
  /** Beside it: what the product stores. */
  readonly storage: string;
  /** Undefined for a file that is not there. */
  text(path: string): Promise<string | undefined>;
  /** Paths that were added, changed or removed since it was made, in order. */
  changed(): Promise<string[]>;
  /** What a file held at first. */
  before(path: string): string | undefined;
  /** Runs a program in a copy in which these files are as given: what an agent made of them does not count. */
  check(command: readonly [string, ...string[]], files?: Readonly<Record<string, string>>): Promise<Outcome>;
  /** Runs a program in the folder itself. */
  run(command: readonly [string, ...string[]]): Promise<Outcome>;
  remove(): Promise<void>;
}

const maxCheckMs = 60_000;

/** Writes the files into a new folder. With what is `uncommitted`, that is changed after a first commit of the others. */
export async function createRepository(
  files: Readonly<Record<string, string>>,
  { name, uncommitted }: { name: string; uncommitted?: Readonly<Record<string, string>> },
): Promise<Repository> {
  const top = await realpath(await mkdtemp(join(tmpdir(), "project-")));
  const folder = join(top, name);
  await writeFiles(folder, files);
  const all = { ...files, ...uncommitted };
  const inFolder = (command: readonly [string, ...string[]]) => execute(command, folder);
  if (uncommitted !== undefined) {
    await commitAll(folder);
    await writeFiles(folder, uncommitted);
  }
  const read = async (path: string) => readFile(join(folder, path), "utf8").catch(() => undefined);
  return {
    folder,
    storage: join(top, "storage"),
    text: read,
    before: (path) => all[path],
    async changed() {
      const now = await filesIn(folder);
      const paths = [...new Set([...Object.keys(all), ...now])].sort();
      const texts = await Promise.all(paths.map(async (path) => ({ path, text: await read(path) })));
      return texts.filter(({ path, text }) => text !== all[path]).map(({ path }) => path);
    },
    async check(command, hidden = {}) {
      const copy = await mkdtemp(join(top, "check-"));
      await cp(folder, copy, { recursive: true });
      await writeFiles(copy, hidden);
      return execute(command, copy);
    },
    run: inFolder,
    remove: () => rm(top, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** Makes a git repository of a folder, whatever the user's own settings of git say of signing and hooks. */
async function commitAll(folder: string): Promise<void> {
  const own = ["user.name=Robin", "user.email=robin@example.com", "commit.gpgSign=false", "core.hooksPath=/dev/null"];
  const settings = own.flatMap((setting) => ["-c", setting]);
  for (const args of [
    ["init", "--initial-branch=main"],
    ["add", "--all"],
    ["commit", "--message", "First version"],
  ]) {
    const { code, output } = await execute(["git", ...settings, ...args], folder);
    if (code !== 0) throw new Error(`git ${args.join(" ")} failed: ${output}`);
  }
}

async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const absolute = join(folder, path);
    await mkdir(dirname(absolute), { recursive: true });
    await writeFile(absolute, text, { mode: path.endsWith(".sh") ? 0o755 : 0o644 });
  }
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll("\\", "/"),
    )
    .filter((path) => !path.startsWith(".git/") && !path.startsWith("node_modules/"));
}

function execute([file, ...args]: readonly [string, ...string[]], cwd: string): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(file, args, { cwd, timeout: maxCheckMs }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
      resolve({ code, output: stdout + stderr });
    });
  });
}
