import { t } from "@vscode/l10n";
import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import * as z from "zod";
import { type CustomFileSources, customFolders, fileStart, readCustomFile } from "./customFiles.ts";
import { nearest, type Problems, replacement } from "./fields.ts";
import type { Mistake, TextSpan } from "./frontMatter.ts";
import { type HookDefinition, type HookEventName, hookEvents, listOfNames } from "./hookDefinition.ts";
import { callNames, toolsNamed } from "./toolNames.ts";

/** In each folder of the workspace, then in the user's own. */
const hookFiles: Readonly<Record<string, readonly { file: string; names: HookDefinition["names"] }[]>> = {
  ".agents": [{ file: "hooks.json", names: "arbor" }],
  ".claude": [
    { file: "settings.json", names: "claude" },
    { file: "settings.local.json", names: "claude" },
  ],
};

/** Events of Claude Code that nothing here is. */
const otherEvents = [
  ...["SessionStart", "SessionEnd", "Notification", "PreCompact", "PostCompact", "PermissionRequest", "Setup"],
  ...["PostToolUseFailure", "PermissionDenied", "PostToolBatch", "StopFailure", "TeammateIdle", "TaskCreated"],
  ...["TaskCompleted", "ConfigChange", "CwdChanged", "FileChanged", "WorktreeCreate", "WorktreeRemove"],
  ...["InstructionsLoaded", "Elicitation", "ElicitationResult", "UserPromptExpansion"],
];

const maxHooks = 100;
const defaultTimeoutS = 60;
const maxTimeoutS = 600;
const maxMatcher = 200;
const maxCommand = 8_000;

const hookSchema = z.looseObject({
  type: z.string(),
  command: z.string().min(1).max(maxCommand).exactOptional(),
  args: z.array(z.string()).exactOptional(),
  timeout: z.number().positive().max(maxTimeoutS).exactOptional(),
  async: z.boolean().exactOptional(),
  if: z.string().exactOptional(),
  ...{ linux: z.string().exactOptional(), osx: z.string().exactOptional(), windows: z.string().exactOptional() },
});

/** The field for the command of this system, which VS Code reads before `command`. */
const systemField = { linux: "linux", darwin: "osx", win32: "windows" } as const;
/** What neither changes whether a command runs, nor how. */
const remarks = ["$comment", "description", "statusMessage", "matcher"];

/** Reads the hooks of all files: all of them count. A part that can't be used takes nothing from the others. */
export async function loadHooks(sources: CustomFileSources, problems: Problems): Promise<HookDefinition[]> {
  const hooks: HookDefinition[] = [];
  for (const folder of customFolders(sources, Object.keys(hookFiles))) {
    const [, files = []] = Object.entries(hookFiles).find(([known]) => folder.endsWith(known)) ?? [];
    for (const { file: name, names } of files) {
      const path = `${folder}/${name}`;
      const file = await readCustomFile(sources, path);
      if (file === undefined) continue;
      if ("problem" in file) {
        const message = t("The hooks of {0} are not used: {1}", path, file.problem);
        problems.add(path, "", { span: fileStart, severity: "error", message });
        continue;
      }
      const parsed = parseHookFile(path, file.text, names);
      for (const mistake of parsed.mistakes) problems.add(path, file.text, mistake);
      hooks.push(...parsed.hooks);
    }
  }
  const [unused] = hooks.splice(maxHooks);
  if (unused !== undefined) {
    const message = t("There are more than {0} hooks: the last ones are not used.", maxHooks);
    problems.add(unused.path, "", { span: fileStart, severity: "error", message });
  }
  return hooks;
}

