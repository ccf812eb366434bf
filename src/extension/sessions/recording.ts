import type { AgentEvent, AgentMessage } from "../../agent/types.ts";
import type { LogEntry, TimedEntry } from "../../protocol/messages.ts";
import type { Link } from "./links.ts";
import { printedFirst, readLinesIn, spread } from "./pages.ts";
import { type AgentRecord, parseRecord } from "./records.ts";
import type { SessionFile } from "./sessionFile.ts";
import { keyOf } from "./transcriptHistory.ts";

/** Entries in one piece. */
const maxPiece = 1_000;

type AgentEntry = Extract<LogEntry, { agent: unknown }>;

/**
 * A session's log as it was written, from its beginning to its end: nothing that a rewind or a summary removed later is
 * left out. Deltas are not in it; an answer comes with its end.
 */
export async function readRecording(
  { file, segments }: SessionFile,
  take: (entries: readonly TimedEntry[]) => Promise<void>,
): Promise<void> {
  const transcripts = new Transcripts();
  let piece: TimedEntry[] = [];
  const add = (entry: LogEntry, at: number | undefined) => piece.push({ entry, ...(at !== undefined && { at }) });
  for (const { ranges, link } of segments) {
    for await (const [, line] of readLinesIn(file, ranges)) {
      const record = parseRecord(line);
      if ("fault" in record || "growing" in record) continue;
      if ("host" in record) add({ seq: record.seq, host: record.host }, record.at);
      else for (const entry of entriesOf(record, link, transcripts)) add(entry, record.at);
      if (piece.length < maxPiece) continue;
      await take(piece);
      piece = [];
    }
  }
  if (piece.length > 0) await take(piece);
}

function entriesOf(record: AgentRecord, link: Link | undefined, transcripts: Transcripts): AgentEntry[] {
  const linked = link?.event(record.agent) ?? record.agent;
  const own = { ...record, agent: transcripts.whole(linked, record) };
  const stray = link?.stray(record);
  return stray === undefined ? printedFirst(own) : spread(own, [...stray, own.agent]);
}

/** The messages of all agents by their keys, by which a transcript names those that are in the file already. */
class Transcripts {
  /** By agent id, in the order of the file. */
  readonly #messages = new Map<string, { key: number; message: AgentMessage }[]>();

  /** The event with all of its messages. */
  whole(event: AgentEvent, { seq, spans }: AgentRecord): AgentEvent {
    if (event.type !== "message_end" && event.type !== "transcript") return event;
    const known = this.#messages.get(event.agent.id) ?? [];
    this.#messages.set(event.agent.id, known);
    if (event.type === "message_end") {
      known.push({ key: keyOf(seq), message: event.message });
      return event;
    }
    for (const [at, message] of event.messages.entries()) known.push({ key: keyOf(seq, at), message });
    if (spans === undefined) return event;
    const messages = spans.flatMap(([from, to]) =>
      known.filter(({ key }) => key >= from && key <= to).map(({ message }) => message),
    );
    return { ...event, messages };
  }
}
