import { isDeepStrictEqual } from "node:util";
import { unlessAborted } from "../common/abort.ts";

/** What somebody wants to do with a path. */
interface EditRequest {
  /** Requests of different ones, chats for example, are never the same. */
  of: object;
  what: unknown;
}

/** Having a path. */
export interface PathTurn {
  /** Somebody else has it too, and wants the same. */
  readonly isShared: boolean;
  /** Lets in who wants the very same, which waits for an answer that holds for all of them; until `unshare`. */
  share(request: EditRequest): void;
  unshare: () => void;
}

/**
 * Lets one piece of work at a time have a path, and with it those that want the same where it shares its turn. One that
 * waits can be called off; one that works is waited for. `request` is asked of those who have to wait; what it throws is
 * left to the work to find out.
 */
export type PathQueue = <T>(
  path: string,
  signal: AbortSignal,
  work: (turn: PathTurn) => Promise<T>,
  request?: () => Promise<EditRequest>,
) => Promise<T>;

interface Line {
  holders: number;
  shared: EditRequest | undefined;
  waiting: Waiting[];
}

interface Waiting {
  request: EditRequest | undefined;
  enter(isShared: boolean): void;
}

export function createPathQueue(): PathQueue {
  const lines = new Map<string, Line>();

  /** Resolves when the path is free, with whether another of the same edit has it too. */
  function enter(
    path: string,
    line: Line,
    { signal, request }: { signal: AbortSignal; request: (() => Promise<EditRequest>) | undefined },
  ): Promise<boolean> {
    if (line.holders === 0) {
      line.holders = 1;
      return Promise.resolve(false);
    }
    const entered = Promise.withResolvers<boolean>();
    const own: Waiting = { request: undefined, enter: entered.resolve };
    line.waiting.push(own);
    request?.().then(
      (wanted) => {
        own.request = wanted;
        admitSame(line);
      },
      // The work wants something else, or nothing: it says so when its turn has come.
      () => undefined,
    );
    return unlessAborted(entered.promise, signal).catch((error: unknown) => {
      if (line.waiting.includes(own)) line.waiting = line.waiting.filter((other) => other !== own);
      else leave(path, line);
      throw error;
    });
  }

  function admitSame(line: Line): void {
    const { shared } = line;
    if (shared === undefined) return;
    const same = line.waiting.filter(({ request }) => request !== undefined && isSame(request, shared));
    line.waiting = line.waiting.filter((waiting) => !same.includes(waiting));
    line.holders += same.length;
    for (const waiting of same) waiting.enter(true);
  }

  function leave(path: string, line: Line): void {
    line.holders -= 1;
    if (line.holders > 0) return;
    line.shared = undefined;
    const next = line.waiting.shift();
    if (next === undefined) {
      lines.delete(path);
      return;
    }
    line.holders = 1;
    next.enter(false);
  }

  return async (path, signal, work, request) => {
    const line = lines.get(path) ?? { holders: 0, shared: undefined, waiting: [] };
    lines.set(path, line);
    const isShared = await enter(path, line, { signal, request });
    try {
      signal.throwIfAborted();
      return await work({
        isShared,
        share(wanted) {
          line.shared = wanted;
          admitSame(line);
        },
        unshare: () => {
          line.shared = undefined;
        },
      });
    } finally {
      leave(path, line);
    }
  };
}

function isSame(one: EditRequest, other: EditRequest): boolean {
  return one.of === other.of && isDeepStrictEqual(one.what, other.what);
}

export interface WorkOnPaths<T> {
  paths: readonly string[];
  work(turn: PathTurn): Promise<T>;
  /** What the work wants, passed to those who have the paths. */
  request?(): Promise<EditRequest>;
}

/** Has all paths at once; they are taken in one order by everyone, so that two callers never wait for each other. */
export function exclusivelyAll<T>(
  queue: PathQueue,
  { paths, work, request }: WorkOnPaths<T>,
  signal: AbortSignal,
): Promise<T> {
  const inOrder = [...new Set(paths)].sort();
  const turns: PathTurn[] = [];
  const share = (wanted: EditRequest): void => {
    for (const turn of turns) turn.share(wanted);
  };
  const unshare = (): void => {
    for (const turn of turns) turn.unshare();
  };
  const take = (index: number): Promise<T> => {
    const path = inOrder[index];
    if (path === undefined) return work({ isShared: turns.some((turn) => turn.isShared), share, unshare });
    const withPath = (turn: PathTurn) => {
      turns.push(turn);
      return take(index + 1);
    };
    return queue(path, signal, withPath, request);
  };
  return take(0);
}
