import { createHash } from "node:crypto";
import { t } from "@vscode/l10n";
import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import * as z from "zod";
import { visibleText } from "../approvals/requestText.ts";

/** Where a server is defined: the user's settings, or the `mcp.json` of a folder of the workspace. */
export interface ConfigurationSource {
  kind: "user" | "workspace";
  /** Shown to the user, like `.vscode/mcp.json`. */
  name: string;
  /** Absolute path of the folder that `${workspaceFolder}` and relative paths mean; absent without one on this machine's disk. */
  folder?: string;
}

/** A value that the user is asked for when a server needs it. */
export type ServerInput = z.infer<typeof inputSchema>;

/** A server as it is written, variables not resolved. */
export interface ServerDefinition {
  /** Unlike that of any other server that is configured. */
  id: string;
  name: string;
  source: ConfigurationSource;
  launch: StdioLaunch | HttpLaunch;
  /** Those that the definition refers to. */
  inputs: readonly ServerInput[];
}

export type StdioLaunch = z.infer<typeof stdioSchema>;
type SandboxRules = z.infer<typeof sandboxSchema>;
export type HttpLaunch = z.infer<typeof httpSchema>;

const text = (message: () => string) => z.string({ error: message }).min(1, { error: message });

const listProblem = () => t("has a sandbox with something other than lists of paths and hosts");
const texts = z.array(text(listProblem), { error: listProblem }).exactOptional();

/** As in VS Code, but for `allowRead`: there a server reads all that is not denied. */
const sandboxSchema = z.object(
  {
    filesystem: z
      .object({ allowRead: texts, allowWrite: texts, denyRead: texts, denyWrite: texts }, { error: listProblem })
      .exactOptional(),
    network: z.object({ allowedDomains: texts, deniedDomains: texts }, { error: listProblem }).exactOptional(),
  },
  { error: listProblem },
);

const stdioSchema = z.object({
  type: z.literal("stdio").default("stdio"),
  command: text(() => t("needs a command or a url")),
  args: z.array(z.string(), { error: () => t("has arguments that are not a list of texts") }).default([]),
  cwd: z.string().exactOptional(),
  /** null removes a variable. */
  env: z
    .record(z.string(), z.union([z.string(), z.number(), z.null()]), {
      error: () => t("has an env that is not an object of names and values"),
    })
    .default({}),
  envFile: z.string().exactOptional(),
  sandboxEnabled: z.boolean({ error: () => t("has a sandboxEnabled that is neither true nor false") }).exactOptional(),
  /** What it may do in the sandbox beside what each server may. */
  sandbox: sandboxSchema.exactOptional(),
});

const httpSchema = z.object({
  type: z.literal("http").default("http"),
  url: z
    .string({ error: () => t("needs a url that begins with http or https") })
    .regex(/^https?:\/\//, { error: () => t("needs a url that begins with http or https") }),
  headers: z
    .record(z.string(), z.string(), { error: () => t("has headers that are not an object of names and values") })
    .default({}),
});

const inputSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("promptString"),
    id: z.string().min(1),
    description: z.string().default(""),
    default: z.string().exactOptional(),
    password: z.boolean().default(false),
  }),
  z.object({
    type: z.literal("pickString"),
    id: z.string().min(1),
    description: z.string().default(""),
    default: z.string().exactOptional(),
    options: z.array(
      z.union([z.string(), z.object({ label: z.string(), value: z.string() }).transform(({ value }) => value)]),
    ),
  }),
]);

/** Something that is shown, sorts, and can't be taken for a path. */
const serverName = /^[\p{L}\p{N}](?:[\p{L}\p{N} ._/@-]{0,98}[\p{L}\p{N}])?$/u;

export interface ServersFound {
  servers: ServerDefinition[];
  /** What could not be used and why, as sentences for the user. */
  problems: string[];
}

