import { mkdtemp, rm, symlink } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

/**
 * Names a folder by a link in the temporary folder while it is used: node-gyp's makefiles have paths without quotes, so
 * that a blank in one, as in the name of the folder of a clone, would end it.
 * @template T
 * @param {string} folder
 * @param {(link: string) => Promise<T>} use
 */
export async function withPlainLink(folder, use) {
  const home = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
  try {
    const link = path.join(home, "link");
    await symlink(folder, link);
    return await use(link);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
