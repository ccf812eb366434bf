/** Does what `@vscode/test-electron` asks of a desktop editor with code-server and a headless browser. */
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { format, parseArgs } from "node:util";
import { openBrowser } from "./browser.ts";
import { cleanup } from "./cleanup.ts";
import { startServer } from "./server.ts";
import { openWorkbench } from "./workbench.ts";

/** Only what hangs ends by time: a busy machine takes many times as long as a quiet one. */
const limitMs = 1_800_000;
// The workbench's own chatter, which comes by the same way as what the tests print.
const chatter =
  /^(Resolv(ing|ed) connection token|Creating a socket|Updating additional builtin|Ignoring fetching additional builtin|Error while fetching the extension under development|\[(reconnection-grace-time|Service Worker|AccountPolicyGate|(Remote)?AgentHost|Chat|LanguageModel))/;
const workbenchScript = "/static/out/vs/code/browser/workbench/workbench.js";

function print(level: string, args: unknown[]): void {
  const line = format(...args);
  if (level === "trace" || level === "debug" || chatter.test(line) || line.includes(workbenchScript)) return;
  const stream = level === "error" || level === "warn" ? process.stderr : process.stdout;
  stream.write(`${line}\n`);
}

function readCommandLine() {
  // Not strict: of the editor's many options only these matter here.
  const { values, positionals } = parseArgs({ strict: false, allowPositionals: true });
  const text = (name: string) => {
    const value = values[name];
    if (typeof value !== "string") throw new Error(`--${name}=… is missing.`);
    return value;
  };
  return {
    userDataDir: text("user-data-dir"),
    extensionsDir: text("extensions-dir"),
    extension: text("extensionDevelopmentPath"),
    tests: text("extensionTestsPath"),
    workspaceTrust: values["disable-workspace-trust"] !== true,
    workspace: positionals[0],
  };
}

async function main(): Promise<number> {
  const { userDataDir, extensionsDir, extension, tests, workspaceTrust, workspace } = readCommandLine();
  const ending = cleanup();
  const ended = Promise.withResolvers<number>();
  const limit = setTimeout(() => ended.reject(new Error(`No result after ${limitMs / 1000} s.`)), limitMs);
  try {
    const profileDir = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
    ending.add(() => rm(profileDir, { recursive: true, force: true, maxRetries: 5 }));
    const server = await startServer({ userDataDir, extensionsDir, workspaceTrust });
    ending.add(server.stop);
    const context = await openBrowser({ profileDir });
    ending.add(() => context.close());
    const page = await context.newPage();
    page.on("crash", () => ended.reject(new Error("The workbench's page crashed.")));
    await openWorkbench(page, server, {
      ...(workspace !== undefined && { workspace }),
      ...{ extension, tests, onLog: print, onTestsEnd: ended.resolve },
    });
    return await ended.promise;
  } finally {
    clearTimeout(limit);
    await ending.run();
  }
}

process.exitCode = await main();
