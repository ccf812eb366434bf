import { lstat, readdir, readFile, readlink, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, normalize } from "node:path";
import { isSecretPath } from "../approvals/sensitive.ts";
import { isWithin, type Mount } from "./mounts.ts";

/** Where systems have their programs, libraries and general settings. */
const systemFolders = [
  ...["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu"],
  ...["/home/linuxbrew/.linuxbrew", "/run/current-system"],
];

/** What of those only root may read: an editor that runs as root could. */
const hiddenSystem = [
  ...["shadow", "shadow-", "gshadow", "gshadow-", "sudoers", "sudoers.d", "krb5.keytab", "ssl/private", "letsencrypt"],
  ...[
    "ssh",
    "wireguard",
    "openvpn",
    "ppp",
    "ipsec.secrets",
    "NetworkManager/system-connections",
    "kubernetes",
    "docker",
  ],
  ...["rancher", "cups", "security/opasswd"],
].map((name) => `/etc/${name}`);

/** Of the home folder only languages and their tools can be seen; documents, settings, histories and keys can't. */
const homeTools = [
  ...[".nvm", ".volta", ".fnm", ".asdf", ".n", ".bun", ".deno", ".cargo", ".rustup", "go", ".go", ".pyenv", ".rbenv"],
  ...[".rvm", ".sdkman", ".jabba", ".virtualenvs", "miniconda3", "anaconda3", "miniforge3", "mambaforge", ".dotnet"],
  ...[".nuget/packages", ".m2/repository", ".m2/wrapper", ".gradle/wrapper", ".ghcup", ".cabal", ".stack", ".opam"],
  ...[".elan", ".juliaup", ".pub-cache", "flutter", "Android/Sdk", ".npm/_cacache", ".cache/pip", ".cache/uv"],
  ...[".cache/ms-playwright", ".cache/puppeteer", ".cache/go-build", ".local/bin", ".local/lib", ".local/pipx"],
  ...[".local/share/fnm", ".local/share/pnpm", ".local/share/mise", ".local/share/uv", ".local/share/virtualenvs"],
  ...[".local/share/pipx", ".config/nvm"],
];

/** Variables that name a folder of a tool. */
const toolVariables = [
  ...[
    "JAVA_HOME",
    "JDK_HOME",
    "M2_HOME",
    "MAVEN_HOME",
    "GRADLE_HOME",
    "SDKMAN_DIR",
    "ANDROID_HOME",
    "ANDROID_SDK_ROOT",
  ],
  ...["FLUTTER_ROOT", "DOTNET_ROOT", "GOROOT", "GOPATH", "CARGO_HOME", "RUSTUP_HOME", "NVM_DIR", "NVM_BIN"],
  ...["VOLTA_HOME", "FNM_DIR", "FNM_MULTISHELL_PATH", "ASDF_DIR", "ASDF_DATA_DIR", "PNPM_HOME", "BUN_INSTALL"],
  ...[
    "DENO_INSTALL",
    "PYENV_ROOT",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "POETRY_HOME",
    "PIPX_HOME",
    "RBENV_ROOT",
    "GEM_HOME",
  ],
];

/** Never seen, whatever variable names them: sockets of the system and of the user's other programs, and all of a disk. */
const neverShown = ["/", "/home", "/root", "/run", "/var", "/tmp", "/proc", "/sys", "/dev", "/mnt", "/media", "/srv"];

export interface SystemParts {
  home: string;
  environment: Readonly<Record<string, string>>;
  /** Further folders with programs. Default: none. */
  programs?: readonly string[];
}

