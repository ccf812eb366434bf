import { type CommandDefinition, defineCommand } from "./defineCommand.ts";

const inView = "view == arbor.chat";
const whileAsked = "arbor.panelFocus && arbor.waiting && !editorTextFocus";

/** What is done with chats, models and the panel. */
export const chatCommands: readonly CommandDefinition[] = [
  defineCommand({
    id: "arbor.ask",
    title: "Ask Agent",
    icon: "comment",
    menus: [{ menu: "editor/context", group: "1_arbor@1" }],
    run: ({ ask }, input) => ask(input),
  }),
  defineCommand({
    id: "arbor.newChat",
    title: "New Chat",
    icon: "add",
    run: ({ chatting: { panels, conversationOf } }) => conversationOf(panels.active).startNew(),
  }),
  defineCommand({
    id: "arbor.stop",
    title: "Stop",
    icon: "debug-stop",
    enablement: "arbor.running",
    run: ({ chatting: { panels, stopAgent } }, agentId) =>
      typeof agentId === "string" ? stopAgent(agentId) : panels.active.chat.stop(),
  }),
  defineCommand({
    id: "arbor.setApiKey",
    title: "Set API Key",
    icon: "key",
    menus: [{ menu: "view/title", group: "1_setup@1", when: inView }],
    run: ({ commands }, input) => commands.setApiKey(input),
  }),
  defineCommand({
    id: "arbor.removeApiKey",
    title: "Remove API Key",
    icon: "trash",
    run: ({ commands }, input) => commands.removeApiKey(input),
  }),
  defineCommand({
    id: "arbor.selectModel",
    title: "Select Model",
    icon: "symbol-misc",
    menus: [{ menu: "view/title", group: "1_setup@2", when: inView }],
    run: ({ commands }, input) => commands.selectModel(input),
  }),
  defineCommand({
    id: "arbor.selectSubAgentModel",
    title: "Select Sub-Agent Model",
    icon: "symbol-misc",
    run: ({ commands }, input) => commands.selectSubAgentModel(input),
  }),
  defineCommand({
    id: "arbor.findLocalModels",
    title: "Find Local Models",
    icon: "server",
    run: ({ commands }) => commands.findLocalModels(),
  }),
  defineCommand({
    id: "arbor.setUp",
    title: "Set Up a Model",
    icon: "plug",
    run: ({ commands }) => commands.setUp(),
  }),
  defineCommand({
    id: "arbor.focusComposer",
    title: "Focus Composer",
    icon: "edit",
    // The editor and its own extensions have nothing there, and no layout types a letter by it.
    keys: [{ key: "ctrl+k a", mac: "cmd+k a", when: "!terminalFocus" }],
    run: async ({ chatting: { panels }, focusPanel }) => {
      await focusPanel();
      panels.view.send({ type: "focus", target: "composer" });
    },
  }),
  defineCommand({
    id: "arbor.focusTree",
    title: "Focus Agent Tree",
    icon: "list-tree",
    run: async ({ chatting: { panels }, focusPanel }) => {
      await focusPanel();
      panels.view.send({ type: "focus", target: "tree" });
    },
  }),
  defineCommand({
    id: "arbor.showChanges",
    title: "Show Changes of the Run",
    icon: "diff-multiple",
    run: async ({ chatting: { panels }, focusPanel }) => {
      if (panels.active === panels.view) await focusPanel();
      panels.active.send({ type: "focus", target: "changes" });
    },
  }),
  defineCommand({
    id: "arbor.showTimeline",
    title: "Show Timeline",
    icon: "timeline-open",
    run: async ({ chatting: { panels }, focusPanel }) => {
      if (panels.active === panels.view) await focusPanel();
      panels.active.send({ type: "focus", target: "timeline" });
    },
  }),
  defineCommand({
    id: "arbor.replaySession",
    title: "Replay Session",
    icon: "play-circle",
    run: ({ chatting: { panels, history } }) => history.handlers.replayChat({ type: "replayChat" }, panels.active),
  }),
  defineCommand({
    id: "arbor.showWaiting",
    title: "Show Pending Requests",
    icon: "bell",
    enablement: "arbor.waiting",
    run: async ({ chatting: { panels, activity }, focusPanel }) => {
      const oldest = activity.waiting[0];
      if (oldest !== undefined) panels.view.show(oldest.chat);
      await focusPanel();
      panels.view.send({ type: "focus", target: "waiting" });
    },
  }),
  defineCommand({
    id: "arbor.acceptApproval",
    title: "Accept Pending Request",
    icon: "check",
    enablement: "arbor.waiting",
    keys: [{ key: "ctrl+alt+enter", mac: "cmd+alt+enter", when: whileAsked }],
    run: ({ chatting: { panels } }) => panels.active.send({ type: "answer", decision: "accepted" }),
  }),
  defineCommand({
    id: "arbor.rejectApproval",
    title: "Reject Pending Request",
    icon: "discard",
    enablement: "arbor.waiting",
    keys: [{ key: "ctrl+alt+backspace", mac: "cmd+alt+backspace", when: whileAsked }],
    run: ({ chatting: { panels } }) => panels.active.send({ type: "answer", decision: "rejected" }),
  }),
  defineCommand({
    id: "arbor.openHistory",
    title: "Open History",
    icon: "history",
    run: async ({ chatting: { panels }, focusPanel }) => {
      if (panels.active === panels.view) await focusPanel();
      panels.active.send({ type: "focus", target: "history" });
    },
  }),
  defineCommand({
    id: "arbor.openInEditor",
    title: "Open Chat in Editor",
    icon: "link-external",
    menus: [{ menu: "view/title", group: "0_chat@3", when: inView }],
    run: ({ chatting: { panels, history } }) => history.handlers.openInEditor({ type: "openInEditor" }, panels.view),
  }),
  defineCommand({
    id: "arbor.exportChat",
    title: "Export Chat…",
    icon: "export",
    run: ({ chatting: { panels, history } }) => history.handlers.exportChat({ type: "exportChat" }, panels.active),
  }),
  defineCommand({
    id: "arbor.importChat",
    title: "Import Chat…",
    icon: "desktop-download",
    run: ({ chatting: { panels, history } }) => history.handlers.importChat({ type: "importChat" }, panels.active),
  }),
  defineCommand({
    id: "arbor.deleteAllData",
    title: "Delete All Data…",
    icon: "trash",
    run: ({ chatting }) => chatting.deleteAll(),
  }),
  // Of the side-bar view's menu: they act there, whichever tab is active.
  defineCommand({
    id: "arbor.view.newChat",
    title: "New Chat",
    icon: "add",
    palette: "hidden",
    menus: [{ menu: "view/title", group: "0_chat@1", when: inView }],
    run: ({ chatting: { panels, conversationOf } }) => conversationOf(panels.view).startNew(),
  }),
  defineCommand({
    id: "arbor.view.openHistory",
    title: "Open History",
    icon: "history",
    palette: "hidden",
    menus: [{ menu: "view/title", group: "0_chat@2", when: inView }],
    run: ({ chatting: { panels } }) => panels.view.send({ type: "focus", target: "history" }),
  }),
  defineCommand({
    id: "arbor.view.replaySession",
    title: "Replay Session",
    icon: "play-circle",
    palette: "hidden",
    menus: [{ menu: "view/title", group: "0_chat@6", when: inView }],
    run: ({ chatting: { panels, history } }) => history.handlers.replayChat({ type: "replayChat" }, panels.view),
  }),
  defineCommand({
    id: "arbor.view.exportChat",
    title: "Export Chat…",
    icon: "export",
    palette: "hidden",
    menus: [{ menu: "view/title", group: "0_chat@4", when: inView }],
    run: ({ chatting: { panels, history } }) => history.handlers.exportChat({ type: "exportChat" }, panels.view),
  }),
  defineCommand({
    id: "arbor.view.importChat",
    title: "Import Chat…",
    icon: "desktop-download",
    palette: "hidden",
    menus: [{ menu: "view/title", group: "0_chat@5", when: inView }],
    run: ({ chatting: { panels, history } }) => history.handlers.importChat({ type: "importChat" }, panels.view),
  }),
];
