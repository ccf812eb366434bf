import * as z from "zod";
import { onAbort } from "../common/abort.ts";
import { type Line, LineProcess } from "../terminal/lineProcess.ts";
import { errorCodes } from "./protocol.ts";

/** A message that is longer is dropped, and what waits for it fails. */
const maxMessageBytes = 16 * 1_024 * 1_024;
/** So much of the error output is kept, the newest. */
const maxLogLines = 500;
/** How long what a process wrote may be on its way after it has ended. */
const lastWordsMs = 100;
/** So many requests of the agent wait for an answer at once; those beyond are refused. */
const maxOpenRequests = 200;

const id = z.union([z.string(), z.number()]);
const message = z.union([
  // A notification has no id.
  z.object({ jsonrpc: z.literal("2.0"), id: id.optional(), method: z.string(), params: z.unknown().optional() }),
  z.object({
    jsonrpc: z.literal("2.0"),
    id,
    error: z.object({ code: z.number(), message: z.string().catch(""), data: z.unknown().optional() }),
  }),
  z.object({ jsonrpc: z.literal("2.0"), id, result: z.unknown().optional() }),
]);
type Message = z.infer<typeof message>;

/** What the agent answered in place of a result. */
export class AgentRequestError extends Error {
  override readonly name = "AgentRequestError";
  readonly code: number;

  constructor(code: number, text: string) {
    super(text);
    this.code = code;
  }
}

/** The agent's process has ended, or is of no use any more. */
export class ConnectionLostError extends Error {
  override readonly name = "ConnectionLostError";
}

/** An answer that says why there is no result. */
export class RefusedRequest extends Error {
  override readonly name = "RefusedRequest";
  readonly code: number;
  /** Done as soon as it was sent. */
  readonly afterwards: (() => void) | undefined;

  constructor(code: number, text: string, afterwards?: () => void) {
    super(text);
    this.code = code;
    this.afterwards = afterwards;
  }
}

export interface ConnectionOptions {
  command: string;
  args: readonly string[];
  /** Absolute. */
  cwd: string;
  environment(mark: string): Record<string, string>;
  /** Called in the order in which they come. */
  onNotification(method: string, params: unknown): void;
  /** Its result is the answer, perhaps an `AnswerThen`; the signal is aborted when the agent withdraws its request or has ended. */
  onRequest(method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
  /** Called once, when nothing comes any more. */
  onEnd(error: ConnectionLostError): void;
}

/** An answer, and what is done as soon as it was sent. */
export class AnswerThen {
  readonly result: unknown;
  readonly afterwards: () => void;

  constructor(result: unknown, afterwards: () => void) {
    this.result = result;
    this.afterwards = afterwards;
  }
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/**
 * JSON-RPC over the lines of a process. Written here instead of taken from the protocol's SDK: that would add 154 kB to
 * what is loaded, drops what its stable schemas don't know, and says nothing of garbage, silence and what is too long.
 */
export class AgentConnection {
  readonly #options: ConnectionOptions;
  readonly #process: LineProcess;
  readonly #log: string[] = [];
  readonly #waiting = new Map<number, Waiting>();
  /** Requests of the agent that wait for an answer. */
  readonly #open = new Map<string | number, AbortController>();
  #nextId = 0;
  #garbage = 0;
  #lost: ConnectionLostError | undefined;
  #lastMessageAt = performance.now();
  #ending: NodeJS.Timeout | undefined;

  constructor(options: ConnectionOptions) {
    const { command, args, cwd, environment } = options;
    this.#options = options;
    this.#process = new LineProcess({
      ...{ command, args, cwd, environment, maxLineBytes: maxMessageBytes },
      onLine: (line) => this.#receive(line),
      onErrorLine: (line) => this.#note(line),
      onExit: ({ code, signal }) =>
        this.#exited(signal === null ? `It ended with code ${code}.` : `It was ended by ${signal}.`),
      onEnd: () => this.#exited("It ended."),
      onFailure: (error) => this.#note(String(error)),
    });
  }

  /** The latest lines of its error output, and of what made no sense. */
  get log(): readonly string[] {
    return this.#log;
  }

  get isOpen(): boolean {
    return this.#lost === undefined;
  }

  /** Milliseconds since anything came. */
  get silentMs(): number {
    return performance.now() - this.#lastMessageAt;
  }

  /** Resolves when the process runs. Rejects when it can't be started. */
  async start(): Promise<void> {
    await this.#process.start();
    this.#lastMessageAt = performance.now();
  }

