import type { ThinkingLevel } from "../../vocabulary/model.ts";

/**
 * What a model can do, as far as it follows from the family in its id, on any server: `claude-opus-4-6`,
 * `anthropic/claude-opus-4.6`, `us.anthropic.claude-opus-4-6-v1:0` and `claude-opus-4-6@20260205` are one family.
 */
export type ModelFamily = ClaudeFamily | OpenaiFamily | OtherFamily;

interface Family {
  /** What can be asked of it, least first; without "off" it always thinks. */
  levels: readonly ThinkingLevel[];
}

export interface ClaudeFamily extends Family {
  maker: "anthropic";
  /** Before 4.6 thinking is a budget of tokens; from then on the model decides, led by an effort. */
  thinking: "budget" | "adaptive";
  /** How the least thinking is asked for: `thinking.type`, or "none" where no field means no thinking. */
  least: "none" | "disabled" | "between_tools" | "effort";
  /** Thinks between tool calls only where a beta header asks for it. */
  needsInterleavedBeta: boolean;
  /** Checks that thinking comes back with the conversation it was written in. */
  bindsThinking: boolean;
}

export interface OpenaiFamily extends Family {
  maker: "openai";
  /** Takes `text.verbosity` other than the default. */
  hasVerbosity: boolean;
  /** Calls tools by free text that follows a grammar. */
  hasFreeText: boolean;
  /** Takes a lifetime for what it caches. */
  hasCacheLifetime: boolean;
}

interface OtherFamily extends Family {
  maker: "google" | "deepseek";
}

/** Undefined for an id that names no family known here. */
export function modelFamily(id: string): ModelFamily | undefined {
  const name = id.toLowerCase();
  return claudeFamily(name) ?? openaiFamily(name) ?? geminiFamily(name) ?? deepseekFamily(name);
}

/** The Claude family that an id names, if it names one. */
export function claudeFamily(id: string): ClaudeFamily | undefined {
  const name = claudeName.exec(id);
  if (name === null) return undefined;
  const { tier = "", major, minor } = name.groups ?? {};
  // A name without a number is a preview or the latest one.
  const version = major === undefined ? latest : versionOf(major, minor);
  if (tier === "instant" || version < 307) return claude({ levels: ["off"] });
  if (version < 406) {
    const levels = ["off", "minimal", "low", "medium", "high"] as const;
    return claude({ levels, needsInterleavedBeta: version >= 400 });
  }
  const efforts = version === 406 ? fourSixEfforts : allEfforts;
  const adaptive = { thinking: "adaptive", bindsThinking: version > 500 } as const;
  if (version < 500) return claude({ ...adaptive, levels: ["off", ...efforts] });
  const least = leastThinking(tier, version);
  if (least === "disabled") return claude({ ...adaptive, least, levels: ["off", ...efforts] });
  if (least === "between_tools") return claude({ ...adaptive, least, levels: ["minimal", ...efforts] });
  return claude({ ...adaptive, least, levels: efforts });
}

const claudeName =
  /claude-(?:(?<tier>opus|sonnet|haiku|fable|mythos|instant)-?)?(?:(?<major>\d)(?:[.-](?<minor>\d{1,2}))?(?!\d))?/;
const threeEfforts = ["low", "medium", "high"] as const;
const fourSixEfforts = ["low", "medium", "high", "max"] as const;
const allEfforts = ["low", "medium", "high", "xhigh", "max"] as const;
const latest = Number.POSITIVE_INFINITY;

/** How a model from 5 on is asked to think as little as it can. */
function leastThinking(tier: string, version: number): ClaudeFamily["least"] {
  if (tier === "haiku") return "disabled";
  if (tier === "sonnet") return version > 500 ? "between_tools" : "disabled";
  return tier === "opus" && version === 500 ? "disabled" : "effort";
}

