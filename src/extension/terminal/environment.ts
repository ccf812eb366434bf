import { delimiter, isAbsolute } from "node:path";

/** Set in a command's environment to find what it spawned; commands within commands add theirs. */
export const commandMarkVariable = "ARBOR_COMMANDS";

/**
 * What a command may have of the editor's environment. Everything else stays out: keys and tokens of whatever service,
 * sockets of agents and buses, and what makes programs load or run something (LD_PRELOAD, NODE_OPTIONS, BASH_ENV, GIT_*).
 */
const allowedNames = new Set([
  // Who and where one is, and in which language.
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "HOSTNAME", "TZ", "LANG", "LANGUAGE", "TMPDIR", "TMP", "TEMP"],
  ...["LC_ALL", "LC_ADDRESS", "LC_COLLATE", "LC_CTYPE", "LC_IDENTIFICATION", "LC_MEASUREMENT", "LC_MESSAGES"],
  ...["LC_MONETARY", "LC_NAME", "LC_NUMERIC", "LC_PAPER", "LC_TELEPHONE", "LC_TIME"],
  ...["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_DATA_DIRS", "XDG_CONFIG_DIRS"],
  // Where languages and their tools are installed.
  ...["JAVA_HOME", "JDK_HOME", "M2_HOME", "MAVEN_HOME", "GRADLE_HOME", "GRADLE_USER_HOME", "SDKMAN_DIR", "KOTLIN_HOME"],
  ...["ANDROID_HOME", "ANDROID_SDK_ROOT", "ANDROID_NDK_HOME", "FLUTTER_ROOT", "DOTNET_ROOT", "NUGET_PACKAGES"],
  ...["GOPATH", "GOROOT", "GOBIN", "GOCACHE", "GOMODCACHE", "CARGO_HOME", "CARGO_TARGET_DIR", "RUSTUP_HOME"],
  ...["RUSTUP_TOOLCHAIN", "NVM_DIR", "NVM_BIN", "VOLTA_HOME", "FNM_DIR", "FNM_MULTISHELL_PATH", "N_PREFIX", "ASDF_DIR"],
  ...["ASDF_DATA_DIR", "MISE_DATA_DIR", "PNPM_HOME", "BUN_INSTALL", "DENO_DIR", "DENO_INSTALL", "PYENV_ROOT"],
  ...[
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "CONDA_DEFAULT_ENV",
    "MAMBA_ROOT_PREFIX",
    "POETRY_HOME",
    "PIPX_HOME",
    "RBENV_ROOT",
  ],
  ...["GEM_HOME", "GEM_PATH", "RUBY_VERSION", "COMPOSER_HOME", "OPAM_SWITCH_PREFIX", "GHCUP_INSTALL_BASE_PREFIX"],
  ...["HOMEBREW_PREFIX", "HOMEBREW_CELLAR", "HOMEBREW_REPOSITORY", "NIX_PROFILES", "NIX_SSL_CERT_FILE"],
  ...["SSL_CERT_FILE", "SSL_CERT_DIR", "PKG_CONFIG_PATH", "CMAKE_PREFIX_PATH"],
  // How programs behave.
  ...["CI", "NODE_ENV", "RAILS_ENV", "COLUMNS", "LINES", "DEBIAN_FRONTEND", "SOURCE_DATE_EPOCH", "PYTHONUNBUFFERED"],
  ...["PYTHONDONTWRITEBYTECODE", "PYTHONIOENCODING", "PYTHONUTF8", "RUST_BACKTRACE", "CARGO_TERM_COLOR", "NO_PROXY"],
  // Windows.
  ...["SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA"],
  ...["ALLUSERSPROFILE", "PROGRAMFILES", "PROGRAMFILES(X86)", "PROGRAMW6432", "COMMONPROGRAMFILES"],
  ...["COMMONPROGRAMFILES(X86)", "COMMONPROGRAMW6432", "USERPROFILE", "USERNAME", "USERDOMAIN", "HOMEDRIVE"],
  ...["HOMEPATH", "PUBLIC", "COMPUTERNAME", "OS", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE"],
]);

/** Allowed as long as no password is in them. */
const proxyNames = new Set(["HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY"]);

/** Whatever its variable is called, such a value is a key. */
export const keyValue =
  /(?:^|[^A-Za-z0-9])(?:sk-(?:ant|or|proj|svcacct)-|gsk_|xai-|pplx-|hf_[A-Za-z0-9]{20}|gh[pousr]_[A-Za-z0-9]{20}|github_pat_|glpat-|xox[abprs]-|AKIA[A-Z0-9]{16}|npm_[A-Za-z0-9]{36})/;

/** How what holds a key is called. */
export const secretName = /(?:api[-_]?key|token|secret|passw(?:or)?d|credential)/i;

/** There is no terminal: nothing waits for a key press, nothing draws. */
const withoutTerminal = { TERM: "dumb", NO_COLOR: "1", PAGER: "cat", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0" };

/**
 * The environment a command gets: what is listed here of the editor's, in or out of the sandbox. `keyNames` are variables
 * that hold keys, as the settings name them. Out of the sandbox a program that goes looking can still read the editor's
 * own environment where the system lets it.
 */
export function commandEnvironment(
  base: Readonly<Record<string, string | undefined>>,
  { mark, keyNames }: { mark: string; keyNames: readonly string[] },
): Record<string, string> {
  const named = new Set(keyNames.map((name) => name.toUpperCase()));
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) {
    if (value === undefined || named.has(name.toUpperCase()) || !isAllowedVariable(name, value)) continue;
    environment[name] = name.toUpperCase() === "PATH" ? searchPath(value) : value;
  }
  const outer = base[commandMarkVariable];
  const marks = outer === undefined ? mark : `${outer} ${mark}`;
  return { ...environment, ...withoutTerminal, [commandMarkVariable]: marks };
}

/** Whether a command may have this variable. */
export function isAllowedVariable(name: string, value: string, platform: NodeJS.Platform = process.platform): boolean {
  const upper = name.toUpperCase();
  if (proxyNames.has(upper)) return hasNoPassword(value);
  // Elsewhere `path` is another variable than `PATH`; only proxies and their exceptions are written either way.
  const known = platform === "win32" || name === "no_proxy" ? upper : name;
  // A line end or the start of a function is in none of them.
  return allowedNames.has(known) && !/[\n\r\0]|^\(\)\s*\{/.test(value) && !keyValue.test(value);
}

function hasNoPassword(proxy: string): boolean {
  const url = URL.parse(proxy.includes("://") ? proxy : `http://${proxy}`);
  return url !== null && url.username === "" && url.password === "" && /^[^@\s?#]*$/.test(proxy);
}

/** Without entries that mean the folder one happens to be in: a program of the workspace could run in place of any other. */
function searchPath(value: string): string {
  return value
    .split(delimiter)
    .filter((entry) => isAbsolute(entry))
    .join(delimiter);
}
