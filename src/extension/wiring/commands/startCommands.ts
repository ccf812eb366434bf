import { demoQuestion } from "../../start/offers.ts";
import { type CommandDefinition, defineCommand } from "./defineCommand.ts";

const inView = "view == arbor.chat";
const inReport = "resourceScheme == arbor-doctor";

/** For the first steps, for problems, and for a move to another machine. */
export const startCommands: readonly CommandDefinition[] = [
  defineCommand({
    id: "arbor.getStarted",
    title: "Get Started",
    icon: "rocket",
    menus: [{ menu: "view/title", group: "3_help@1", when: inView }],
    run: async ({ execute }) => execute("workbench.action.openWalkthrough", "arbor.arbor-agent#arbor.start", false),
  }),
  defineCommand({
    id: "arbor.tryDemo",
    title: "Try the Demo",
    icon: "play",
    run: async ({ chatting, commands, ask }) => {
      // The chat that was shown before the window was reloaded would come in place of the demo's.
      await chatting.ready;
      const offerBack = await commands.useDemo();
      await chatting.conversationOf(chatting.panels.active).startNew();
      await ask({ prompt: demoQuestion, attachments: [] });
      await offerBack();
    },
  }),
  defineCommand({
    id: "arbor.doctor",
    title: "Doctor",
    icon: "pulse",
    menus: [
      { menu: "view/title", group: "3_help@2", when: inView },
      { menu: "editor/title", group: "navigation@2", when: inReport },
    ],
    run: ({ doctor }) => doctor.examine(),
  }),
  defineCommand({
    id: "arbor.copyDoctorReport",
    title: "Copy Doctor Report",
    icon: "copy",
    enablement: inReport,
    menus: [{ menu: "editor/title", group: "navigation@1", when: inReport }],
    run: ({ doctor }) => doctor.copyReport(),
  }),
  defineCommand({
    id: "arbor.cleanUpWorktrees",
    title: "Clean Up Worktrees",
    icon: "trash",
    run: ({ isolation }) => isolation.cleanUp(),
  }),
  defineCommand({
    id: "arbor.exportSettings",
    title: "Export Settings…",
    icon: "export",
    run: async (_, file) => (await import("../../start/settingsFiles.ts")).exportSettingsFile(file),
  }),
  defineCommand({
    id: "arbor.importSettings",
    title: "Import Settings…",
    icon: "desktop-download",
    run: async (_, file) => (await import("../../start/settingsFiles.ts")).importSettingsFile(file),
  }),
];
