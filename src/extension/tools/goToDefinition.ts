import { t } from "@vscode/l10n";
import * as z from "zod";
import type { AgentTool } from "../../agent/tools.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { matchesText, placesText } from "./placeText.ts";
import { orRefusal } from "./refusal.ts";
import { symbolAt, symbolFields } from "./symbolAt.ts";
import { declarationMatches } from "./wordSearch.ts";

const schema = z.object(symbolFields);

/** Where a symbol is defined, by the language server; by the look of lines where none knows. */
export function goToDefinitionTool({ workspace }: ToolDependencies): AgentTool<typeof schema> {
  return {
    name: "go_to_definition",
    label: t("Go to definition"),
    description:
      "Finds where a symbol is defined, by the language server. Without one it searches for lines that look like the definition, and says so.",
    schema,
    execute: (args, { signal }) =>
      orRefusal(async () => {
        const symbol = await symbolAt(workspace, args, signal);
        const places = await workspace.definition(symbol.path, symbol.at, signal);
        if (places.length > 0) {
          return { content: await placesText(workspace, places, signal), details: { places: places.length } };
        }
        const matches = await declarationMatches(workspace, { name: symbol.name, exact: true }, signal);
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
}
