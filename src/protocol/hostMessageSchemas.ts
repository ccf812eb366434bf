import * as z from "zod";
import { agentEventSchema, messageSchema } from "./agentEventSchemas.ts";
import { attachmentSchema } from "./attachmentSchema.ts";
import { budgetLimitsSchema, hostEventSchema } from "./hostEventSchemas.ts";
import { permissionModes, thinkingLevels } from "./modes.ts";

const text = z.string();
const count = z.number();

/** One line of a chat's log. `seq` counts the log's entries; an agent's event has its own `seq` inside. */
export const logEntrySchema = z.union([
  z.object({ seq: count, agent: agentEventSchema }),
  z.object({ seq: count, host: hostEventSchema }),
]);

/**
 * A text delta without what the panel knows: number of the entry, number of the agent's event, agent, message, index of the
 * part, and the text. Of a long answer these are most of what is sent, and the other fields six times as long as its words.
 */
export const moreTextSchema = z.tuple([count, count, text, text, count, text]);

/** With when it was written, in milliseconds since the epoch; absent in the logs of old versions. */
export const timedEntrySchema = z.object({ at: count.exactOptional(), entry: logEntrySchema });

export const modelChoiceSchema = z.object({
  /** `provider/model-id` */
  id: text,
  label: text,
  /** The offline demo model: rules, not a language model. */
  isDemo: z.boolean(),
  /** Who offers it, as a person would say it; absent for the demo. */
  provider: text.exactOptional(),
  /** Tokens; absent when unknown. */
  contextWindow: count.exactOptional(),
  /** Most tokens of one answer; absent when unknown. */
  maxOutput: count.exactOptional(),
  /** The model's price is known, so costs can be shown. */
  hasPrice: z.boolean(),
  /** What it can be asked for, "off" first. "off" alone: it can't be asked to think. Absent when unknown. */
  thinkingLevels: z.array(z.enum(thinkingLevels)).exactOptional(),
  /** Whether it takes images; absent when unknown. */
  images: z.boolean().exactOptional(),
});

/** What can be done by a slash and its name. Only what works here is listed. */
export const slashCommandSchema = z.object({
  /** Without the slash. */
  name: text,
  description: text,
  /** Text may follow it. */
  takesText: z.boolean(),
  /** Who brings it: a file of prompts, a skill or an MCP server. Absent for Arbor's own. */
  group: z.enum(["prompt", "skill", "server"]).exactOptional(),
});

/** The state of the editor and the settings, as far as the panel shows it; always sent whole. */
export const panelStatusSchema = z.object({
  model: modelChoiceSchema,
  models: z.array(modelChoiceSchema),
  /** No model is set up that could answer: the panel offers Set up and the demo. */
  needsSetup: z.boolean(),
  folderOpen: z.boolean(),
  /** Offered as context: the file in the active editor. */
  activeFile: text.exactOptional(),
  problemCount: count,
  /**
   * What a message says of the editor beside its own text: how many files are open, and how many problems there are.
   * Absent where it says nothing, by the setting or because there is nothing.
   */
  editorState: z.object({ isSent: z.boolean(), openFiles: count, problems: count }).exactOptional(),
  mode: z.enum(permissionModes),
  /** When edits are reviewed where the mode asks for them; absent where that is before they are written. */
  editReview: z.enum(["after", "off"]).exactOptional(),
  /** How much the models may think before they answer. */
  thinking: z.enum(thinkingLevels),
  /**
   * The share of the window at which an agent's context is compacted automatically, 0 for never. Absent where nothing can
   * be compacted: then nothing offers it.
   */
  compactAt: count.exactOptional(),
  /** What a run of the whole tree may use where a chat has no budget of its own. */
  budget: budgetLimitsSchema.exactOptional(),
  /** What could be done in this workspace, for an empty chat; absent where nothing can be. */
  offers: z
    .array(z.object({ icon: text, label: text, prompt: text, attachments: z.array(attachmentSchema) }))
    .exactOptional(),
  /** Who can be addressed beside main, with the colour that its file gives it; absent as long as it is not known. */
  agents: z.array(z.object({ name: text, description: text, color: text.exactOptional() })).exactOptional(),
  /** What a slash may name; absent as long as it is not known. */
  commands: z.array(slashCommandSchema).exactOptional(),
});

/** One line of the list that opens while a mention is typed: what it attaches, and how it is shown. */
export const suggestionSchema = z.object({
  attachment: attachmentSchema,
  label: text,
  /** Where it is, or what it does. */
  detail: text.exactOptional(),
  /** What is in the text for it, without the `@`. */
  mention: text,
});

