import path from "node:path";
import { run } from "../command.mjs";
import { root, startDir } from "../paths.mjs";

/**
 * Opens the desktop editor with a profile of its own, until its window is closed.
 * @param {string} executable
 * @param {string} workspace
 */
export async function startDesktop(executable, workspace) {
  console.log(`Opening ${workspace} in ${executable}. Close its window to end.`);
  const args = [
    `--extensionDevelopmentPath=${root}`,
    `--extensionDevelopmentPath=${path.join(root, "scripts/start/panelOpener")}`,
    `--user-data-dir=${path.join(startDir, "user")}`,
    "--disable-extensions",
    "--new-window",
    "--wait",
    workspace,
  ];
  return (await run(executable, args, { live: true })).code;
}
