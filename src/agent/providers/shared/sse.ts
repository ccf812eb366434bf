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

const lineFeed = 10;
const carriageReturn = 13;
const blank = 32;
const byteOrderMark = "\ufeff";

/**
 * Decodes `text/event-stream` a network chunk at a time. The SDKs decode an event at a time and hide what we go by:
 * that a ping came, and whether the closing `[DONE]` did.
 */
export function createSseDecoder(): SseDecoder {
  // Only whole lines are decoded: no character is cut in two, and decoding a whole text is the quick way.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let isFirst = true;
  /** The bytes of the line that has not ended, as they came: joining them for each chunk would be quadratic. */
  let open: Uint8Array[] = [];
  let event: string | null = null;
  let data: string | undefined;

  function frames(bytes: Uint8Array): SseFrame[] {
    let text = decoder.decode(bytes);
    if (isFirst && text.startsWith(byteOrderMark)) text = text.slice(1);
    isFirst = false;
    if (text.includes("\r")) text = text.replace(/\r\n?/g, "\n");
    const found: SseFrame[] = [];
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      if (start === end) {
        if (event !== null || data !== undefined) found.push({ event, data: data ?? "" });
        event = null;
        data = undefined;
      } else {
        // A line without a colon is all name; one that begins with it is a comment.
        const colon = text.indexOf(":", start);
        const nameEnd = colon < 0 || colon > end ? end : colon;
        const name = text.slice(start, nameEnd);
        const valueStart = nameEnd + (text.charCodeAt(nameEnd + 1) === blank ? 2 : 1);
        if (name === "event") event = text.slice(valueStart, end);
        else if (name === "data") data = (data === undefined ? "" : `${data}\n`) + text.slice(valueStart, end);
      }
      start = end + 1;
    }
    return found;
  }

  function joined(last: Uint8Array): Uint8Array {
    if (open.length === 0) return last;
    const pieces = [...open, last];
    const bytes = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
    let at = 0;
    for (const piece of pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    open = [];
    return bytes;
  }

  return {
    push(chunk) {
      const end = endOfLines(chunk);
      const whole = end === 0 ? [] : frames(joined(end === chunk.length ? chunk : chunk.subarray(0, end)));
      if (end < chunk.length) open.push(end === 0 ? chunk : chunk.subarray(end));
      return whole;
    },
    end: () => frames(joined(new Uint8Array([lineFeed, lineFeed]))),
  };
}

/** Where the last line ends. A closing CR may be the first half of a CRLF, so it waits for what follows. */
function endOfLines(chunk: Uint8Array): number {
  const last = chunk.length - 1;
  if (chunk[last] === lineFeed) return chunk.length;
  return Math.max(chunk.lastIndexOf(lineFeed), last < 1 ? -1 : chunk.lastIndexOf(carriageReturn, last - 1)) + 1;
}
