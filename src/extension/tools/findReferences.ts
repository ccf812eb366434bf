import { t } from "@vscode/l10n";
import * as z from "zod";
import type { TextSearch } from "../workspace/workspace.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { defineEditorTool } from "./editorTool.ts";
import { matchesText, placesText } from "./placeText.ts";
import { orRefusal } from "./refusal.ts";
import { searchAllowed } from "./secretReads.ts";
import { symbolAt, symbolFields } from "./symbolAt.ts";
import { wordMatches } from "./wordSearch.ts";

const schema = z.object(symbolFields);

/** Where a symbol is used, by the language server; where its word is when none knows. */
export const findReferencesTool = defineEditorTool(
  { name: "find_references", access: "read", kind: "search" },
  (dependencies: ToolDependencies) => {
    const { workspace } = dependencies;
    return {
      label: t("Find references"),
      description:
        "Finds where a symbol is used, with its declaration, by the language server; without one, by searching for the word.",
      schema,
      execute: (args, context) =>
        orRefusal(async () => {
          const { signal } = context;
          const search = (wanted: TextSearch) => searchAllowed(dependencies, wanted, context);
          const { path, name, at } = await symbolAt(dependencies, args, { toolName: "find_references", context });
          const places = await workspace.references(path, at, signal);
          if (places.length > 0) {
            const files = new Set(places.map((place) => place.path)).size;
            const count = `${places.length} ${places.length === 1 ? "place" : "places"} in ${files} ${files === 1 ? "file" : "files"}:`;
            const content = `${count}\n${await placesText(dependencies, places, context)}`;
            return { content, details: { places: places.length, files } };
          }
          const matches = await wordMatches(search, name);
          const content = `No language server knows the references. The word ${name} is in these lines, where it may mean something else:\n${matchesText(matches)}`;
          return { content, details: { places: matches.length, byText: true } };
        }),
    };
  },
);
