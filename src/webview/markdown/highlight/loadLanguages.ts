import type { Languages } from "./tokens.ts";

let loading: Promise<Languages | undefined> | undefined;

/** The chunk with the languages; undefined where it can't be had, and code stays plain. */
export function loadLanguages(): Promise<Languages | undefined> {
  loading ??= import("./languages.ts").catch(() => undefined);
  return loading;
}
