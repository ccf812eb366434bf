import { realpath } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { isMissing } from "../common/files.ts";
import { isSecretPath, isSensitivePath } from "./sensitive.ts";

/** A file on this machine: its folder of the workspace, and where it is in there. */
export interface LocalFile {
  root: string;
  relative: string;
}

/**
 * Whether an edit of a file is asked for each time: by its path or, through links, by where it really is. `local` is
 * absent for a file that is not on this machine's disk.
 */
export async function isSensitiveEdit(path: string, local: LocalFile | undefined): Promise<boolean> {
  if (isSensitivePath(path)) return true;
  return local !== undefined && isSensitivePath(await realRelative(local));
}

/**
 * Whether a text comes to name a schema on the web. Editors fetch that at once, so that its address could carry away what an
 * agent has read.
 */
export function gainsRemoteSchema(before: string | undefined, after: string | undefined): boolean {
  const known = new Set(remoteSchemas(before ?? ""));
  return remoteSchemas(after ?? "").some((address) => !known.has(address));
}

/** As JSON has it, however it is escaped, and as comments of YAML do. */
function remoteSchemas(text: string): string[] {
  const plain = text
    .replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll("\\/", "/");
  const named = plain.matchAll(/\$schema["']?\s*[:=]\s*["']?((?:[a-z][a-z+.-]*:)?\/\/[^\s"']+)/gi);
  return [...named].map(([, address = ""]) => address);
}

/** A file whose reading is asked for; through links, it is another one that is read. */
export interface SecretFile {
  /** Where a link leads, relative to the folder of the workspace. */
  leadsTo?: string;
}

/** What makes the reading of a file a question; undefined where it is none. `local` as in `isSensitiveEdit`. */
export async function secretFileAt(path: string, local: LocalFile | undefined): Promise<SecretFile | undefined> {
  const isSecret = isSecretPath(path);
  if (local === undefined) return isSecret ? {} : undefined;
  const [found, realRoot] = await Promise.all([realRelative(local), realpath(local.root)]);
  const real = found.replaceAll("\\", "/");
  // The open folder itself may be one of keys.
  if (!isSecret && !isSecretPath(real) && !isSecretPath(`${basename(realRoot)}/${real}`)) return undefined;
  return real === local.relative ? {} : { leadsTo: real };
}

/** What does not exist yet is where its nearest folder that does exist really is. */
export async function realRelative({ root, relative: within }: LocalFile): Promise<string> {
  const [realRoot, real] = await Promise.all([realpath(root), nearestRealPath(join(root, within))]);
  return real === undefined ? within : relative(realRoot, real);
}

async function nearestRealPath(path: string): Promise<string | undefined> {
  let missing = "";
  for (let at = path; at !== dirname(at); at = dirname(at)) {
    try {
      return join(await realpath(at), missing);
    } catch (error) {
      if (!isMissing(error)) throw error;
      missing = join(at.slice(dirname(at).length + 1), missing);
    }
  }
  return undefined;
}
