import * as vscode from "vscode";
import { answerInChat, untilCanceled } from "../api/chatParticipant.ts";
import { delegateTool, languageModelTools } from "../api/languageModelTools.ts";
import { ExtensionRegistry } from "../api/registry.ts";
import type { AskAnswer } from "../chat/compose/ask.ts";
import { onAbort } from "../common/abort.ts";
import { type McpToolParts, toolsOfServers } from "../mcp/mcpTools.ts";
import type { Host } from "./host.ts";
import type { Models } from "./models.ts";

/** What the user allowed last of each tool, for this workspace. */
const allowedToolsKey = "arbor.extensions.allowedTools";

type Ask = (input: unknown, signal?: AbortSignal) => Promise<AskAnswer | undefined>;

/** Tools and agents of other extensions, and ours for them. */
export function createOtherExtensions({ context, own, reportFailure }: Host, { settings, addEditorModels }: Models) {
  let ask: Ask | undefined;
  const changed = own(new vscode.EventEmitter<void>());
  const registry = own(
    new ExtensionRegistry({
      // The first question may come while the panel is being made.
      ask: async (input) => ask?.(input),
      onChange: () => changed.fire(),
      reportFailure,
    }),
  );
  addEditorModels(() => registry.models, changed.event);
  const allowed: McpToolParts["allowed"] = {
    read: () => context.workspaceState.get(allowedToolsKey, {}),
    write: async (versions) => context.workspaceState.update(allowedToolsKey, versions),
  };
  return {
    registry,
    onDidChange: changed.event,
    tools(parts: Omit<McpToolParts, "allowed">) {
      const editor =
        settings().languageModelTools && "lm" in vscode
          ? [languageModelTools({ list: () => vscode.lm.tools, invoke: invokeTool })]
          : [];
      return toolsOfServers([...registry.sources, ...editor], { ...parts, allowed });
    },
    /** Lets others reach our agents. */
    offer(answers: Ask): void {
      ask = answers;
      // An editor without them has everything else.
      if ("lm" in vscode) own(vscode.lm.registerTool(delegateTool, delegation(answers)));
      if ("chat" in vscode) {
        const answer: vscode.ChatRequestHandler = ({ prompt }, _context, stream, token) =>
          answerInChat(answers, { prompt, stream, token });
        own(vscode.chat.createChatParticipant("arbor.arbor", answer));
      }
    },
  };
}
export type OtherExtensions = ReturnType<typeof createOtherExtensions>;

async function invokeTool(name: string, input: object, signal: AbortSignal): Promise<string> {
  const cancel = new vscode.CancellationTokenSource();
  const listening = onAbort(signal, () => cancel.cancel());
  try {
    const { content } = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined }, cancel.token);
    const texts = content.map((part) =>
      part instanceof vscode.LanguageModelTextPart ? part.value : JSON.stringify(part),
    );
    return texts.join("\n");
  } finally {
    listening.dispose();
    cancel.dispose();
  }
}

/** Another model hands a task to an agent of ours: it is a run in the panel, where its approvals are. */
function delegation(ask: Ask): vscode.LanguageModelTool<{ task: string; agent?: string }> {
  return {
    // What the run does is asked about there.
    prepareInvocation: () => ({ invocationMessage: vscode.l10n.t("Arbor works on it") }),
    async invoke({ input }, token) {
      const { task: prompt, agent } = input;
      const asked = { prompt, attachments: [], ...(agent !== undefined && { agent }) };
      const answer = await untilCanceled(token, (signal) => ask(asked, signal));
      return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(answer?.text ?? "")]);
    },
  };
}
