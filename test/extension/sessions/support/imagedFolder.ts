import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ImagedFiles } from "../../../../src/extension/changes/rewind/storage.ts";

/** The files of a folder on the disk, as checkpoints take and put them back. */
export function imagedFolder(folder: string): ImagedFiles {
  return {
    async take(path) {
      const file = join(folder, path);
      return existsSync(file) ? { bytes: readFileSync(file) } : {};
    },
    async putBack(path, { bytes }) {
      if (bytes === undefined) rmSync(join(folder, path), { force: true });
      else writeFileSync(join(folder, path), bytes);
    },
    decode: async (_, bytes) => new TextDecoder().decode(bytes),
    encode: async (_, text) => new TextEncoder().encode(text),
  };
}
