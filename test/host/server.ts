import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { builtInExtensions, codeServerEntry, hostNode } from "./places.ts";
import { serverEnvironment } from "./serverEnvironment.ts";

const startLimitMs = 60_000;
const graceMs = 3000;
// Ends a server whose starter was killed before it could.
const orphanSeconds = 120;

export interface ServerOptions {
  readonly userDataDir: string;
  readonly extensionsDir: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Default: any free one. What the workbench keeps in the browser belongs to the port. */
  readonly port?: number;
  /** A unix socket to listen on instead of a port. */
  readonly socket?: string;
  /** Whether folders are untrusted until the user says otherwise. Default: no, every folder is trusted. */
  readonly workspaceTrust?: boolean;
  /** Extensions of the editor's own. Default: all. */
  readonly builtIns?: "few" | "all";
  /** Stays up while no browser is connected. */
  readonly patient?: boolean;
}

/** A running code-server: VS Code's server with its extension host, reached by a browser. */
export interface EditorServer {
  /** `127.0.0.1:PORT`, or the path of its socket. */
  readonly authority: string;
  /** Settles when it has ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** All it has written so far. */
  output(): string;
  /** Ends it and all it has started. */
  stop(): Promise<void>;
  /** The same at once, as a crash does. */
  kill(): Promise<void>;
}

function serverArguments(options: ServerOptions, configFile: string, builtIns: string | undefined): string[] {
  return [
    codeServerEntry,
    // Else it reads and writes the user's own.
    ...["--config", configFile],
    ...["--auth", "none"],
    ...(options.socket === undefined
      ? ["--bind-addr", `127.0.0.1:${options.port ?? 0}`]
      : ["--socket", options.socket, "--socket-mode", "600"]),
    ...["--user-data-dir", options.userDataDir],
    ...["--extensions-dir", options.extensionsDir],
    ...["--disable-telemetry", "--disable-update-check", "--disable-getting-started-override", "--ignore-last-opened"],
    ...(options.patient ? [] : ["--idle-timeout-seconds", String(orphanSeconds)]),
    ...(options.workspaceTrust ? [] : ["--disable-workspace-trust"]),
    // The extension host gets our environment as it is, not that of a login shell.
    ...["--vscode-option", "force-disable-user-env"],
    ...(builtIns === undefined ? [] : ["--vscode-option", `builtin-extensions-dir=${builtIns}`]),
  ];
}

/**
 * The editor's own extensions that tests without a language server look at: themes, icons and what makes files of the
 * sample workspace known by their language. All others cost a third of an editor's start.
 */
const lookedAt = [
  ...["theme-defaults", "theme-seti", "typescript-basics", "javascript", "json", "markdown-basics", "diff"],
  // The page knows these anyway. What the server does not have, it fails to load, and says so over the panel.
  ...["configuration-editing", "emmet", "extension-editing", "git-base", "github-authentication"],
  ...["json-language-features", "merge-conflict", "npm"],
];

async function fewBuiltIns(userDataDir: string): Promise<string> {
  const folder = path.join(userDataDir, "builtIns");
  await mkdir(folder, { recursive: true });
  for (const name of lookedAt) {
    const link = path.join(folder, name);
    if (!existsSync(link)) await symlink(path.join(builtInExtensions, name), link);
  }
  return folder;
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    // The group is gone, which is what was asked for.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

async function stopGroup(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, "exit");
    signalGroup(child, "SIGTERM");
    const impatience = setTimeout(() => signalGroup(child, "SIGKILL"), graceMs);
    await gone;
    clearTimeout(impatience);
  }
  // What outlived the leader of the group.
  signalGroup(child, "SIGKILL");
}

/** Resolves with the address the server announces, rejects when it ends or stays silent instead. */
function announcedAddress(child: ChildProcess, output: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (what: string) => reject(new Error(`code-server ${what}:\n${output()}`));
    const limit = setTimeout(() => fail(`was not up after ${startLimitMs / 1000} s`), startLimitMs);
    child.stdout?.on("data", () => {
      const address = /HTTP server listening on (?:http:\/\/)?(\S+?)\/?\s/.exec(output())?.[1];
      if (address === undefined) return;
      clearTimeout(limit);
      resolve(address);
    });
    child.once("error", (error) => fail(`did not start (${error.message})`));
    child.once("exit", () => {
      clearTimeout(limit);
      fail("ended early");
    });
  });
}

export async function startServer(options: ServerOptions): Promise<EditorServer> {
  await mkdir(options.userDataDir, { recursive: true });
  await mkdir(options.extensionsDir, { recursive: true });
  const configFile = path.join(options.userDataDir, "code-server.yaml");
  await writeFile(configFile, "auth: none\n");
  const builtIns = options.builtIns === "few" ? await fewBuiltIns(options.userDataDir) : undefined;
  const child = spawn(hostNode, serverArguments(options, configFile, builtIns), {
    env: serverEnvironment(options.env),
    stdio: ["ignore", "pipe", "pipe"],
    // A process group of its own, so that stopping it reaches all it has started.
    detached: true,
  });
  const chunks: string[] = [];
  const output = () => chunks.join("");
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => chunks.push(String(chunk)));
  const stop = () => stopGroup(child);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  try {
    const kill = async () => {
      signalGroup(child, "SIGKILL");
      await ended;
    };
    return { authority: await announcedAddress(child, output), ended, output, stop, kill };
  } catch (error) {
    await stop();
    throw error;
  }
}
