import { describeDeclarations } from "./outline.ts";
import { readFiles } from "./readFiles.ts";
import { type Call, gather, type Step, type Work } from "./step.ts";
import { readPaths } from "./toolTexts.ts";

const mostFolders = 3;
const filesToRead = 6;
const shownOfFile = 2;
const noCode = /\.(md|txt|json|ya?ml|toml|lock|svg|png|jpe?g|gif|ico|css|html?)$/i;

/** The folders with the most code in a `list_files` tree, in its order. None are worth a visit when there is just one. */
export function foldersToVisit(tree: string): string[] {
  const counts = new Map<string, number>();
  const open: string[] = [];
  for (const line of tree.split(/\r?\n/)) {
    const [, indent = "", name = ""] = /^((?: {2})*)(\S.*)$/.exec(line) ?? [];
    open.length = Math.min(open.length, indent.length / 2);
    if (name.endsWith("/")) open.push(name.slice(0, -1));
    else if (open.length > 0 && /^[^\s(].*\.\w+$/.test(name) && !noCode.test(name)) {
      const folder = open.join("/");
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  }
  const most = [...counts].toSorted(([, a], [, b]) => b - a).slice(0, mostFolders);
  const folders = [...counts.keys()].filter((folder) => most.some(([chosen]) => chosen === folder));
  return folders.length > 1 ? folders : [];
}

/** Sends an explorer into each folder. */
export function visitFolders(folders: readonly string[]): Call {
  const tasks = folders.map((folder) => ({
    agent: "explore",
    task: `List what the files in \`${folder}\` declare.`,
    context: "The user is shown around this project.",
  }));
  return { name: "spawn_agents", arguments: { tasks } };
}

/** The folder that such an explorer is sent into. */
export function readVisit(task: string): string | undefined {
  return /^List what the files in `([^`]+)` declare\.$/.exec(task.trim())?.[1];
}

/** One explorer's visit: the first files of a folder, and what stands at the top of each. */
export function visitFolder(folder: string, work: Work): Step {
  const search: Call = { name: "find_files", arguments: { pattern: `${folder}/*`, limit: 40 } };
  const found = gather(work, [search]);
  if (found.missing.length > 0) return { type: "calls", text: `Looking into \`${folder}\`.`, calls: found.missing };
  const paths = readPaths(found.outcomes[0]?.text ?? "").filter((path) => !noCode.test(path));
  const read = paths.toSorted().slice(0, filesToRead);
  const { files, missing } = readFiles(read, work);
  if (missing.length > 0) return { type: "calls", text: "Reading the files.", calls: missing };
  const listed = read.flatMap((path) => telling(describeDeclarations(path, files.get(path) ?? [])));
  const text =
    listed.length === 0 ? `Nothing in \`${folder}\` is declared that my rules recognise.` : listed.join("\n");
  return { type: "answer", text };
}

/** Of what stands at the top of a file; its variables only where there is nothing else. */
function telling(lines: readonly string[]): string[] {
  const outermost = lines.filter((line) => line.startsWith("-"));
  const others = outermost.filter((line) => !line.includes("` variable `"));
  return (others.length > 0 ? others : outermost).slice(0, shownOfFile);
}
