// npm's own variables, those of an editor this process may itself run in, and code-server's.
const misleading = /^(npm_|VSCODE_|CODE_SERVER_|ELECTRON_)/;
const alsoMisleading = new Set([
  "NODE_OPTIONS",
  "PASSWORD",
  "HASHED_PASSWORD",
  "PORT",
  "CS_DISABLE_PROXY",
  "INIT_CWD",
  "NODE_ENV",
]);

/** This process's environment without what would change how an editor started from it behaves. */
export function serverEnvironment(extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !misleading.test(name) && !alsoMisleading.has(name));
  // Without a gallery nothing is looked up, and nothing complains that it is out of reach.
  return { EXTENSIONS_GALLERY: "{}", ...Object.fromEntries(kept), ...extra };
}
