import { copyFile, lstat, mkdir, symlink } from "node:fs/promises";
import path from "node:path";
import { root } from "./places.ts";

const stage = path.join(root, "out/extension");

/**
 * A folder that holds the built extension and nothing else, to develop from. The repository itself won't do: it also
 * holds the editor host, and the editor takes built-in extensions below a development extension for parts of it.
 */
export async function stageExtension(): Promise<string> {
  await mkdir(stage, { recursive: true });
  for (const file of ["package.json", "package.nls.json", "package.nls.de.json"]) {
    await copyFile(path.join(root, file), path.join(stage, file));
  }
  for (const folder of ["dist", "l10n", "media"]) {
    const link = path.join(stage, folder);
    const isThere = await lstat(link).then(
      () => true,
      () => false,
    );
    if (!isThere) await symlink(path.join(root, folder), link);
  }
  return stage;
}
