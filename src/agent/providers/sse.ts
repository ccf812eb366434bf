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

  function take(line: string, frames: SseFrame[]): void {
    if (line === "") {
      if (event !== null || data !== undefined) frames.push({ event, data: data ?? "" });
      event = null;
      data = undefined;
      return;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    if (field !== "data" && field !== "event") return;
    const value = colon < 0 ? "" : line.slice(line.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1);
    if (field === "event") event = value;
    else data = data === undefined ? value : `${data}\n${value}`;
  }

  function lines(added: string, last: boolean): SseFrame[] {
    const frames: SseFrame[] = [];
    const waiting = rest.endsWith("\r");
    if (!waiting && !last && !added.includes("\n") && !added.includes("\r")) {
      rest += added;
      return frames;
    }
    let text = rest + added;
    if (text.includes("\r")) {
      // A closing CR may be the first half of a CRLF, so it waits for what follows.
      const held = !last && text.endsWith("\r") ? "\r" : "";
      text = text.slice(0, text.length - held.length).replace(/\r\n?/g, "\n") + held;
    }
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      take(text.slice(start, end), frames);
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
