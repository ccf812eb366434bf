import type { WireName } from "../fakeProvider/script.ts";
import type { SentRequest } from "./chatOverWire.ts";

type Json = Record<string, unknown>;

/** A request as a provider reads it: what it may find in its cache, from the beginning, and the rest. */
export interface WireRequest {
  wire: WireName;
  atMs: number;
  /** Of the agent, as its prompt has it. */
  agent: string;
  tools: Block[];
  system: Block[];
  /** Content blocks on Anthropic's wire, items or messages on the others. */
  conversation: Block[];
  /** All fields but these. */
  options: Json;
}

/** One that may be marked as the end of what is to be cached. */
export interface Block {
  value: Json;
  mark?: { ttl?: string };
}

const markPattern = /,"cache_control":\{[^{}]*\}/g;
/** Where the conversation ends in a body. What comes after it is no part of what a provider finds again. */
const endOfConversation: Record<WireName, string> = {
  anthropic: '],"thinking":',
  responses: '],"store":',
  chat: '],"stream":',
};

/** The bytes of a body up to the end of its conversation, and those after it. Marks count for nothing: they move on. */
export function splitBody({ wire, body }: SentRequest): { prefix: string; rest: string } {
  const unmarked = body.replaceAll(markPattern, "");
  const end = unmarked.lastIndexOf(endOfConversation[wire]);
  if (end < 0) throw new Error(`No end of the conversation in ${unmarked.slice(-300)}`);
  return { prefix: unmarked.slice(0, end), rest: unmarked.slice(end) };
}

export function readRequest({ wire, atMs, body }: SentRequest): WireRequest {
  const { tools = [], system, instructions, messages, input, ...options } = JSON.parse(body);
  const conversation = wire === "anthropic" ? messages.flatMap(contentBlocks) : (input ?? messages).map(block);
  const isSystem = ({ value }: Block) => value.role === "system";
  const prompt: Block[] = {
    anthropic: () => system.map(block),
    responses: () => [block({ text: instructions })],
    chat: () => conversation.filter(isSystem),
  }[wire]();
  const [, agent = "?"] = /You (?:are )?(\w+)/.exec(JSON.stringify(prompt)) ?? [];
  return {
    ...{ wire, atMs, agent, options, system: prompt },
    tools: tools.map(block),
    conversation: conversation.filter((each: Block) => !isSystem(each)),
  };
}

function block({ cache_control: mark, ...value }: Json & { cache_control?: { ttl?: string } }): Block {
  return mark === undefined ? { value } : { value, mark };
}

/** A text without a block is short for one. */
function contentBlocks({ role, content }: { role: string; content: Json[] | string }): Block[] {
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return parts.map((part) => block({ role, ...part }));
}

/** All blocks in the order in which a provider reads them. */
export function blocksOf({ tools, system, conversation }: WireRequest): Block[] {
  return [...tools, ...system, ...conversation];
}

/**
 * How many bytes of a request's predecessor, of the same agent, it does not begin with; undefined for one without any.
 * What comes after the conversation has to be the same, too.
 */
export function changedBytes(sent: readonly SentRequest[], at: number): number | undefined {
  const request = sent[at];
  if (request === undefined) return undefined;
  const before = sent.slice(0, at).findLast((earlier) => headOf(earlier) === headOf(request));
  if (before === undefined) return undefined;
  const [earlier, later] = [splitBody(before), splitBody(request)];
  const common = commonLength(earlier.prefix, later.prefix);
  const changed = Buffer.byteLength(earlier.prefix.slice(common));
  return changed + (later.rest === earlier.rest ? 0 : Buffer.byteLength(earlier.rest));
}

/** How the conversations of a chat are distinguished. */
function headOf(request: SentRequest): string {
  const { tools, system } = readRequest(request);
  return JSON.stringify([tools, system]);
}

/** Characters that both begin with. */
export function commonLength(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}
