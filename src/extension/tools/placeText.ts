import type { ToolContext } from "../../agent/vocabulary/tools.ts";
import { UserError } from "../common/userError.ts";
import type { CodeLocation, TextMatch } from "../workspace/workspace.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { SecretReads } from "./secretReads.ts";

const maxPlaces = 200;
const maxLineLength = 300;

/** Places by file with the text of their lines, like search results; places outside the workspace without. */
export async function placesText(
  dependencies: Pick<ToolDependencies, "workspace" | "secrets">,
  places: readonly CodeLocation[],
  context: ToolContext,
): Promise<string> {
  const inside = places.filter((place) => !place.isOutside).slice(0, maxPlaces);
  const texts = new Map<string, string[]>();
  for (const { path } of inside) if (!texts.has(path)) texts.set(path, await linesOf(dependencies, path, context));
  const matches = inside.map(({ path, line }) => ({ path, line, text: texts.get(path)?.[line - 1] ?? "" }));
  const outside = [...new Set(places.filter((place) => place.isOutside).map(({ path, line }) => `${path}:${line}`))];
  const left = places.length - inside.length - places.filter((place) => place.isOutside).length;
  return [
    matchesText(matches),
    ...outside.map((place) => `${place} (outside the workspace)`),
    ...(left > 0 ? [`(${left} more places are left out.)`] : []),
  ]
    .filter((part) => part !== "")
    .join("\n");
}

/** Lines by file, each once. */
export function matchesText(matches: readonly Pick<TextMatch, "path" | "line" | "text">[]): string {
  const files = new Map<string, Map<number, string>>();
  for (const { path, line, text } of matches) {
    const lines = files.get(path) ?? new Map<number, string>();
    files.set(path, lines.set(line, `  ${line}: ${text.trim().slice(0, maxLineLength)}`));
  }
  return [...files].flatMap(([path, lines]) => [path, ...lines.values()]).join("\n");
}

/** A file that can't be read as text, or without a question, has no lines to show; its place is still worth telling. */
async function linesOf(
  { workspace, secrets = new SecretReads() }: Pick<ToolDependencies, "workspace" | "secrets">,
  path: string,
  context: ToolContext,
): Promise<string[]> {
  if (!(await secrets.isOpen(path, context))) return [];
  try {
    const content = await workspace.read(path, context.signal);
    const isShown = content.kind === "text" && (await secrets.mayShow(path, content, context));
    return isShown ? content.text.split(/\r\n|\r|\n/) : [];
  } catch (error) {
    if (error instanceof UserError) return [];
    throw error;
  }
}
