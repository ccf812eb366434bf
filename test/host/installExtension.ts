import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { codeServerEntry, hostNode, root } from "./places.ts";
import { serverEnvironment } from "./serverEnvironment.ts";

const runFile = promisify(execFile);
const vsce = path.join(root, "node_modules/@vscode/vsce/vsce");

/** Packages an extension, Arbor by default, as it would be published and installs it for a server with these folders. */
export async function installExtension(
  dirs: { userDataDir: string; extensionsDir: string },
  folder = root,
): Promise<void> {
  const home = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
  try {
    const vsix = path.join(home, "extension.vsix");
    // Everything is bundled, so no dependency goes along.
    const flags = ["--no-dependencies", "--allow-missing-repository", "--no-rewrite-relative-links", "--skip-license"];
    await runFile(process.execPath, [vsce, "package", ...flags, "--out", vsix], { cwd: folder });
    const folders = ["--user-data-dir", dirs.userDataDir, "--extensions-dir", dirs.extensionsDir];
    const config = ["--config", path.join(home, "code-server.yaml")];
    await runFile(hostNode, [codeServerEntry, ...config, ...folders, "--install-extension", vsix], {
      env: serverEnvironment(),
    });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
