import * as vscode from "vscode";
import type { Attachment } from "../../../protocol/attachments.ts";
import type { SlashCommand, Suggestion, SuggestionKind } from "../../../protocol/suggestions.ts";
import { UserError } from "../../common/userError.ts";
import { shownAgents } from "../../customization/agents.ts";
import { attachmentsOfCommand, listCustomCommands } from "../../customization/customCommands.ts";
import type { Customization } from "../../customization/customization.ts";
import { resolvePath, resolveUri } from "../../workspace/editorRoots.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { gitChanges } from "./attach/gitChanges.ts";
import { rememberLastCommand } from "./attach/lastCommand.ts";
import type { AttachmentSources, TerminalOutput } from "./attach/sources.ts";
import { activeFile, countProblems, selectionAttachment } from "./editorContext.ts";
import { listSlashCommands, type PromptContext } from "./slashCommands.ts";
import { createFileIndex } from "./suggest/fileIndex.ts";
import { suggest } from "./suggest/suggest.ts";

export interface ComposingDependencies {
  workspace: Workspace;
  pathOf(uri: vscode.Uri): string | undefined;
  customization: Pick<Customization, "current">;
  /** Names of agents of other programs. */
  foreignAgents(): readonly string[];
  /** Commands of the agent of another program that chats are with. Those of ours come before them. */
  foreignCommands(): SlashCommand[];
  reportFailure(error: unknown): void;
  prompts: ServerPrompts;
  resources: { list: AttachmentSources["resources"]; read: AttachmentSources["readResource"] };
  /** Other commands than before may be there. */
  onChange(): void;
}

/** The prompts that MCP servers offer as commands. */
interface ServerPrompts {
  list(): SlashCommand[];
  /** What a prompt says; undefined for a command that is none of theirs. */
  text(command: { name: string; text: string }): Promise<string | undefined>;
}

/** What the editor knows for the writer of a message: what can be attached, suggested and asked for. */
export interface Composing extends vscode.Disposable {
  readonly attachments: AttachmentSources;
  /** While files are listed, `offer` is called with what is known already. */
  suggest(
    kind: SuggestionKind,
    query: string,
    signal: AbortSignal,
    offer?: (known: Suggestion[]) => void,
  ): Promise<Suggestion[]>;
  commands(facts: { canCompact: boolean }): Promise<SlashCommand[]>;
  /** Files that differ from the last commit. */
  changeCount(): number;
  promptContext(): PromptContext;
  /** What a command attaches that a file describes. */
  attachmentsOfCommand(name: string, text: string): readonly Attachment[] | undefined;
  readonly prompts: ServerPrompts;
  /** Files and folders by the addresses that were dropped; throws for one outside the workspace. */
  dropped(uris: readonly string[]): Promise<Attachment[]>;
}

/** Follows the window's editors, terminals and repositories until it is disposed. */
export function createComposing({
  workspace,
  pathOf,
  customization,
  foreignAgents,
  foreignCommands,
  reportFailure,
  prompts,
  resources,
  onChange,
}: ComposingDependencies): Composing {
  const terminals = new TerminalListener(reportFailure);
  const recent = new RecentFiles(pathOf);
  const git = gitChanges(workspace, pathOf);
  const watching = git.watch(onChange);
  const files = createFileIndex(workspace);
  const attachments: AttachmentSources = {
    isTrusted: () => vscode.workspace.isTrusted,
    workspace,
    selection: () => selectionAttachment(pathOf),
    terminal: () => terminals.output,
    changes: (signal) => git.read(signal),
    resources: resources.list,
    readResource: resources.read,
    agents: () => shownAgents(customization.current.agents, vscode.workspace.isTrusted ? foreignAgents() : []),
  };
  const sources = {
    workspace,
    files,
    attachments,
    recentFiles: () => recent.paths,
    hasRepository: () => git.hasRepository(),
    problemCount: countProblems,
  };
  return {
    attachments,
    prompts,
    suggest: (kind, query, signal, offer) => suggest(kind, query, sources, signal, offer),
    changeCount: () => git.count(),
    async commands({ canCompact }) {
      const registered = new Set(await vscode.commands.getCommands(true));
      const own = listSlashCommands({
        isRegistered: (command) => registered.has(command),
        canCompact,
        hasRepository: git.hasRepository(),
        folderOpen: workspace.roots().length > 0,
      });
      const known = [...own, ...listCustomCommands(customization.current), ...prompts.list()];
      const names = new Set(known.map(({ name }) => name));
      return [...known, ...foreignCommands().filter(({ name }) => !names.has(name))];
    },
    attachmentsOfCommand(name, text) {
      return attachmentsOfCommand(name, text, customization.current, this.promptContext());
    },
    promptContext() {
      const selection = selectionAttachment(pathOf);
      const file = activeFile(pathOf);
      return {
        problemCount: countProblems(),
        ...(selection !== undefined && { selection }),
        ...(file !== undefined && { activeFile: file }),
      };
    },
    dropped: (uris) => Promise.all(uris.map((uri) => placeAttachment(uri, workspace))),
    dispose: () => vscode.Disposable.from(terminals, recent, watching).dispose(),
  };
}

