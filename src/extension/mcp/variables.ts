import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join, normalize, sep } from "node:path";
import { t } from "@vscode/l10n";
import { isFileSystemError } from "../common/files.ts";
import { UserError } from "../common/userError.ts";
import type { HttpLaunch, ServerDefinition, ServerInput, StdioLaunch } from "./configuration.ts";

/** A server with all variables resolved. It may hold secrets: it is neither shown nor logged. */
export type ResolvedLaunch =
  | (Omit<StdioLaunch, "cwd" | "env" | "envFile" | "sandboxEnabled"> & {
      cwd: string;
      env: Record<string, string | null>;
    })
  | HttpLaunch;

export interface VariableSources {
  environment: Readonly<Record<string, string | undefined>>;
  /** Asks the user, or gives what was answered before. Throws when the user gives no answer. */
  askInput(definition: ServerDefinition, input: ServerInput, signal: AbortSignal): Promise<string>;
}

/**
 * Replaces `${input:…}`, `${env:…}`, `${workspaceFolder}`, `${userHome}` and `${pathSeparator}`. Throws a `UserError` for
 * what is not known. Call it for approved servers only: variables of the environment may be secrets.
 */
export async function resolveLaunch(
  definition: ServerDefinition,
  sources: VariableSources,
  signal: AbortSignal,
): Promise<ResolvedLaunch> {
  const { name, launch, source } = definition;
  const inputs = new Map<string, string>();
  // One after the other: they are questions to a person.
  for (const input of definition.inputs) inputs.set(input.id, await sources.askInput(definition, input, signal));
  const resolved = (text: string) =>
    text.replace(/\$\{([^}]*)\}/g, (written, variable: string) => {
      const [kind = "", ...rest] = variable.split(":");
      const value = valueFor(kind, rest.join(":"));
      if (value !== undefined) return value;
      throw new UserError(t("MCP server {0} uses the variable {1}, which has no value.", name, written));
    });

  function valueFor(kind: string, argument: string): string | undefined {
    switch (kind) {
      case "input":
        return inputs.get(argument);
      case "env":
        // As in VS Code, one that is not set is empty.
        return sources.environment[argument] ?? "";
      case "workspaceFolder":
        return source.folder;
      case "userHome":
        return homedir();
      case "pathSeparator":
      case "/":
        return sep;
      default:
        return undefined;
    }
  }

  if (launch.type === "http") {
    const headers = Object.entries(launch.headers).map(([header, value]) => [header, resolved(value)]);
    return { ...launch, url: resolved(launch.url), headers: Object.fromEntries(headers) };
  }
  const folder = source.folder ?? homedir();
  const cwd = launch.cwd === undefined ? folder : absolute(resolved(launch.cwd), folder);
  const fromFile =
    launch.envFile === undefined ? {} : await readEnvFile(absolute(resolved(launch.envFile), folder), name);
  const own = Object.entries(launch.env).map(([key, value]) => [key, value === null ? null : resolved(String(value))]);
  const { type, command, args, sandbox } = launch;
  const paths = Object.entries(sandbox?.filesystem ?? {}).map(([rule, values]) => [
    rule,
    values.map((path) => normalize(absolute(resolved(path).replace(/^~(?=\/|$)/, homedir()), folder))),
  ]);
  return {
    type,
    command: resolved(command),
    args: args.map(resolved),
    cwd,
    env: { ...fromFile, ...Object.fromEntries(own) },
    ...(sandbox && { sandbox: { ...sandbox, filesystem: Object.fromEntries(paths) } }),
  };
}

function absolute(path: string, folder: string): string {
  return isAbsolute(path) ? path : join(folder, path);
}

async function readEnvFile(path: string, server: string): Promise<Record<string, string>> {
  try {
    return parseEnvFile(await readFile(path, "utf8"));
  } catch (error) {
    if (!isFileSystemError(error)) throw error;
    throw new UserError(t("The environment file {0} of MCP server {1} can't be read.", path, server));
  }
}

/** Lines of `NAME=value`, as `.env` files have them: quotes, `export` and comments allowed, no expansion. */
export function parseEnvFile(content: string): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const line of content.split(/\r?\n/)) {
    const match = /^\s*(?:export\s+)?([A-Za-z_][\w.]*)\s*=\s*(.*?)\s*$/.exec(line);
    if (match === null) continue;
    const [, name = "", value = ""] = match;
    const doubleQuoted = /^"((?:[^"\\]|\\.)*)"/.exec(value);
    const singleQuoted = /^'([^']*)'/.exec(value);
    variables[name] =
      doubleQuoted?.[1]?.replace(/\\(.)/g, (_, escaped: string) => (escaped === "n" ? "\n" : escaped)) ??
      singleQuoted?.[1] ??
      value.replace(/\s+#.*$/, "");
  }
  return variables;
}
