import { startTimer } from "../../agent/vocabulary/abort.ts";

/** A piece this long is sent at once; shorter ones wait for more. */
const pieceCharacters = 64_000;
const waitMs = 50;
const defaultShare = 512 * 1_024;

export interface PanelOutputOptions {
  emit(text: string): void;
  /** The end of all that was written, at most that many bytes. */
  tail(bytes: number): string;
  /** How much of the start and of the end is emitted; both together bound what a call adds to the log. */
  share?: number;
  schedule?(flush: () => void): () => void;
}

export interface PanelOutput {
  write(text: string): void;
  /** Emits what is left: of a long output the end, after a word on what is missing. */
  end(): void;
}

/** Live output for the panel: in pieces of some size, and of an endless one the start and the end. */
export function panelOutput({
  emit,
  tail,
  share = defaultShare,
  schedule = (flush) => startTimer(waitMs, flush),
}: PanelOutputOptions): PanelOutput {
  let waiting = "";
  let emitted = 0;
  let length = 0;
  let cancel: (() => void) | undefined;

  function flush(): void {
    cancel?.();
    cancel = undefined;
    const text = waiting;
    waiting = "";
    if (text !== "") emit(text);
  }
  return {
    write(text) {
      length += text.length;
      const room = share - emitted;
      if (room <= 0) return;
      waiting += text.slice(0, room);
      emitted += Math.min(room, text.length);
      if (emitted >= share) waiting += "\n[More output follows; its end is shown when the command has ended.]\n";
      if (waiting.length >= pieceCharacters) flush();
      else cancel ??= schedule(flush);
    },
    end() {
      flush();
      if (length > emitted) emit(tail(Math.min(share, length - emitted)));
    },
  };
}
