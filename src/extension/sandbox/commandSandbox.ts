import { randomUUID } from "node:crypto";
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import { basename, dirname, join } from "node:path";
import { t } from "@vscode/l10n";
import { ToolError } from "../common/userError.ts";
import type { SandboxSetting } from "../settings/settings.ts";
import { canContain, containerArguments, isContained, needsAllProcesses } from "./container.ts";
import { type FileRules, outsideMounts, outsidePrograms, withRules } from "./fileRules.ts";
import { createdIn, guardedRoot, workspaceMounts } from "./guardedFiles.ts";
import { type HostGate, type HostProxy, startHostProxy } from "./hostProxy.ts";
import { bubblewrapArguments, isMounted, isWithin, type Mount, wrongMount } from "./mounts.ts";
import type { SandboxProbe } from "./probe.ts";
import { gitIdentity, systemMounts } from "./systemMounts.ts";

export interface CommandSandboxOptions {
  setting(): SandboxSetting;
  probe(): Promise<SandboxProbe>;
  /** The folders of the workspace that are on this machine's disk, as absolute paths. */
  roots(): readonly string[];
  home?: string;
  /** Further folders that commands can read. Default: none. */
  readable?: readonly string[];
  /** What else can be seen and changed, or can't. Default: nothing. */
  rules?: FileRules;
  /** Called with a sentence for people when a command runs outside for want of a sandbox. */
  onUnavailable?(reason: string): void;
}

/** Why nothing runs in the sandbox here, as a sentence for people; undefined where it works. */
export async function sandboxProblem(options: CommandSandboxOptions): Promise<string | undefined> {
  if (options.setting() === "off") return t("arbor.commands.sandbox is off.");
  if (options.roots().length === 0) return t("No folder is open.");
  const state = await stateOf(options);
  return state.isAvailable ? undefined : state.reason;
}

async function stateOf({ probe, roots, home }: CommandSandboxOptions): Promise<SandboxState> {
  const found = await probe();
  if (!found.isAvailable) return found;
  const outer = outermost(roots());
  const unsuitable = outer.length === 0 ? "/" : outer.find((root) => isTooWide(root, homeFolder(home)));
  return unsuitable === undefined
    ? { isAvailable: true }
    : { isAvailable: false, reason: t("The open folder {0} holds more than a project.", unsuitable) };
}

/** Whether commands can run in the sandbox here; if not, why, as a sentence for people. */
type SandboxState = { isAvailable: true } | { isAvailable: false; reason: string };

/** How to start a program in the sandbox. */
export interface SandboxLaunch {
  program: string;
  /** Given as a file, since there may be many. */
  options: readonly string[];
  environment: Readonly<Record<string, string>>;
  /** It keeps other processes from it, and nothing else: the command has all of the user's rights. */
  isContainer?: true;
  /** A program that listens in the sandbox and leads to the hosts that the user allows; it prints its number once it does. */
  bridge?: { program: string; script: string };
  /** Hosts that the command was not allowed to reach. */
  refusedHosts?(): readonly string[];
  /** By mountinfo of what runs in it. */
  isSetUp(inside: string): Promise<boolean>;
  /** What is mounted otherwise than it was meant. `inside` is mountinfo of the sandbox before its command starts. */
  wrongMount(inside: string): Promise<string | undefined>;
  /** To be called when the command has ended: gives the files that decide what runs, and that it made. */
  finish(): Promise<string[]>;
}

interface Folders {
  /** Of the sandbox alone; removed with it. */
  base: string;
  emptyFile: string;
  home: string;
  temporary: string;
}

/** The sandbox of one chat's commands: they share a home folder and a temporary folder of their own. */
export class CommandSandbox {
  readonly #options: CommandSandboxOptions;
  #folders: Promise<Folders> | undefined;
  #container: Promise<readonly string[] | undefined> | undefined;
  readonly #proxies = new Set<HostProxy>();
  #isDisposed = false;

  constructor(options: CommandSandboxOptions) {
    this.#options = options;
  }

  /** Whether a command may ask to run outside. */
  canLeave(): boolean {
    return this.#options.setting() !== "required";
  }

