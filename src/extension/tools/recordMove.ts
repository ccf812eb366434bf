import { versionOf } from "../workspace/version.ts";
import type { ToolDependencies } from "./dependencies.ts";

interface Move {
  from: string;
  to: string;
  /** Files in which the editor followed. */
  followed: readonly string[];
}

/** What the agent has seen of a file goes with it; what the editor wrote for the move counts as the agent's writing. */
export async function recordMove(
  { workspace, reads }: Pick<ToolDependencies, "workspace" | "reads">,
  { from, to, followed }: Move,
  agent: { id: string; path: readonly string[] },
): Promise<void> {
  const seen = reads.seen(agent.id, from);
  if (seen?.text !== undefined) reads.stamp(agent.id, to, { text: seen.text, version: seen.version });
  const { signal } = new AbortController();
  for (const path of followed) {
    const content = (await workspace.stat(path)) && (await workspace.read(path, signal));
    if (content?.kind === "text") reads.wrote(path, versionOf(content.text), agent.path);
  }
}
