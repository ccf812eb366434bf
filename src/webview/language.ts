import { config } from "@vscode/l10n";

// Imported first, so that every other module finds the user's language. The host puts the words into the page.
const words = document.getElementById("words")?.textContent;
if (words) config({ contents: JSON.parse(words) });
