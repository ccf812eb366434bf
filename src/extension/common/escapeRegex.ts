/** A text as the regular expression that matches it, in JavaScript and in ripgrep. */
export function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
