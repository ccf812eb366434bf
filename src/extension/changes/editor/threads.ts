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
import type { ProposalStore } from "../changeStore.ts";
import type { ProposedHunk } from "../model/change.ts";
import { shownLines } from "../panelView.ts";
import { countOf, deedOf, type ShownHunk, shownHunks } from "../pendingHunks.ts";
import { hunkCommands } from "./commandNames.ts";

/** A file with more hunks than this shows them folded: the CodeLens row above each still answers them. */
const mostExpanded = 20;

interface Shown {
  thread: CommentThread;
  shown: ShownHunk;
}

/** A comment thread per pending hunk, in the file's own editor. */
export interface HunkThreads extends Disposable {
  hunkIdOf(thread: unknown): string | undefined;
}

export function showThreads(store: ProposalStore, uriOf: (path: string) => Uri, avatar: Uri): HunkThreads {
  const controller = comments.createCommentController("arbor.review", l10n.t("Arbor: proposed edits"));
  const threads = new Map<string, Shown>();

  const create = (shown: ShownHunk, expanded: boolean): Shown => {
    const thread = controller.createCommentThread(uriOf(shown.file.path), rangeOf(shown), [comment(shown, avatar)]);
    thread.canReply = false;
    thread.collapsibleState = expanded
      ? CommentThreadCollapsibleState.Expanded
      : CommentThreadCollapsibleState.Collapsed;
    label(thread, shown);
    return { thread, shown };
  };

  const update = () => {
    const wanted = shownHunks(store.proposals).filter(({ file }) => file.change !== "add");
    const ids = new Set(wanted.map(({ hunk }) => hunk.id));
    for (const [id, { thread }] of threads) {
      if (ids.has(id)) continue;
      thread.dispose();
      threads.delete(id);
    }
    const perFile = new Map<string, number>();
    for (const shown of wanted) {
      const count = (perFile.get(shown.file.path) ?? 0) + 1;
      perFile.set(shown.file.path, count);
      const known = threads.get(shown.hunk.id);
      if (known === undefined) threads.set(shown.hunk.id, create(shown, count <= mostExpanded));
      else threads.set(shown.hunk.id, moved(known, shown, avatar));
    }
  };

  const subscriptions = [
    store.onDidChange(update),
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

/** Only what changed is set: every assignment renders the thread anew. */
function moved(known: Shown, shown: ShownHunk, avatar: Uri): Shown {
  const { thread } = known;
  const range = rangeOf(shown);
  if (!thread.range?.isEqual(range)) thread.range = range;
  const same =
    known.shown.hunk.hunk === shown.hunk.hunk &&
    known.shown.hunk.conflicted === shown.hunk.conflicted &&
    known.shown.agents === shown.agents;
  if (!same) {
    thread.comments = [comment(shown, avatar)];
    label(thread, shown);
  }
  return { thread, shown };
}

/** Below the last old line; an insertion one line above, so that the new text stands where it would land. */
function rangeOf({ hunk: { extent } }: ShownHunk): Range {
  const line = Math.max(extent.end - 1, 0);
  return new Range(line, 0, line, 0);
}

function label(thread: CommentThread, { hunk, agents }: ShownHunk): void {
  thread.label = hunk.conflicted ? l10n.t("{0}: in conflict", agents) : `${agents}: ${countOf(hunk)}`;
  thread.contextValue = threadContextOf(hunk);
}

/** What menus and keybindings know a thread by: its own hunk, since several threads may be open. */
export function threadContextOf({ id, conflicted }: ProposedHunk): string {
  return `hunk.${conflicted ? "conflict" : "pending"}.${id}`;
}

function comment(shown: ShownHunk, avatar: Uri): Comment {
  return {
    author: { name: shown.agents, iconPath: avatar },
    label: deedOf(shown.file, shown.hunk),
    body: hunkMarkdown(shown),
    mode: CommentMode.Preview,
  };
}

/** More new lines than this are left to the diff: a thread should not push the code out of sight. */
const mostLines = 40;

/** Characters of a line that may not fit into the width of a thread. */
const wideCharacters = 80;

/** The body of a hunk's thread: the new lines in the file's own colours, then what can be done. */
function hunkMarkdown({ file, hunk }: ShownHunk): MarkdownString {
  const text = new MarkdownString("", true);
  text.isTrusted = { enabledCommands: Object.values(hunkCommands) };
  if (hunk.conflicted) {
    text.appendMarkdown(
      `${l10n.t("$(warning) The lines this replaces have changed. Undo your change to accept it, or reject it.")}\n`,
    );
  }
  const { newLines } = shownLines(hunk.hunk);
  if (newLines.length > 0) text.appendCodeblock(newLines.slice(0, mostLines).join("\n"), file.languageId);
  else text.appendMarkdown(`${removal(hunk.hunk.oldLines.length)}\n\n`);
  if (newLines.length > mostLines)
    text.appendMarkdown(`${l10n.t("… and {0} more lines", newLines.length - mostLines)}\n\n`);
  text.appendMarkdown(answerLinks(hunk.id, hunk.conflicted));
  // The scrollbar of wide lines lies over the last line of a thread.
  return newLines.some((line) => line.length > wideCharacters) ? text.appendMarkdown("  \n&nbsp;") : text;
}

function removal(count: number): string {
  return count === 1 ? l10n.t("Deletes the line above.") : l10n.t("Deletes the {0} lines above.", count);
}

function answerLinks(hunkId: string, conflicted: boolean): string {
  const target = encodeURIComponent(JSON.stringify([hunkId, "thread"]));
  const link = (label: string, command: string) => `[${label}](command:${command}?${target})`;
  return [
    ...(conflicted ? [] : [link(l10n.t("$(check) Accept"), hunkCommands.accept)]),
    link(l10n.t("$(discard) Reject"), hunkCommands.reject),
    link(l10n.t("$(comment) Reject and say why"), hunkCommands.rejectWhy),
    link(l10n.t("$(diff) Open diff"), hunkCommands.openDiff),
  ].join(" · ");
}
