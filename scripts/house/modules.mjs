/** Reads the modules of src: their lines, what they import and export, and what they declare. */
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { root } from "../paths.mjs";

/**
 * @typedef {object} Module
 * @property {string} file below src, with forward slashes
 * @property {string} layer first folder below src
 * @property {string} room the layer with the first folder below it, or the layer itself
 * @property {number} lines
 * @property {boolean} saysWhyLong the first line is a comment
 * @property {{ file: string; names: string[] }[]} imports of other modules of src, types included; `*` means all names
 * @property {string[]} exports names declared here and exported; what is only passed on is not among them
 * @property {string[]} names all identifiers: of what is declared here, and of what it uses
 * @property {string[]} comments
 */

const sourceFile = /\.tsx?$/;
const declared =
  /^(?:export )?(?:default )?(?:async )?(?:abstract )?(?:function\*?|class|const|let|interface|type|enum) (\w+)/;

/** @returns {Promise<Module[]>} */
export async function readModules() {
  const folder = path.join(root, "src");
  const names = await readdir(folder, { recursive: true });
  const files = names.map((name) => name.split(path.sep).join("/")).filter((name) => sourceFile.test(name));
  return Promise.all(files.sort().map(async (file) => parse(file, await readFile(path.join(folder, file), "utf8"))));
}

/** @returns {Module} */
function parse(file, source) {
  const text = source.replace(/^\s*\/?\*.*$/gm, "").replace(/^\s*\/\/.*$/gm, "");
  const [layer, ...rest] = file.split("/");
  const lines = text.split("\n");
  const exported = lines.filter((line) => line.startsWith("export "));
  return {
    file,
    layer,
    room: rest.length > 1 ? `${layer}/${rest[0]}` : layer,
    lines: source.split("\n").length - 1,
    saysWhyLong: source.startsWith("// "),
    imports: importsOf(file, text),
    exports: exported.flatMap((line) => declared.exec(line)?.[1] ?? []),
    names: identifiersIn(text),
    comments: commentsIn(source),
  };
}

/** Texts are left out as far as a pattern can: what is in the braces of a template is not found. */
function identifiersIn(text) {
  const code = text.replace(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|\s\/\/ .*$/gm, '""');
  return [...new Set(code.match(/[A-Za-z_$][\w$]*/g))];
}

/** @returns {Promise<{ file: string; texts: string[] }[]>} the comments of the tests, a line each, and their titles */
export async function readTests() {
  const folder = path.join(root, "test");
  // The peers of the bench may be installed there.
  const isOurs = (name) => /\.(?:tsx?|mjs)$/.test(name) && !name.split(path.sep).includes("node_modules");
  const names = (await readdir(folder, { recursive: true })).filter(isOurs);
  const title = /\b(?:it|describe)\(\s*(["'`])(.*?)\1/g;
  return Promise.all(
    names.sort().map(async (name) => {
      const source = await readFile(path.join(folder, name), "utf8");
      const titles = [...source.matchAll(title)].map(([, , text]) => text);
      return { file: `test/${name.split(path.sep).join("/")}`, texts: [...commentsIn(source), ...titles] };
    }),
  );
}

/** @returns {string[]} the comments of a source file, a line each */
function commentsIn(source) {
  return [...source.matchAll(/^\s*(?:\/\*\*?|\*|\/\/)(?!\/) ?(.*)$|\s\/\/ (.*)$|\{?\/\* ?(.*)\*\/\}?$/gm)].map(
    ([, whole, last, inline]) => whole ?? last ?? inline,
  );
}

function importsOf(file, text) {
  const statements = text.matchAll(/^(?:import|export)\b([^;"]*?)\bfrom "(\.[^"]+)"/gm);
  const dynamic = text.matchAll(/\bimport\(\s*"(\.[^"]+)"\s*\)/g);
  return [
    ...[...statements].map(([, clause, from]) => ({ file: resolve(file, from), names: namesIn(clause) })),
    ...[...dynamic].map(([, from]) => ({ file: resolve(file, from), names: ["*"] })),
  ].filter((imported) => sourceFile.test(imported.file));
}

const resolve = (file, from) => path.posix.join(path.posix.dirname(file), from);

function namesIn(clause) {
  const braces = /\{([^}]*)\}/.exec(clause);
  if (braces === null) return ["*"];
  const names = braces[1].split(",").map(
    (name) =>
      name
        .trim()
        .replace(/^type /, "")
        .split(" as ")[0],
  );
  return names.filter((name) => name !== "");
}
