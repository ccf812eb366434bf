import type { Languages } from "./tokens.ts";

// The chunk lies beside the panel's own script, which may load it: it carries the page's nonce.
const ownScript = typeof document === "undefined" ? null : document.currentScript;
let loading: Promise<Languages | undefined> | undefined;

/** The chunk with the languages; undefined where it can't be had, and code stays plain. */
export function loadLanguages(): Promise<Languages | undefined> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Languages | undefined> {
  if (!(ownScript instanceof HTMLScriptElement)) return undefined;
  try {
    // The module is ours and built from `languages.ts`.
    return (await import(new URL("highlight.js", ownScript.src).href)) as Languages;
  } catch {
    return undefined;
  }
}