/** Reads a file of hooks, as Claude Code's settings have them below `hooks`; there they may also be the whole file. */
export function parseHookFile(
  path: string,
  text: string,
  names: HookDefinition["names"],
): { hooks: HookDefinition[]; mistakes: Mistake[] } {
  const hooks: HookDefinition[] = [];
  const mistakes: Mistake[] = [];
  const add = (severity: Mistake["severity"], span: TextSpan, message: string, fix?: Mistake["fix"]) =>
    mistakes.push({ severity, span, message, ...(fix && { fix }) });
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined || root?.type !== "object") {
    const { offset = 0, length = 0 } = error ?? {};
    const why = error === undefined ? t("it is not a JSON object") : printParseErrorCode(error.error);
    add("error", { start: offset, end: offset + length }, t("The hooks of this file are not used: {0}", why));
    return { hooks, mistakes };
  }
  const all = propertiesOf(root);
  if (all.find(({ key }) => key === "disableAllHooks")?.value.value === true) return { hooks, mistakes };
  const under = all.find(({ key }) => key === "hooks")?.value;
  // Settings hold much else; a file of hooks holds hooks.
  if (under === undefined && names === "claude") return { hooks, mistakes };
  if (under !== undefined && under.type !== "object") {
    add("error", spanOf(under), t("{0} must be {1}.", "hooks", t("an object")));
    return { hooks, mistakes };
  }
  for (const { key, keyNode, value } of propertiesOf(under ?? root)) {
    const event = hookEvents.find((name) => name === key);
    if (event === undefined) {
      if (under === undefined && key.startsWith("$")) continue;
      addUnknownEvent(key, keyNode);
      continue;
    }
    if (value.type !== "array") {
      add("error", spanOf(value), t("{0} must be {1}.", key, t("a list")));
      continue;
    }
    for (const group of value.children ?? []) addGroup(event, group);
  }
  return { hooks, mistakes };

  function addUnknownEvent(key: string, node: Node): void {
    const span = innerSpan(node);
    if (otherEvents.includes(key)) {
      add("information", span, t("Arbor has no event {0}. Its hooks are ignored.", key));
      return;
    }
    const near = nearest(key, hookEvents);
    const message = t("There is no event {0}. Its hooks are not used.", key);
    add("warning", span, message, near === undefined ? undefined : replacement(span, near));
  }

  function addGroup(event: HookEventName, group: Node): void {
    const properties = propertiesOf(group);
    const nodeOf = (name: string) => properties.find(({ key }) => key === name)?.value;
    const matcherNode = nodeOf("matcher");
    // VS Code lists hooks without groups.
    const isHook = nodeOf("type")?.value === "command" && nodeOf("hooks") === undefined;
    const listed = nodeOf("hooks");
    if (!isHook && listed?.type !== "array") {
      add("error", spanOf(group), t("{0} must be {1}.", "hooks", t("a list")), grouped(group));
      return;
    }
    const matcher: unknown = matcherNode === undefined ? "" : getNodeValue(matcherNode);
    const problem = typeof matcher === "string" ? matcherProblem(matcher) : t("it is not text");
    if (typeof matcher !== "string" || problem !== undefined) {
      // Whom it is for is not known: a hook that guards something must not be one that guards nothing unnoticed.
      add("error", spanOf(matcherNode ?? group), t("This matcher can't be used: {0}", problem ?? ""));
      return;
    }
    addMatcherNames(event, matcher, matcherNode);
    for (const node of isHook ? [group] : (listed?.children ?? [])) addHook({ event, matcher }, node);
  }

  /** A name that no tool has makes a guard that guards nothing. Names of tools of servers and extensions are not known. */
  function addMatcherNames(event: HookEventName, matcher: string, node: Node | undefined): void {
    if (node === undefined || !/ToolUse$/.test(event) || !listOfNames.test(matcher)) return;
    for (const name of matcher.split(/[|,]/).map((each) => each.trim())) {
      const meant = meantByMatcher(name);
      if (meant === undefined) continue;
      const start = node.offset + 1 + matcher.indexOf(name);
      const span = { start, end: start + name.length };
      add("warning", span, t("No call has the name {0}. Is {1} meant?", name, meant), replacement(span, meant));
    }
  }

  /** A hook that was written where a group of them belongs. */
  function grouped(group: Node): Mistake["fix"] {
    if (!propertiesOf(group).some(({ key }) => key === "command")) return undefined;
    const { matcher, ...hook }: Record<string, unknown> = getNodeValue(group);
    const whole = { ...(matcher !== undefined && { matcher }), hooks: [{ type: "command", ...hook }] };
    return replacement(spanOf(group), JSON.stringify(whole));
  }

  function addHook(group: Pick<HookDefinition, "event" | "matcher">, node: Node): void {
    const parsed = hookSchema.safeParse(getNodeValue(node));
    const at = (key: string) => propertiesOf(node).find((each) => each.key === key)?.value ?? node;
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const field = String(issue?.path[0] ?? "type");
      const expected = expectedOf[field] ?? t("an object with type and command");
      const wrong = at(field);
      const isNumber = field === "timeout" && typeof wrong.value === "string" && /^\d+$/.test(wrong.value);
      const fix = isNumber ? replacement(spanOf(wrong), String(wrong.value)) : undefined;
      add("error", spanOf(wrong), t("{0} must be {1}.", field, expected), fix);
      return;
    }
    const { type, args, timeout = defaultTimeoutS, async: isAsync = false } = parsed.data;
    const command = parsed.data[systemField[process.platform as keyof typeof systemField]] ?? parsed.data.command;
    if (type !== "command") {
      const message = t("Arbor runs commands only: a hook of the type {0} is ignored.", type);
      const isMeant = nearest(type, ["command"]) !== undefined;
      const span = innerSpan(at("type"));
      if (isMeant) add("warning", span, message, replacement(span, "command"));
      else add("information", spanOf(at("type")), message);
      return;
    }
    if (command === undefined) {
      add("error", spanOf(node), t("A command is missing."));
      return;
    }
    for (const { key, keyNode } of propertiesOf(node)) {
      const message = t("Arbor does not use {0}.", key);
      // With it the hook would run less often.
      if (key === "if") add("warning", spanOf(at(key)), message);
      else if (!(key in hookSchema.shape) && !remarks.includes(key)) add("information", innerSpan(keyNode), message);
    }
    const line = args === undefined ? command : [command, ...args].map(quoted).join(" ");
    hooks.push({ ...group, command: line, timeoutMs: timeout * 1_000, isAsync, path, names });
  }
}

