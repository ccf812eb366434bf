import { mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import { dirname, join } from "node:path";
import { CommandSandbox, type SandboxLaunch } from "../../../src/extension/sandbox/commandSandbox.ts";
import type { HostGate } from "../../../src/extension/sandbox/hostProxy.ts";
import { probeSandbox, type SandboxProbe } from "../../../src/extension/sandbox/probe.ts";
import { commandEnvironment } from "../../../src/extension/terminal/environment.ts";
import { KeptOutput } from "../../../src/extension/terminal/keptOutput.ts";
import { OutputStore } from "../../../src/extension/terminal/outputStore.ts";
import {
  type CommandEnd,
  type CommandStart,
  type RunningCommand,
  startCommand,
} from "../../../src/extension/terminal/runningCommand.ts";
import { chooseShell } from "../../../src/extension/terminal/shell.ts";

let probe: Promise<SandboxProbe> | undefined;

/** Of this machine, tried once. Where no sandbox works, that is said in one line: then its tests run nothing. */
export function machineProbe(): Promise<SandboxProbe> {
  probe ??= probeSandbox({ environment: process.env }).then((found) => {
    if (!found.isAvailable) console.log(`    Not run, there is no sandbox on this machine: ${found.reason}`);
    return found;
  });
  return probe;
}

/** A workspace with what has to be guarded in it, something outside, and a sandbox for commands. */
export interface SandboxBench {
  /** The folder that holds all of it. */
  readonly base: string;
  readonly workspace: string;
  /** Beside the workspace. */
  readonly outside: string;
  readonly home: string;
  readonly sandbox: CommandSandbox;
  launch(folder?: string, hosts?: HostGate): Promise<SandboxLaunch>;
  start(command: string, options?: Partial<CommandStart>): Promise<RunningCommand>;
  run(command: string, options?: Partial<CommandStart>): Promise<{ end: CommandEnd; text: string }>;
  close(): Promise<void>;
}

export const secret = "canary-7c1f";

const workspaceFiles: Readonly<Record<string, string>> = {
  "src/a.ts": "export const a = 1;\n",
  "package.json": '{ "scripts": { "test": "true" } }\n',
  "packages/deep/package.json": "{}\n",
  ".vscode/settings.json": "{}\n",
  ".github/workflows/ci.yml": "on: push\n",
  "AGENTS.md": "Be kind.\n",
  Makefile: "all:\n",
  ".env": `KEY=${secret}\n`,
  "config/server.pem": `${secret}\n`,
  ".git/HEAD": "ref: refs/heads/main\n",
  ".git/config": `[core]\n\trepositoryformatversion = 0\n[remote "origin"]\n\turl = https://me:${secret}@host.test/a.git\n`,
  ".git/hooks/pre-commit.sample": "#!/bin/sh\n",
  ".git/refs/heads/.keep": "",
  ".git/objects/.keep": "",
};

const homeFiles: Readonly<Record<string, string>> = {
  ".ssh/id_ed25519": `${secret}\n`,
  ".aws/credentials": `${secret}\n`,
  ".netrc": `machine host.test password ${secret}\n`,
  ".bashrc": "# mine\n",
  ".bash_history": `login ${secret}\n`,
  ".config/gh/hosts.yml": `oauth_token: ${secret}\n`,
  ".cargo/bin/tool": "#!/bin/sh\necho a tool\n",
  ".cargo/credentials.toml": `token = "${secret}"\n`,
  ".gitconfig": `[user]\n\tname = Ada\n\temail = ada@host.test\n[http]\n\textraheader = ${secret}\n`,
  "Documents/letter.txt": `${secret}\n`,
};

export async function sandboxBench(): Promise<SandboxBench> {
  const base = await realpath(await mkdtemp(join(os.tmpdir(), "arbor-bench-")));
  const [workspace, outside, home] = [join(base, "workspace"), join(base, "outside"), join(base, "home")];
  for (const [folder, files] of [
    [workspace, workspaceFiles],
    [home, homeFiles],
    [outside, { "file.txt": `${secret}\n`, "folder/inner.txt": "inner\n" }],
  ] as const) {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
  }
  const sandbox = new CommandSandbox({
    setting: () => "auto",
    probe: machineProbe,
    roots: () => [workspace],
    home,
  });
  const outputs = new OutputStore(join(base, "outputs"));
  const environment = (mark: string) =>
    commandEnvironment({ ...process.env, SECRET_TOKEN: secret }, { mark, keyNames: [] });
  const running: RunningCommand[] = [];
  const start: SandboxBench["start"] = async (command, options = {}) => {
    const mark = crypto.randomUUID();
    const folder = options.folder ?? workspace;
    const started = await startCommand({
      ...{ command, folder, mark, environment: environment(mark), graceMs: 100 },
      shell: chooseShell({ platform: process.platform, preferred: "/bin/bash" }),
      output: new KeptOutput(outputs.place(`${mark}.txt`)),
      // As the tool does it, with a way to hosts; of which the user allows none.
      sandbox: await sandbox.launch(folder, environment(mark), { allow: async () => false }),
      ...options,
    });
    running.push(started);
    return started;
  };
  return {
    ...{ base, workspace, outside, home, sandbox, start },
    launch: (folder = workspace, hosts) => sandbox.launch(folder, environment("mark"), hosts),
    async run(command, options) {
      const started = await start(command, options);
      const end = await started.ended;
      return { end, text: (await started.output.excerpt()).head };
    },
    async close() {
      for (const command of running) command.kill();
      await Promise.all(running.map((command) => command.ended));
      sandbox.dispose();
      await rm(base, { recursive: true, force: true });
    },
  };
}

/** Everything in a folder, with what it holds: to be compared. `except` are folders that may change. */
export async function snapshot(folder: string, except: readonly string[] = []): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (except.includes(path)) continue;
    if (entry.isDirectory()) Object.assign(found, { [path]: "folder" }, await snapshot(path, except));
    else if (entry.isSymbolicLink()) found[path] = `link to ${await readlink(path)}`;
    else found[path] = await readFile(path, "utf8");
  }
  return found;
}
