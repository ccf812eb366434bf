import * as z from "zod";
import type { Usage } from "../../agent/vocabulary/usage.ts";

/**
 * What we use of the Agent Client Protocol, version 1 with its unstable parts (sub-agents, usage of a prompt). What an
 * agent says beside it is dropped; what is of another type than the protocol has counts as absent, as far as it can.
 */
export const protocolVersion = 1;

export const errorCodes = { authRequired: -32_000, notFound: -32_002, canceled: -32_800, noMethod: -32_601 } as const;

const text = z.string();
const optionalText = text.nullish().catch(undefined);
const amount = z.number().finite().nonnegative();
const optionalAmount = amount.nullish().catch(undefined);

/** Content of a message. What is neither text, image nor resource is shown by its type. */
const contentSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text }),
  z.object({ type: z.literal("image"), mimeType: text, data: text }),
  z.object({ type: z.literal("audio") }),
  z.object({ type: z.literal("resource_link"), uri: text, name: optionalText }),
  z.object({ type: z.literal("resource"), resource: z.object({ uri: text, text: optionalText }) }),
]);

export type Content = z.infer<typeof contentSchema>;

const toolContent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("content"), content: contentSchema }),
  z.object({ type: z.literal("diff"), path: text, oldText: text.nullish(), newText: text }),
  z.object({ type: z.literal("terminal"), terminalId: text }),
]);

export type ToolContent = z.infer<typeof toolContent>;

/** Of a list what makes sense. */
function listOf<Item extends z.ZodType>(item: Item) {
  return z
    .array(z.unknown())
    .nullish()
    .catch(undefined)
    .transform((list) =>
      list?.map((each) => item.safeParse(each)).flatMap(({ data }) => (data === undefined ? [] : [data])),
    );
}

const toolKinds = [
  ...["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"],
] as const;

const status = z.enum(["pending", "in_progress", "completed", "failed"]);

/** A tool call, or what changed of it: lists replace what was there, the rest is added to it. */
const toolCall = z.object({
  toolCallId: text,
  title: optionalText,
  name: optionalText,
  kind: z.enum(toolKinds).nullish().catch("other"),
  status: status.nullish().catch(undefined),
  content: listOf(toolContent),
  locations: listOf(z.object({ path: text })),
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
  _meta: z
    .object({
      claudeCode: z.object({ toolName: optionalText }).nullish().catch(undefined),
      /** What a command of Codex has printed since the last one. */
      terminal_output_delta: z.object({ data: text }).nullish().catch(undefined),
    })
    .nullish()
    .catch(undefined),
});

export type ToolCallUpdate = z.infer<typeof toolCall>;

const chunk = { content: contentSchema, messageId: optionalText };

const subAgentState = z.object({
  state: z.enum(["running", "idle", "requires_action", "unknown"]).catch("unknown"),
  stopReason: optionalText,
  error: z.unknown().optional(),
});

const named = { name: text.catch(""), description: optionalText };

/** One of a list of values, which may be in groups. */
const configOption = z.object({
  ...{ id: text, name: text, category: optionalText, type: z.literal("select"), currentValue: text },
  options: listOf(
    z.union([z.object({ value: text, ...named }), z.object({ options: listOf(z.object({ value: text, ...named })) })]),
  ).transform((list) => list?.flatMap((each) => ("value" in each ? [each] : (each.options ?? [])))),
});

const update = z.discriminatedUnion("sessionUpdate", [
  z.object({ sessionUpdate: z.literal("user_message_chunk"), ...chunk }),
  z.object({ sessionUpdate: z.literal("agent_message_chunk"), ...chunk }),
  z.object({ sessionUpdate: z.literal("agent_thought_chunk"), ...chunk }),
  z.object({ sessionUpdate: z.literal("tool_call"), ...toolCall.shape }),
  z.object({ sessionUpdate: z.literal("tool_call_update"), ...toolCall.shape }),
  z.object({
    sessionUpdate: z.literal("plan"),
    entries: listOf(
      z.object({ content: text, status: z.enum(["pending", "in_progress", "completed"]).catch("pending") }),
    ),
  }),
  z.object({ sessionUpdate: z.literal("current_mode_update"), currentModeId: text }),
  z.object({ sessionUpdate: z.literal("config_option_update"), configOptions: listOf(configOption) }),
  z.object({
    sessionUpdate: z.literal("available_commands_update"),
    availableCommands: listOf(z.object({ name: text, description: text.catch("") })),
  }),
  z.object({
    sessionUpdate: z.literal("usage_update"),
    used: amount,
    size: amount,
    cost: z.object({ amount, currency: text }).nullish().catch(undefined),
  }),
  z.object({
    sessionUpdate: z.literal("notice"),
    severity: text.catch("info"),
    title: optionalText,
    message: optionalText,
  }),
  z.object({ sessionUpdate: z.literal("compaction_update"), status: optionalText, state: optionalText }),
  z.object({
    sessionUpdate: z.literal("subagent_update"),
    sessionId: text,
    title: optionalText,
    description: optionalText,
    state: subAgentState.nullish().catch(undefined),
  }),
  z.object({
    sessionUpdate: z.literal("session_message"),
    messageId: optionalText,
    senderSessionId: text,
    recipientSessionId: text,
    content: listOf(contentSchema),
  }),
]);