const expectedOf: Record<string, string> = {
  timeout: `0-${maxTimeoutS}`,
  args: "[]",
  async: "true | false",
  command: `1-${maxCommand}`,
};

function quoted(word: string): string {
  const plain = word.replaceAll("'", "'\\''");
  // As Claude Code puts it in: elsewhere it would be text.
  return `'${plain.replaceAll(/\$\{(?:CLAUDE|ARBOR)_PROJECT_DIR\}/g, `'"$CLAUDE_PROJECT_DIR"'`)}'`;
}

function propertiesOf(node: Node): { key: string; keyNode: Node; value: Node }[] {
  return (node.type === "object" ? (node.children ?? []) : []).flatMap(({ children: [keyNode, value] = [] }) =>
    keyNode === undefined || value === undefined ? [] : [{ key: String(keyNode.value), keyNode, value }],
  );
}

function spanOf({ offset, length }: Node): TextSpan {
  return { start: offset, end: offset + length };
}

/** Without the quotes. */
function innerSpan({ offset, length }: Node): TextSpan {
  return { start: offset + 1, end: offset + length - 1 };
}

/** What was probably meant by a name in a matcher; undefined for one that calls have, and for one that is not known. */
function meantByMatcher(name: string): string | undefined {
  if (name === "" || callNames.includes(name)) return undefined;
  const same = callNames.find((each) => each.toLowerCase() === name.toLowerCase());
  if (same !== undefined) return same;
  const tools = toolsNamed(name)?.tools;
  if (tools === undefined) return nearest(name, callNames);
  return tools.length === 0 || tools.includes(name) ? undefined : tools.join("|");
}

function matcherProblem(matcher: string): string | undefined {
  if (matcher.length > maxMatcher) return t("it has more than {0} characters", maxMatcher);
  if (matcher === "*" || listOfNames.test(matcher)) return undefined;
  try {
    new RegExp(matcher);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
