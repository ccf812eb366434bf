import * as vscode from "vscode";
import type { AgentTool } from "../../agent/vocabulary/tools.ts";
import type { ResourceAttachment } from "../../protocol/attachments.ts";
import type { EditorMcp } from "../mcp/editorMcp.ts";
import type { McpToolParts } from "../mcp/mcpTools.ts";
import { readIfThere, serversFiles } from "../mcp/serversFiles.ts";
import type { Host } from "./host.ts";
import type { Models } from "./models.ts";

/**
 * MCP servers. What knows the protocol, and the format of its files, is loaded when there is a server or somebody asks
 * for one.
 */
export function createMcp({ context, own, warn, reportFailure, probeSandbox }: Host, { settings }: Models) {
  let loading: Promise<EditorMcp> | undefined;
  let loaded: EditorMcp | undefined;
  const closing = new AbortController();
  const changed = own(new vscode.EventEmitter<void>());
  const load = async () => {
    loading ??= import("../mcp/editorMcp.ts").then(({ createEditorMcp }) =>
      createEditorMcp({ context, settings, probeSandbox, warn, onChange: () => changed.fire() }),
    );
    loaded = await loading;
    return loaded;
  };
  own({
    dispose() {
      closing.abort();
      if (loaded !== undefined) loaded.servers.dispose();
      // It could not be loaded: that was said where it was needed.
      else loading?.then(({ servers }) => servers.dispose()).catch(() => {});
    },
  });
  const isConfigured = async () => {
    if (Object.keys(settings().mcp.servers).length > 0) return true;
    const files = await Promise.all(serversFiles().map(({ file }) => readIfThere(file)));
    return files.some((content) => content !== undefined);
  };
  return {
    /** The state of a server has changed, or what it offers. */
    onDidChange: changed.event,
    showServers: async () => (await load()).showServers(),
    /** Starts the servers that may run, before a message needs their tools. A failure is none of the message. */
    async prepare(): Promise<void> {
      try {
        if (!vscode.workspace.isTrusted || (loaded === undefined && !(await isConfigured()))) return;
        const { servers } = await load();
        await servers.startForUse(closing.signal);
      } catch (error) {
        if (!closing.signal.aborted) reportFailure(error);
      }
    },
    prompts: {
      list: () => loaded?.prompts.list() ?? [],
      text: async (command: { name: string; text: string }) => loaded?.prompts.text(command, closing.signal),
    },
    resources: {
      list: () => loaded?.resources.list() ?? [],
      read: async (resource: ResourceAttachment, signal: AbortSignal) =>
        (await load()).resources.read(resource, signal),
    },
    /** The tools of the servers that may be used now. */
    tools: (parts: Omit<McpToolParts, "allowed">): AgentTool[] => loaded?.tools(parts) ?? [],
  };
}
export type Mcp = ReturnType<typeof createMcp>;
