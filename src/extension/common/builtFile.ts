import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * A file that the build puts beside its scripts; `name` with slashes. The asking module may be in a script of the top or
 * in a chunk one folder below: which one the bundler decides. Undefined where the sources run as they are written.
 */
export function builtFile(name: string, moduleUrl: string): string | undefined {
  return ["./", "../"]
    .map((folder) => fileURLToPath(new URL(folder + name, moduleUrl)))
    .find((file) => existsSync(file));
}
