import {
  type Comment,
  CommentMode,
  type CommentThread,
  CommentThreadCollapsibleState,
  comments,
  Disposable,
  l10n,
  MarkdownString,
  Range,
  type Uri,
  window,
} from "vscode";
import type { ChangeStore } from "../changeStore.ts";
import { shownLines } from "../outcome.ts";
import { deedOf, type ShownProposal, shownProposals } from "../shownHunks.ts";
import { hunkCommands } from "./commandNames.ts";

/** A file with more hunks than this shows them folded: the CodeLens row above each still answers them. */
const maxExpanded = 20;

interface Shown {
  thread: CommentThread;
  shown: ShownProposal;
}

/** A comment thread per pending hunk, in the file's own editor. */
export interface HunkThreads extends Disposable {
  hunkIdOf(thread: unknown): string | undefined;
}

export function showThreads(store: ChangeStore, uriOf: (path: string) => Uri, avatar: Uri): HunkThreads {
  const controller = comments.createCommentController("arbor.review", l10n.t("Arbor: proposed edits"));
  const threads = new Map<string, Shown>();

  const create = (shown: ShownProposal, expanded: boolean): Shown => {
    const thread = controller.createCommentThread(uriOf(shown.path), rangeOf(shown), [comment(shown, avatar)]);
    thread.canReply = false;
    thread.collapsibleState = expanded
      ? CommentThreadCollapsibleState.Expanded
      : CommentThreadCollapsibleState.Collapsed;
    label(thread, shown);
    return { thread, shown };
  };

  const update = () => {
    const wanted = shownProposals(store.proposals).filter(({ file }) => file.change !== "add");
    const ids = new Set(wanted.map(({ id }) => id));
    for (const [id, { thread }] of threads) {
      if (ids.has(id)) continue;
      thread.dispose();
      threads.delete(id);
    }
    const perFile = new Map<string, number>();
    for (const shown of wanted) {
      const count = (perFile.get(shown.path) ?? 0) + 1;
      perFile.set(shown.path, count);
      const known = threads.get(shown.id);
      if (known === undefined) threads.set(shown.id, create(shown, count <= maxExpanded));
      else threads.set(shown.id, moved(known, shown, avatar));
    }
  };

  const subscriptions = [
    store.onDidChange(update, "proposals"),
    // Fenced code keeps the colours of the theme it was rendered in.
    window.onDidChangeActiveColorTheme(() => {
      for (const { thread, shown } of threads.values()) thread.comments = [comment(shown, avatar)];
    }),
    controller,
  ];
  update();
  return {
    hunkIdOf: (thread) => [...threads].find(([, known]) => known.thread === thread)?.[0],
    dispose: () => Disposable.from(...subscriptions).dispose(),
  };
}

/** Only what changed is set: every assignment renders the thread again. */
function moved(known: Shown, shown: ShownProposal, avatar: Uri): Shown {
  const { thread } = known;
  const range = rangeOf(shown);
  if (!thread.range?.isEqual(range)) thread.range = range;
  const same =
    known.shown.hunk === shown.hunk && known.shown.state === shown.state && known.shown.agents === shown.agents;
  if (!same) {
    thread.comments = [comment(shown, avatar)];
    label(thread, shown);
  }
  return { thread, shown };
}

/** Below the last old line; an insertion one line above, so that the new text is where it would land. */
function rangeOf({ range }: ShownProposal): Range {
  const line = Math.max(range.end - 1, 0);
  return new Range(line, 0, line, 0);
}

function label(thread: CommentThread, shown: ShownProposal): void {
  const { state, agents, count } = shown;
  thread.label = state === "conflicted" ? l10n.t("{0}: in conflict", agents) : `${agents}: ${count}`;
  thread.contextValue = threadContextOf(shown);
}

/** What menus and keybindings know a thread by: its own hunk, since several threads may be open. */
export function threadContextOf({ id, state }: ShownProposal): string {
  return `hunk.${state === "conflicted" ? "conflict" : "pending"}.${id}`;
}

function comment(shown: ShownProposal, avatar: Uri): Comment {
  return {
    author: { name: shown.agents, iconPath: avatar },
    label: deedOf(shown.file, shown.hunk),
    body: hunkMarkdown(shown),
    mode: CommentMode.Preview,
  };
}

/** More new lines than this are left to the diff: a thread should not push the code out of sight. */
const maxLines = 40;

/** Characters of a line that may not fit into the width of a thread. */
const wideCharacters = 80;

/** The body of a hunk's thread: the new lines in the file's own colours, then what can be done. */
function hunkMarkdown({ id, languageId, hunk, state, waitsForMove }: ShownProposal): MarkdownString {
  const isConflicted = state === "conflicted";
  const text = new MarkdownString("", true);
  text.isTrusted = { enabledCommands: Object.values(hunkCommands) };
  if (isConflicted) {
    text.appendMarkdown(
      `${l10n.t("$(warning) The lines this replaces have changed. Undo your change to accept it, or reject it.")}\n`,
    );
  }
  if (waitsForMove !== undefined) {
    text.appendMarkdown(
      `$(info) ${l10n.t("Accept the move of {0} first: this change belongs to it.", waitsForMove)}\n`,
    );
  }
  const { newLines } = shownLines(hunk);
  if (newLines.length > 0) text.appendCodeblock(newLines.slice(0, maxLines).join("\n"), languageId);
  else text.appendMarkdown(`${removal(hunk.oldLines.length)}\n\n`);
  if (newLines.length > maxLines)
    text.appendMarkdown(`${l10n.t("… and {0} more lines", newLines.length - maxLines)}\n\n`);
  text.appendMarkdown(answerLinks(id, !isConflicted && waitsForMove === undefined));
  // The scrollbar of wide lines lies over the last line of a thread.
  return newLines.some((line) => line.length > wideCharacters) ? text.appendMarkdown("  \n&nbsp;") : text;
}

function removal(count: number): string {
  return count === 1 ? l10n.t("Deletes the line above.") : l10n.t("Deletes the {0} lines above.", count);
}

function answerLinks(hunkId: string, canAccept: boolean): string {
  const target = encodeURIComponent(JSON.stringify([hunkId, "thread"]));
  const link = (label: string, command: string) => `[${label}](command:${command}?${target})`;
  return [
    ...(canAccept ? [link(l10n.t("$(check) Accept"), hunkCommands.accept)] : []),
    link(l10n.t("$(discard) Reject"), hunkCommands.reject),
    link(l10n.t("$(comment) Reject with feedback"), hunkCommands.rejectWhy),
    link(l10n.t("$(diff) Open diff"), hunkCommands.openDiff),
  ].join(" · ");
}
