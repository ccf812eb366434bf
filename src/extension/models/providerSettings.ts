import { t } from "@vscode/l10n";
import * as z from "zod";
import { thinkingLevels } from "../../protocol/modes.ts";
import { checkHeaders } from "./headers.ts";

/** The wire a provider speaks: Messages, Responses, or Chat Completions. */
const wireNames = ["anthropic", "openai", "openai-chat"] as const;

/** How a provider is reached: a wire that its server speaks, or the editor. */
export type ProviderWire = (typeof wireNames)[number] | "vscode";

export interface KnownProvider {
  id: string;
  label: string;
  wire: ProviderWire;
  /** Absent: the address that the provider's SDK knows. */
  baseUrl?: string;
  needsKey: boolean;
  /** The page on which its users make keys. */
  keyPage?: string;
}

/** Providers that need no entry, or only what differs from this. */
export const knownProviders: readonly KnownProvider[] = [
  {
    id: "anthropic",
    label: "Anthropic",
    wire: "anthropic",
    needsKey: true,
    keyPage: "https://console.anthropic.com/settings/keys",
  },
  {
    id: "openai",
    label: "OpenAI",
    wire: "openai",
    needsKey: true,
    keyPage: "https://platform.openai.com/api-keys",
  },
  {
    id: "openrouter",
    label: "OpenRouter",
    wire: "openai-chat",
    baseUrl: "https://openrouter.ai/api/v1",
    needsKey: true,
    keyPage: "https://openrouter.ai/settings/keys",
  },
  { id: "ollama", label: "Ollama", wire: "openai-chat", baseUrl: "http://localhost:11434/v1", needsKey: false },
  { id: "lmstudio", label: "LM Studio", wire: "openai-chat", baseUrl: "http://localhost:1234/v1", needsKey: false },
  { id: "llamacpp", label: "llama.cpp", wire: "openai-chat", baseUrl: "http://localhost:8080/v1", needsKey: false },
  { id: "vllm", label: "vLLM", wire: "openai-chat", baseUrl: "http://localhost:8000/v1", needsKey: false },
  { id: "vscode", label: "Editor", wire: "vscode", needsKey: false },
];

/** How a model changes files: by replacing text, or by a patch where it is trained on those. */
const editTools = ["edit_file", "apply_patch"] as const;

const tokenCount = z
  .int({ error: () => t("has to be a whole number of tokens") })
  .positive({ error: () => t("has to be more than 0") });
const usdPerMillion = z
  .number({ error: () => t("has to be a number: USD per million tokens") })
  .nonnegative({ error: () => t("can't be negative") });

const quoted = (words: readonly string[]) => words.map((word) => `"${word}"`).join(", ");

/** What can be known of a model, as a user writes it and as it is kept of a provider's answer. */
export const modelSchema = z.strictObject({
  id: z
    .string({ error: () => t("has to be the model's id as the provider writes it") })
    .trim()
    .min(1, { error: () => t("is empty") }),
  name: z.string().min(1).exactOptional(),
  contextWindow: tokenCount.exactOptional(),
  maxOutput: tokenCount.exactOptional(),
  price: z
    .strictObject({
      input: usdPerMillion,
      output: usdPerMillion,
      cacheRead: usdPerMillion.exactOptional(),
      cacheWrite: usdPerMillion.exactOptional(),
    })
    .exactOptional(),
  thinkingLevels: z
    .array(z.enum(thinkingLevels, { error: () => t("has to be one of {0}", quoted(thinkingLevels)) }), {
      error: () => t("has to be a list of thinking levels"),
    })
    .exactOptional(),
  images: z.boolean({ error: () => t("has to be true or false") }).exactOptional(),
  tools: z.boolean({ error: () => t("has to be true or false") }).exactOptional(),
  editTool: z.enum(editTools, { error: () => t("has to be one of {0}", quoted(editTools)) }).exactOptional(),
});