/** Judged like a path of a tool: by its text, and by where links on its way lead. */
async function placeAttachment(address: string, workspace: Pick<Workspace, "stat">): Promise<Attachment> {
  const uri = parsedUri(address);
  const place = uri && resolveUri(uri);
  if (place === undefined) throw new UserError(outsideText(uri?.path ?? address));
  const { path } = await resolvePath(place.path);
  const stat = await workspace.stat(path);
  if (stat === undefined)
    throw new UserError(vscode.l10n.t("{0} does not exist any more, so it can't be attached.", path));
  return { kind: stat.kind === "directory" ? "folder" : "file", path };
}

/** A window on another machine gives addresses there, which here, on that machine, are plain files. */
function parsedUri(address: string): vscode.Uri | undefined {
  try {
    const uri = vscode.Uri.parse(address, true);
    return uri.scheme === "vscode-remote" && vscode.env.remoteName !== undefined ? vscode.Uri.file(uri.path) : uri;
  } catch {
    return undefined;
  }
}

function outsideText(path: string): string {
  return vscode.l10n.t(
    "{0} is outside the workspace. Add its folder to the workspace, or copy the file into it.",
    path.slice(0, 300),
  );
}

const maxKept = 50;

/** The files that were shown in an editor, latest first; those of open tabs are known from the start. */
class RecentFiles implements vscode.Disposable {
  readonly #pathOf: (uri: vscode.Uri) => string | undefined;
  readonly #listening: vscode.Disposable;
  #paths: string[];

  constructor(pathOf: (uri: vscode.Uri) => string | undefined) {
    this.#pathOf = pathOf;
    this.#paths = tabUris().flatMap((uri) => pathOf(uri) ?? []);
    this.#listening = vscode.window.onDidChangeActiveTextEditor((editor) => this.#remember(editor));
    this.#remember(vscode.window.activeTextEditor);
  }

  get paths(): readonly string[] {
    return this.#paths;
  }

  dispose(): void {
    this.#listening.dispose();
  }

  #remember(editor: vscode.TextEditor | undefined): void {
    const path = editor === undefined ? undefined : this.#pathOf(editor.document.uri);
    if (path === undefined) return;
    this.#paths = [path, ...this.#paths.filter((known) => known !== path)].slice(0, maxKept);
  }
}

function tabUris(): vscode.Uri[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs }) =>
    tabs.flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri] : [])),
  );
}

/** Listens to the user's terminals; shells without the editor's integration report nothing. */
class TerminalListener implements vscode.Disposable {
  readonly #last = rememberLastCommand();
  readonly #listening: vscode.Disposable;

  constructor(reportFailure: (error: unknown) => void) {
    this.#listening = vscode.Disposable.from(
      vscode.window.onDidStartTerminalShellExecution(({ execution }) => {
        const shell = { command: execution.commandLine.value, read: () => execution.read() };
        this.#last.started(execution, shell).catch(reportFailure);
      }),
      vscode.window.onDidEndTerminalShellExecution(({ execution, exitCode }) => this.#last.ended(execution, exitCode)),
    );
  }

  get output(): TerminalOutput | undefined {
    return this.#last.output;
  }

  dispose(): void {
    this.#listening.dispose();
  }
}
