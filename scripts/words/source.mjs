/** The words of the product that a person reads, as its source and its manifest have them. */
import { glob, readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { root } from "../paths.mjs";

/** A call of `t` from `@vscode/l10n` or of `vscode.l10n.t`; what is translated is one literal. */
const calls = /\bt\(\s*(?:("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|([^\s)]))/g;

/**
 * The texts that are translated, with the file they are in. Throws where one is not a plain literal, since it
 * could not be translated.
 * @returns {Promise<Map<string, string>>}
 */
export async function sourceWords() {
  const words = new Map();
  for await (const file of glob("src/**/*.{ts,tsx}", { cwd: root })) {
    const source = await readFile(path.join(root, file), "utf8");
    if (!source.includes("l10n")) continue;
    for (const [, literal, other] of source.matchAll(calls)) {
      if (other !== undefined) throw new Error(`${file}: t(${other}… translates nothing: give it a plain text.`);
      words.set(unquoted(literal), file);
    }
  }
  return words;
}

/** @returns {Promise<string[]>} the languages beside English, like "de" */
export async function translations() {
  const names = await readdir(path.join(root, "l10n"));
  return names.flatMap((name) => /^bundle\.l10n\.(.+)\.json$/.exec(name)?.[1] ?? []).sort();
}

/** @returns {Promise<Record<string, string>>} */
export async function bundle(language) {
  return JSON.parse(await readFile(path.join(root, `l10n/bundle.l10n.${language}.json`), "utf8"));
}

/** @returns {Promise<Record<string, string>>} */
export async function manifestWords(language) {
  const name = language === undefined ? "package.nls.json" : `package.nls.${language}.json`;
  return JSON.parse(await readFile(path.join(root, name), "utf8"));
}

function unquoted(literal) {
  const inner = literal.slice(1, -1);
  return JSON.parse(`"${literal.startsWith("'") ? inner.replaceAll("\\'", "'").replace(/(?<!\\)"/g, '\\"') : inner}"`);
}
