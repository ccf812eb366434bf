import { CodeLens, type Command, Disposable, EventEmitter, l10n, languages, Range, type Uri } from "vscode";
import type { AppliedStore } from "../applied/appliedStore.ts";
import { type ShownApplied, shownApplied } from "../applied/shownApplied.ts";
import { appliedCommands } from "./appliedCommandNames.ts";

/** A row of Keep and Undo above each pending hunk. */
export function showAppliedLenses(store: AppliedStore, pathOf: (uri: Uri) => string | undefined): Disposable {
  const changed = new EventEmitter<void>();
  const provider = languages.registerCodeLensProvider("*", {
    onDidChangeCodeLenses: changed.event,
    provideCodeLenses: ({ uri, lineCount }) => {
      const path = store.files.length === 0 ? undefined : pathOf(uri);
      const file = path === undefined ? undefined : store.find(path);
      return file === undefined ? [] : shownApplied(file).flatMap((shown) => row(shown, lineCount - 1));
    },
  });
  return Disposable.from(
    changed,
    provider,
    store.onDidChange(() => changed.fire()),
  );
}

function row({ id, place, agents, count, isUndoable }: ShownApplied, lastLine: number): CodeLens[] {
  const line = Math.min(place.start, lastLine);
  const range = new Range(line, 0, line, 0);
  const lens = (title: string, command: string, tooltip: string): Command => ({
    title,
    command,
    tooltip,
    arguments: [id],
  });
  const commands = [
    lens(
      l10n.t("$(check) Keep ({0})", count),
      appliedCommands.keep,
      l10n.t("The change stays and is not asked about any more."),
    ),
    isUndoable
      ? lens(
          l10n.t("$(discard) Undo"),
          appliedCommands.undo,
          l10n.t("The lines come back; what you typed since stays."),
        )
      : lens(
          l10n.t("$(warning) Changed since"),
          appliedCommands.undo,
          l10n.t("Others wrote over these lines, so Undo would lose that."),
        ),
  ];
  const author: Command = { title: `$(hubot) ${agents}`, command: "" };
  return [author, ...commands].map((command) => new CodeLens(range, command));
}
