/** The answer that a key gives to an approval. A key that is held down answers once. */
export function approvalKey(
  event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "repeat" | "isComposing">,
): "accepted" | "rejected" | undefined {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.repeat || event.isComposing) return undefined;
  if (event.key === "Enter") return "accepted";
  return event.key === "Backspace" ? "rejected" : undefined;
}
