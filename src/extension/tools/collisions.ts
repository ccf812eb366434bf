import type { ToolContext } from "../../agent/vocabulary/tools.ts";
import type { FileCollision } from "../../protocol/hostEvents.ts";
import type { ProposedChange } from "../changes/model/change.ts";
import type { ToolDependencies } from "./dependencies.ts";

/** The agents that a write meets, as long as it is under way. */
export interface CollisionWatch {
  /** For the model: who knows an older version of what was written, a line each. */
  notes(writtenPaths: readonly string[]): string[];
  dispose(): void;
}

/**
 * Finds who works beside an agent on the files that it is about to write: those who know a version that will be older
 * then, and those who wrote since it looked. An edit waits for its review, perhaps for minutes: who reads a file
 * meanwhile is found as well.
 */
export function watchCollisions(
  { reads, agentPath, collisions }: Pick<ToolDependencies, "reads" | "agentPath" | "collisions">,
  changes: readonly ProposedChange[],
  { agent, callId }: Pick<ToolContext, "agent" | "callId">,
): CollisionWatch {
  const found = new Map<string, FileCollision>();
  if (collisions === undefined) return { notes: () => [], dispose: () => undefined };

  const lookAt = (path: string) => {
    const others = reads
      .knownBy(agent.id, path)
      .filter(({ agentId }) => collisions.isBeside(agent.id, agentId))
      .map((other) => ({ ...other, agentPath: [...agentPath(other.agentId)] }));
    const known = found.get(path)?.others ?? [];
    if (others.every((other) => known.some(({ agentId, did }) => agentId === other.agentId && did === other.did)))
      return;
    const collision = { callId, path, agentId: agent.id, agentPath: [...agentPath(agent.id)], others };
    found.set(path, collision);
    collisions.report(collision);
  };
  const paths = new Set(changes.flatMap(({ path, movedTo }) => (movedTo === undefined ? [path] : [path, movedTo])));
  const watching = [...paths].map((path) => reads.onDidSee(path, () => lookAt(path)));
  for (const path of paths) lookAt(path);

  return {
    notes: (writtenPaths) =>
      writtenPaths.flatMap((path) =>
        (found.get(path)?.others ?? []).map(
          ({ agentPath, did }) => `${agentPath.join(" › ")} ${did} an older version of ${path}.`,
        ),
      ),
    dispose: () => {
      for (const each of watching) each.dispose();
    },
  };
}
