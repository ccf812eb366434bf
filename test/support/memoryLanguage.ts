import { ToolError } from "../../src/extension/common/userError.ts";
import { columnsOf } from "../../src/extension/workspace/language/textPositions.ts";
import type { CodeLocation, CodeSymbol, Position, Workspace } from "../../src/extension/workspace/workspace.ts";

type LanguageFeatures = Pick<
  Workspace,
  "documentSymbols" | "workspaceSymbols" | "definition" | "references" | "renameEdits"
>;

const declaration = /\b(class|function|interface|type|const|let)\s+(\w+)/;

/** A language server that takes equal words for the same symbol and knows declarations by their keyword. */
export function memoryLanguage(texts: () => ReadonlyMap<string, string>): LanguageFeatures {
  const linesOf = (path: string) => (texts().get(path) ?? "").split(/\r\n|\r|\n/);

  function symbolsOf(path: string): CodeSymbol[] {
    return linesOf(path).flatMap((text, index) => {
      const [, kind, name] = declaration.exec(text) ?? [];
      return kind === undefined || name === undefined ? [] : [{ name, kind, path, line: index + 1 }];
    });
  }
  function wordAt(path: string, { line, column }: Position): string {
    const word = /^\w+/.exec((linesOf(path)[line - 1] ?? "").slice(column - 1))?.[0];
    if (word === undefined) throw new ToolError("The language server can't rename this: there is no symbol here.");
    return word;
  }
  const allSymbols = () => [...texts().keys()].flatMap(symbolsOf);
  const placesOf = (word: string): CodeLocation[] =>
    [...texts().keys()].flatMap((path) =>
      linesOf(path).flatMap((text, index) =>
        columnsOf(text, word).map((column) => ({ path, line: index + 1, column, isOutside: false })),
      ),
    );

  return {
    documentSymbols: async (path) => symbolsOf(path),
    workspaceSymbols: async (query) => allSymbols().filter(({ name }) => name.includes(query)),
    async definition(path, at) {
      const word = wordAt(path, at);
      return allSymbols()
        .filter(({ name }) => name === word)
        .map(({ path: where, line }) => {
          const [column = 1] = columnsOf(linesOf(where)[line - 1] ?? "", word);
          return { path: where, line, column, isOutside: false };
        });
    },
    references: async (path, at) => placesOf(wordAt(path, at)),
    async renameEdits(path, at, newName) {
      const word = wordAt(path, at);
      return [...new Set(placesOf(word).map((place) => place.path))].map((changed) => {
        const before = texts().get(changed) ?? "";
        return { path: changed, before, after: before.replaceAll(new RegExp(`\\b${word}\\b`, "g"), newName) };
      });
    },
  };
}
