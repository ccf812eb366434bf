import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { BrowserContext } from "playwright-core";
import { openBrowser } from "./browser.ts";
import { cleanup } from "./cleanup.ts";
import { killExtensionHosts } from "./crash.ts";
import { installExtension } from "./installExtension.ts";
import { type EditorServer, startServer } from "./server.ts";

export interface ProcessOptions {
  /** Environment of the extension host. */
  readonly env?: Readonly<Record<string, string>>;
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly isInstalled?: boolean;
  /** Folders are opened in Restricted Mode. */
  readonly workspaceTrust?: boolean;
  /** Extensions of the editor's own. Default: all. */
  readonly builtIns?: "few" | "all";
}

/** What an editor runs on: a server and a browser, with the folder where both keep all that they write. */
export interface EditorProcesses {
  readonly home: string;
  readonly userDataDir: string;
  readonly context: BrowserContext;
  /** The one that runs now: it may have been started again. */
  server(): Promise<EditorServer>;
  /** Starts the server again, at the same address, after it was killed. */
  restart(): Promise<void>;
  /** Whether both run: a server ends when no window has come for minutes, or when a test has killed it. */
  isUp(): Promise<boolean>;
  /** Closes every window and forgets all that they left, but for what the browser keeps of the editor's scripts. */
  forget(): Promise<void>;
  close(): Promise<void>;
}

const answerLimitMs = 10_000;

/** `prepare` fills the user's data before anything runs. They end when this process is asked to end; else `close` does. */
export async function startProcesses(
  options: ProcessOptions,
  prepare: (userDataDir: string) => Promise<void>,
): Promise<EditorProcesses> {
  const ending = cleanup();
  try {
    return await startWith(options, prepare, ending);
  } catch (error) {
    await ending.run();
    throw error;
  }
}

async function startWith(
  options: ProcessOptions,
  prepare: (userDataDir: string) => Promise<void>,
  ending: ReturnType<typeof cleanup>,
): Promise<EditorProcesses> {
  // The server keeps a unix socket in its folder, and their paths are short.
  const home = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
  ending.add(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));
  const userDataDir = path.join(home, "user");
  await prepare(userDataDir);
  const extensionsDir = path.join(home, "extensions");
  if (options.isInstalled) await installExtension({ userDataDir, extensionsDir });
  const start = (port?: number) =>
    startServer({
      userDataDir,
      extensionsDir,
      env: options.env ?? {},
      workspaceTrust: options.workspaceTrust === true,
      builtIns: options.builtIns ?? "all",
      ...(port !== undefined && { port }),
    });
  let starting = start();
  const opening = openBrowser({
    profileDir: path.join(home, "browser"),
    ...(options.viewport && { viewport: options.viewport }),
  });
  // Also when only one of the two comes up.
  ending.add(() =>
    // It may be another one by then.
    starting.then(
      ({ stop }) => stop(),
      () => undefined,
    ),
  );
  ending.add(() =>
    opening.then(
      (opened) => opened.close(),
      () => undefined,
    ),
  );
  const [{ authority }, context] = await Promise.all([starting, opening]);
  let hasBrowser = true;
  context.once("close", () => {
    hasBrowser = false;
  });
  return {
    home,
    userDataDir,
    context,
    server: () => starting,
    async restart() {
      starting = start(Number(authority.split(":")[1]));
      await starting;
    },
    // A request that does not count as a window.
    isUp: () =>
      fetch(`http://${authority}/healthz`, { signal: AbortSignal.timeout(answerLimitMs) }).then(
        ({ ok }) => ok && hasBrowser,
        () => false,
      ),
    async forget() {
      const page = await context.newPage();
      await Promise.all(context.pages().map((other) => (other === page ? undefined : other.close())));
      // A host outlives its window, which may come back.
      await killExtensionHosts(home);
      for (const written of ["User", "Machine"]) {
        await rm(path.join(userDataDir, written), { recursive: true, force: true, maxRetries: 5 });
      }
      await context.clearPermissions();
      const client = await context.newCDPSession(page);
      const storageTypes = "indexeddb,local_storage";
      await client.send("Storage.clearDataForOrigin", { origin: `http://${authority}`, storageTypes });
      await client.detach();
    },
    close: ending.run,
  };
}
