import { t } from "@vscode/l10n";
import type { Mistake } from "./frontMatter.ts";

/**
 * What a reviewer of a file does not see, and models read: tag characters, which spell out whole sentences, and what turns
 * the text around it. Joiners and variation selectors belong to many scripts and to emoji; several in a row to none.
 */
const hidden =
  /[\u{e0000}-\u{e007f}\u202a-\u202e\u2066-\u2069]|[\u200b-\u200d\u2060-\u2064\ufeff]{2}|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{2}/u;

/** The first one, for the user; a file may be full of them. */
export function hiddenTextIn(text: string): Mistake[] {
  const found = hidden.exec(text);
  if (found === null) return [];
  const codePoint = `U+${(found[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  const message = t("Agents read characters here that can't be seen, like {0}.", codePoint);
  return [{ span: { start: found.index, end: found.index + found[0].length }, severity: "warning", message }];
}
