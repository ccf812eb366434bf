/** As much of a value as the beginning of its JSON text says; undefined before there is any. */
export function parsePartialJson(text: string): unknown {
  const closers: string[] = [];
  let inString = false;
  let isEscaped = false;
  // Up to here every member is whole; what closes the text there.
  let whole = "";
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (isEscaped) isEscaped = false;
      else if (character === "\\") isEscaped = true;
      else if (character === '"') inString = false;
      continue;
    }
    if (character === '"') inString = true;
    else if (character === "{" || character === "[") closers.unshift(character === "{" ? "}" : "]");
    else if (character === "}" || character === "]") closers.shift();
    else if (character !== ",") continue;
    if (!inString) whole = text.slice(0, character === "," ? at : at + 1) + closers.join("");
  }
  const cut = isEscaped ? text.slice(0, -1) : text.replace(/\\u[0-9a-f]{0,3}$/i, "");
  const closed = (inString ? `${cut}"` : text) + closers.join("");
  return firstOf(closed, whole);
}

/** The first that is JSON. Null is a value too. */
function firstOf(...texts: string[]): unknown {
  for (const text of texts) {
    const value = parseJson(text);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The value of a JSON text; undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The JSON value that a reply consists of or contains, in a block of code too; undefined where there is none. */
export function findJson(reply: string): unknown {
  const block = /```(?:json)?\s*\n(.*?)```/s.exec(reply)?.[1];
  const start = reply.search(/[[{]/);
  const end = Math.max(reply.lastIndexOf("}"), reply.lastIndexOf("]"));
  const object = reply.slice(Math.max(0, reply.indexOf("{")), reply.lastIndexOf("}") + 1);
  return firstOf(reply, block ?? "", start < 0 ? "" : reply.slice(start, end + 1), object);
}
