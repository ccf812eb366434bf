import type { Model, StreamOptions } from "../../vocabulary/model.ts";
import { claudeFamily, modelFamily, nearestLevel } from "../shared/modelFamily.ts";
import { type OptionalFields, optionalNumber } from "../shared/optionalFields.ts";

/** Servers of this format that take fields which others may refuse. */
type Server = "openai" | "openrouter" | "google" | "deepseek" | "other";

const servers: Readonly<Record<string, Server>> = {
  "api.openai.com": "openai",
  "openrouter.ai": "openrouter",
  "generativelanguage.googleapis.com": "google",
  "api.deepseek.com": "deepseek",
};

export function serverAt(baseUrl: string): Server {
  return servers[new URL(baseUrl).host] ?? "other";
}

/** What asks for thinking at a level; nothing where no level is named, or the model is known not to think. */
export function effortFields(
  model: Model,
  { thinkingLevel }: StreamOptions,
  { server, fields }: { server: Server; fields: OptionalFields },
): { reasoning_effort?: string; thinking?: string } {
  if (thinkingLevel === undefined) return {};
  const levels = modelFamily(model.id)?.levels;
  if (levels?.every((level) => level === "off")) return {};
  const level = levels === undefined ? thinkingLevel : nearestLevel(thinkingLevel, levels);
  const isDeepseek = server === "deepseek" && fields.may("thinking");
  if (level !== "off") {
    return {
      ...(fields.may("reasoning_effort") ? { reasoning_effort: JSON.stringify(level) } : {}),
      ...(isDeepseek ? { thinking: '{"type":"enabled"}' } : {}),
    };
  }
  if (isDeepseek) return { thinking: '{"type":"disabled"}' };
  // Elsewhere "none" is a value that few know, and a model that is not known may not think anyway.
  const takesNone = levels !== undefined && server !== "other" && server !== "deepseek";
  return takesNone && fields.may("reasoning_effort") ? { reasoning_effort: '"none"' } : {};
}

/** OpenAI's reasoning models refuse the old name, and other servers do not know the new one. */
export function outputLimit(
  { maxOutput }: StreamOptions,
  { server, fields }: { server: Server; fields: OptionalFields },
): Record<string, string | undefined> {
  const names = ["max_completion_tokens", "max_tokens"];
  if (server !== "openai") names.reverse();
  if (maxOutput === undefined) return {};
  for (const name of names) {
    const limit = optionalNumber(name, maxOutput, fields);
    if (limit !== undefined) return { [name]: limit };
  }
  return {};
}

/** What marks the end of what is to be cached; undefined where the server does so anyway, or would refuse it. */
export function cacheMark(
  { id }: Model,
  { cacheLifetime }: StreamOptions,
  { server, fields }: { server: Server; fields: OptionalFields },
): CacheMark | undefined {
  if (server !== "openrouter" || claudeFamily(id) === undefined || !fields.may("cache_control")) return undefined;
  const isLong = cacheLifetime === "long" && fields.may("cache_control.ttl");
  return { type: "ephemeral", ...(isLong ? { ttl: "1h" } : {}) };
}

export interface CacheMark {
  type: "ephemeral";
  ttl?: string;
}

/** The names under which servers send thinking as text, and take it back. */
export const thinkingNames = ["reasoning_content", "reasoning"] as const;
export type ThinkingName = (typeof thinkingNames)[number];

/** How an answer's thinking goes back. */
export interface ThinkingBack {
  /** The names that may be sent. */
  names: readonly ThinkingName[];
  /** What OpenRouter sent beside the text goes back in its stead. */
  hasDetails: boolean;
  /** The server wants the field with every tool call, also where there was no thinking. */
  isDemanded: boolean;
}

export function thinkingBack(model: Model, { thinkingLevel }: StreamOptions, fields: OptionalFields): ThinkingBack {
  const names = thinkingNames.filter((name) => fields.may(name));
  const isDeepseek = modelFamily(model.id)?.maker === "deepseek";
  const hasDetails = fields.may("reasoning_details");
  return {
    names,
    hasDetails,
    isDemanded: isDeepseek && thinkingLevel !== "off" && names.includes("reasoning_content"),
  };
}
