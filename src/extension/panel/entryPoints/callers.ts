/**
 * Whether a command's argument comes from a program or a keybinding, which hear of a failure by themselves: both give
 * plain data. The palette gives nothing, and menus an object of the editor's.
 */
export function isFromProgram(input: unknown): boolean {
  if (typeof input === "string") return true;
  return typeof input === "object" && input !== null && Object.getPrototypeOf(input) === Object.prototype;
}
