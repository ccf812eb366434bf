import type { ProviderFailure } from "./failure.ts";

/** A field that some provider of a wire may refuse, and how errors speak of it. */
export interface OptionalField {
  name: string;
  /** Found in the error's text or in the parameter that it names. */
  refusal: RegExp;
}

/** What a request may carry beside what its format demands. */
export interface OptionalFields {
  /** Whether a field may be sent: not once it was refused. Whoever asks sends it, and so it can be refused. */
  may(name: string): boolean;
  /** Says what is left out of this request although it was asked for. */
  warn(message: string): void;
}

/** The fields of one request, and what was said while it was written. */
export interface RequestFields extends OptionalFields {
  readonly sent: ReadonlySet<string>;
  readonly warnings: readonly string[];
}

export function requestFields(refused: ReadonlySet<string>): RequestFields {
  const sent = new Set<string>();
  const warnings: string[] = [];
  return {
    sent,
    warnings,
    may: (name) => {
      if (refused.has(name)) return false;
      sent.add(name);
      return true;
    },
    warn: (message) => {
      warnings.push(message);
    },
  };
}

/** The JSON text of a number where there is one and it may be sent. */
export function optionalNumber(name: string, value: number | undefined, fields: OptionalFields): string | undefined {
  return value !== undefined && fields.may(name) ? String(value) : undefined;
}

/** Errors that miss something do not refuse it, and one about a signature is about the history. */
const isOther =
  /\bmissing\b|\brequired\b|\bexpected\b|must be (?:passed|provided|included|preserved)|invalid `?signature/i;

/** Fields that were sent and that a failure may be about, the likeliest first. */
export function suspectFields(
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
