/** What the panel's page loads, as addresses the webview may use. */
export interface PanelResources {
  /** The webview's own origin. */
  cspSource: string;
  nonce: string;
  script: string;
  styles: readonly string[];
}

/**
 * The page around the panel. Nothing may run but our script, nothing may load but our own files, and no connection
 * may be opened: text from models and tools is shown here.
 */
export function panelHtml({ cspSource, nonce, script, styles }: PanelResources): string {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource} 'nonce-${nonce}'`,
    `font-src ${cspSource}`,
    `img-src ${cspSource} data:`,
  ].join("; ");
  const links = styles.map((href) => `<link rel="stylesheet" href="${href}">`).join("\n    ");
  return `<!DOCTYPE html>
<html lang="en">
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
    <script nonce="${nonce}" src="${script}"></script>
  </body>
</html>`;
}
