// Long because each field of an agent file is defined here once, with how it is read and what may be mistaken in it.
import { t } from "@vscode/l10n";
import * as z from "zod";
import type { ThinkingLevel } from "../../agent/vocabulary/model.ts";
import { type Field, flagField, listField, nearest, readFields, replacement, spanOfItem, textField } from "./fields.ts";
import { type Entry, type FrontMatter, type Mistake, parseFrontMatter, type TextSpan } from "./frontMatter.ts";
import { hiddenTextIn } from "./hiddenText.ts";
import { delegationNames, readingNames, toolsNamed } from "./toolNames.ts";

/** An agent that a file describes. */
export interface CustomAgent {
  /** In tools, mentions and the tree. */
  name: string;
  /** When to use it, on one line. */
  description: string;
  instructions: string;
  /** The file, as the user sees it. */
  path: string;
  /** Absent: all. */
  tools?: readonly string[];
  deniedTools: readonly string[];
  /** Whom it may delegate to; "*" means everybody. */
  agents: readonly string[] | "*";
  /** Absent: all. */
  skills?: readonly string[];
  /** The first that there is counts; `inherit` is the model of the agent that delegates. */
  models: readonly string[];
  thinking?: ThinkingLevel;
  limits: { maxTurns?: number; maxCost?: number; maxTokens?: number };
  /** Of its name in the tree. */
  color?: string;
  /** Before its name: one character. */
  icon?: string;
  /** It always works in a worktree of its own. */
  isolation?: "worktree";
  effects?: AgentEffects;
  /** What must hold before it ends. */
  validate?: readonly AgentValidator[];
  /** Whether agents may choose it unasked. */
  isOffered: boolean;
  /** Whether the user finds it among the mentions. */
  isMentioned: boolean;
}

/** What is done with an agent's context before each request. */
interface AgentEffects {
  /** Old results of tools are shortened. */
  trimToolResults?: { maxLength?: number; preserveRecent?: number };
}

const validatorNames = ["diff-read", "no-new-problems", "tests-run", "plan-written"] as const;
export type AgentValidator = (typeof validatorNames)[number] | { command: string };

const colors = ["red", "orange", "yellow", "green", "cyan", "blue", "purple", "pink"] as const;

/** What there is to name. */
export interface AgentFileContext {
  /** For a name that was mistaken. */
  toolNames: readonly string[];
  /** Why a model can't be used; undefined for one that can. A workspace may not name all that the user may. */
  modelProblem(name: string, by: "user" | "workspace"): string | undefined;
}

