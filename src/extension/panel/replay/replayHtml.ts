import type { PageTheme } from "../../../protocol/messages.ts";
import { inScript } from "../panelHtml.ts";
import type { PageData } from "./pageData.ts";

/** What an exported page consists of. */
export interface ReplayPageParts {
  nonce: string;
  script: string;
  styles: readonly string[];
  theme: PageTheme;
  data: PageData;
  title: string;
  words: Readonly<Record<string, string>>;
  language: string;
}

/**
 * A page of its own: nothing is loaded and no connection may be opened, whatever the texts of models and tools in it
 * hold. It replays what is in it with the script that replays in the editor.
 */
export function replayHtml(parts: ReplayPageParts): string {
  const { nonce, script, styles, theme, data, title, words, language } = parts;
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "font-src data:",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const variables = Object.entries(theme.variables).map(([name, value]) => `${name}: ${value};`);
  return `<!DOCTYPE html>
<html lang="${escaped(language)}" data-place="tab">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="referrer" content="no-referrer">
    <meta property="csp-nonce" content="${nonce}">
    <style nonce="${nonce}">:root { ${variables.join(" ")} }</style>
    ${styles.map((style) => `<style nonce="${nonce}">${style}</style>`).join("\n    ")}
    <title>${escaped(title)}</title>
  </head>
  <body class="${theme.kind}" data-vscode-theme-kind="${theme.kind}">
    <div id="root"></div>
    <script type="application/json" id="words">${inScript(words)}</script>
    <script type="application/json" id="recording">${inScript(data)}</script>
    <script nonce="${nonce}">${inElement(script)}</script>
  </body>
</html>`;
}

/** A style sheet with the files that it names in itself. */
export function withFiles(css: string, files: Readonly<Record<string, { type: string; data: Uint8Array }>>): string {
  return css.replace(/url\(\s*["']?(?!data:)([^"')]+)["']?\s*\)/g, (_, address: string) => {
    const file = files[/([^/?#]+)(?:[?#].*)?$/.exec(address)?.[1] ?? ""];
    if (file === undefined) return "none";
    return `url("data:${file.type};base64,${Buffer.from(file.data).toString("base64")}")`;
  });
}

/** A script that does not end its element, and asks for no map. */
function inElement(script: string): string {
  return script
    .replaceAll("</script", "<\\/script")
    .replaceAll("<!--", "<\\!--")
    .replace(/^\/\/# sourceMappingURL=.*$/m, "");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
