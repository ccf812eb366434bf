import { hunkCommands, writtenCommands } from "../../changes/editor/commandNames.ts";
import { type CommandDefinition, defineCommand } from "./defineCommand.ts";

const whilePending = "arbor.review.pending";
const whileWritten = "arbor.applied.pending";
const atCaret = "editorTextFocus && arbor.review.pending";
/** The accessible view is an editor too, in which these keys go from one block of code to the next. */
const inEditor = `${atCaret} && !accessibleViewIsShown`;
const inAnyThread = "commentFocused && arbor.review.pending";
const inThread = "commentFocused && commentThread in arbor.review.threadAtCaret";
/** Where the answers are not above the lines. */
const inTitle = "(config.arbor.edits.actions == comment || !config.editor.codeLens)";
const inThreadOf = (threads: string) =>
  `commentController == arbor.review && commentThread =~ ${threads} && ${inTitle}`;
const inDiff = "resourceScheme == arbor-proposed && isInDiffEditor";
const inMerge = "isMergeEditor && mergeEditorResultUri =~ /^arbor-proposed:/";
const inFile = "resource in arbor.applied.files && !isInDiffEditor";
const inQuickDiff = "originalResourceScheme == arbor-base";
const enter = { key: "ctrl+alt+enter", mac: "cmd+alt+enter" };
const pageDown = { key: "ctrl+alt+pagedown", mac: "cmd+alt+pagedown" };
const pageUp = { key: "ctrl+alt+pageup", mac: "cmd+alt+pageup" };
const backspace = { key: "ctrl+alt+backspace", mac: "cmd+alt+backspace" };

/** Edits that wait for an answer before they are written. */
const proposalCommands: readonly CommandDefinition[] = [
  defineCommand({
    id: "arbor.acceptEdit",
    title: "Accept Edit at Cursor",
    icon: "check",
    enablement: whilePending,
    keys: [
      { ...enter, when: atCaret },
      { ...enter, when: inThread, args: "thread" },
    ],
    run: ({ review }, from) => review.editorCommands.acceptAtCaret(from),
  }),
  defineCommand({
    id: "arbor.rejectEdit",
    title: "Reject Edit at Cursor",
    icon: "discard",
    enablement: whilePending,
    keys: [
      { ...backspace, when: atCaret },
      { ...backspace, when: inThread, args: "thread" },
    ],
    run: ({ review }, from) => review.editorCommands.rejectAtCaret(from),
  }),
  defineCommand({
    id: "arbor.nextEdit",
    title: "Go to Next Edit",
    icon: "arrow-down",
    enablement: whilePending,
    keys: [
      { ...pageDown, when: inEditor },
      { ...pageDown, when: inAnyThread, args: "thread" },
    ],
    run: ({ review }, from) => review.editorCommands.goToNext(from),
  }),
  defineCommand({
    id: "arbor.previousEdit",
    title: "Go to Previous Edit",
    icon: "arrow-up",
    enablement: whilePending,
    keys: [
      { ...pageUp, when: inEditor },
      { ...pageUp, when: inAnyThread, args: "thread" },
    ],
    run: ({ review }, from) => review.editorCommands.goToPrevious(from),
  }),
  defineCommand({
    id: "arbor.acceptAllEdits",
    title: "Accept All Edits",
    icon: "check-all",
    enablement: whilePending,
    menus: [{ menu: "editor/title", group: "navigation@1", when: inDiff }],
    run: ({ review }, target) => review.editorCommands.acceptAll(target),
  }),
  defineCommand({
    id: "arbor.rejectAllEdits",
    title: "Reject All Edits",
    icon: "discard",
    enablement: whilePending,
    menus: [{ menu: "editor/title", group: "navigation@2", when: inDiff }],
    run: ({ review }, target) => review.editorCommands.rejectAll(target),
  }),
  defineCommand({
    id: hunkCommands.accept,
    title: "Accept",
    icon: "check",
    enablement: whilePending,
    palette: "hidden",
    menus: [{ menu: "comments/commentThread/title", group: "navigation@2", when: inThreadOf("/^hunk\\.pending\\./") }],
    run: ({ review }, ...target) => review.editorCommands.acceptHunk(...target),
  }),
  defineCommand({
    id: hunkCommands.reject,
    title: "Reject",
    icon: "discard",
    enablement: whilePending,
    palette: "hidden",
    menus: [
      {
        menu: "comments/commentThread/title",
        group: "navigation@3",
        when: inThreadOf("/^hunk\\.(pending|blocked)\\./"),
      },
    ],
    run: ({ review }, ...target) => review.editorCommands.rejectHunk(...target),
  }),
  defineCommand({
    id: hunkCommands.rejectWhy,
    title: "Reject with Feedback…",
    icon: "comment",
    enablement: whilePending,
    palette: "hidden",
    menus: [
      {
        menu: "comments/commentThread/title",
        group: "navigation@4",
        when: inThreadOf("/^hunk\\.(pending|blocked)\\./"),
      },
    ],
    run: ({ review }, ...target) => review.editorCommands.rejectHunkWhy(...target),
  }),
  defineCommand({
    id: hunkCommands.useAgent,
    title: "Use Agent's Lines",
    enablement: whilePending,
    palette: "hidden",
    menus: [
      {
        menu: "comments/commentThread/title",
        group: "navigation@2",
        when: inThreadOf("/^hunk\\.(conflict|changed)\\./"),
      },
    ],
    run: ({ review }, ...target) => review.editorCommands.useAgentLines(...target),
  }),
  defineCommand({
    id: hunkCommands.keepMine,
    title: "Keep Mine",
    enablement: whilePending,
    palette: "hidden",
    menus: [
      {
        menu: "comments/commentThread/title",
        group: "navigation@3",
        when: inThreadOf("/^hunk\\.(conflict|changed)\\./"),
      },
    ],
    run: ({ review }, ...target) => review.editorCommands.keepMyLines(...target),
  }),
  defineCommand({
    id: hunkCommands.merge,
    title: "Merge…",
    enablement: whilePending,
    palette: "hidden",
    menus: [{ menu: "comments/commentThread/title", group: "navigation@4", when: inThreadOf("/^hunk\\.conflict\\./") }],
    run: ({ review }, ...target) => review.editorCommands.mergeHunk(...target),
  }),
  defineCommand({
    id: "arbor.completeMerge",
    title: "Accept Merge",
    icon: "check",
    enablement: inMerge,
    palette: "hidden",
    menus: [{ menu: "editor/title", group: "navigation@1", when: inMerge }],
    run: ({ review }, target) => review.editorCommands.completeMerge(target),
  }),
  defineCommand({
    id: hunkCommands.openDiff,
    title: "Open Diff",
    icon: "diff",
    enablement: whilePending,
    palette: "hidden",
    menus: [{ menu: "comments/commentThread/title", group: "navigation@1", when: inThreadOf("/^hunk\\./") }],
    run: ({ review }, ...target) => review.editorCommands.openHunkDiff(...target),
  }),
];

