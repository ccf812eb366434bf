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
  const { name, version, license, author } = JSON.parse(
    await readFile(path.join(root, folder, "package.json"), "utf8"),
  );
  const files = (await readdir(path.join(root, folder))).filter((file) => licenceFile.test(file));
  const texts = await Promise.all(files.map((file) => readFile(path.join(root, folder, file), "utf8")));
  if (texts.length === 0) texts.push(standardText(folder, license, author));
  return {
    title: [`${name} ${version} (${license})`, ...(compiledFrom.get(name) ?? [])].join("\n"),
    words: texts.map((text) => text.trim()).join("\n\n"),
  };
}

/** Of a package that comes without the text of its licence. */
function standardText(folder, license, author) {
  const name = typeof author === "string" ? author : author?.name;
  if (license !== "MIT" || name === undefined) {
    throw new Error(`${folder} has no text of its licence (${license}): find out whether it may be bundled.`);
  }
  return `MIT License\n\nCopyright (c) ${name.replace(/\s*<.*/, "")}\n\n${mit}`;
}

const mit = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
