import type { AssistantMessage, LlmMessage } from "../../vocabulary/messages.ts";
import type { ModelRequest } from "../../vocabulary/model.ts";
import { repairTranscript } from "../../vocabulary/projection.ts";
import type { ProviderFailure } from "./failure.ts";
import { type OptionalField, type RequestFields, requestFields } from "./optionalFields.ts";

/** A request as it is sent. */
export interface WrittenRequest {
  request: ModelRequest;
  /** As the wire writes it. */
  json: string;
  headers: Record<string, string>;
  fields: RequestFields;
  /** As it is sent, once the host has seen it. */
  body(): string;
}

/** Another version of a request that was rejected. */
export type Repair =
  /** A field that the provider does not take is left out, now and from now on. */
  | { type: "field"; written: WrittenRequest; field: string; isNew: boolean }
  /** The history lost what the provider may object to. */
  | { type: "history"; written: WrittenRequest };

export interface RepairOptions {
  failure: ProviderFailure;
  written: WrittenRequest;
  /** The wire's optional fields. */
  known: readonly OptionalField[];
  /** The fields that this model's provider has refused; grows. */
  refused: Set<string>;
  repairs: Repairs;
  /** The history was changed before. */
  isHistoryRepaired: boolean;
  write(request: ModelRequest, fields: RequestFields): WrittenRequest;
}

/** What to send instead of a request that a provider judged and rejected; undefined where nothing can be left out. */
export function repairRequest(options: RepairOptions): Repair | undefined {
  const { failure, written, known, refused, repairs, isHistoryRepaired, write } = options;
  if (!isAboutRequest(failure)) return undefined;
  // A repair that changes nothing would be rejected again.
  const other = (request: ModelRequest) => {
    const again = write(request, requestFields(refused));
    const isSame = again.json === written.json && JSON.stringify(again.headers) === JSON.stringify(written.headers);
    return isSame ? undefined : again;
  };
  for (const field of suspectFields(failure, written.fields.sent, known)) {
    // A request that went out at the same time may have found it out before.
    const isNew = !refused.has(field);
    refused.add(field);
    const again = other(written.request);
    if (again !== undefined) return { type: "field", written: again, field, isNew };
    if (isNew) refused.delete(field);
  }
  const repaired = isHistoryRepaired ? undefined : repairs.repaired(written.request);
  const again = repaired === undefined ? undefined : other(repaired);
  return again === undefined ? undefined : { type: "history", written: again };
}

/** The provider understood the request and did not like something in it. */
function isAboutRequest({ kind, cause }: ProviderFailure): boolean {
  return kind === "rejected" && cause.type === "reported" && (cause.status === 400 || cause.status === 422);
}

/** Makes another history of one that a provider rejected, and remembers what had to go. */
export interface Repairs {
  /** The fields that were refused for a model at an address. */
  refusedBy(baseUrl: string, modelId: string): Set<string>;
  /** The request without what was rejected before. */
  known(request: ModelRequest): ModelRequest;
  /** A history that asks less of the provider; undefined where there is nothing to leave out. */
  repaired(request: ModelRequest): ModelRequest | undefined;
  /** The repaired history was accepted: from now on it is sent at once. */
  keep(request: ModelRequest): void;
}

/**
 * What providers reject in a history that they have written themselves is thinking whose signature they do not know any
 * more, and calls or results that lack the other half, as a hook of the host's may leave them.
 */
export function createRepairs(): Repairs {
  // The same object for the same message, so that its JSON stays cached.
  const withoutThinking = new WeakMap<AssistantMessage, AssistantMessage>();
  const rejected = new WeakSet<LlmMessage>();
  const refused = new Map<string, Set<string>>();
  // Nearly always nothing was, and looking would cost a walk through the whole history for each request.
  let hasRejected = false;

  function bare(message: LlmMessage): LlmMessage[] {
    if (message.role !== "assistant" || !hasThinking(message)) return [message];
    const content = message.content.filter((part) => part.type !== "thinking");
    if (content.length === 0) return [];
    const written = withoutThinking.get(message) ?? { ...message, content };
    withoutThinking.set(message, written);
    return [written];
  }

  return {
    refusedBy: (baseUrl, modelId) => {
      const key = JSON.stringify([baseUrl, modelId]);
      const fields = refused.get(key) ?? new Set();
      refused.set(key, fields);
      return fields;
    },
    known: (request) =>
      hasRejected && request.messages.some((message) => rejected.has(message))
        ? { ...request, messages: request.messages.flatMap((m) => (rejected.has(m) ? bare(m) : [m])) }
        : request,
    repaired: (request) => {
      const messages = repairTranscript(request.messages.flatMap(bare));
      const first = messages.findIndex((message) => message.role === "user");
      const repaired = first > 0 ? messages.slice(first) : messages;
      const isSame =
        repaired.length === request.messages.length && repaired.every((m, at) => m === request.messages[at]);
      return isSame || first < 0 ? undefined : { ...request, messages: repaired };
    },
    keep: (request) => {
      hasRejected = true;
      for (const message of request.messages) if (hasThinking(message)) rejected.add(message);
    },
  };
}

function hasThinking(message: LlmMessage): boolean {
  return message.role === "assistant" && message.content.some((part) => part.type === "thinking");
}

/** Errors that miss something do not refuse it, and one about a signature is about the history. */
const isOther =
  /\bmissing\b|\brequired\b|\bexpected\b|must be (?:passed|provided|included|preserved)|invalid `?signature/i;

/** Fields that were sent and that a failure may be about, the likeliest first. */
function suspectFields(
  { cause }: ProviderFailure,
  sent: ReadonlySet<string>,
  known: readonly OptionalField[],
): string[] {
  if (cause.type !== "reported" || isOther.test(cause.message)) return [];
  const candidates = known.filter(({ name }) => sent.has(name));
  const byParam = candidates.filter(({ refusal }) => refusal.test(cause.param ?? ""));
  const byMessage = candidates.filter(({ refusal }) => refusal.test(cause.message));
  return [...new Set([...byParam, ...byMessage].map(({ name }) => name))];
}
