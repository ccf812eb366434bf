import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import type { ResourceAttachment } from "../../protocol/attachments.ts";
import { onAbort } from "../common/abort.ts";
import { UserError } from "../common/userError.ts";
import { listProviders } from "../models/providers.ts";
import { editorPrompts } from "../models/setup/editorPrompts.ts";
import { sandboxProblem } from "../sandbox/commandSandbox.ts";
import type { SandboxProbe } from "../sandbox/probe.ts";
import type { ArborSettings } from "../settings/settings.ts";
import { diskRoots } from "../workspace/editorRoots.ts";
import type { SignInHost } from "./authorization.ts";
import {
  fingerprintOf,
  mergeServers,
  parseServers,
  parseServersFile,
  type ServerDefinition,
  type ServerInput,
  type ServersFound,
} from "./configuration.ts";
import { listenOnLoopback } from "./loopbackCallback.ts";
import { McpServer } from "./mcpServer.ts";
import { McpServers } from "./mcpServers.ts";
import { type McpToolParts, toolsOfServers } from "./mcpTools.ts";
import { promptCommands, promptText } from "./promptCommands.ts";
import { readAttachedResource, resourceAttachments } from "./resourceAttachments.ts";
import { ServerApproval } from "./serverApproval.ts";
import { showServers } from "./serverPicker.ts";
import { type SandboxParts, serverSandbox } from "./serverSandbox.ts";
import { readIfThere, serversFiles } from "./serversFiles.ts";
import { resolveLaunch } from "./variables.ts";

/** Approved servers by id, for this workspace. */
const approvedKey = "arbor.mcp.approved";
/** What the user allowed last of each tool, for this workspace. */
const allowedToolsKey = "arbor.mcp.allowedTools";

export interface EditorMcpParts {
  context: Pick<vscode.ExtensionContext, "workspaceState" | "secrets">;
  settings(): ArborSettings;
  probeSandbox(): Promise<SandboxProbe>;
  warn(message: string): void;
  /** The state of a server has changed, or what it offers. */
  onChange(): void;
}

/** MCP servers with the editor's files, dialogs and secrets. */
export function createEditorMcp({ context, settings, probeSandbox, warn, onChange }: EditorMcpParts) {
  const sandbox: SandboxParts = {
    setting: () => settings().commandSandbox,
    probe: probeSandbox,
    roots: diskRoots,
  };
  const inputs = new Inputs(context.secrets);
  const approval = new ServerApproval({
    memory: {
      read: () => context.workspaceState.get(approvedKey, {}),
      write: async (approved) => context.workspaceState.update(approvedKey, approved),
    },
    isTrusted: () => vscode.workspace.isTrusted,
    sandboxProblem: () => sandboxProblem(sandbox),
    isSandboxRequired: () => settings().commandSandbox === "required",
    async confirm({ message, detail, answers }) {
      const labels = answers.map(({ label }) => label);
      const pressed = await vscode.window.showWarningMessage(message, { modal: true, detail }, ...labels);
      return answers.find(({ label }) => label === pressed);
    },
  });
  const servers = new McpServers({
    read: () => readServers(settings()),
    approval,
    create: (definition) =>
      new McpServer({
        definition,
        resolve: (each, signal) =>
          resolveLaunch(each, { environment: process.env, askInput: (...asked) => inputs.ask(...asked) }, signal),
        sandbox: (launch, log) =>
          approval.placeOf(definition) === "sandbox" ? serverSandbox(sandbox, launch, log) : undefined,
        keyNames: () => listProviders(settings()).flatMap(({ apiKeyEnv }) => apiKeyEnv ?? []),
        folders: () => serversFiles().map(({ folder }) => ({ name: folder.name, path: folder.uri.fsPath })),
        onChange,
        signIn: signInHost(context.secrets),
      }),
    report(problem) {
      warn(problem);
      void vscode.window.showWarningMessage(problem);
    },
  });
  const allowed: McpToolParts["allowed"] = {
    read: () => context.workspaceState.get(allowedToolsKey, {}),
    write: async (versions) => context.workspaceState.update(allowedToolsKey, versions),
  };
  return {
    servers,
    tools: (parts: Omit<McpToolParts, "allowed">) => toolsOfServers(servers.approved, { ...parts, allowed }),
    prompts: {
      list: () => promptCommands(servers.approved),
      text: (command: { name: string; text: string }, signal: AbortSignal) =>
        promptText(servers.approved, command, signal),
    },
    resources: {
      list: () => resourceAttachments(servers.approved),
      async read(resource: ResourceAttachment, signal: AbortSignal) {
        // The message may be the first that needs a server.
        if (servers.all.length === 0) await servers.refresh();
        return readAttachedResource(servers.approved, resource, signal);
      },
    },
    showServers: () =>
      showServers({
        servers,
        prompts: editorPrompts,
        async showText(content) {
          await vscode.window.showTextDocument(
            await vscode.workspace.openTextDocument({ content, language: "markdown" }),
          );
        },
        async openSettings() {
          await vscode.commands.executeCommand("workbench.action.openSettings", "arbor.mcp");
        },
        forgetInputs: ({ definition }) => inputs.forget(definition),
      }),
  };
}
export type EditorMcp = ReturnType<typeof createEditorMcp>;

