/** The npm packages of package-lock.json. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { mustRun } from "../command.mjs";
import { node24, nodeModules, root } from "../paths.mjs";

async function lockedPackages(file) {
  return JSON.parse(await readFile(file, "utf8")).packages ?? {};
}

/** Says what is installed, package by package, against what the lock file asks for. */
async function packagesAreCurrent() {
  // npm writes this file as the last step of a successful install, however it was started.
  const installedList = path.join(nodeModules, ".package-lock.json");
  if (!existsSync(installedList) || !existsSync(node24)) return false;
  const installed = await lockedPackages(installedList);
  const wanted = await lockedPackages(path.join(root, "package-lock.json"));
  return Object.entries(wanted).every(
    ([where, { version, optional }]) => where === "" || optional || installed[where]?.version === version,
  );
}

/** @param {(line: string) => void} say */
export async function installPackages(say) {
  if (await packagesAreCurrent()) return;
  say("npm packages: installing (npm install)");
  // Not `npm ci`: it refuses a lock file without the optional binaries of every other platform, and a lock file made
  // where a registry does not carry them all cannot name them. --no-save leaves the lock file as it is; a NODE_ENV
  // of "production" would leave out the tools.
  await mustRun("npm", ["install", "--no-save", "--include=dev", "--no-audit", "--no-fund"]);
}
