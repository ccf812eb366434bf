import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const cache = join(tmpdir(), "arbor-foreign-agents");

/** Where a package is once it is installed. */
export function packageFolder(name: string, version: string): string {
  return join(cache, `${name.split("/").at(-1)}@${version}`, "node_modules", ...name.split("/"));
}

/**
 * The folder of a package of the registry, in exactly this version. It is installed for the first test that asks and
 * stays in the temporary folder: some have hundreds of megabytes. No script of a package is run.
 */
export async function installedPackage(name: string, version: string): Promise<string> {
  const folder = join(cache, `${name.split("/").at(-1)}@${version}`);
  const installed = packageFolder(name, version);
  if (existsSync(installed)) return installed;
  await mkdir(cache, { recursive: true });
  // Under its name only when it is whole.
  const partial = await mkdtemp(join(cache, "partial-"));
  await writeFile(join(partial, "package.json"), JSON.stringify({ private: true }));
  const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", `${name}@${version}`];
  await promisify(execFile)("npm", args, { cwd: partial, shell: process.platform === "win32" });
  await rm(folder, { recursive: true, force: true });
  await rename(partial, folder);
  return installed;
}

/** Tests that install a program of others and drive it: hundreds of megabytes, so on demand only. */
export function describeReal(title: string, tests: () => void): void {
  if (process.env.ARBOR_FOREIGN !== "1") {
    console.log(`${title}: not run, ARBOR_FOREIGN=1 installs and drives it`);
    return;
  }
  describe(title, function () {
    this.timeout(60_000);
    tests();
  });
}