async function readServers({ mcp }: ArborSettings): Promise<ServersFound> {
  const files = serversFiles();
  const firstFolder = files[0]?.folder.uri.fsPath;
  const own = parseServers(mcp, {
    kind: "user",
    name: "arbor.mcp.servers",
    ...(firstFolder !== undefined && { folder: firstFolder }),
  });
  // In Restricted Mode a workspace's file is not even read.
  if (!vscode.workspace.isTrusted) return own;
  const found = [own];
  for (const { folder, file } of files) {
    const content = await readIfThere(file);
    if (content === undefined) continue;
    const name = files.length === 1 ? ".vscode/mcp.json" : `${folder.name}/.vscode/mcp.json`;
    found.push(parseServersFile(content, { kind: "workspace", name, folder: folder.uri.fsPath }));
  }
  return mergeServers(found);
}

/** Sign-ins in the user's browser, which comes back to this machine, where it runs elsewhere by way of the editor. */
function signInHost(secrets: vscode.SecretStorage): SignInHost {
  return {
    secrets,
    listen: (port) =>
      listenOnLoopback(port, async (address) => {
        const external = await vscode.env.asExternalUri(vscode.Uri.parse(address));
        return external.toString(true);
      }),
    async confirm(server, address, signal) {
      const signIn = t("Sign In");
      const text = t("MCP server {0} wants you to sign in at {1}.", server, address);
      const { promise, resolve } = Promise.withResolvers<undefined>();
      const listening = onAbort(signal, () => resolve(undefined));
      const pressed = await Promise.race([vscode.window.showInformationMessage(text, signIn), promise]);
      listening.dispose();
      return pressed === signIn;
    },
    async open(address) {
      // As a text it stays as it is: a Uri would escape the separators of its parameters. The declaration has the Uri alone.
      await vscode.env.openExternal(address as unknown as vscode.Uri);
    },
  };
}

/** What the user entered for servers, with the editor's secrets. It counts for a definition as it was then. */
class Inputs {
  readonly #secrets: vscode.SecretStorage;

  constructor(secrets: vscode.SecretStorage) {
    this.#secrets = secrets;
  }

  async ask(definition: ServerDefinition, input: ServerInput, signal: AbortSignal): Promise<string> {
    const key = keyOf(definition, input);
    const stored = await this.#secrets.get(key);
    if (stored !== undefined) return stored;
    const title = t("MCP server {0}", definition.name);
    const prompt = input.description === "" ? input.id : input.description;
    const entered =
      input.type === "pickString"
        ? await vscode.window.showQuickPick(input.options, { title, placeHolder: prompt, ignoreFocusOut: true })
        : await vscode.window.showInputBox({
            ...{ title, prompt, password: input.password, ignoreFocusOut: true },
            ...(input.default !== undefined && { value: input.default }),
          });
    signal.throwIfAborted();
    if (entered === undefined) throw new UserError(t("MCP server {0} needs what it asked you for.", definition.name));
    await this.#secrets.store(key, entered);
    return entered;
  }

  async forget(definition: ServerDefinition): Promise<void> {
    for (const input of definition.inputs) await this.#secrets.delete(keyOf(definition, input));
  }
}

/** What was entered for one definition is never sent where another one leads. */
function keyOf(definition: ServerDefinition, { id }: ServerInput): string {
  return `arbor.mcp.input.${fingerprintOf(definition)}.${id}`;
}