function claude(known: Partial<ClaudeFamily> & Pick<ClaudeFamily, "levels">): ClaudeFamily {
  const common = { maker: "anthropic", thinking: "budget", least: "none" } as const;
  return { ...common, needsInterleavedBeta: false, bindsThinking: false, ...known };
}

/** The OpenAI family that an id names, if it names one. */
export function openaiFamily(id: string): OpenaiFamily | undefined {
  const name = openaiName.exec(id);
  if (name === null) return undefined;
  const { series, major = "", minor, rest = "" } = name.groups ?? {};
  if (series !== undefined) return openai({ levels: threeEfforts });
  const version = versionOf(major, minor);
  // The models of the chat product, and those from before reasoning.
  if (version < 500 || rest.includes("-chat")) return openai({ levels: ["off"] });
  const isCodex = rest.includes("-codex");
  return openai({
    levels: openaiLevels(version, rest),
    hasVerbosity: !isCodex,
    hasFreeText: true,
    hasCacheLifetime: version >= 506,
  });
}

const openaiName = /(?:^|[/.~])(?:o(?<series>[134])(?=$|[-@:])|gpt-(?<major>\d)(?:\.(?<minor>\d))?(?<rest>$|[-@:o].*))/;

function openaiLevels(version: number, rest: string): readonly ThinkingLevel[] {
  const isCodex = rest.includes("-codex");
  if (version === 500) {
    if (rest.includes("-pro")) return ["high"];
    return isCodex ? threeEfforts : ["minimal", ...threeEfforts];
  }
  if (rest.includes("-pro")) return ["medium", "high", "xhigh"];
  if (version === 501 && !rest.includes("-max")) return [...(isCodex ? [] : (["off"] as const)), ...threeEfforts];
  if (isCodex) return [...threeEfforts, "xhigh"];
  if (version < 506) return ["off", ...threeEfforts, "xhigh"];
  // The largest of the sixth generation always reasons, and so does all that came after its first models.
  const alwaysThinks = version > 600 || (version === 600 && rest.includes("-astra"));
  return alwaysThinks ? allEfforts : ["off", ...allEfforts];
}

function openai(known: Partial<OpenaiFamily> & Pick<OpenaiFamily, "levels">): OpenaiFamily {
  return { maker: "openai", hasVerbosity: false, hasFreeText: false, hasCacheLifetime: false, ...known };
}

function geminiFamily(id: string): OtherFamily | undefined {
  const name = /gemini-(?:(?<major>\d)(?:\.(?<minor>\d))?-)?(?<rest>.*)/.exec(id);
  if (name === null) return undefined;
  const { major, minor, rest = "" } = name.groups ?? {};
  const version = major === undefined ? latest : versionOf(major, minor);
  if (version < 205) return { maker: "google", levels: ["off"] };
  const canBeOff = version === 205 && rest.startsWith("flash");
  return { maker: "google", levels: canBeOff ? ["off", ...threeEfforts] : threeEfforts };
}

function deepseekFamily(id: string): OtherFamily | undefined {
  // The earlier ones always or never thought.
  return /deepseek-(?:v3\.[2-9]|v[4-9]|chat|reasoner|pro|flash)/.test(id)
    ? { maker: "deepseek", levels: ["off", "low", "high", "max"] }
    : undefined;
}

/** 4.6 as 406. */
function versionOf(major: string, minor: string | undefined): number {
  return Number(major) * 100 + Number(minor ?? 0);
}

const order: readonly ThinkingLevel[] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];

/** The chosen level or, of a model that does not take it, the next lower one; at least the lowest that it takes. */
export function nearestLevel(chosen: ThinkingLevel, levels: readonly ThinkingLevel[]): ThinkingLevel {
  const upToChosen = order.slice(0, order.indexOf(chosen) + 1);
  const lower = upToChosen.findLast((level) => levels.includes(level));
  return lower ?? order.find((level) => levels.includes(level)) ?? "off";
}