/** The system and the user's tools, as a command in the sandbox sees them: to be read. */
export async function systemMounts({ home, environment, programs = [] }: SystemParts): Promise<Mount[]> {
  const shown = (await Promise.all(systemFolders.map(asItIs))).filter((mount) => mount !== undefined);
  const hidden = (await Promise.all(hiddenSystem.map(hide))).filter((mount) => mount !== undefined);
  const tools = await Promise.all([
    ...homeTools.map((name) => toolFolder(join(home, name), home)),
    ...toolVariables.map((name) => toolFolder(environment[name] ?? "", home)),
    ...[...(environment.PATH ?? "").split(":"), ...programs].map((entry) =>
      toolFolder(programFolder(entry, home), home),
    ),
  ]);
  const extra = tools.flat().filter(({ path }) => !shown.some((mount) => isWithin(path, mount.path)));
  const secrets = await Promise.all(extra.map(secretsIn));
  return [...shown, ...extra, ...hidden, ...secrets.flat()];
}

async function asItIs(path: string): Promise<Mount | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isSymbolicLink()) return { kind: "link", path, target: await readlink(path) };
  return stats?.isDirectory() ? { kind: "read", path } : undefined;
}

async function hide(path: string): Promise<Mount | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isDirectory()) return { kind: "hiddenFolder", path };
  return stats?.isFile() ? { kind: "hiddenFile", path } : undefined;
}

/** Programs of a tool find the rest of it beside their folder. */
function programFolder(entry: string, home: string): string {
  const parent = dirname(entry);
  const isTools = ["bin", "sbin", "shims"].includes(basename(entry)) && parent !== home && parent.split("/").length > 3;
  return isTools && basename(parent) !== ".local" ? parent : entry;
}

interface ShownFolder {
  kind: "read";
  path: string;
  source: string;
}

/** A folder that may be seen, under the name that it is known by; empty where it may not. */
async function toolFolder(path: string, home: string): Promise<ShownFolder[]> {
  const source = isAbsolute(path) ? await realpath(path).catch(() => undefined) : undefined;
  if (source === undefined || !(await stat(source)).isDirectory()) return [];
  const isTooMuch = [path, source].some((each) => holdsTooMuch(each, home));
  return isTooMuch ? [] : [{ kind: "read", path: normalize(path).replace(/\/$/, ""), source }];
}

/** Whether a path is one of those that no command in the sandbox sees, whatever names it. */
export function holdsTooMuch(path: string, home: string): boolean {
  return neverShown.includes(path) || isWithin(home, path) || isHidden(path, home);
}

/** In folders of sockets, or in one of the home folder that holds keys. */
function isHidden(real: string, home: string): boolean {
  if (["/run", "/proc", "/sys", "/dev"].some((folder) => isWithin(real, folder))) return true;
  return isWithin(real, home) && isSecretPath(`${real.slice(home.length + 1)}/x`);
}

/** Cargo, npm and others keep tokens beside their programs. */
export async function secretsIn({ path, source }: { path: string; source: string }): Promise<Mount[]> {
  const names = await readdir(source).catch(() => []);
  const secret = names.filter((name) => isSecretPath(name) || name === "credentials.toml");
  const mounts = await Promise.all(secret.map(async (name) => ({ name, mount: await hide(join(source, name)) })));
  return mounts.flatMap(({ name, mount }) => (mount === undefined ? [] : [{ ...mount, path: join(path, name) }]));
}

/** Who commits: all that commands need of the user's settings of git, which may hold tokens and name programs. */
export async function gitIdentity(home: string): Promise<string> {
  const files = [join(home, ".config/git/config"), join(home, ".gitconfig")];
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8").catch(() => "")));
  const known = new Map<string, string>();
  for (const section of texts.join("\n").split(/^(?=\s*\[)/m)) {
    if (!/^\s*\[user\]/i.test(section)) continue;
    for (const [, key = "", value = ""] of section.matchAll(/^\s*(name|email)\s*=\s*(.+)$/gim)) {
      known.set(key.toLowerCase(), value);
    }
  }
  return known.size === 0 ? "" : `[user]\n${[...known].map(([key, value]) => `\t${key} = ${value}\n`).join("")}`;
}