/** Servers of a file in the format of VS Code's `mcp.json`, comments allowed. */
export function parseServersFile(content: string, source: ConfigurationSource): ServersFound {
  const errors: ParseError[] = [];
  const value: unknown = parse(content, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [first] = errors;
  if (first !== undefined) {
    const line = content.slice(0, first.offset).split("\n").length;
    return {
      servers: [],
      problems: [t("{0} is not valid JSON in line {1}: {2}.", source.name, line, printParseErrorCode(first.error))],
    };
  }
  const part = z.unknown().optional();
  const file = z.object({ servers: part, inputs: part, sandbox: part }).safeParse(value ?? {});
  if (!file.success) return { servers: [], problems: [t("{0} has to be an object with servers.", source.name)] };
  return parseServers(file.data, source);
}

/**
 * Each server is judged on its own: one that makes no sense takes nothing from the others. `sandbox` has the rules of
 * those that have none of their own.
 */
export function parseServers(
  {
    servers: rawServers = {},
    inputs: rawInputs = [],
    sandbox,
  }: { servers?: unknown; inputs?: unknown; sandbox?: unknown },
  source: ConfigurationSource,
): ServersFound {
  const entries = z.record(z.string(), z.unknown()).safeParse(rawServers);
  if (!entries.success) return { servers: [], problems: [t("{0} has to be an object with servers.", source.name)] };
  const inputs = (Array.isArray(rawInputs) ? rawInputs : []).flatMap((raw: unknown) => {
    const input = inputSchema.safeParse(raw);
    return input.success ? [input.data] : [];
  });
  const servers: ServerDefinition[] = [];
  const problems: string[] = [];
  for (const [name, raw] of Object.entries(entries.data)) {
    const parsed = parseServer(name, withRules(raw, sandbox), { source, inputs });
    if (typeof parsed === "string") problems.push(t("MCP server {0} {1}.", shownLine(name).slice(0, 100), parsed));
    else servers.push(parsed);
  }
  return { servers, problems };
}

function withRules(raw: unknown, sandbox: unknown): unknown {
  if (sandbox === undefined || typeof raw !== "object" || raw === null || !("command" in raw)) return raw;
  return { sandbox, ...raw };
}

/** The definition, or what is wrong with it. */
function parseServer(
  name: string,
  raw: unknown,
  { source, inputs }: { source: ConfigurationSource; inputs: readonly ServerInput[] },
): ServerDefinition | string {
  if (!serverName.test(name) || name.includes(".."))
    return t("needs a name of letters and digits, with blanks and ._/@- between them");
  if (typeof raw === "object" && raw !== null && "type" in raw && raw.type === "sse")
    return t("uses the SSE transport, which is not supported; try the type http");
  const isHttp = typeof raw === "object" && raw !== null && "url" in raw && !("command" in raw);
  const launch = (isHttp ? httpSchema : stdioSchema).safeParse(raw);
  if (!launch.success) return launch.error.issues[0]?.message ?? t("is not valid");
  const used = [...JSON.stringify(launch.data).matchAll(/\$\{input:([^}]+)\}/g)].map(([, id = ""]) => id);
  const missing = used.find((id) => !inputs.some((input) => input.id === id));
  if (missing !== undefined)
    return t("refers to the input {0}, which is missing or of an unsupported type", visibleText(missing));
  return {
    id: `${source.kind}:${source.folder ?? source.name}:${name}`,
    ...{ name, source },
    launch: launch.data,
    inputs: inputs.filter(({ id }) => used.includes(id)),
  };
}

/** One name means one server, for rules and for models: of several the first counts. */
export function mergeServers(found: readonly ServersFound[]): ServersFound {
  const servers = new Map<string, ServerDefinition>();
  const problems = found.flatMap((each) => each.problems);
  for (const server of found.flatMap((each) => each.servers)) {
    const { name, source } = server;
    const other = servers.get(name.toLowerCase());
    if (other === undefined) servers.set(name.toLowerCase(), server);
    else
      problems.push(
        t("The MCP server {0} in {1} is not used: {2} has one of this name.", name, source.name, other.source.name),
      );
  }
  return { servers: [...servers.values()], problems };
}

/** Differs when anything does that decides what is run, reached or sent. */
export function fingerprintOf({ name, source, launch, inputs }: ServerDefinition): string {
  return createHash("sha256")
    .update(JSON.stringify([name, source, launch, inputs]))
    .digest("hex");
}

/** All of what a server runs or reaches, line by line, with nothing hidden in it. */
export function launchText({ launch }: Pick<ServerDefinition, "launch">): string {
  const lines =
    launch.type === "http"
      ? [launch.url, ...Object.entries(launch.headers).map(([name, value]) => `${name}: ${value}`)]
      : [
          [launch.command, ...launch.args].map(quoted).join(" "),
          ...(launch.cwd === undefined ? [] : [`cwd: ${launch.cwd}`]),
          ...Object.entries(launch.env).map(
            ([name, value]) => `${name}=${value === null ? "" : quoted(String(value))}`,
          ),
          ...(launch.envFile === undefined ? [] : [`envFile: ${launch.envFile}`]),
          ...rulesText(launch.sandbox),
        ];
  return lines.map(shownLine).join("\n");
}

function rulesText({ filesystem = {}, network = {} }: SandboxRules = {}): string[] {
  const lists = [...Object.entries(filesystem), ...Object.entries(network)];
  return lists.map(([name, values]) => `sandbox ${name}: ${values.map(quoted).join(", ")}`);
}

/** A text of one line in which every character can be seen. */
function shownLine(text: string): string {
  return visibleText(text.replaceAll("\n", "⏎"));
}

/** Quoted where it would not be clear where the argument ends. */
function quoted(argument: string): string {
  return /^[\w@%+=:,./${}-]+$/.test(argument) ? argument : JSON.stringify(argument);
}
