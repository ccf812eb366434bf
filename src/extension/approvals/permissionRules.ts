import { realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import picomatch from "picomatch";
import { defaultCommandRules, type JudgeOptions, judgeCommand, rulesFor } from "./commands.ts";
import type { EditRequest } from "./grants.ts";
import { isBelow } from "./paths.ts";
import type { FetchPermission, PermissionRequest } from "./permission.ts";
import { matches } from "./shell/rules.ts";
import type { CommandRules, CommandVerdict } from "./shell/verdict.ts";

/** Rules as the settings have them, like `run_command(npm test)`. */
export type PermissionRules = Readonly<Record<CommandVerdict, readonly string[]>>;

/** What the rules say of a request. */
export interface Ruling {
  verdict: CommandVerdict;
  /** As a sentence. */
  reason: string;
  /** The rules that decided, as the settings have them. Absent where nothing names the request. */
  rule?: string;
  /** It allows a command by a rule of the settings: the program is not one that is known to read only. */
  mayRunFiles?: true;
}

export interface RuleContext {
  rules: PermissionRules;
  /** Folders of the workspace, absolute. */
  roots: readonly string[];
  /** Where agents work that do not work in the workspace, each in a folder of its own there. Absolute. */
  worktrees?: string;
  shell: NonNullable<JudgeOptions["shell"]>;
}

const toolOf = {
  command: "run_command",
  edit: "edit_file",
  fetch: "fetch_url",
  read: "read_file",
  mcp: "mcp",
} as const;
const verdicts = ["deny", "ask", "allow"] as const;

/** Patterns of one tool's rules. */
function patternsOf(rules: readonly string[], tool: string): string[] {
  return rules.flatMap((rule) =>
    rule.startsWith(`${tool}(`) && rule.endsWith(")") ? [rule.slice(tool.length + 1, -1)] : [],
  );
}

/** Deny beats ask, and ask beats allow. Undefined where no rule speaks of it; it is then asked as the mode says. */
export async function judgeRequest(
  request: PermissionRequest | EditRequest,
  context: RuleContext,
): Promise<Ruling | undefined> {
  if (request.kind === "command") return judgeCommandRequest(request.command, request.folder, context);
  // What another program calls its tools is no name that a rule could rely on, and no rule speaks of hooks.
  if (request.kind === "foreign" || request.kind === "hook") return undefined;
  const tool = toolOf[request.kind];
  for (const verdict of verdicts) {
    const pattern = patternsOf(context.rules[verdict], tool).find((each) => speaksOf(each, request, verdict));
    if (pattern === undefined) continue;
    const rule = `${tool}(${pattern})`;
    return {
      verdict,
      rule,
      reason: `The rule ${rule} ${verdict === "deny" ? "denies it" : verdict === "ask" ? "asks for it" : "allows it"}.`,
    };
  }
  return undefined;
}

/** An allowing rule has to mean all of a request, one against it any part. */
function speaksOf(
  pattern: string,
  request: EditRequest | Exclude<PermissionRequest, { kind: "command" | "foreign" | "hook" }>,
  verdict: CommandVerdict,
): boolean {
  const isAllowing = verdict === "allow";
  const means = (text: string) => {
    const found = globMatches(pattern, text, { nocase: !isAllowing || request.kind === "fetch" });
    return found === "timeout" ? !isAllowing : found;
  };
  switch (request.kind) {
    case "edit":
      if (!isAllowing) return request.paths.some(means);
      return !request.isSensitive && request.paths.every((path) => means(path) && !path.split(/[\\/]/).includes(".."));
    case "fetch":
      return (!isAllowing || isPlainFetch(request)) && means(request.host);
    case "read":
      // A file with secrets is asked for, whatever is allowed.
      return !isAllowing && (means(request.path) || (request.leadsTo !== undefined && means(request.leadsTo)));
    case "mcp":
      // What a server asks of the model, and a tool that says something else than before, are asked for each time.
      if (isAllowing && (request.purpose !== "call" || request.isChanged)) return false;
      return means(`${request.server}:${request.tool}`);
    default:
      request satisfies never;
      return false;
  }
}

/** What is fetched by http can be changed on the way, and a rule's name is no other one that looks like it. */
function isPlainFetch({ url, isPrivate, concerns }: FetchPermission): boolean {
  return URL.canParse(url) && new URL(url).protocol === "https:" && !isPrivate && concerns.length === 0;
}

const maxPatternLength = 500;

/** A pattern that takes too long is stopped, since it may come from a workspace. */
function globMatches(pattern: string, text: string, { nocase }: { nocase: boolean }): boolean | "timeout" {
  if (pattern.length > maxPatternLength || (pattern.match(/[{(]/g)?.length ?? 0) > 5) return "timeout";
  const expression = picomatch.makeRe(pattern, { dot: true, nonegate: true, nocase });
  return matches(expression, text.replaceAll("\\", "/"));
}

async function judgeCommandRequest(command: string, folder: string, context: RuleContext): Promise<Ruling> {
  const { verdict, reason, parts } = await judgeCommand(
    command,
    commandRules(context.rules),
    await optionsOf(folder, context),
  );
  const rules = new Set(
    parts.flatMap((part) => (part.verdict === verdict && part.rule !== undefined ? [part.rule] : [])),
  );
  const rule = [...rules].map((each) => `run_command(${each})`).join(", ");
  const mayRunFiles = verdict === "allow" && [...rules].some((each) => !defaultCommandRules.allow.includes(each));
  return { verdict, reason, ...(rule !== "" && { rule }), ...(mayRunFiles && { mayRunFiles }) };
}

function commandRules(rules: PermissionRules): CommandRules {
  const own = (verdict: CommandVerdict) => [
    ...defaultCommandRules[verdict],
    ...patternsOf(rules[verdict], toolOf.command),
  ];
  return { allow: own("allow"), ask: own("ask"), deny: own("deny") };
}

/** What one isolated agent has is not for others to read unasked. */
async function optionsOf(folder: string, { roots, shell, worktrees }: RuleContext): Promise<JudgeOptions> {
  const all = worktrees === undefined ? undefined : await realpath(worktrees).catch(() => worktrees);
  if (all === undefined || !isBelow(folder, all, process.platform)) return { shell, cwd: folder, roots };
  const [name = ""] = relative(all, folder).split(sep);
  return { shell, cwd: folder, roots: name === "" ? roots : [...roots, join(all, name)] };
}

/** The rules that would allow exactly this from now on, as the settings have them; none where no rule could. */
export async function rulesToOffer(request: PermissionRequest, context: RuleContext): Promise<string[]> {
  if (request.kind === "read" || request.kind === "foreign" || request.kind === "hook") return [];
  if (request.kind === "fetch") {
    const rule = `${toolOf.fetch}(${request.host})`;
    const isLiteral = /^[\w.:-]+$/.test(request.host) && isPlainFetch(request);
    return isLiteral ? [rule] : [];
  }
  if (request.kind === "mcp") {
    const name = `${request.server}:${request.tool}`;
    return request.purpose === "call" && /^[\w.:-]+$/.test(name) ? [`${toolOf.mcp}(${name})`] : [];
  }
  // It would let the command run outside the sandbox, too, which the question does not say.
  if (request.sandbox === "inside") return [];
  const found = await rulesFor(request.command, commandRules(context.rules), await optionsOf(request.folder, context));
  return found.map((rule) => `${toolOf.command}(${rule})`);
}
