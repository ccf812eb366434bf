import type { ReviewedWorkspace } from "../../../../src/extension/changes/reviewedWorkspace.ts";
import { UserError } from "../../../../src/extension/common/userError.ts";
import { alreadyExists, changedSinceRead } from "../../../../src/extension/workspace/fileProblems.ts";
import type { ReadOptions, Replacement } from "../../../../src/extension/workspace/workspace.ts";

/** Text files in memory, with what was done to them. */
export class TextWorkspace implements ReviewedWorkspace {
  readonly files = new Map<string, string>();
  readonly writes: { path: string; replacements: readonly Replacement[] }[] = [];
  /** Runs before a write reaches the file, like a person who types at that very moment. */
  beforeWrite: () => void = () => {};
  #version = 0;

  constructor(files: Record<string, string>) {
    for (const [path, text] of Object.entries(files)) this.type(path, text);
  }

  readonly #versions = new Map<string, string>();

  type(path: string, text: string): void {
    this.files.set(path, text);
    this.#versions.set(path, String(++this.#version));
  }

  async stat(path: string) {
    const text = this.files.get(path);
    return text === undefined ? undefined : { kind: "file" as const, size: text.length, modifiedAt: 0 };
  }

  async read(path: string, _signal?: AbortSignal, _options?: ReadOptions) {
    const version = this.#versions.get(path) ?? "";
    return { kind: "text" as const, text: this.#text(path), version, unsaved: false, languageId: "plaintext" };
  }

  async replace(path: string, replacements: readonly Replacement[], version?: string) {
    this.beforeWrite();
    if (version !== undefined && version !== this.#versions.get(path)) throw changedSinceRead(path);
    this.writes.push({ path, replacements });
    let text = this.#text(path);
    for (const { start, end, text: put } of replacements.toReversed()) {
      text = text.slice(0, start) + put + text.slice(end);
    }
    this.type(path, text);
    return { text, saved: true };
  }

  async create(path: string, text: string) {
    if (this.files.has(path)) throw alreadyExists(path);
    this.type(path, text);
    return { text, saved: true };
  }

  async remove(path: string) {
    this.files.delete(path);
    return undefined;
  }

  async move(from: string, to: string) {
    if (this.files.has(to)) throw alreadyExists(to);
    const version = this.#versions.get(from);
    this.type(to, this.#text(from));
    // It is that of its text.
    if (version !== undefined) this.#versions.set(to, version);
    this.files.delete(from);
    return [];
  }

  #text(path: string): string {
    const text = this.files.get(path);
    if (text === undefined) throw new UserError(`There is no file ${path}.`);
    return text;
  }
}
