import { config } from "@vscode/l10n";
import { bundle } from "../../scripts/words/source.mjs";

/** Runs with the German words, as an editor in German has them. */
export async function inGerman<T>(run: () => T | Promise<T>): Promise<T> {
  config({ contents: await bundle("de") });
  try {
    return await run();
  } finally {
    config({ contents: {} });
  }
}
