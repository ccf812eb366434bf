import { appendFile, mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { coalescedRuns } from "../common/coalescedRuns.ts";
import { isMissing } from "../common/files.ts";
import type { Span } from "./attributes.ts";

/** How much is kept of earlier runs. */
export interface TraceRetention {
  files: number;
  bytes: number;
}

const defaultRetention: TraceRetention = { files: 50, bytes: 20_000_000 };

/** Of one run; more than a run of weeks has. */
const maxBytesPerFile = 10_000_000;
const extension = ".jsonl";

/** One file per run, in which each line is a span. Names sort by time. */
export class TraceFiles {
  readonly #folder: string;
  readonly #retention: TraceRetention;

  constructor(folder: string, retention: TraceRetention = defaultRetention) {
    this.#folder = folder;
    this.#retention = retention;
  }

  get folder(): string {
    return this.#folder;
  }

  /** A file for a run that begins; what is too old or too much goes. */
  async open(startTime: number, traceId: string): Promise<TraceFile> {
    await mkdir(this.#folder, { recursive: true });
    await this.#clear();
    const time = new Date(startTime).toISOString().replaceAll(":", "-");
    return new TraceFile(join(this.#folder, `${time}_${traceId.slice(0, 8)}${extension}`));
  }

  /** Of the run that began last. */
  async latest(): Promise<string | undefined> {
    const name = (await this.#names()).at(-1);
    return name === undefined ? undefined : join(this.#folder, name);
  }

  /** Oldest first. */
  async #names(): Promise<string[]> {
    try {
      return (await readdir(this.#folder)).filter((name) => name.endsWith(extension)).sort();
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  /** Leaves room for one more. */
  async #clear(): Promise<void> {
    let files = 1;
    let bytes = 0;
    for (const name of (await this.#names()).reverse()) {
      const path = join(this.#folder, name);
      files += 1;
      bytes += (await stat(path)).size;
      if (files > this.#retention.files || bytes > this.#retention.bytes) await rm(path, { force: true });
    }
  }
}

/** The file of one run. Writes follow one another; what comes meanwhile is written together. */
export class TraceFile {
  readonly path: string;
  #waiting = "";
  #size = 0;
  readonly #write = coalescedRuns(() => this.#writeWaiting());

  constructor(path: string) {
    this.path = path;
  }

  /** Resolves when these spans are written; rejects when they can't be. */
  append(spans: readonly Span[]): Promise<void> {
    for (const span of spans) {
      const line = `${JSON.stringify(recordOf(span))}\n`;
      this.#size += line.length;
      if (this.#size <= maxBytesPerFile) this.#waiting += line;
    }
    return this.#write();
  }

  async #writeWaiting(): Promise<void> {
    const text = this.#waiting;
    this.#waiting = "";
    if (text !== "") await appendFile(this.path, text, { mode: 0o600 });
  }
}

/** A line names its fields as OTLP's JSON does; attributes are a plain record. */
interface SpanRecord {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: "SPAN_KIND_INTERNAL" | "SPAN_KIND_CLIENT";
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Span["attributes"];
  status: { code: "STATUS_CODE_UNSET" | "STATUS_CODE_ERROR" };
}

function recordOf({ startTime, endTime, kind, status, ...rest }: Span): SpanRecord {
  return {
    ...rest,
    kind: kind === "client" ? "SPAN_KIND_CLIENT" : "SPAN_KIND_INTERNAL",
    startTimeUnixNano: nanos(startTime),
    endTimeUnixNano: nanos(endTime),
    status: { code: status === "error" ? "STATUS_CODE_ERROR" : "STATUS_CODE_UNSET" },
  };
}

/** A trace's spans; lines that can't be read are left out. */
export async function readTrace(path: string): Promise<Span[]> {
  const text = await readFile(path, "utf8");
  return text.split("\n").flatMap((line) => spanOf(line) ?? []);
}

function spanOf(line: string): Span | undefined {
  try {
    // The file is written by `append` alone; what somebody else put there only has to do no harm.
    const record = JSON.parse(line) as Partial<SpanRecord>;
    const { traceId, spanId, parentSpanId, name, kind, startTimeUnixNano, endTimeUnixNano, attributes, status } =
      record;
    if (typeof spanId !== "string" || typeof name !== "string" || typeof attributes !== "object") return undefined;
    return {
      traceId: String(traceId),
      spanId,
      ...(typeof parentSpanId === "string" && { parentSpanId }),
      name,
      kind: kind === "SPAN_KIND_CLIENT" ? "client" : "internal",
      startTime: milliseconds(startTimeUnixNano),
      endTime: milliseconds(endTimeUnixNano),
      attributes: attributes ?? {},
      status: status?.code === "STATUS_CODE_ERROR" ? "error" : "unset",
    };
  } catch {
    // A line that was cut off, or is no span.
    return undefined;
  }
}

/** As text: the figure is too long for a number. */
function nanos(milliseconds: number): string {
  return `${Math.round(milliseconds)}000000`;
}

function milliseconds(nanoseconds: string | undefined): number {
  const value = Number(String(nanoseconds).slice(0, -6));
  return Number.isFinite(value) ? value : 0;
}