const providerSchema = z.strictObject({
  type: z.enum(wireNames, { error: () => t("has to be one of {0}", quoted(wireNames)) }).exactOptional(),
  baseUrl: z
    .string({ error: () => t("has to be a URL") })
    .superRefine(checkBaseUrl)
    .exactOptional(),
  maxParallel: z
    .int({ error: () => t("has to be a whole number of requests") })
    .min(1, { error: () => t("can't be less than {0}", 1) })
    .max(64, { error: () => t("can't be more than {0}", 64) })
    .exactOptional(),
  apiKeyEnv: z
    .string({ error: () => t("has to be the name of an environment variable") })
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: () => t("has to be the name of an environment variable, not a key") })
    .exactOptional(),
  headers: z
    .record(z.string(), z.string({ error: () => t("has to be a text") }), {
      error: () => t("has to be an object of header names and values"),
    })
    .superRefine(checkHeaders)
    .exactOptional(),
  models: z.array(modelSchema, { error: () => t("has to be a list of models") }).exactOptional(),
});

/** One entry of `arbor.providers`. What the catalogue knows of a provider is left out in the entry. */
export type ProviderSettings = z.infer<typeof providerSchema>;

/** Sizes are tokens, prices USD per million tokens; what is unknown is absent. "off" in the levels changes nothing. */
export type ModelSettings = z.infer<typeof modelSchema>;

/** What the settings say of models: `arbor.model` and its neighbours. */
export interface ModelsSettings {
  model: string;
  /** The user chose a model; false while it is the default. */
  modelChosen: boolean;
  /** "" means the model of the agent that delegates. */
  subAgentModel: string;
  providers: Record<string, ProviderSettings>;
  limits: { maxParallelAgents: number };
  /** Agents of other programs by name: `foreign/<name>` where a model is named. */
  foreignAgents: Readonly<Record<string, unknown>>;
}

/** What makes no sense in one setting. `key` is the setting's full name, down to the value. */
export interface SettingProblem {
  key: string;
  message: string;
  /** The part that makes no sense, where the rest of the setting counts. */
  ignored?: string;
}

/** Entries that make sense are kept when their neighbours do not. */
export function parseProviders(raw: unknown): {
  providers: Record<string, ProviderSettings>;
  problems: SettingProblem[];
} {
  const key = "arbor.providers";
  const entries = z.record(z.string(), z.unknown()).safeParse(raw);
  if (!entries.success) {
    return { providers: {}, problems: [{ key, message: t("has to be an object with one entry per provider") }] };
  }
  const providers: Record<string, ProviderSettings> = {};
  const problems: SettingProblem[] = [];
  for (const [id, entry] of Object.entries(entries.data)) {
    const parsed = /^[\w.-]+$/.test(id) && id !== "__proto__" ? providerSchema.safeParse(entry) : undefined;
    if (parsed === undefined) {
      problems.push({ key: `${key}.${id}`, message: t("needs a name of letters, digits, dots and dashes alone") });
    } else if (!parsed.success) {
      problems.push(...parsed.error.issues.map((issue) => problemOf(`${key}.${id}`, issue)));
    } else if (parsed.data.type === undefined && !isKnown(id)) {
      problems.push({ key: `${key}.${id}.type`, message: t("is missing; it has to be one of {0}", quoted(wireNames)) });
    } else {
      providers[id] = parsed.data;
    }
  }
  return { providers, problems };
}

function isKnown(id: string): boolean {
  return knownProviders.some((known) => known.id === id);
}

function problemOf(prefix: string, issue: z.core.$ZodIssue): SettingProblem {
  const path = issue.path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
  if (issue.code === "unrecognized_keys") {
    const unknown = issue.keys.join(", ");
    const message = issue.keys.includes("apiKey")
      ? t("has entries that Arbor does not know: {0}; a key is set by the command Arbor: Set API Key", unknown)
      : t("has entries that Arbor does not know: {0}", unknown);
    return { key: prefix + path, message };
  }
  return { key: prefix + path, message: issue.message };
}

/** A base URL is where a key is sent, so only plain http(s) addresses count. */
function checkBaseUrl(value: string, context: z.RefinementCtx): void {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    context.addIssue(t("has to be an http or https URL"));
  } else if (url.username !== "" || url.password !== "") {
    context.addIssue(t("can't carry a user name or password"));
  }
}
