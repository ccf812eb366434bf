import { config } from "@vscode/l10n";

// The build imports this before every other module of the panel, so that all find the user's language. The host puts its
// texts into the page.
const texts = document.getElementById("words")?.textContent;
if (texts) config({ contents: JSON.parse(texts) });