export type SessionUpdate = z.infer<typeof update>;
export type SubAgentUpdate = Extract<SessionUpdate, { sessionUpdate: "subagent_update" }>;

export const sessionUpdateSchema = z.object({ sessionId: text, update });

export const permissionRequestSchema = z.object({
  sessionId: text,
  toolCall,
  options: z.array(z.object({ optionId: text, name: text.catch(""), kind: text.catch("") })),
});

export const readFileSchema = z.object({
  sessionId: text,
  path: text,
  line: z.int().min(1).nullish(),
  limit: z.int().min(0).nullish(),
});

export const writeFileSchema = z.object({ sessionId: text, path: text, content: text });

const commandLine = {
  args: z.array(text).catch([]).default([]),
  env: z.record(text, text).catch({}).default({}),
};

/** A login of the agent's own; in a terminal where it says so. */
const authMethod = z.object({
  ...{ id: text, name: text.catch(""), description: optionalText },
  type: text.catch("agent").default("agent"),
  ...commandLine,
  _meta: z
    .object({
      "terminal-auth": z
        .object({ command: text.min(1), ...commandLine })
        .nullish()
        .catch(undefined),
    })
    .nullish()
    .catch(undefined),
});

export type AuthMethod = z.infer<typeof authMethod>;

export const initializeResultSchema = z.object({
  protocolVersion: z.number(),
  agentCapabilities: z
    .object({
      loadSession: z.boolean().nullish().catch(false),
      mcpCapabilities: z.object({ http: z.boolean() }).nullish().catch(undefined),
    })
    .nullish()
    .catch(undefined),
  agentInfo: z.object({ name: text, title: optionalText, version: optionalText }).nullish().catch(undefined),
  authMethods: listOf(authMethod),
  _meta: z
    .object({ steering: z.object({ supported: z.boolean() }).nullish().catch(undefined) })
    .nullish()
    .catch(undefined),
});

const modes = z.object({
  currentModeId: text,
  availableModes: z.array(z.object({ id: text, name: text.catch("") })),
});

export type SessionModes = z.infer<typeof modes>;

export const sessionResultSchema = z.object({
  /** Absent when a session is loaded. */
  sessionId: text.optional(),
  modes: modes.nullish().catch(undefined),
  configOptions: listOf(configOption),
  /** Of agents that have their models apart. */
  models: z
    .object({ currentModelId: text, availableModels: listOf(z.object({ modelId: text, ...named })) })
    .nullish()
    .catch(undefined),
});

export type SessionResult = z.infer<typeof sessionResultSchema>;

const tokenUsage = z.object({
  inputTokens: amount,
  outputTokens: amount,
  cachedReadTokens: optionalAmount,
  cachedWriteTokens: optionalAmount,
  thoughtTokens: optionalAmount,
});

/** As Gemini has it, in place of the protocol's own. */
const quota = z.object({
  quota: z.object({ token_count: z.object({ input_tokens: amount, output_tokens: amount }) }),
});

export const promptResultSchema = z.object({
  stopReason: text,
  usage: tokenUsage.nullish().catch(undefined),
  _meta: quota.nullish().catch(undefined),
});

export type PromptResult = z.infer<typeof promptResultSchema>;

/** What a prompt used; undefined where the agent does not report it. All zero is what some say then. */
export function promptUsage({ usage, _meta }: PromptResult): Partial<Usage> | undefined {
  const count = _meta?.quota.token_count;
  const reported: Partial<Usage> = usage
    ? {
        ...{ input: usage.inputTokens, output: usage.outputTokens, cacheRead: usage.cachedReadTokens ?? 0 },
        ...{ cacheWrite: usage.cachedWriteTokens ?? 0, reasoning: usage.thoughtTokens ?? 0 },
      }
    : { input: count?.input_tokens ?? 0, output: count?.output_tokens ?? 0 };
  return Object.values(reported).every((figure) => figure === 0) ? undefined : reported;
}

export const steeringResultSchema = z.object({ outcome: text.catch("") });
