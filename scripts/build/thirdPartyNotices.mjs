import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { root } from "../paths.mjs";

/** The folder of the package that a bundled file is from: the innermost one. */
const packageFolder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/;
const licenceFile = /^(?:licen[cs]e|copying|notice)/i;

/** What packages are compiled from, where their own licence does not name its authors. Under the same licence. */
const compiledFrom = new Map([
  [
    "@vscode/tree-sitter-wasm",
    ["tree-sitter, Copyright (c) 2018 Max Brunsfeld", "tree-sitter-bash, Copyright (c) 2017 Max Brunsfeld"],
  ],
]);

/**
 * The licences of all packages of which something is bundled, as text: their authors ask that they go along.
 * `others` are folders of packages whose files are copied.
 * @param {{ metafiles: import("esbuild").Metafile[], others: string[] }} bundled
 */
export async function thirdPartyNotices({ metafiles, others }) {
  const folders = new Set(others);
  for (const { outputs } of metafiles) {
    for (const { inputs } of Object.values(outputs)) {
      for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
        const folder = packageFolder.exec(file)?.[0];
        if (folder !== undefined && bytesInOutput > 0) folders.add(folder);
      }
    }
  }
  const packages = await Promise.all([...folders].sort().map(packageIn));
  /** Titles of the packages, by the words of their licence: many have the same. */
  const titles = new Map();
  for (const { title, words } of packages) titles.set(words, [...(titles.get(words) ?? []), title]);
  const notices = [...titles].map(([words, those]) => [...those, "", words].join("\n").trimEnd());
  const rule = `\n\n${"-".repeat(80)}\n\n`;
  return `${["Arbor contains these packages.", ...notices].join(rule)}\n`;
}

/** @param {string} folder */
async function packageIn(folder) {
  const { name, version, license } = JSON.parse(await readFile(path.join(root, folder, "package.json"), "utf8"));
  const files = (await readdir(path.join(root, folder))).filter((file) => licenceFile.test(file));
  const texts = await Promise.all(files.map((file) => readFile(path.join(root, folder, file), "utf8")));
  if (texts.length === 0 && license === undefined) {
    throw new Error(`${folder} names no licence: find out whether it may be bundled.`);
  }
  return {
    title: [`${name} ${version} (${license ?? "see below"})`, ...(compiledFrom.get(name) ?? [])].join("\n"),
    words: texts.map((text) => text.trim()).join("\n\n"),
  };
}
