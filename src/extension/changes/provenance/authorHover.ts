import { type Disposable, Hover, l10n, languages, MarkdownString, type Uri } from "vscode";
import type { EditHistory } from "../history/editHistory.ts";
import type { Author } from "../model/change.ts";
import { hunkAt } from "./movedLines.ts";

/** What is known of a call from its session. */
export interface EditOrigin {
  /** Why its model made it. */
  reason?: string;
  /** What the user had asked for. */
  prompt?: string;
}

interface AuthorHoverParts {
  history: Pick<EditHistory, "find" | "all">;
  pathOf(uri: Uri): string | undefined;
  /** Undefined when its session is deleted. */
  originOf(author: Author): Promise<EditOrigin | undefined>;
}

/** Over a line that an agent wrote: which one, by what call, and what the user had asked for. */
export function showAuthors({ history, pathOf, originOf }: AuthorHoverParts): Disposable {
  return languages.registerHoverProvider([{ scheme: "file" }, { scheme: "vscode-remote" }], {
    async provideHover(document, position) {
      const path = pathOf(document.uri);
      const file = path === undefined ? undefined : history.find(path);
      const hunk = file && hunkAt(file, position.line, history.all);
      if (hunk === undefined) return undefined;
      const line = document.lineAt(position.line).range;
      const origin = await originOf(hunk.author);
      if (origin === undefined) return undefined;
      return new Hover(hoverText(hunk.author, origin), line);
    },
  });
}

/** Names and words are a model's: none of it is taken for Markdown. */
function hoverText({ agentPath }: Author, { reason, prompt }: EditOrigin): MarkdownString {
  const text = new MarkdownString();
  text.appendText(l10n.t("Written by {0}", agentPath.join(" › ")));
  if (reason !== undefined) text.appendMarkdown("\n\n").appendText(reason);
  if (prompt !== undefined) text.appendMarkdown("\n\n").appendText(l10n.t("Prompt: {0}", prompt));
  return text;
}
