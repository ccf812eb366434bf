import { t } from "@vscode/l10n";

const longestTitle = 60;

/** A chat's title: the first line of its first message, cut at a word where it is long. */
export function titleOf(text: string): string {
  const line = text.trim().split(/\r?\n/, 1)[0] ?? "";
  if (line.length === 0) return t("New chat");
  if (line.length <= longestTitle) return line;
  const cut = line.slice(0, longestTitle);
  const lastSpace = cut.lastIndexOf(" ");
  return `${lastSpace > longestTitle / 2 ? cut.slice(0, lastSpace) : cut}…`;
}
