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
import { changedWords } from "../model/changedWords.ts";
import { hunkHtml, maxShownLines } from "../model/hunkHtml.ts";
import { shownLines } from "../outcome.ts";
import { deedOf, isNearView, type ShownProposal, shownProposals } from "../shownHunks.ts";
import { hunkCommands } from "./commandNames.ts";
import { isHighContrast } from "./marks.ts";

interface Shown {
  thread: CommentThread;
  shown: ShownProposal;
}

/**
 * A comment thread per pending hunk, in the file's own editor. Those in sight or close to it are expanded, each once: what
 * the user collapses stays so, and a file may have thousands.
 */
export interface HunkThreads extends Disposable {
  hunkIdOf(thread: unknown): string | undefined;
}

export function showThreads(store: ChangeStore, uriOf: (path: string) => Uri, avatar: Uri): HunkThreads {
  const controller = comments.createCommentController("arbor.review", l10n.t("Arbor: proposed edits"));
  const threads = new Map<string, Shown>();

  const create = (shown: ShownProposal): Shown => {
    const thread = controller.createCommentThread(uriOf(shown.path), rangeOf(shown), [comment(shown, avatar)]);
    thread.canReply = false;
    thread.collapsibleState = CommentThreadCollapsibleState.Collapsed;
    label(thread, shown);
    return { thread, shown };
  };

  const expandNear = () => {
    const views = window.visibleTextEditors.flatMap(({ document: { uri }, visibleRanges }) =>
      visibleRanges.map(({ start, end }) => ({ uri: uri.toString(), start: start.line, end: end.line + 1 })),
    );
    for (const { thread } of threads.values()) {
      const line = thread.range?.start.line;
      if (line === undefined || thread.collapsibleState === CommentThreadCollapsibleState.Expanded) continue;
      const uri = thread.uri.toString();
      if (views.some((view) => view.uri === uri && isNearView(line, view)))
        thread.collapsibleState = CommentThreadCollapsibleState.Expanded;
    }
  };

  const update = () => {
    const wanted = shownProposals(store.proposals).filter(({ file }) => file.change !== "add");
    const ids = new Set(wanted.map(({ id }) => id));
    for (const [id, { thread }] of threads) {
      if (ids.has(id)) continue;
      thread.dispose();
      threads.delete(id);
    }
    for (const shown of wanted) {
      const known = threads.get(shown.id);
      threads.set(shown.id, known === undefined ? create(shown) : moved(known, shown, avatar));
    }
    expandNear();
  };

  const subscriptions = [
    store.onDidChange(update, "proposals"),
    window.onDidChangeVisibleTextEditors(expandNear),
    window.onDidChangeTextEditorVisibleRanges(expandNear),
    // A theme with high contrast marks changed words in another way.
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
export function threadContextOf({ id, state, canRebase, canMerge }: ShownProposal): string {
  const kind = state === "proposed" ? "pending" : canMerge ? "conflict" : canRebase ? "changed" : "blocked";
  return `hunk.${kind}.${id}`;
}

function comment(shown: ShownProposal, avatar: Uri): Comment {
  return {
    author: { name: shown.agents, iconPath: avatar },
    label: deedOf(shown.file, shown.hunk),
    body: hunkMarkdown(shown),
    mode: CommentMode.Preview,
  };
}

/** The body of a hunk's thread: what it does to the lines above. The answers are in the thread's title or above the lines. */
function hunkMarkdown({ id, hunk, state, waitsForMove }: ShownProposal): MarkdownString {
  const text = new MarkdownString("", true);
  text.supportHtml = true;
  text.isTrusted = { enabledCommands: [hunkCommands.openDiff] };
  if (state === "conflicted") text.appendMarkdown(`${l10n.t("$(warning) The lines this replaces have changed.")}\n\n`);
  if (waitsForMove !== undefined) {
    text.appendMarkdown(
      `$(info) ${l10n.t("Accept the move of {0} first: this change belongs to it.", waitsForMove)}\n\n`,
    );
  }
  const { oldLines, newLines } = shownLines(hunk);
  if (newLines.length === 0) return text.appendMarkdown(removal(oldLines.length));
  const options = { words: changedWords(oldLines, newLines), isHighContrast: isHighContrast() };
  text.appendMarkdown(hunkHtml(newLines, options));
  const more = newLines.length - maxShownLines;
  if (more <= 0) return text;
  const target = encodeURIComponent(JSON.stringify([id, "thread"]));
  return text.appendMarkdown(
    `\n\n[${l10n.t("{0} more: Open diff", more)}](command:${hunkCommands.openDiff}?${target})`,
  );
}

function removal(count: number): string {
  return count === 1 ? l10n.t("Deletes the line above.") : l10n.t("Deletes the {0} lines above.", count);
}
