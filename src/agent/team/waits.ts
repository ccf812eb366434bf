import { AgentError } from "../vocabulary/errors.ts";

/** Who waits for whom in a team. */
export interface Waits {
  /** Notes a wait until the returned function is called. Throws when it would close a circle. */
  begin(from: string, to: string): () => void;
}

export function createWaits(): Waits {
  const waits = new Set<{ from: string; to: string }>();

  function reaches(from: string, to: string, seen = new Set<string>()): boolean {
    if (from === to) return true;
    if (seen.has(from)) return false;
    seen.add(from);
    return [...waits].some((wait) => wait.from === from && reaches(wait.to, to, seen));
  }
  return {
    begin(from, to) {
      if (reaches(to, from)) {
        throw new AgentError("bad_input", `Asking ${to} would be a deadlock: it waits for ${from} already.`);
      }
      const wait = { from, to };
      waits.add(wait);
      return () => waits.delete(wait);
    },
  };
}
