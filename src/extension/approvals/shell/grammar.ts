import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Node } from "@vscode/tree-sitter-wasm";

export type SyntaxNode = Node;

/** Parses a text and hands the tree to `read`; what that returns must not hold on to nodes. */
export type ParseWith = <T>(text: string, read: (root: SyntaxNode) => T) => T;

let bash: Promise<ParseWith> | undefined;

/** The parser of bash's language. Its code and its tables are loaded with the first command that is judged. */
export function loadBash(): Promise<ParseWith> {
  bash ??= load();
  bash.catch(() => {
    bash = undefined;
  });
  return bash;
}

async function load(): Promise<ParseWith> {
  const { default: treeSitter } = await import("@vscode/tree-sitter-wasm");
  const { Language, Parser } = treeSitter;
  await Parser.init({ locateFile: () => fileOf("tree-sitter.wasm") });
  const parser = new Parser();
  parser.setLanguage(await Language.load(await readFile(fileOf("tree-sitter-bash.wasm"))));
  return (text, read) => {
    const tree = parser.parse(text);
    if (tree === null) throw new Error("The command could not be parsed.");
    try {
      return read(tree.rootNode);
    } finally {
      tree.delete();
    }
  };
}

/** The build copies the tables to a folder beside its scripts; from the sources they are read where the package is. */
function fileOf(name: string): string {
  const copies = ["./grammars/", "../grammars/"].map((folder) =>
    fileURLToPath(new URL(folder + name, import.meta.url)),
  );
  const copy = copies.find((file) => existsSync(file));
  return copy ?? fileURLToPath(import.meta.resolve(`@vscode/tree-sitter-wasm/wasm/${name}`));
}