/** A chat as the history lists it. */
export const historyItemSchema = z.object({
  id: text,
  title: text,
  /** Milliseconds since 1970. */
  updatedAt: count,
  /** Of the whole tree. */
  tokens: count,
  /** USD of the whole tree; absent when no price was known. */
  cost: count.exactOptional(),
  /**
   * `running` and `waiting` are of chats that are open; `interrupted` ones can be resumed; of `damaged` ones nothing
   * can be read.
   */
  state: z.enum(["idle", "running", "waiting", "interrupted", "damaged"]),
});

/**
 * Host to panel, posted as JSON text. Only `chat` has a whole log, and only what the panel lacks; everything after it
 * is what was added.
 */
export const hostMessageSchema = z.discriminatedUnion("type", [
  /** Starts or resumes a chat. With `reset` the panel discards what it had. The log up to `upToSeq` is covered. */
  z.object({
    type: z.literal("chat"),
    chatId: text,
    reset: z.boolean(),
    upToSeq: count,
    entries: z.array(logEntrySchema),
    draft: text,
    /** What goes with the draft; absent without anything. */
    draftAttachments: z.array(attachmentSchema).exactOptional(),
    /** As the panel gave it with the draft: the page may have saved an older or a newer text. */
    draftTypedAt: z.number().exactOptional(),
    status: panelStatusSchema,
    /** There are messages before these; `showEarlier` brings them. */
    hasEarlier: z.boolean().exactOptional(),
  }),
  /**
   * Covers the log above `afterSeq` up to `upToSeq`; entries the fold does not need are left out, so gaps between the
   * entries mean nothing. A panel whose last covered number is not `afterSeq` has missed a post and says `ready` again.
   * `texts` are entries as well, at their places by number: more text of what the panel has the beginning of.
   */
  z.object({
    type: z.literal("entries"),
    chatId: text,
    afterSeq: count,
    upToSeq: count,
    entries: z.array(logEntrySchema),
    texts: z.array(moreTextSchema).exactOptional(),
  }),
  /** The transcript of an opened child agent; events up to agent event `upToSeq` are contained in it. */
  z.object({
    type: z.literal("agentTranscript"),
    chatId: text,
    agentId: text,
    messages: z.array(messageSchema),
    upToSeq: count,
  }),
  /** What agents write that are not opened, by their ids: the line that grows. Only those that changed. */
  z.object({
    type: z.literal("activity"),
    chatId: text,
    lines: z.record(text, z.object({ kind: z.enum(["text", "thinking"]), text })),
  }),
  z.object({ type: z.literal("status"), status: panelStatusSchema }),
  /** Puts text and attachments into the composer. */
  z.object({ type: z.literal("compose"), text, attachments: z.array(attachmentSchema) }),
  /** The answer to `suggest`. A second one with the same id replaces the first. */
  z.object({ type: z.literal("suggestions"), requestId: text, items: z.array(suggestionSchema) }),
  /** `waiting` shows what waits longest for the user, with the focus on it; `history` opens the history. */
  z.object({
    type: z.literal("focus"),
    target: z.enum(["composer", "tree", "waiting", "history", "changes", "timeline"]),
  }),
  /** What the user said in other chats, the latest first; `at` in ms since the epoch. Sent when the panel takes the focus. */
  z.object({ type: z.literal("prompts"), items: z.array(z.object({ at: count, text })) }),
  /** The user asks from elsewhere in the editor: the chat comes to the front, the focus does not move. */
  z.object({ type: z.literal("showConversation") }),
  /** The user's answer, by a command, to the approval that is shown. */
  z.object({ type: z.literal("answer"), decision: z.enum(["accepted", "rejected"]) }),
  /** The answer to `listHistory`; sent again when what it lists changes, until `closeHistory`. */
  z.object({ type: z.literal("history"), query: text, items: z.array(historyItemSchema), hasMore: z.boolean() }),
  /** A chat could not be deleted: it is listed again. */
  z.object({ type: z.literal("chatKept"), chatId: text }),
  /**
   * The answer to `followRecording`: the log from its beginning in several of these, and then what is added. With
   * `isWhole` all that there was is sent.
   */
  z.object({
    type: z.literal("recording"),
    chatId: text,
    isFirst: z.boolean(),
    isWhole: z.boolean(),
    entries: z.array(timedEntrySchema),
  }),
  /** What lies before the chat's log as far as it was sent, oldest first. */
  z.object({
    type: z.literal("earlier"),
    chatId: text,
    entries: z.array(logEntrySchema),
    hasEarlier: z.boolean(),
  }),
]);
