import type { HistoryItem } from "../../../src/protocol/history.ts";
import type { HostMessage } from "../../../src/protocol/messages.ts";
import { chatId, recording, startTime, text, toolCall } from "../support/recording.ts";
import type { Scene } from "./scenes.ts";

const minute = 60_000;
/** The gallery's clock is a minute after the start. */
const now = startTime + minute;

function item(id: string, title: string, minutesAgo: number, more: Partial<HistoryItem> = {}): HistoryItem {
  return { id, title, updatedAt: now - minutesAgo * minute, tokens: 41_200, cost: 0.12, state: "idle", ...more };
}

/** By a model whose price is unknown. */
function unpriced(id: string, title: string, minutesAgo: number): HistoryItem {
  const { cost: _, ...rest } = item(id, title, minutesAgo, { tokens: 1_250_000 });
  return rest;
}

export const chatsOfBefore: HistoryItem[] = [
  item(chatId, "Refactor the authentication into middleware", 0, { state: "running" }),
  item("b", "Rename auth helpers", 12, { tokens: 88_400, cost: 1.4, state: "waiting" }),
  item("c", "Add tests for the cart that cover discounts, tax and empty carts", 130, { state: "interrupted" }),
  item("d", "Explain price.ts", 26 * 60, { tokens: 9_300, cost: 0.004 }),
  unpriced("e", "Local model: tidy the README", 5 * 24 * 60),
  item("f", "Warum ist der Bestellbestätigungsversandbenachrichtigungsdienst so langsam?", 47 * 24 * 60),
];

export function history(items: HistoryItem[], query = "", hasMore = false): HostMessage {
  return { type: "history", query, items, hasMore };
}

export const historyScenes: Readonly<Record<string, () => Scene>> = {
  history: () => ({ messages: [recording().chat(), { type: "focus", target: "history" }, history(chatsOfBefore)] }),
  "history-empty": () => ({ messages: [recording().chat(), { type: "focus", target: "history" }, history([])] }),
  "history-row": () => ({
    messages: [recording().chat(), { type: "focus", target: "history" }, history(chatsOfBefore, "", true)],
    keys: ["ArrowDown", "ArrowDown", "ArrowDown"],
  }),
  "history-rename": () => ({
    messages: [recording().chat(), { type: "focus", target: "history" }, history(chatsOfBefore)],
    keys: ["ArrowDown", "ArrowDown", "F2"],
  }),
  "history-deleted": () => ({
    messages: [recording().chat(), { type: "focus", target: "history" }, history(chatsOfBefore)],
    keys: ["ArrowDown", "ArrowDown", "Delete"],
  }),
  recent: () => ({ messages: [recording().chat(), history(chatsOfBefore.slice(1, 4))] }),
  interrupted: () => ({ messages: [interrupted()] }),
  "read-only": () => ({ messages: [readOnly()] }),
};

function interrupted(): HostMessage {
  const log = recording();
  log.host({ type: "chat_titled", title: "Refactor the authentication into middleware" });
  const main = log.agent("main");
  log.user(main, "Refactor the authentication into middleware.");
  const task = { tasks: [{ agent: "explore", task: "Find what calls login()" }] };
  log.answer(main, [text("I look at the callers first."), toolCall("c1", "spawn_agents", task)]);
  log.toolStart(main, "c1", "spawn_agents", "Delegate", task);
  const child = log.agent("explore", main, "c1");
  log.answer(child, [toolCall("c2", "search_text", { query: "login(" })]);
  log.toolStart(child, "c2", "search_text", "Search", { query: "login(" });
  log.toolEnd(child, "c2", "search_text", "Interrupted.", true);
  log.end(child, "aborted");
  log.toolEnd(main, "c1", "spawn_agents", "Interrupted.", true);
  log.end(main, "aborted");
  log.host({ type: "interrupted", agentIds: [main.id, child.id] });
  log.host({
    type: "notice_shown",
    notice: {
      id: "n",
      level: "warning",
      text: "This run was interrupted: the editor was closed or reloaded while agents were at work.",
      actions: ["resume"],
    },
  });
  const message = log.chat();
  return message.type === "chat" ? { ...message, hasEarlier: true } : message;
}

function readOnly(): HostMessage {
  const log = recording();
  log.host({ type: "chat_titled", title: "Explain price.ts" });
  const main = log.agent("main");
  log.user(main, "Explain price.ts");
  log.answer(main, [text("It computes the price of a cart.")]);
  log.end(main, "done");
  log.host({
    type: "notice_shown",
    notice: {
      id: "n",
      level: "info",
      text: "This chat is open in another window, so here it can only be read; what is said there appears here. What you send goes on in a copy.",
      actions: ["fork"],
    },
  });
  return log.chat();
}