const thinkingLevels = ["off", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
const count = z.int().positive();
const money = z.number().nonnegative();
const validator = z.union([z.enum(validatorNames), z.strictObject({ command: z.string().trim().min(1).max(1_000) })]);
/** Descriptions are in every request of an agent that may delegate. */
export const maxDescription = 1_024;
/** Names that mean something else where agents are named. */
export const reservedNames = ["main", "selection", "problems", "diff", "terminal"];

/** The fields of an agent file. Those without a description are other programs' spellings. */
export const agentFields = {
  name: {
    ...textField,
    description: () => t("The agent's name: letters, digits, hyphens. Default: the file's name."),
  },
  description: { ...textField, description: () => t("When to use the agent. Other agents choose it by this.") },
  tools: {
    ...listField,
    // opencode writes which tools are on and off.
    schema: z.union([listField.schema, z.record(z.string(), z.boolean())]),
    description: () => t("The tools it has, by Arbor's names or those of other programs. Default: all."),
  },
  disallowedTools: { ...listField, description: () => t("Tools that it does not have.") },
  readonly: { ...flagField, description: () => t("If true, it only reads and searches, whatever tools are named.") },
  agents: { ...listField, description: () => t("The agents it may delegate to, or * for all.") },
  skills: { ...listField, description: () => t("The skills it may load. Default: all.") },
  model: {
    ...listField,
    description: () => t("The model, written provider/model; of several the first that is set up; or inherit."),
  },
  thinking: {
    schema: z.enum(thinkingLevels),
    expected: () => t("one of {0}", thinkingLevels.join(", ")),
    values: thinkingLevels,
    description: () => t("How much it thinks before it answers, as far as its model can."),
  },
  budget: {
    schema: money,
    expected: () => t("a number"),
    description: () => t("Maximum cost of one run in US dollars."),
  },
  limits: {
    schema: z.strictObject({
      turns: count.exactOptional(),
      cost: money.exactOptional(),
      tokens: count.exactOptional(),
    }),
    expected: () => t("turns, cost or tokens, each with a number"),
    description: () => t("Limits of one run: turns (model requests), cost (US dollars), tokens."),
  },
  effects: {
    schema: z.strictObject({
      trimToolResults: z
        .union([
          z.literal(true).transform(() => ({})),
          z.strictObject({ maxLength: count.exactOptional(), preserveRecent: z.int().nonnegative().exactOptional() }),
        ])
        .exactOptional(),
    }),
    expected: () => t("trimToolResults, with true or with maxLength and preserveRecent"),
    description: () => t("What is done with its context: trimToolResults shortens old results of tools."),
  },
  validate: {
    schema: z
      .union([z.array(validator), validator.transform((one) => [one])])
      .transform((given) => given.map((one) => (typeof one === "string" ? one : { command: one.command }))),
    expected: () => t("a list of {0}, or of commands as command: npm test", validatorNames.join(", ")),
    values: validatorNames,
    description: () => t("What must be true before it ends; if it is not, the agent continues, up to three times."),
  },
  color: { ...textField, values: colors, description: () => t("The color of its name in the tree.") },
  icon: { ...textField, description: () => t("One character or emoji, before its name in the tree.") },
  isolation: {
    ...textField,
    values: ["none", "worktree"],
    description: () => t("Where it works: none is this workspace, worktree a copy of it."),
  },
  maxTurns: { schema: count, expected: () => t("a number") },
  "disable-model-invocation": {
    ...flagField,
    description: () => t("If true, agents don't choose it on their own: it works only when you mention it."),
  },
  "user-invocable": { ...flagField, description: () => t("If false, it is not among the mentions.") },
  ...{ "user-invokable": flagField, infer: flagField },
  ...{ disabled: flagField, disable: flagField },
} satisfies Record<string, Field>;

/** What becomes of a file; `agent` is absent where an error is in it, and where it describes none. */
export interface ParsedAgentFile {
  agent?: CustomAgent;
  mistakes: Mistake[];
  /** Where names of agents and skills are written. */
  spans: { name: TextSpan; agents: Entry | undefined; skills: Entry | undefined };
}

/** Reads an agent file of Arbor, Claude Code or GitHub Copilot. */
export function parseAgentFile(path: string, text: string, context: AgentFileContext): ParsedAgentFile {
  const front = parseFrontMatter(text);
  if (front === undefined) {
    const message = t("This file describes no agent: it has no front matter with a description.");
    const spans = { name: nowhere, agents: undefined, skills: undefined };
    return { mistakes: [{ span: nowhere, severity: "warning", message }], spans };
  }
  const { values, mistakes: fieldMistakes } = readFields(front, agentFields);
  const entryOf = (key: string) => front.entries.find((entry) => entry.key === key);
  const name = readName(path, values.name, entryOf("name"));
  const { on, off } = switchedTools(values.tools);
  const tools = readTools(on, entryOf("tools"), context);
  const switchedOff = readTools(off, entryOf("tools"), context);
  const denied = readTools(values.disallowedTools, entryOf("disallowedTools"), context);
  const toolMistakes = [tools, switchedOff, denied].flatMap((read) => read?.mistakes ?? []);
  const models = readModels(values.model, entryOf("model"), (model) =>
    context.modelProblem(model, path.startsWith("~/") ? "user" : "workspace"),
  );
  const mistakes = [
    ...[...front.mistakes, ...fieldMistakes, ...name.mistakes],
    ...(values.description ? [] : [missingDescription(front)]),
    ...[...toolMistakes, ...models.mistakes],
    ...[...unsupported(values, entryOf), ...hiddenTextIn(text)],
  ];
  const color = colors.find((known) => known === values.color?.toLowerCase());
  const icon = values.icon !== undefined && isIcon(values.icon) ? values.icon : undefined;
  const nameSpan = entryOf("name")?.valueSpan ?? nowhere;
  const spans = { name: nameSpan, agents: entryOf("agents") ?? entryOf("tools"), skills: entryOf("skills") };
  const isDisabled = values.disabled === true || values.disable === true;
  if (isDisabled || mistakes.some(({ severity }) => severity === "error")) return { mistakes, spans };
  const turns = values.limits?.turns ?? values.maxTurns;
  const cost = values.limits?.cost ?? values.budget;
  const agent: CustomAgent = {
    name: name.name,
    description: onOneLine(values.description ?? "").slice(0, maxDescription),
    instructions: front.body.trim(),
    path,
    ...ownTools(tools, values.readonly),
    deniedTools: [...(switchedOff?.names ?? []), ...(denied?.names ?? [])],
    agents: values.readonly === true ? [] : delegatesTo(values.agents, tools),
    ...(values.skills !== undefined && { skills: values.skills }),
    models: models.names,
    ...(values.thinking !== undefined && { thinking: values.thinking }),
    limits: {
      ...(turns !== undefined && { maxTurns: turns }),
      ...(cost !== undefined && { maxCost: cost }),
      ...(values.limits?.tokens !== undefined && { maxTokens: values.limits.tokens }),
    },
    ...(color !== undefined && { color }),
    ...(icon !== undefined && { icon }),
    ...(values.isolation === "worktree" && { isolation: "worktree" as const }),
    ...(values.effects !== undefined && { effects: values.effects }),
    ...(values.validate !== undefined && { validate: values.validate }),
    isOffered: values["disable-model-invocation"] !== true && values.infer !== false,
    isMentioned: (values["user-invocable"] ?? values["user-invokable"]) !== false,
  };
  return { agent, mistakes, spans };
}

/** Values that another program has a meaning for. The file is used as if they were not there. */
function unsupported(
  { color, icon, isolation }: { color?: string; icon?: string; isolation?: string },
  entryOf: (key: string) => Entry | undefined,
): Mistake[] {
  const found: Mistake[] = [];
  const add = (key: string, severity: Mistake["severity"], message: string) =>
    found.push({ span: entryOf(key)?.valueSpan ?? nowhere, severity, message });
  if (color !== undefined && !colors.some((known) => known === color.toLowerCase())) {
    add("color", "information", t("Arbor has the colors {0}.", colors.join(", ")));
  }
  if (icon !== undefined && !isIcon(icon)) {
    add("icon", "information", t("An icon is one character or emoji. This one is not shown."));
  }
  if (isolation !== undefined && isolation !== "none" && isolation !== "worktree") {
    // Who counts on it must know that it is not there.
    add(
      "isolation",
      "warning",
      t("Arbor knows none and worktree: this agent works in your workspace, and its edits are reviewed."),
    );
  }
  return found;
}

function isIcon(text: string): boolean {
  return [...new Intl.Segmenter().segment(text)].length === 1 && !/[\p{L}\p{N}\p{Cc}\p{Cf}<>&]/u.test(text[0] ?? "");
}

const nowhere: TextSpan = { start: 0, end: 0 };

function missingDescription({ entries }: FrontMatter): Mistake {
  const entry = entries.find(({ key }) => key === "description");
  const span = entry?.keySpan ?? { start: 0, end: 3 };
  return { span, severity: "error", message: t("A description is missing: it says when to use the agent.") };
}

/** Names are in prompts, mentions and paths of agents: letters of one alphabet, nothing that hides or turns text. */
export const namePattern = /^[a-z0-9][a-z0-9._-]{0,63}$/i;

/** What a file is called without what says its kind. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/(?:\.(?:agent|chatmode|prompt))?\.md$/i, "");
}

/** A name as it can be mentioned: without blanks. */
export function plainName(name: string): string {
  return name.trim().replace(/\s+/g, "-");
}

function readName(
  path: string,
  given: string | undefined,
  entry: Entry | undefined,
): { name: string; mistakes: Mistake[] } {
  const name = plainName(given ?? baseName(path));
  const span = entry?.valueSpan ?? nowhere;
  if (!namePattern.test(name)) return { name, mistakes: [unusableName(name, span, entry !== undefined)] };
  if (!reservedNames.includes(name.toLowerCase())) return { name, mistakes: [] };
  return {
    name,
    mistakes: [{ span, severity: "error", message: t("{0} means something else. Choose another name.", name) }],
  };
}

/** The mistake of a name that can't be used, with the name that is left of it. */
export function unusableName(name: string, span: TextSpan, isWritten: boolean): Mistake {
  const plain = name
    .normalize("NFKD")
    .replace(/[^a-z0-9._-]+/gi, "-")
    .replace(/^[._-]+|[._-]+$/g, "")
    .slice(0, 64);
  const message = t("A name has letters a to z, digits, dots, hyphens and underscores, 64 at most.");
  const isFixable = isWritten && namePattern.test(plain);
  return { span, severity: "error", message, ...(isFixable && { fix: replacement(span, plain) }) };
}

export function onOneLine(text: string): string {
  // Some files write line breaks as they are in JSON.
  return text.replace(/\\n|\s+/g, " ").trim();
}

interface ReadTools {
  names: string[];
  /** Agents that were named in brackets. */
  agents: string[];
  mistakes: Mistake[];
}

export function readTools(
  written: readonly string[] | undefined,
  entry: Entry | undefined,
  { toolNames }: AgentFileContext,
): ReadTools | undefined {
  if (written === undefined || written.includes("*")) return undefined;
  const read: ReadTools = { names: [], agents: [], mistakes: [] };
  for (const name of written) {
    const span = spanOfItem(entry, name);
    const choice = toolsNamed(name);
    if (choice === undefined) {
      const near = nearest(name, toolNames);
      const message = t("There is no tool {0}.", name);
      read.mistakes.push({ span, severity: "warning", message, ...(near && { fix: replacement(span, near) }) });
      continue;
    }
    read.names.push(...choice.tools);
    const isDelegation = choice.tools.some((tool) => delegationNames.includes(tool));
    if (isDelegation && choice.pattern !== undefined) {
      read.agents.push(...choice.pattern.split(",").map((agent) => agent.trim()));
    } else if (choice.pattern !== undefined) {
      const message = t("What is in parentheses is ignored: your settings decide which commands run without asking.");
      read.mistakes.push({ span, severity: "information", message });
    }
    if (choice.isUnavailable) {
      read.mistakes.push({
        span,
        severity: "information",
        message: t("Arbor has no tool that does what {0} does.", name),
      });
    }
  }
  return { ...read, names: [...new Set(read.names)] };
}

/** Which tools are named, and which of all it does not have. */
function switchedTools(tools: readonly string[] | Record<string, boolean> | undefined): {
  on?: readonly string[];
  off?: readonly string[];
} {
  if (tools === undefined) return {};
  if (isList(tools)) return { on: tools };
  const named = (isOn: boolean) => Object.keys(tools).filter((name) => name !== "*" && tools[name] === isOn);
  return tools["*"] === false ? { on: named(true) } : { off: named(false) };
}

function isList(tools: readonly string[] | Record<string, boolean>): tools is readonly string[] {
  return Array.isArray(tools);
}

function ownTools(tools: ReadTools | undefined, isReadOnly = false): Pick<CustomAgent, "tools"> {
  if (isReadOnly) return { tools: readingNames.filter((name) => tools?.names.includes(name) ?? true) };
  return tools === undefined ? {} : { tools: tools.names };
}

/** Who lists tools may delegate only with those for it, and who lists nothing may do what its kind may. */
function delegatesTo(agents: readonly string[] | undefined, tools: ReadTools | undefined): CustomAgent["agents"] {
  if (agents !== undefined) return agents.includes("*") ? "*" : agents.map(plainName);
  if (tools === undefined) return "*";
  if (tools.agents.length > 0) return tools.agents.map(plainName);
  return tools.names.some((name) => delegationNames.includes(name)) ? "*" : [];
}

function readModels(
  written: readonly string[] = [],
  entry: Entry | undefined,
  modelProblem: (name: string) => string | undefined,
): { names: string[]; mistakes: Mistake[] } {
  const names: string[] = [];
  const mistakes: Mistake[] = [];
  for (const name of written) {
    const span = spanOfItem(entry, name);
    const isForeign = name !== "inherit" && !name.includes("/");
    const problem = isForeign || name === "inherit" ? undefined : modelProblem(name);
    if (isForeign) {
      const message = t("{0} is not written as provider/model-id. It is ignored.", name);
      mistakes.push({ span, severity: "information", message });
    } else if (problem !== undefined) mistakes.push({ span, severity: "warning", message: problem });
    else names.push(name);
  }
  return { names, mistakes };
}
