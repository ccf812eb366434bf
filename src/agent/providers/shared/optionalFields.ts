/** A field that some provider of a wire may refuse, and how errors speak of it. */
export interface OptionalField {
  name: string;
  /** Found in the error's text or in the parameter that it names. */
  refusal: RegExp;
}

/** What a request may carry beside what its format demands. */
export interface OptionalFields {
  /** Whether a field may be sent: not once it was refused. A caller that asks sends it, and so it can be refused. */
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
