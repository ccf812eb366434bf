import { type CommandDefinition, defineCommand } from "./defineCommand.ts";

const inView = "view == arbor.chat";

/** What asks an agent about what the editor shows, and what shows what Arbor recorded. */
export const editorCommands: readonly CommandDefinition[] = [
  defineCommand({
    id: "arbor.explain",
    title: "Explain",
    icon: "question",
    enablement: "editorIsOpen",
    menus: [{ menu: "editor/context", group: "1_arbor@2", when: "editorHasSelection" }],
    run: ({ entries }) => entries.explain(),
  }),
  defineCommand({
    id: "arbor.fixProblems",
    title: "Fix Problems in This File",
    icon: "wrench",
    enablement: "editorIsOpen",
    run: ({ entries }, input) => entries.fixProblems(input),
  }),
  defineCommand({
    id: "arbor.askAboutFile",
    title: "Ask Agent About This",
    icon: "comment",
    enablement: "workspaceFolderCount > 0",
    menus: [{ menu: "explorer/context", group: "4_arbor@1" }],
    run: ({ entries }, clicked, all) => entries.askAboutFile(clicked, all),
  }),
  defineCommand({
    id: "arbor.askAboutTerminal",
    title: "Ask Agent About This Failure",
    icon: "terminal",
    enablement: "terminalCount > 0",
    menus: [{ menu: "terminal/context", group: "4_arbor@1" }],
    run: ({ entries }) => entries.askAboutTerminal(),
  }),
  defineCommand({
    id: "arbor.askAboutTerminalSelection",
    title: "Ask Agent About the Selection",
    icon: "terminal",
    enablement: "terminalCount > 0",
    palette: "hidden",
    menus: [{ menu: "terminal/context", group: "4_arbor@2" }],
    run: ({ entries }) => entries.askAboutTerminalSelection(),
  }),
  defineCommand({
    id: "arbor.reviewChanges",
    title: "Review My Changes",
    icon: "comment-discussion",
    enablement: "gitOpenRepositoryCount != 0",
    menus: [{ menu: "scm/title", group: "navigation@9", when: "scmProvider == git" }],
    run: ({ entries }) => entries.reviewChanges(),
  }),
  defineCommand({
    id: "arbor.compact",
    title: "Compact Conversation",
    icon: "fold",
    run: ({ chatting: { panels, runs } }, agentId) =>
      runs.of(panels.active.chat).compact(typeof agentId === "string" ? agentId : undefined),
  }),
  defineCommand({
    id: "arbor.newAgent",
    title: "New Agent…",
    icon: "add",
    enablement: "isWorkspaceTrusted",
    run: ({ chatting }) => chatting.newAgent(),
  }),
  defineCommand({
    id: "arbor.mcpServers",
    title: "MCP Servers",
    icon: "server-process",
    menus: [{ menu: "view/title", group: "1_setup@3", when: inView }],
    run: ({ mcp }) => mcp.showServers(),
  }),
  defineCommand({
    id: "arbor.addForeignAgent",
    title: "Add a Foreign Agent…",
    icon: "person-add",
    enablement: "isWorkspaceTrusted",
    run: ({ chatting }) => chatting.addForeignAgent(),
  }),
  defineCommand({
    id: "arbor.foreignAgentOptions",
    title: "Options of a Foreign Agent…",
    icon: "settings",
    enablement: "isWorkspaceTrusted",
    run: ({ chatting }) => chatting.foreignAgentOptions(),
  }),
  defineCommand({
    id: "arbor.showTrace",
    title: "Show Trace of the Latest Run",
    icon: "graph",
    menus: [{ menu: "view/title", group: "2_log@2", when: inView }],
    run: ({ chatting }) => chatting.showTrace(),
  }),
  defineCommand({
    id: "arbor.showLog",
    title: "Show Log",
    icon: "output",
    menus: [{ menu: "view/title", group: "2_log@1", when: inView }],
    run: ({ log }) => log.show(),
  }),
];
