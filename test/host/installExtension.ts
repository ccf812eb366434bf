import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { codeServerEntry, hostNode, root } from "./places.ts";
import { serverEnvironment } from "./serverEnvironment.ts";

const runFile = promisify(execFile);
const vsce = path.join(root, "node_modules/@vscode/vsce/vsce");

/** Packages Arbor as it would be published, or the extension in `folder`, and installs it for a server with these folders. */
export async function installExtension(
  dirs: { userDataDir: string; extensionsDir: string },
  folder?: string,
): Promise<void> {
  const home = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
  try {
    const vsix = folder === undefined ? await arborPackage(home) : await packageFolder(folder, home);
    const folders = ["--user-data-dir", dirs.userDataDir, "--extensions-dir", dirs.extensionsDir];
    const config = ["--config", path.join(home, "code-server.yaml")];
    await runFile(hostNode, [codeServerEntry, ...config, ...folders, "--install-extension", vsix], {
      env: serverEnvironment(),
    });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

async function arborPackage(out: string): Promise<string> {
  if (process.env.ARBOR_PACKAGE !== undefined) return process.env.ARBOR_PACKAGE;
  await runFile(process.execPath, [path.join(root, "scripts/package.mjs"), "--out", out], { cwd: root });
  const name = (await readdir(out)).find((file) => file.endsWith(".vsix"));
  if (name === undefined) throw new Error("Nothing was packaged.");
  return path.join(out, name);
}

async function packageFolder(folder: string, out: string): Promise<string> {
  const vsix = path.join(out, "extension.vsix");
  // It needs nothing but its own files.
  const flags = ["--no-dependencies", "--allow-missing-repository", "--no-rewrite-relative-links", "--skip-license"];
  await runFile(process.execPath, [vsce, "package", ...flags, "--out", vsix], { cwd: folder });
  return vsix;
}
