/** Everything JSON on its way to a provider. */

/**
 * JSON without lone surrogates, which providers refuse. `JSON.stringify` escapes only the lone ones, so the repair is
 * a look at the escapes; every escape is consumed whole, or the text `\\ud800` would be taken for one.
 */
export function wellFormedJson(value: unknown): string {
  const json = JSON.stringify(value) ?? "null";
  if (!json.includes("\\ud")) return json;
  return json.replace(/\\(?:u(d[89a-f][0-9a-f]{2})|.)/g, (whole, surrogate) => (surrogate ? "\ufffd" : whole));
}

/** JSON texts, kept beside the objects they were written from. */
export interface JsonCache {
  /** The text for `source`, written again only if `variant` is not the one it was last written for. */
  of<T extends object>(source: T, variant: string, write: (source: T) => string): string;
}

/** A transcript grows by a message per turn: with each text kept, a request costs what is new in it. */
export function createJsonCache(): JsonCache {
  const kept = new WeakMap<object, { variant: string; json: string }>();
  return {
    of: (source, variant, write) => {
      const known = kept.get(source);
      if (known?.variant === variant) return known.json;
      const json = write(source);
      kept.set(source, { variant, json });
      return json;
    },
  };
}

/**
 * A JSON object from texts that are JSON already; absent fields are left out. By concatenation, as in `joinList`: the
 * parts are copied once, when the body is sent, and not at every level.
 */
export function joinObject(fields: Record<string, string | undefined>): string {
  let text = "";
  for (const [name, json] of Object.entries(fields)) {
    if (json !== undefined) text += `${text === "" ? "" : ","}"${name}":${json}`;
  }
  return `{${text}}`;
}

export function joinList(items: readonly string[]): string {
  let text = "";
  for (const item of items) text += text === "" ? item : `,${item}`;
  return `[${text}]`;
}
