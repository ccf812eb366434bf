/** What of Node the library uses. Nothing imports it, so that the library bundles for a browser as well. */
interface NodeModules {
  "fs/promises": typeof import("node:fs/promises");
  async_hooks: typeof import("node:async_hooks");
}

/** One of Node's own modules; undefined where there is no Node. */
export function findNodeModule<Name extends keyof NodeModules>(name: Name): NodeModules[Name] | undefined {
  // A browser has no `process`, and one that a bundler puts there has no such function.
  const { process } = globalThis as { process?: { getBuiltinModule?(id: string): unknown } };
  return process?.getBuiltinModule?.(`node:${name}`) as NodeModules[Name] | undefined;
}

/** One of Node's own modules. Rejects where there is no Node. */
export async function nodeModule<Name extends keyof NodeModules>(name: Name): Promise<NodeModules[Name]> {
  const found = findNodeModule(name);
  if (found === undefined) throw new Error(`Files are read through Node's ${name}, which is not there.`);
  return found;
}

/** A path within a folder, written as the folder's is. */
export function pathIn(folder: string, name: string): string {
  const separator = folder.includes("\\") && !folder.includes("/") ? "\\" : "/";
  let path = folder;
  for (const step of name.split("/")) {
    if (step === "..") path = folderOf(path);
    else if (step !== "" && step !== ".") path = /[\\/]$/.test(path) ? path + step : `${path}${separator}${step}`;
  }
  return path;
}

/** The folder that holds a file or folder; a root holds itself. */
export function folderOf(path: string): string {
  const trimmed = path.length > 1 ? path.replace(/[\\/]+$/, "") : path;
  const at = Math.max(trimmed.lastIndexOf("/"), trimmed.lastIndexOf("\\"));
  if (at < 0) return /^[A-Za-z]:$/.test(trimmed) ? path : ".";
  if (at === 0) return trimmed.slice(0, 1);
  const folder = trimmed.slice(0, at);
  return /^[A-Za-z]:$/.test(folder) ? trimmed.slice(0, at + 1) : folder;
}

/** The last name of a path. */
export function nameOfPath(path: string): string {
  return (
    path
      .replace(/[\\/]+$/, "")
      .split(/[\\/]/)
      .at(-1) ?? ""
  );
}
