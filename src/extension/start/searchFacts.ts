import { isFileSystemError } from "../common/files.ts";
import { UserError } from "../common/userError.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { SearchedFacts } from "./recentFacts.ts";

type SearchedWorkspace = Pick<Workspace, "roots" | "stat" | "read" | "searchText">;

const maxSearchMs = 2_000;
const maxTextLength = 120;
const todoSearch = {
  ...{ query: "\\b(?:TODO|FIXME)\\b", regex: true, caseSensitive: true, exclude: "**/*.md" },
  ...{ contextLines: 0, limit: 20 },
};

/** Looks for them in the first folder. What can't be found out in time is not there. */
export async function searchFacts(workspace: SearchedWorkspace, signal: AbortSignal): Promise<SearchedFacts> {
  const [root] = workspace.roots();
  if (root === undefined) return { hasReadme: true };
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(maxSearchMs)]);
  const at = (file: string) => (workspace.roots().length > 1 ? `${root}/${file}` : file);
  const exists = async (file: string) => (await quietly(() => workspace.stat(at(file)))) !== undefined;
  const todo = await quietly(() => firstTodo(workspace, inTime));
  const testCommand = await quietly(() => testCommandOf(exists, () => textOf(workspace, at("package.json"), inTime)));
  return {
    ...(todo !== undefined && { todo }),
    ...(testCommand !== undefined && { testCommand }),
    hasReadme: (await exists("README.md")) || (await exists("readme.md")) || (await exists("README")),
  };
}

async function firstTodo({ searchText }: SearchedWorkspace, signal: AbortSignal): Promise<SearchedFacts["todo"]> {
  const found: NonNullable<SearchedFacts["todo"]>[] = [];
  for await (const { path, line, text, isMatch } of searchText(todoSearch, signal)) {
    if (isMatch) found.push({ path, line, text: text.trim().slice(0, maxTextLength) });
  }
  // The search gives them in no order.
  return found.sort((one, other) => one.path.localeCompare(other.path) || one.line - other.line)[0];
}

type Exists = (file: string) => Promise<boolean>;

async function testCommandOf(exists: Exists, manifest: () => Promise<string>): Promise<string | undefined> {
  if (await exists("package.json")) {
    const script: unknown = JSON.parse(await manifest())?.scripts?.test;
    if (typeof script !== "string" || script.includes("no test specified")) return undefined;
    if (await exists("pnpm-lock.yaml")) return "pnpm test";
    return (await exists("yarn.lock")) ? "yarn test" : "npm test";
  }
  if (await exists("Cargo.toml")) return "cargo test";
  if (await exists("go.mod")) return "go test ./...";
  const isPython = (await exists("pytest.ini")) || (await exists("pyproject.toml"));
  return isPython && (await exists("tests")) ? "pytest" : undefined;
}

async function textOf({ read }: SearchedWorkspace, path: string, signal: AbortSignal): Promise<string> {
  const content = await read(path, signal);
  return content.kind === "text" ? content.text : "";
}

/** Whatever keeps something from being found only costs its offer. */
async function quietly<T>(find: () => Promise<T>): Promise<T | undefined> {
  try {
    return await find();
  } catch (error) {
    const isExpected =
      error instanceof UserError ||
      error instanceof SyntaxError ||
      isFileSystemError(error) ||
      (error instanceof Error && ["AbortError", "TimeoutError", "ToolError"].includes(error.name));
    if (isExpected) return undefined;
    throw error;
  }
}
