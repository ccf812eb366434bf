import { t } from "@vscode/l10n";
import { assertNever } from "../../agent/vocabulary/errors.ts";
import { visibleText } from "../approvals/requestText.ts";
import type { Choice, Prompts } from "../models/setup/prompts.ts";
import { launchText } from "./configuration.ts";
import type { McpServer } from "./mcpServer.ts";
import type { McpServers } from "./mcpServers.ts";
import type { ServerPlace } from "./serverApproval.ts";

export interface ServerPickerOptions {
  servers: McpServers;
  prompts: Pick<Prompts, "choose" | "showMessage" | "during">;
  /** Opens a text for reading. */
  showText(text: string): Promise<void>;
  openSettings(): Promise<void>;
  /** What the user entered for it. */
  forgetInputs(server: McpServer): Promise<void>;
}

type Action = "start" | "stop" | "restart" | ServerPlace | "tools" | "log" | "signOut" | "forget";

/** Shows the servers with their states; of the chosen one, what can be done with it. */
export async function showServers(options: ServerPickerOptions): Promise<void> {
  const { servers, prompts } = options;
  await servers.refresh();
  if (servers.all.some(({ definition }) => definition.launch.type === "stdio")) await servers.approval.lookForSandbox();
  const title = t("Arbor: MCP Servers");
  if (servers.all.length === 0) {
    const open = t("Open Settings");
    const pressed = await prompts.showMessage(
      t("No MCP servers. Add one to arbor.mcp.servers or to .vscode/mcp.json."),
      open,
    );
    if (pressed === open) await options.openSettings();
    return;
  }
  const server = await prompts.choose({
    title,
    placeholder: t("Choose a server"),
    choices: servers.all.map((each) => serverChoice(each, servers)),
  });
  if (server === undefined) return;
  const action = await prompts.choose({
    title: `${title}: ${server.definition.name}`,
    placeholder: stateText(server, servers),
    choices: actionsFor(server, servers, (await server.authorization?.isSignedIn()) === true),
  });
  if (action !== undefined) await perform(action, server, options);
}

async function perform(action: Action, server: McpServer, options: ServerPickerOptions): Promise<void> {
  const { servers, prompts } = options;
  const { name } = server.definition;
  switch (action) {
    case "start":
    case "restart":
    case "sandbox":
    case "outside": {
      const place = action === "sandbox" || action === "outside" ? action : undefined;
      await prompts.during(t("Starting MCP server {0}", name), (signal) => servers.startByHand(server, signal, place));
      return;
    }
    case "stop":
      return server.stop();
    case "tools":
      return options.showText(toolsText(server));
    case "log":
      return options.showText(server.log.lines.map(visibleText).join("\n"));
    case "signOut":
      await server.stop();
      return server.authorization?.signOut();
    case "forget":
      return options.forgetInputs(server);
    default:
      return assertNever(action);
  }
}

function serverChoice(server: McpServer, servers: McpServers): Choice<McpServer> {
  const { definition } = server;
  return {
    label: definition.name,
    description: stateText(server, servers),
    detail: launchText(definition).split("\n")[0] ?? "",
    group: definition.source.name,
    value: server,
  };
}

function actionsFor(
  { state, offers, definition }: McpServer,
  { approval }: McpServers,
  isSignedIn: boolean,
): Choice<Action>[] {
  const isActive = state.type === "running" || state.type === "starting";
  const choice = (value: Action, label: string): Choice<Action> => ({ label, value });
  const other = approval.otherPlace(definition);
  return [
    ...(isActive ? [choice("stop", t("Stop")), choice("restart", t("Restart"))] : [choice("start", t("Start"))]),
    ...(other === "sandbox" ? [choice(other, t("Start in Sandbox"))] : []),
    ...(other === "outside" ? [choice(other, t("Start outside the sandbox"))] : []),
    ...(offers.tools.length > 0 ? [choice("tools", t("Show tools"))] : []),
    choice("log", t("Show log")),
    ...(isSignedIn ? [choice("signOut", t("Sign out"))] : []),
    ...(definition.inputs.length > 0 ? [choice("forget", t("Forget what I entered"))] : []),
  ];
}

function stateText(server: McpServer, servers: McpServers): string {
  const place = placeText(server, servers);
  return [ownStateText(server), ...(place === undefined ? [] : [place])].join(" · ");
}

/** Of one that does not run, where it would. */
function placeText({ definition, isSandboxed }: McpServer, { approval }: McpServers): string | undefined {
  if (approval.placeOf(definition) === undefined) return undefined;
  const reason = approval.outsideReason(definition);
  if (isSandboxed ?? reason === undefined) return t("sandboxed");
  return reason === undefined ? t("not sandboxed") : t("not sandboxed: {0}", reason);
}

function ownStateText({ state, offers }: McpServer): string {
  switch (state.type) {
    case "stopped":
      return t("stopped");
    case "starting":
      return t("starting");
    case "running":
      return t("running, tools: {0}", offers.tools.length);
    case "failed":
      return state.message;
    default:
      return assertNever(state);
  }
}

/** The tools as models see them. */
function toolsText({ definition, offers }: McpServer): string {
  const tools = offers.tools.map(({ name, description = "", annotations, inputSchema }) => {
    const hints = annotations === undefined ? [] : [JSON.stringify(annotations)];
    return [`## ${name}`, description, ...hints, JSON.stringify(inputSchema, undefined, 2)]
      .map(visibleText)
      .join("\n\n");
  });
  return [`# ${definition.name}`, ...tools].join("\n\n");
}