  /** Rejects with an `AgentRequestError`, a `ConnectionLostError` or the signal's reason, which withdraws the request. */
  async request<Schema extends z.ZodType>(
    method: string,
    params: unknown,
    { result: schema, signal }: { result: Schema; signal: AbortSignal },
  ): Promise<z.infer<Schema>> {
    signal.throwIfAborted();
    if (this.#lost !== undefined) throw this.#lost;
    const requestId = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(requestId, { resolve, reject });
    const listening = onAbort(signal, () => {
      this.notify("$/cancel_request", { requestId });
      reject(signal.reason);
    });
    this.#send({ jsonrpc: "2.0", id: requestId, method, params });
    try {
      const answer = schema.safeParse(await promise);
      if (answer.success) return answer.data;
      throw new AgentRequestError(0, `It answered ${method} with something else than the protocol has.`);
    } finally {
      listening.dispose();
      this.#waiting.delete(requestId);
    }
  }

  notify(method: string, params: unknown): void {
    this.#send({ jsonrpc: "2.0", method, params });
  }

  /** Ends the process and all that it spawned; resolves when they have ended. */
  async close(): Promise<void> {
    this.#lose("It was closed.");
    await this.#process.close();
  }

  /** The same at once, for when there is no time to wait. */
  kill(): void {
    this.#lose("It was closed.");
    this.#process.kill();
  }

  #send(text: object): void {
    if (this.#lost !== undefined) return;
    // That it can't be written is noticed by the end of the process.
    this.#process.write(JSON.stringify(text)).catch((error: unknown) => this.#note(String(error)));
  }

  #receive(line: Line): void {
    this.#lastMessageAt = performance.now();
    if (line.head.trim() === "" || this.#lost !== undefined) return;
    const parsed = line.isCut ? undefined : parseMessage(line.head);
    if (parsed === undefined) {
      this.#noteGarbage(line);
      return;
    }
    if ("method" in parsed) {
      const { id: requestId, method, params } = parsed;
      if (requestId === undefined) this.#handleNotification(method, params);
      else void this.#answer(requestId, method, params);
      return;
    }
    const waiting = typeof parsed.id === "number" ? this.#waiting.get(parsed.id) : undefined;
    // Answered twice, or never asked.
    if (waiting === undefined) this.#note(`An answer to no request: ${String(parsed.id)}`);
    else if ("error" in parsed) waiting.reject(requestError(parsed.error));
    else waiting.resolve(parsed.result);
  }

  #handleNotification(method: string, params: unknown): void {
    if (method === "$/cancel_request") {
      const requestId = z.object({ requestId: id }).safeParse(params).data?.requestId;
      if (requestId !== undefined) this.#open.get(requestId)?.abort(new Error("The agent withdrew its request."));
      return;
    }
    this.#options.onNotification(method, params);
  }

  async #answer(requestId: string | number, method: string, params: unknown): Promise<void> {
    if (this.#open.has(requestId) || this.#open.size >= maxOpenRequests) {
      const text = "A request of this id is open, or too many are.";
      this.#send({ jsonrpc: "2.0", id: requestId, error: { code: -32_600, message: text } });
      return;
    }
    const abort = new AbortController();
    this.#open.set(requestId, abort);
    try {
      const result = await this.#options.onRequest(method, params, abort.signal);
      const isMore = result instanceof AnswerThen;
      this.#send({ jsonrpc: "2.0", id: requestId, result: (isMore ? result.result : result) ?? {} });
      if (isMore) result.afterwards();
    } catch (error) {
      const code = error instanceof RefusedRequest ? error.code : abort.signal.aborted ? errorCodes.canceled : -32_603;
      const text = error instanceof Error ? error.message : String(error);
      this.#send({ jsonrpc: "2.0", id: requestId, error: { code, message: text } });
      if (error instanceof RefusedRequest) error.afterwards?.();
    } finally {
      this.#open.delete(requestId);
    }
  }

  #noteGarbage({ head, isCut, bytes }: Line): void {
    this.#garbage += 1;
    this.#note(
      isCut ? `A message of ${Math.round(bytes / 1_048_576)} MB was dropped.` : `No message: ${head.slice(0, 500)}`,
    );
    // It may be the answer that something waits for.
    if (isCut) this.#lose("It sent a message that is too long.");
    else if (this.#garbage >= 1_000) this.#lose("It sends something else than messages.");
  }

  #note(line: string): void {
    this.#log.push(line.slice(0, 2_000));
    if (this.#log.length > maxLogLines) this.#log.shift();
  }

  /** What it wrote last may come after its end. */
  #exited(reason: string): void {
    this.#ending ??= setTimeout(() => this.#lose(reason), lastWordsMs);
  }

  #lose(reason: string): void {
    clearTimeout(this.#ending);
    if (this.#lost !== undefined) return;
    this.#lost = new ConnectionLostError(reason);
    for (const { reject } of this.#waiting.values()) reject(this.#lost);
    for (const abort of this.#open.values()) abort.abort(this.#lost);
    this.#options.onEnd(this.#lost);
  }
}

function parseMessage(line: string): Message | undefined {
  try {
    return message.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

function requestError({ code, message: text, data }: { code: number; message: string; data?: unknown }): Error {
  const details = z.object({ details: z.string() }).safeParse(data).data?.details;
  return new AgentRequestError(
    code,
    [text, details ?? ""]
      .filter((part) => part !== "")
      .join(": ")
      .slice(0, 2_000),
  );
}