  /**
   * Where a command runs; undefined where there is no sandbox: then nothing is said of one. Throws a `ToolError` where the
   * user wants no command outside, and this one would run there.
   */
  async choose(wantsOutside: boolean): Promise<"inside" | "outside" | undefined> {
    if (this.#options.setting() === "off") return undefined;
    if (wantsOutside && !this.canLeave()) {
      throw new ToolError("The user's settings allow no command outside the sandbox. Do without this one, and say so.");
    }
    const state = await stateOf(this.#options);
    if (state.isAvailable) return wantsOutside ? "outside" : "inside";
    if (!this.canLeave()) {
      throw new ToolError(
        `The user's settings allow commands in the sandbox only, and there is none here: ${state.reason} Do without commands, and say so.`,
      );
    }
    this.#options.onUnavailable?.(state.reason);
    return undefined;
  }

  /**
   * Throws a `ToolError` when there is no sandbox for the workspace as it is now. With a gate the command reaches the hosts
   * that it allows, without one no network.
   */
  async launch(
    folder: string,
    environment: Readonly<Record<string, string>>,
    hosts?: HostGate,
  ): Promise<SandboxLaunch> {
    const [probe, state] = [await this.#options.probe(), await stateOf(this.#options)];
    if (!probe.isAvailable || !state.isAvailable) throw new ToolError("There is no sandbox to run this command in.");
    this.#folders ??= createFolders(this.#home);
    const folders = await this.#folders;
    if (this.#isDisposed) throw new ToolError("The chat was closed.");
    const { rules = {} } = this.#options;
    const roots = await Promise.all(
      outermost(this.#options.roots()).map(async (path) => withRules(await guardedRoot(path), rules)),
    );
    const home = this.#home;
    const programs = await outsidePrograms(rules, roots);
    // Where a folder of programs is the workspace, or its `bin`, all of that would be read-only.
    const system = (await systemMounts({ home, environment, programs })).filter(
      (mount) => !roots.some(({ path }) => path === mount.path),
    );
    const ownMounts: Mount[] = [
      ...system,
      { kind: "write", path: "/tmp", source: folders.temporary },
      { kind: "write", path: home, source: folders.home },
      ...(await Promise.all(roots.map((root) => workspaceMounts(root, folders.base)))).flat(),
      ...(this.#options.readable ?? []).map((path): Mount => ({ kind: "read", path })),
      ...(await outsideMounts(rules, { roots, home })),
    ];
    // Last: what fails before it leaves no proxy behind.
    const network = hosts && (await this.#openNetwork(folders.base, hosts));
    const mounts = [...(network?.mounts ?? []), ...ownMounts];
    const { program, canDisableNamespaces } = probe;
    const { emptyFile } = folders;
    return {
      program,
      options: bubblewrapArguments({ mounts, emptyFile, folder, canDisableNamespaces }),
      environment: { ...environment, ...network?.environment, HOME: home, TMPDIR: "/tmp", TMP: "/tmp", TEMP: "/tmp" },
      ...(network && { bridge: network.bridge, refusedHosts: () => network.proxy.refused }),
      isSetUp: async (inside) => isMounted(inside),
      async wrongMount(inside) {
        return wrongMount(mounts, { inside, emptyFile, outside: await readFile("/proc/self/mountinfo", "utf8") });
      },
      finish: async () => {
        network?.proxy.close();
        if (network !== undefined) this.#proxies.delete(network.proxy);
        return (await Promise.all(roots.map(createdIn))).flat();
      },
    };
  }

  /** Undefined where it can't be: then the command has no network, as without a gate. */
  async #openNetwork(base: string, hosts: HostGate): Promise<(SandboxNetwork & { proxy: HostProxy }) | undefined> {
    const program = await realpath(process.execPath);
    // What is beside the program can be seen in the sandbox: a folder of programs, or of the editor.
    if (isTooWide(dirname(program), this.#home)) return undefined;
    const proxy = await startHostProxy(join(base, randomUUID()), hosts).catch(() => undefined);
    if (proxy === undefined) return undefined;
    this.#proxies.add(proxy);
    if (this.#isDisposed) proxy.close();
    return { proxy, ...sandboxNetwork(program, proxy.socket) };
  }

  /**
   * How to start a command outside of the sandbox so that it can neither read what the editor was started with nor outlive
   * its end. Undefined where that can't be, where the user wants no sandbox at all, and for what is about processes.
   */
  async contain(command: string, environment: Readonly<Record<string, string>>): Promise<SandboxLaunch | undefined> {
    if (this.#options.setting() === "off") return undefined;
    const probe = await this.#options.probe();
    if (!probe.isAvailable || (await needsAllProcesses(command))) return undefined;
    const { program } = probe;
    this.#folders ??= createFolders(this.#home);
    const { base } = await this.#folders;
    this.#container ??= containerArguments(base).then(async (options) =>
      (await canContain(program, options)) ? options : undefined,
    );
    const options = await this.#container;
    if (this.#isDisposed) throw new ToolError("The chat was closed.");
    if (options === undefined) return undefined;
    return {
      ...{ program, options, environment, isContainer: true },
      isSetUp: async (inside) => isContained(inside, await readFile("/proc/self/mountinfo", "utf8")),
      wrongMount: async () => undefined,
      finish: async () => [],
    };
  }

  dispose(): void {
    this.#isDisposed = true;
    for (const proxy of this.#proxies) proxy.close();
    void this.#folders?.then(({ base }) => rm(base, { recursive: true, force: true })).catch(() => undefined);
  }

  get #home(): string {
    return homeFolder(this.#options.home);
  }
}

function homeFolder(home = os.homedir()): string {
  // Services have a home folder that is none.
  return home.split("/").length < 2 || home === "/" ? "/tmp/home" : home;
}

interface SandboxNetwork {
  mounts: Mount[];
  environment: Record<string, string>;
  bridge: { program: string; script: string };
}

const bridgePort = 49_190;
const bridgeFolder = "/run/arbor";

/** Programs know of proxies with a port only, and the sandbox has ports of its own: one there leads to the socket. */
function sandboxNetwork(program: string, socket: string): SandboxNetwork {
  const address = `http://127.0.0.1:${bridgePort}`;
  const own = "localhost,127.0.0.1,::1";
  const [inside, folder] = [`${bridgeFolder}/hosts`, `${bridgeFolder}/program`];
  return {
    mounts: [
      { kind: "read", path: inside, source: socket },
      { kind: "read", path: folder, source: dirname(program) },
    ],
    environment: {
      ...{ http_proxy: address, https_proxy: address, HTTP_PROXY: address, HTTPS_PROXY: address },
      ...{ no_proxy: own, NO_PROXY: own },
    },
    bridge: {
      program: `${folder}/${basename(program)}`,
      script: `const { createServer, connect } = require("net"), { closeSync, openSync, writeSync } = require("fs");
createServer((own) => {
  const hosts = connect(${JSON.stringify(inside)});
  own.on("error", () => hosts.destroy());
  hosts.on("error", () => own.destroy());
  own.pipe(hosts).pipe(own);
}).listen(${bridgePort}, "127.0.0.1", () => {
  writeSync(1, String(process.pid));
  // Its reader goes on when it is closed; its number is taken again at once, for no socket may have it.
  closeSync(1);
  openSync("/dev/null", "w");
});`,
    },
  };
}

async function createFolders(home: string): Promise<Folders> {
  const base = await realpath(await mkdtemp(join(os.tmpdir(), "arbor-sandbox-")));
  const folders = { base, emptyFile: join(base, "empty"), home: join(base, "home"), temporary: join(base, "tmp") };
  await mkdir(folders.home, { mode: 0o700 });
  await mkdir(folders.temporary, { mode: 0o700 });
  await writeFile(folders.emptyFile, "");
  await chmod(folders.emptyFile, 0);
  await writeFile(join(folders.home, ".gitconfig"), await gitIdentity(home));
  return folders;
}

/** A folder in another one is a part of that: where a link is in its place, what it leads to is not the user's choice. */
function outermost(roots: readonly string[]): string[] {
  return [...new Set(roots)].filter((root) => !roots.some((other) => other !== root && isWithin(root, other)));
}

function isTooWide(root: string, home: string): boolean {
  const wide = ["/", "/usr", "/etc", "/tmp", "/home", "/var", "/opt", "/run", "/dev", "/proc", "/sys"];
  return wide.includes(root) || isWithin(home, root);
}
