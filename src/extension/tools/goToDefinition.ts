import { t } from "@vscode/l10n";
import * as z from "zod";
import type { TextSearch } from "../workspace/workspace.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { defineEditorTool } from "./editorTool.ts";
import { matchesText, placesText } from "./placeText.ts";
import { orRefusal } from "./refusal.ts";
import { searchAllowed } from "./secretReads.ts";
import { symbolAt, symbolFields } from "./symbolAt.ts";
import { declarationMatches } from "./wordSearch.ts";

const schema = z.object(symbolFields);

/** Where a symbol is defined, by the language server; by the look of lines where none knows. */
export const goToDefinitionTool = defineEditorTool(
  { name: "go_to_definition", access: "read", kind: "search" },
  (dependencies: ToolDependencies) => {
    const { workspace } = dependencies;
    return {
      label: t("Go to definition"),
      description: "Finds where a symbol is defined, by the language server; without one, by lines that look like it.",
      schema,
      execute: (args, context) =>
        orRefusal(async () => {
          const { signal } = context;
          const search = (wanted: TextSearch) => searchAllowed(dependencies, wanted, context);
          const symbol = await symbolAt(dependencies, args, { toolName: "go_to_definition", context });
          const places = await workspace.definition(symbol.path, symbol.at, signal);
          if (places.length > 0) {
            return { content: await placesText(dependencies, places, context), details: { places: places.length } };
          }
          const matches = await declarationMatches(search, { name: symbol.name, exact: true });
          const found =
            matches.length > 0
              ? `These lines look like a definition of ${symbol.name}:\n${matchesText(matches)}`
              : `No line looks like a definition of ${symbol.name} either. Use search_text.`;
          return {
            content: `No language server knows the definition.\n${found}`,
            details: { places: matches.length, byText: true },
          };
        }),
    };
  },
);
