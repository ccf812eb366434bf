import { firstOf } from "../common/deadline.ts";
import type { WriteResult } from "../workspace/workspace.ts";
import { currentText, type ReviewedWorkspace } from "./reviewedWorkspace.ts";

export interface Tidy {
  /** What the file holds: with another text it is left alone. */
  text: string;
  /** After it is aborted nothing more is changed. */
  signal: AbortSignal;
  /** Called with each text that comes of it, without what the user types meanwhile. */
  onTidied(text: string): void;
}

/** How files are put in order, as the user's settings want it. */
export interface Tidying {
  isOn(): boolean;
  /** Something of the file waits for an answer: its lines are left as they are. */
  hasPending(path: string): boolean;
  tidyFile(path: string, tidy: Tidy): Promise<void>;
  reportFailure(error: unknown): void;
  /** Default: as long as the editor waits for formatters when it saves. */
  maxMs?: number;
}

const maxTidyMs = 5_000;

/**
 * The workspace, where a file that is written is put in order before the write is over: what formatters make of an edit
 * then belongs to it, and goes when that is undone. What brings an exact text back is left as it is.
 */
export function tidiedWorkspace(workspace: ReviewedWorkspace, tidying: Tidying): ReviewedWorkspace {
  return {
    ...plain(workspace),
    replace: async (path, replacements, version, options) => {
      const written = await workspace.replace(path, replacements, version, options);
      return options?.isExact === true ? written : tidied(path, written);
    },
    create: async (path, text, removed) => {
      const written = await workspace.create(path, text, removed);
      return removed === undefined ? tidied(path, written) : written;
    },
  };

  async function tidied(path: string, written: WriteResult): Promise<WriteResult> {
    // What could not be saved is not for us to save.
    if (!tidying.isOn() || !written.saved || tidying.hasPending(path)) return written;
    const { maxMs = maxTidyMs, reportFailure } = tidying;
    const over = new AbortController();
    const { signal } = over;
    let { text } = written;
    const onTidied = (tidied: string) => {
      if (!signal.aborted) text = tidied;
    };
    await firstOf(tidying.tidyFile(path, { text, signal, onTidied }).catch(reportFailure), maxMs);
    over.abort();
    return { ...written, text };
  }
}

/** The workspace, where writing does nothing but put what is there in order. */
export function tidyingAlone(workspace: ReviewedWorkspace, tidying: Tidying): ReviewedWorkspace {
  const replace = async (path: string) => {
    return { text: (await currentText(workspace, path))?.text ?? "", saved: true };
  };
  return tidiedWorkspace({ ...plain(workspace), replace }, tidying);
}

/** Methods of a class are no properties of its objects. */
function plain(workspace: ReviewedWorkspace): ReviewedWorkspace {
  return {
    stat: (path) => workspace.stat(path),
    read: (...args) => workspace.read(...args),
    replace: (...args) => workspace.replace(...args),
    create: (...args) => workspace.create(...args),
    remove: (path) => workspace.remove(path),
    move: (from, to) => workspace.move(from, to),
  };
}
