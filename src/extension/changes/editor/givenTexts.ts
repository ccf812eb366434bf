import { mergeTexts } from "../model/mergeTexts.ts";
import { editorLines, sameLines } from "../model/pieces.ts";

/**
 * Whether a document shows what it was given, or what a user typed into it. The editor reports both as changes, and later
 * than they are made: by then the next text may be on its way.
 */
export class GivenTexts {
  /** What the document showed last with nothing of the user's that was not taken in. */
  #shown: string | undefined;
  /** What it was given since and has not shown yet, the oldest first. */
  #coming: string[] = [];

  give(text: string): void {
    if (!isSame(text, this.#coming.at(-1) ?? this.#shown)) this.#coming.push(text);
  }

  /** The editor refused it. */
  withdraw(text: string): void {
    this.#coming = this.#coming.filter((each) => each !== text);
  }

  /**
   * Takes note of what a document shows, and says whether it was given that. One without unsaved changes may also be
   * loaded again.
   */
  noteShown(text: string, { isDirty }: { isDirty: boolean }): boolean {
    const at = this.#coming.findIndex((each) => isSame(text, each));
    if (at < 0 && (isDirty || !isSame(text, this.#shown))) {
      // What was on its way to a document that the user types into is dropped by the editor.
      this.#coming = [];
      return false;
    }
    this.#shown = text;
    this.#coming.splice(0, at + 1);
    return true;
  }

  /**
   * The user's text, with what changed in `proposed` since the document showed it last: without that, what is typed into
   * the file meanwhile would be taken out by the proposal.
   */
  takeIn(edited: string, proposed: string): string {
    const before = this.#shown;
    this.#shown = edited;
    if (before === undefined || isSame(before, proposed)) return edited;
    const end = /\r\n|\r|\n/.exec(edited)?.[0] ?? "\n";
    return mergeTexts(before, proposed.replace(/\r\n|\r|\n/g, end), edited).text;
  }
}

function isSame(text: string, other: string | undefined): boolean {
  return other !== undefined && sameLines(editorLines(text), editorLines(other));
}