/** Edits that are written and wait for Keep or Undo. */
const writtenEditCommands: readonly CommandDefinition[] = [
  defineCommand({
    id: "arbor.reviewEdits",
    title: "Review Agent Edits",
    icon: "diff-multiple",
    enablement: whilePending,
    run: ({ review }) => review.commands.review({}),
  }),
  defineCommand({
    id: "arbor.keepAllEdits",
    title: "Keep All Agent Edits",
    icon: "check-all",
    enablement: whileWritten,
    run: ({ review }) => review.commands.keep({}),
  }),
  defineCommand({
    id: "arbor.undoAllEdits",
    title: "Undo All Agent Edits",
    icon: "discard",
    enablement: whileWritten,
    run: ({ review }) => review.commands.undo({}),
  }),
  defineCommand({
    id: "arbor.keepFileEdits",
    title: "Keep Agent Edits of This File",
    icon: "check-all",
    enablement: whileWritten,
    menus: [{ menu: "editor/title", group: "1_arbor@1", when: inFile }],
    run: ({ review }, file) => review.editorCommands.keepFile(file),
  }),
  defineCommand({
    id: "arbor.undoFileEdits",
    title: "Undo Agent Edits of This File",
    icon: "discard",
    enablement: whileWritten,
    menus: [{ menu: "editor/title", group: "1_arbor@2", when: inFile }],
    run: ({ review }, file) => review.editorCommands.undoFile(file),
  }),
  defineCommand({
    id: "arbor.reviewAgentEdits",
    title: "Review the Edits of One Agent…",
    icon: "diff-multiple",
    enablement: whileWritten,
    run: ({ review }) => review.editorCommands.reviewAgent(),
  }),
  defineCommand({
    id: "arbor.keepAgentEdits",
    title: "Keep the Edits of One Agent…",
    icon: "check-all",
    enablement: whileWritten,
    run: ({ review }) => review.editorCommands.keepAgent(),
  }),
  defineCommand({
    id: "arbor.undoAgentEdits",
    title: "Undo the Edits of One Agent…",
    icon: "discard",
    enablement: whileWritten,
    run: ({ review }) => review.editorCommands.undoAgent(),
  }),
  defineCommand({
    id: writtenCommands.keep,
    title: "Keep",
    icon: "check",
    enablement: whileWritten,
    palette: "hidden",
    menus: [{ menu: "scm/change/title", group: "navigation@1", when: inQuickDiff }],
    run: ({ review }, ...target) => review.editorCommands.keepHunks(...target),
  }),
  defineCommand({
    id: writtenCommands.undo,
    title: "Undo",
    icon: "discard",
    enablement: whileWritten,
    palette: "hidden",
    menus: [{ menu: "scm/change/title", group: "navigation@2", when: inQuickDiff }],
    run: ({ review }, ...target) => review.editorCommands.undoHunks(...target),
  }),
];

/** The review of edits in the editor. */
export const editCommands: readonly CommandDefinition[] = [...proposalCommands, ...writtenEditCommands];
