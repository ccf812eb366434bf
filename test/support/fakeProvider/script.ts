/**
 * What a test has the fake provider say. Everything here is plain JSON: the same script is given to
 * `FakeProvider.script()` from a test and posted to `/control/script` from any other process.
 *
 * The server speaks four wires on one port: Anthropic Messages (`/v1/messages`), OpenAI Responses (`/v1/responses`),
 * Chat Completions (`/v1/chat/completions`) and Gemini's (`/v1beta/models/…:streamGenerateContent`). A script does not
 * care which: a reply is written in the wire of the request that it answers.
 */

/** The wires that Arbor speaks. */
export type WireName = "anthropic" | "responses" | "chat";
/** Gemini's is for programs of others. */
export type ServedWire = WireName | "google";

/**
 * One line of a script. A `Rule` answers every request it matches (or the first `times` of them); a bare `Reply` is
 * used once. Rules are tried first, in the order given; then bare replies in theirs. A request that nothing
 * answers gets status 400 with a text that shows it.
 */
export type ScriptEntry = Rule | Reply | Enforcement;

/**
 * Makes the server as strict as a real one: what breaks a documented rule (rules.ts), or has a field that is refused, is
 * answered with the provider's own error, whatever the script says.
 */
export type Enforcement = { enforce: RuleName } | { refuse: string };

export type RuleName =
  | "deepseekThinking"
  | "geminiSignatures"
  | "thinkingFirst"
  | "adaptiveOnly"
  | "budgetOnly"
  | "alwaysThinks"
  | "bindingBeta"
  | "noMinimalEffort"
  | "apiKeyHeader";

export interface Rule {
  when: Match;
  reply: Reply;
  /** How many requests this rule may answer; without it, any number. */
  times?: number;
}

/** All that is given must hold. `{}` matches everything. */
export interface Match {
  wire?: ServedWire;
  /** The whole model id. */
  model?: string;
  /** A part of the system prompt. */
  system?: string;
  /** A part of the last user message's text. */
  lastUser?: string;
  /** A part of the tool results that the request ends with; "" matches any result, and no request without one. */
  lastToolResult?: string;
  /** The name of a tool that the request offers. */
  tool?: string;
  /** Replies of the model since the last user message: 0 answers the user, 1 the first tool results, … */
  turn?: number;
}

export type Reply = StreamReply | HttpReply | DroppedReply;

/** A streamed answer. */
export interface StreamReply {
  steps: Step[];
  /** Default: all zero. null reports none at all. */
  usage?: ScriptedUsage | null;
  /** Default: "toolUse" if a step calls a tool, else "stop". */
  finish?: Finish;
  /** false leaves out what marks the end (`message_stop`, `response.completed`, `[DONE]`); the body ends cleanly. */
  endMarker?: boolean;
  /** Holds the answer, headers included, until this gate is released. */
  holdAt?: string;
  headers?: Record<string, string>;
}

/** Any other HTTP answer: an error, or a page where a stream should be. An object is sent as JSON. */
export interface HttpReply {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
  holdAt?: string;
}

/** The connection is reset before any header. */
interface DroppedReply {
  drop: true;
  holdAt?: string;
}

export type Finish = "stop" | "toolUse" | "length" | "refusal" | "pause";

/** Arbor's counting: `input` without what came from or went to the cache. Each wire reports it in its own way. */
export interface ScriptedUsage {
  input?: number;
  output?: number;
  cacheRead?: number;
  cacheWrite?: number;
  reasoning?: number;
}

export type Step =
  /**
   * Text in deltas of `chunk` characters (default 12). Neighbouring text steps continue one part, unless the Responses
   * wire gives them another `phase`.
   */
  | { text: string; chunk?: number; phase?: string }
  | { thinking: string; signature?: string; chunk?: number }
  /**
   * A tool call. `arguments` becomes JSON; `rawArguments` is sent as it is. Without `id`, one of its own. `extra` is what
   * a server of the Chat wire attaches as `extra_content`; of the Responses wire, further fields of the item.
   */
  | { tool: string; id?: string; arguments?: unknown; rawArguments?: string; chunk?: number; extra?: unknown }
  /** A call by free text, of the Responses wire. */
  | { tool: string; id?: string; input: string; chunk?: number }
  /** Ends the part that is open, so that a break falls between parts and not inside one. */
  | { endPart: true }
  /** Waits until the gate is released. A gate never released is a stall. */
  | { gate: string }
  /** `deltas` text deltas as fast as the socket takes them: in bulk, or with one write per event. */
  | { flood: number; text?: string; perEvent?: boolean }
  /** Bytes sent as they stand. */
  | { raw: string }
  /** An error event inside the stream; nothing follows it. */
  | { fail: { type: string; message: string; code?: string } }
  /** The connection is reset here. */
  | { cut: true }
  /** The body ends cleanly here, with no finish. */
  | { end: true };

/** How a request's answer ended; "closed" is the client hanging up. */
export type Settled = "open" | "finished" | "cut" | "closed";

export interface RecordedRequest {
  /** When it came, by the machine's clock. */
  at: number;
  /** When its answer was over; absent while that is open. */
  settledAt?: number;
  wire: ServedWire;
  path: string;
  headers: Record<string, string>;
  /** null once newer bodies have filled 64 MB: a bench sends gigabytes. */
  body: unknown;
  settled: Settled;
}
