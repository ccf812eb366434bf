import { createPathQueue, type PathQueue } from "./pathQueue.ts";

/** A text as an agent saw it. */
interface SeenText {
  version: string;
  /** Absent when it was too long to keep. */
  text?: string;
}

/** Which version of each file each agent has seen, and which agents wrote since. Paths are canonical. */
export interface ReadVersions {
  /** The agent has seen this text, by reading or by writing it. */
  stamp(agentId: string, path: string, content: { text: string; version: string }): void;
  seen(agentId: string, path: string): SeenText | undefined;
  /** An agent made `version` of the file. `agentPath` are the names from the root agent down. */
  wrote(path: string, version: string, agent: { id: string; agentPath: readonly string[] }): void;
  /** Who changed the file since the agent saw it, given the version it has now, in words. */
  changedBy(agentId: string, path: string, version: string): string;
  /**
   * The other agents that have seen a file and are not forgotten yet, and those that wrote it since this one saw it; of
   * each what it did last.
   */
  knownBy(agentId: string, path: string): { agentId: string; did: "read" | "wrote" }[];
  /** Called after any agent has seen the file. */
  onDidSee(path: string, listener: () => void): { dispose(): void };
  forget(agentId: string): void;
  /** The files that an agent has seen, in the order in which it last did. */
  files(agentId: string): { path: string; version: string }[];
  /** Reading, checking, reviewing and writing of one path happen for one agent at a time. */
  exclusively: PathQueue;
}

/** Texts up to this many characters are kept to find what changed; of longer ones only that they did. */
const maxKeptTextLength = 300_000;
const writesKept = 100;

export function createReadVersions(): ReadVersions {
  const seen = new Map<string, Map<string, SeenText & { at: number }>>();
  const writes = new Map<string, { version: string; agentId: string; by: string; at: number }[]>();
  const listeners = new Map<string, Set<() => void>>();
  let clock = 0;
  return {
    exclusively: createPathQueue(),
    stamp(agentId, path, { text, version }) {
      const paths = seen.get(agentId) ?? new Map();
      seen.set(agentId, paths);
      paths.set(path, { version, at: ++clock, ...(text.length <= maxKeptTextLength ? { text } : {}) });
      for (const listener of [...(listeners.get(path) ?? [])]) listener();
    },
    seen: (agentId, path) => seen.get(agentId)?.get(path),
    wrote(path, version, { id, agentPath }) {
      const list = writes.get(path) ?? [];
      list.push({ version, agentId: id, by: agentPath.join(" › "), at: ++clock });
      writes.set(path, list.slice(-writesKept));
    },
    changedBy(agentId, path, version) {
      const since = seen.get(agentId)?.get(path)?.at ?? 0;
      const later = (writes.get(path) ?? []).filter((write) => write.at > since);
      const names = [...new Set(later.map((write) => write.by))];
      // A version that no agent made is the user's, or another program's, on top of theirs.
      if (later.at(-1)?.version !== version) names.push("the user or another program");
      return names.join(" and ");
    },
    knownBy(agentId, path) {
      const own = seen.get(agentId)?.get(path)?.at;
      const written = writes.get(path) ?? [];
      const since = own === undefined ? [] : written.filter(({ at }) => at > own);
      const knowing = [...seen].flatMap(([id, paths]) => (paths.has(path) ? [id] : []));
      const others = new Set([...knowing, ...since.map((write) => write.agentId)]);
      others.delete(agentId);
      return [...others].map((id) => {
        const text = seen.get(id)?.get(path);
        const wrote = written.some(
          (write) => write.agentId === id && (text === undefined || write.version === text.version),
        );
        return { agentId: id, did: wrote ? "wrote" : "read" };
      });
    },
    onDidSee(path, listener) {
      const ofPath = listeners.get(path) ?? new Set();
      listeners.set(path, ofPath.add(listener));
      return {
        dispose() {
          ofPath.delete(listener);
          if (ofPath.size === 0) listeners.delete(path);
        },
      };
    },
    forget(agentId) {
      seen.delete(agentId);
    },
    files(agentId) {
      const stamps = [...(seen.get(agentId) ?? [])].sort(([, a], [, b]) => a.at - b.at);
      return stamps.map(([path, { version }]) => ({ path, version }));
    },
  };
}
