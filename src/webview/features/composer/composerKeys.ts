export type ComposerAction = "send" | "steer" | "older" | "newer";

export interface ComposerPlace {
  isRunning: boolean;
  isEmpty: boolean;
  /** Where the caret is, with nothing selected. */
  isAtStart: boolean;
  isAtEnd: boolean;
}

/** What a key does in the composer; undefined leaves it to the text. */
export function composerKey(
  event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey" | "isComposing">,
  place: ComposerPlace,
): ComposerAction | undefined {
  if (event.isComposing || event.altKey || event.shiftKey) return undefined;
  const isCommand = event.ctrlKey || event.metaKey;
  if (event.key === "Enter") {
    if (!isCommand) return "send";
    // With nothing written, Ctrl+Enter belongs to an approval that waits.
    if (place.isEmpty) return undefined;
    return place.isRunning ? "steer" : "send";
  }
  if (isCommand) return undefined;
  if (event.key === "ArrowUp" && place.isAtStart) return "older";
  return event.key === "ArrowDown" && place.isAtEnd ? "newer" : undefined;
}
