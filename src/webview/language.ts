import { config } from "@vscode/l10n";

// Imported first, so that every other module finds the user's language. The host puts its texts into the page.
const texts = document.getElementById("words")?.textContent;
if (texts) config({ contents: JSON.parse(texts) });
