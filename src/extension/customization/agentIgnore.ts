import { t } from "@vscode/l10n";
import ignore, { type Ignore } from "ignore";
import { UserError } from "../common/userError.ts";
import { agentIgnoreFile } from "../workspace/search/ignoreRules.ts";
import type { CodeLocation, Workspace } from "../workspace/workspace.ts";
import { readInstructions } from "./projectInstructions.ts";

export interface AgentIgnoreSources {
  workspace: Pick<Workspace, "roots" | "stat" | "read">;
  /** Where a path leads through links, as the workspace names it; undefined where that is not known. */
  realPath(path: string): Promise<string | undefined>;
}

/**
 * What agents do not get to see: the files that `.agentignore` at the top of a workspace folder names, as .gitignore
 * would. Letter case does not matter, so that no other spelling of a path leads to a file. A file of rules that can't be
 * read hides everything: what it names is unknown.
 */
export class AgentIgnore {
  readonly #sources: AgentIgnoreSources;
  #rules: ReadonlyMap<string, Ignore> = new Map();

  constructor(sources: AgentIgnoreSources) {
    this.#sources = sources;
  }

  /** Reads the rules again; throws a `UserError` where that can't be done. */
  async refresh(): Promise<void> {
    const { workspace } = this.#sources;
    const roots = workspace.roots();
    const rules = new Map<string, Ignore>();
    for (const prefix of roots.length === 1 ? [""] : roots.map((root) => `${root}/`)) {
      const path = prefix + agentIgnoreFile;
      const read = await readInstructions(workspace, path);
      if (read !== undefined && "problem" in read) throw unreadable(path, read.problem);
      if (read !== undefined) rules.set(prefix, ignore({ ignorecase: true }).add(read.text));
    }
    this.#rules = rules;
  }

  /** By the rules as they were read last, and by the path's text alone. */
  hidesNow(path: string): boolean {
    for (const [prefix, rules] of this.#rules) {
      const relative = path.slice(prefix.length);
      if (!path.startsWith(prefix) || !ignore.isPathValid(relative)) continue;
      // A folder is hidden with what is in it; what is at a path is not known here.
      if (rules.ignores(relative) || rules.ignores(`${relative}/`)) return true;
    }
    return false;
  }

  /** Throws where a path, or what it leads to, is hidden now. */
  async refuse(path: string): Promise<void> {
    await this.refresh();
    if (this.#rules.size === 0) return;
    const real = await this.#sources.realPath(path);
    if (this.hidesNow(path) || (real !== undefined && this.hidesNow(real))) throw hidden(path);
  }
}

function hidden(path: string): UserError {
  return new UserError(
    t("{0} is hidden from agents by .agentignore.", path),
    `${path} is hidden by .agentignore: the user does not want agents to read or change it. Go on without it.`,
  );
}

function unreadable(path: string, reason: string): UserError {
  return new UserError(
    t("{0} can't be read, so nothing is shown to agents: {1}", path, reason),
    `${path} can't be read, so no file can be: ${reason}. Ask the user to repair it.`,
  );
}

/** What a look at a file gives, unless it is refused meanwhile: neither waits for the other, and neither changes anything. */
async function unlessRefused<T>(refused: Promise<void>, look: () => Promise<T>): Promise<T> {
  const looking = look();
  // Of a hidden file it does not matter what is wrong with it.
  looking.catch(() => undefined);
  await refused;
  return looking;
}

/** The workspace as agents see it, and whatever is read for them. */
export function agentWorkspace(workspace: Workspace, agentIgnore: AgentIgnore): Workspace {
  const refuse = async (path: string) => agentIgnore.refuse(workspace.canonicalPath(path));
  const isShown = ({ path }: { path: string }) => !agentIgnore.hidesNow(path);
  const isShownLocation = (location: CodeLocation) => location.isOutside || isShown(location);
  const { diagnosticSnapshot, changedSince } = workspace;
  /** The top of several folders is no path. */
  const refuseFolder = (path: string) => (path === "" ? agentIgnore.refresh() : refuse(path));
  return {
    roots: () => workspace.roots(),
    canonicalPath: (path) => workspace.canonicalPath(path),
    stat: (path) => unlessRefused(refuseFolder(path), () => workspace.stat(path)),
    read: (path, signal) => unlessRefused(refuse(path), () => workspace.read(path, signal)),
    async list(path, options, signal) {
      const { entries, omitted } = await unlessRefused(refuseFolder(path), () => workspace.list(path, options, signal));
      return { entries: entries.filter(isShown), omitted };
    },
    async findFiles(pattern, limit, signal) {
      await agentIgnore.refresh();
      const { paths, truncated } = await workspace.findFiles(pattern, limit, signal);
      return { paths: paths.filter((path) => isShown({ path })), truncated };
    },
    async *searchText(search, signal) {
      await agentIgnore.refresh();
      for await (const match of workspace.searchText(search, signal)) if (isShown(match)) yield match;
    },
    async diagnostics(path) {
      await (path === undefined ? agentIgnore.refresh() : refuseFolder(path));
      return (await workspace.diagnostics(path)).filter(isShown);
    },
    ...(diagnosticSnapshot && {
      diagnosticSnapshot: async (paths, signal) => {
        await agentIgnore.refresh();
        const snapshot = await diagnosticSnapshot(paths, signal);
        return { ...snapshot, list: snapshot.list.filter(isShown) };
      },
    }),
    ...(changedSince && { changedSince: (snapshot) => changedSince(snapshot) }),
    async replace(path, ...rest) {
      await refuse(path);
      return workspace.replace(path, ...rest);
    },
    async create(path, ...rest) {
      await refuse(path);
      return workspace.create(path, ...rest);
    },
    async remove(path) {
      await refuse(path);
      return workspace.remove(path);
    },
    async move(from, to) {
      await refuse(from);
      await refuse(to);
      return (await workspace.move(from, to)).filter((path) => isShown({ path }));
    },
    async documentSymbols(path, signal) {
      await refuse(path);
      return workspace.documentSymbols(path, signal);
    },
    async workspaceSymbols(query, signal) {
      await agentIgnore.refresh();
      return (await workspace.workspaceSymbols(query, signal)).filter(isShown);
    },
    async definition(path, at, signal) {
      await refuse(path);
      return (await workspace.definition(path, at, signal)).filter(isShownLocation);
    },
    async references(path, at, signal) {
      await refuse(path);
      return (await workspace.references(path, at, signal)).filter(isShownLocation);
    },
    async renameEdits(path, at, newName, signal) {
      await refuse(path);
      const edits = await workspace.renameEdits(path, at, newName, signal);
      const first = edits.find((edit) => !isShown(edit));
      if (first !== undefined) throw hidden(first.path);
      return edits;
    },
  };
}
