import type { Attachment } from "../../protocol/attachments.ts";
import type { Composing } from "../chat/compose/composing.ts";
import { Conversation } from "../chat/conversation.ts";
import { describeModel, findModelProblem } from "../models/catalog.ts";
import type { History } from "../panel/history/createHistory.ts";
import { editorActions } from "../panel/intents/editorActions.ts";
import type { IntentDependencies } from "../panel/intents/intentHandlers.ts";
import type { Panel } from "../panel/panel.ts";
import { settingsWrites } from "../settings/liveSettings.ts";
import type { OpenChats } from "./chats.ts";
import type { Editing } from "./editing.ts";
import type { Host } from "./host.ts";
import type { Models } from "./models.ts";

export interface PanelWorkParts {
  host: Host;
  models: Models;
  editing: Editing;
  open: OpenChats;
  composing: Composing;
  history: History;
}

/** What the user says and does in a panel, in that panel's chat. */
export function createPanelWork({ host, models, editing, open, composing, history }: PanelWorkParts) {
  const { settings, keys } = models;
  const { chatAgents, chats, drafts, permissions, rewinds, runs, steering, terminals } = open;
  const conversationOf = (panel: Panel) =>
    new Conversation({
      chat: () => panel.chat,
      startNew: () => panel.show(chats.create()),
      writable: history.writable,
      sources: composing.attachments,
      model: () => describeModel(settings().model, settings(), models.reported),
      settingsWrites,
      findModelProblem: () => findModelProblem(settings().model, settings(), keys),
      revise: open.revise,
      returnToComposer: composeIn(panel),
    });
  const editor = editorActions({
    modelCommands: models.commands,
    showLog: () => host.log.show(),
    ...{ chats, own: host.own },
  });
  const workOf = (panel: Panel): IntentDependencies => ({
    ...{ panel, conversation: conversationOf(panel), ...editing },
    ...{ permissions, rewinds, steering, runs, composing, drafts, editor },
    costLimit: models.costLimit,
    async compare(chat, intent, model) {
      const { runAgain, useRun, closeComparison } = await import("../chat/agents/compareRuns.ts");
      const parts = { chat, agents: chatAgents, isolation: await editing.isolation.load() };
      if (intent.type === "runAgain") return runAgain(parts, intent, model);
      return intent.type === "useRun" ? useRun(parts, intent) : closeComparison(parts, intent);
    },
    prepare: (chat) => open.prepare(chat),
    modelNamed: (name) => models.access.named(name),
    history: history.handlers,
    reopen: history.reopen,
    sendPrompts: () => history.sendPrompts(panel),
    commands: {
      showCall: (chat, callId) => terminals.show(chatAgents.commands.ofCall(chat, callId)),
      showOutput: (commandId) => terminals.show(chatAgents.commands.background(commandId)),
      // One that has just ended needs no stop.
      stop: async (commandId) => void (await chatAgents.commands.background(commandId)?.stop("user")),
    },
  });
  return { conversationOf, workOf };
}
export type PanelWork = ReturnType<typeof createPanelWork>;

/** Gives words and attachments to the panel's composer. */
export function composeIn(panel: Panel): (text: string, attachments: readonly Attachment[]) => void {
  return (text, attachments) => panel.send({ type: "compose", text, attachments: [...attachments] });
}
