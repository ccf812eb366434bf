import type { WrittenFile } from "../model/change.ts";
import type { LineEdit } from "../model/lineEdit.ts";
import { textOf } from "../model/trackedLines.ts";
import { typeInto } from "../model/trackText.ts";
import type { UndoneFile } from "./redoUndone.ts";

const mostUndone = 20;

/** The files with pending hunks, and who wants to know when they change. */
export class AppliedStore {
  #files: ReadonlyMap<string, WrittenFile> = new Map();
  #undone: readonly (readonly UndoneFile[])[] = [];
  readonly #listeners = new Set<() => void>();

  get files(): readonly WrittenFile[] {
    return [...this.#files.values()];
  }

  /** What was undone and can be redone, by undo, the latest last. */
  get undone(): readonly (readonly UndoneFile[])[] {
    return this.#undone;
  }

  setUndone(undone: readonly (readonly UndoneFile[])[]): void {
    if (undone.length === 0 && this.#undone.length === 0) return;
    this.#undone = undone.slice(-mostUndone);
    this.#notify();
  }

  /** Hears of every change, and reads what it needs from `files`. */
  onDidChange(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => void this.#listeners.delete(listener) };
  }

  find(path: string): WrittenFile | undefined {
    return this.#files.get(path);
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  /** Takes a file in as it is now; one without hunks is forgotten. */
  put(file: WrittenFile): void {
    if (this.#files.get(file.path) === file) return;
    const files = new Map(this.#files);
    if (file.hunks.length > 0) files.set(file.path, file);
    else if (!files.delete(file.path)) return;
    this.#files = files;
    this.#notify();
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** A file's text is now this one: by these edits, or when they do not lead there, by whatever ones do. */
  setText(path: string, text: string, edits: readonly LineEdit[] = []): void {
    const file = this.#files.get(path);
    if (file !== undefined && textOf(file) !== text) this.put(typeInto(file, text, edits));
  }
}
