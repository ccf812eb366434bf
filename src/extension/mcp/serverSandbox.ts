import { basename, dirname, isAbsolute } from "node:path";
import { t } from "@vscode/l10n";
import { ToolError, UserError } from "../common/userError.ts";
import type { FetchAddress } from "../fetching/address.ts";
import { CommandSandbox, type CommandSandboxOptions, type SandboxLaunch } from "../sandbox/commandSandbox.ts";
import type { HostGate } from "../sandbox/hostProxy.ts";
import type { StdioLaunch } from "./configuration.ts";
import type { ResolvedLaunch } from "./variables.ts";

/** What the sandbox of servers is made with: that of commands. */
export type SandboxParts = Pick<CommandSandboxOptions, "setting" | "probe" | "roots" | "home">;

/** The sandbox of one start of a server, with a home folder and a temporary folder that end with it. */
export interface ServerSandbox {
  launch(environment: Readonly<Record<string, string>>): Promise<SandboxLaunch>;
}

/** Programs that fetch the server before they run it, and from where. */
const registries: readonly { programs: readonly string[]; hosts: readonly string[] }[] = [
  { programs: ["npx", "npm", "pnpm", "pnpx", "yarn", "bun", "bunx"], hosts: ["registry.npmjs.org"] },
  { programs: ["uvx", "uv", "pipx", "pip"], hosts: ["pypi.org", "files.pythonhosted.org"] },
];

/** The hosts that a server reaches from the sandbox: those of its rules, and those that its own program comes from. */
export function reachableHosts({ command, sandbox }: Pick<StdioLaunch, "command" | "sandbox">): string[] {
  const { allowedDomains = [], deniedDomains = [] } = sandbox?.network ?? {};
  const own = registries.find(({ programs }) => programs.includes(basename(command)))?.hosts ?? [];
  return [...new Set([...own, ...allowedDomains])].filter((host) => !deniedDomains.includes(host));
}

/** What a server sees or changes in the sandbox beside the workspace, as its definition names it. */
export function openedPaths({
  cwd,
  sandbox,
}: Pick<StdioLaunch, "cwd" | "sandbox">): Record<"read" | "change", string[]> {
  const { allowRead = [], allowWrite = [] } = sandbox?.filesystem ?? {};
  const isOpened = (path: string) => !/^\$\{workspaceFolder\}(?:\/|$)/.test(path) || path.split("/").includes("..");
  const read = cwd === undefined ? allowRead : [...allowRead, cwd];
  return { read: read.filter(isOpened), change: allowWrite.filter(isOpened) };
}

const maxHosts = 1_000;

/** `log` gets a line for each host that is not allowed. */
export function serverSandbox(
  parts: SandboxParts,
  launch: Extract<ResolvedLaunch, { type: "stdio" }>,
  log: (line: string) => void,
): ServerSandbox {
  const { command, cwd, sandbox: rules } = launch;
  const hosts = reachableHosts(launch);
  return {
    async launch(environment) {
      const { filesystem = {} } = rules ?? {};
      const home = environment.HOME;
      const sandbox = new CommandSandbox({
        ...parts,
        rules: {
          ...filesystem,
          allowRead: [...(filesystem.allowRead ?? []), ...(cwd === home ? [] : [cwd])],
          programs: isAbsolute(command) ? [dirname(command)] : [],
        },
      });
      // The network of Node takes no notice of a proxy unless it is asked to.
      const own = hosts.length === 0 ? environment : { NODE_USE_ENV_PROXY: "1", ...environment };
      const gate = hosts.length === 0 ? undefined : hostGate(hosts, rules?.network?.deniedDomains, log);
      try {
        const started = await sandbox.launch(cwd, own, gate);
        const finish = () => started.finish().finally(() => sandbox.dispose());
        return { ...started, finish };
      } catch (error) {
        sandbox.dispose();
        if (!(error instanceof ToolError)) throw error;
        // That one is about a command, for the model that wants it run.
        throw new UserError(
          t("The sandbox does not work for the workspace as it is now, which may have too many files for it."),
          error.message,
        );
      }
    },
  };
}

/** A public name may lead to this machine or its network, which no rule names: that needs the address among the hosts, too. */
export function hostGate(
  allowed: readonly string[],
  denied: readonly string[] = [],
  log: (line: string) => void,
): HostGate {
  return {
    maxHosts,
    async allow({ url: { hostname }, isPrivate, leadsTo }: FetchAddress) {
      const names = leadsTo === undefined ? [hostname] : [hostname, leadsTo];
      const isAllowed = names.every((name) => allowed.some((pattern) => isMeant(pattern, name, isPrivate)));
      const isDenied = names.some((name) => denied.some((pattern) => isMeant(pattern, name, false)));
      if (isAllowed && !isDenied) return true;
      const [what, it] = leadsTo === undefined ? [hostname, "it"] : [`${hostname}, which leads to ${leadsTo}`, "both"];
      log(`It may not reach ${what}. Add ${it} to allowedDomains of its sandbox if it should.`);
      return false;
    },
  };
}

/** An address of this machine or its network is meant only where it is written out. */
function isMeant(pattern: string, hostname: string, isPrivate: boolean): boolean {
  const [wanted, host] = [pattern, hostname].map((name) => name.toLowerCase().replace(/\.$/, ""));
  if (wanted === undefined || host === undefined) return false;
  if (wanted === host) return true;
  if (isPrivate) return false;
  return wanted === "*" || (wanted.startsWith("*.") && host.endsWith(wanted.slice(1)));
}
