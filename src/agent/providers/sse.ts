/** One server-sent event. `event` is null if the server named none. */
export interface SseFrame {
  event: string | null;
  data: string;
}

/** Turns bytes, cut anywhere, into frames. */
export interface SseDecoder {
  push(chunk: Uint8Array): SseFrame[];
  /** The frames that the last bytes complete, once no more will come. */
  end(): SseFrame[];
}

/**
 * Decodes `text/event-stream` a network chunk at a time. The SDKs decode an event at a time and hide what we go by:
 * that a ping came, and whether the closing `[DONE]` did.
 */
export function createSseDecoder(): SseDecoder {
  // Drops a byte order mark and carries characters that a chunk cuts in two.
  const decoder = new TextDecoder();
  let rest = "";
  let event: string | null = null;
  let data: string | undefined;

  /** Takes the line from `start` to `end`. No string is made of it but the value: most lines are short and many. */
  function take(text: string, start: number, end: number, frames: SseFrame[]): void {
    if (start === end) {
      if (event !== null || data !== undefined) frames.push({ event, data: data ?? "" });
      event = null;
      data = undefined;
      return;
    }
    const added = fieldValue("data", text, start, end);
    if (added !== undefined) data = data === undefined ? added : `${data}\n${added}`;
    else event = fieldValue("event", text, start, end) ?? event;
  }

  function lines(added: string, last: boolean): SseFrame[] {
    const frames: SseFrame[] = [];
    const waiting = rest.endsWith("\r");
    if (!waiting && !last && !added.includes("\n") && !added.includes("\r")) {
      rest += added;
      return frames;
    }
    let text = added;
    let start = 0;
    if (waiting || added.includes("\r")) {
      text = rest + added;
      // A closing CR may be the first half of a CRLF, so it waits for what follows.
      const held = !last && text.endsWith("\r") ? "\r" : "";
      text = text.slice(0, text.length - held.length).replace(/\r\n?/g, "\n") + held;
    } else if (rest !== "") {
      // Only the first line is joined: joining the whole chunk would copy it.
      const line = rest + added.slice(0, added.indexOf("\n"));
      take(line, 0, line.length, frames);
      start = added.indexOf("\n") + 1;
    }
    for (let end = text.indexOf("\n", start); end >= 0; end = text.indexOf("\n", start)) {
      take(text, start, end, frames);
      start = end + 1;
    }
    rest = text.slice(start);
    return frames;
  }

  return {
    push: (chunk) => lines(decoder.decode(chunk, { stream: true }), false),
    end: () => lines(`${decoder.decode()}\n\n`, true),
  };
}

/** The value of the line from `start` to `end`, if it is of this field. */
function fieldValue(field: string, text: string, start: number, end: number): string | undefined {
  if (!text.startsWith(field, start)) return undefined;
  const colon = start + field.length;
  if (colon === end) return "";
  if (text[colon] !== ":") return undefined;
  return text.slice(text[colon + 1] === " " ? colon + 2 : colon + 1, end);
}
