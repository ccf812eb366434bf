/** What the panel's page loads, as addresses the webview may use. */
export interface PanelResources {
  /** The webview's own origin. */
  cspSource: string;
  nonce: string;
  script: string;
  styles: readonly string[];
  /** In an editor tab the page has the editor's background. */
  place: "view" | "tab";
  /** The panel's texts in the user's language, by the English ones. Default: English. */
  words?: Readonly<Record<string, string>>;
  /** As browsers write it, like `de` or `pt-br`. */
  language?: string;
}

/**
 * The page around the panel. Nothing may run but our script, nothing may load but our own files, and no connection
 * may be opened: text from models and tools is shown here.
 */
export function panelHtml(resources: PanelResources): string {
  const { cspSource, nonce, script, styles, place, words = {}, language = "en" } = resources;
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource} 'nonce-${nonce}'`,
    `font-src ${cspSource}`,
    `img-src ${cspSource} data:`,
  ].join("; ");
  const links = styles.map((href) => `<link rel="stylesheet" href="${href}">`).join("\n    ");
  return `<!DOCTYPE html>
<html lang="${language}" data-place="${place}">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta property="csp-nonce" content="${nonce}">
    ${links}
    <title>Arbor</title>
  </head>
  <body>
    <div id="root"></div>
    <script type="application/json" id="words">${inScript(words)}</script>
    <script type="module" nonce="${nonce}" src="${script}"></script>
  </body>
</html>`;
}

/** JSON that can't end the element around it. */
export function inScript(value: object): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}
