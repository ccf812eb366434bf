/** The arguments of a call, one `name: value` a line: easier to read than JSON, and texts keep their line breaks. */
export function namedArguments(args: unknown): string {
  if (typeof args === "string") return args;
  if (typeof args !== "object" || args === null) return args === undefined ? "" : JSON.stringify(args);
  return Object.entries(args)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value, null, 2)}`)
    .join("\n");
}
