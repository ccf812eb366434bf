/** What is known of a file since it was written; milliseconds on one clock. */
export interface WrittenFile {
  writtenAt: number;
  /** No one has reported on a file of this language yet: its server may still be starting. */
  firstTime: boolean;
  /** When a language server last spoke of it after the write. */
  lastReportAt?: number;
}

/** A server that says nothing by then has nothing new to say, or does not know the file. */
const silence = 1_500;
/** Servers report in several steps: syntax first, then what needs more thought. */
const quiet = 400;
const maxWaitMs = 5_000;

/** How long to wait until the diagnostics of a written file can be taken as final; 0 when they can. */
export function settleDelay({ writtenAt, firstTime, lastReportAt }: WrittenFile, now: number): number {
  const patience = firstTime ? maxWaitMs : silence;
  const end = lastReportAt === undefined ? writtenAt + patience : lastReportAt + quiet;
  return Math.max(0, Math.min(end, writtenAt + maxWaitMs) - now);
}
