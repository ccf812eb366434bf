import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { RecordedRequest, ScriptEntry, Settled } from "./script.ts";

/** A fake provider in a process of its own. Nothing here waits on a clock: gates and counts are awaited. */
export interface FakeProvider {
  /** Without `/v1`: Anthropic's base URL as it is, OpenAI's is `${url}/v1`. */
  readonly url: string;
  /** Adds to the script. */
  script(...entries: ScriptEntry[]): Promise<void>;
  /** Forgets the script, the requests and the gates, and drops every open stream. */
  reset(): Promise<void>;
  requests(): Promise<RecordedRequest[]>;
  /** How many there are: what they hold grows with each. */
  countRequests(): Promise<number>;
  /** Resolves with all requests once there are at least `count`. */
  requestCount(count: number): Promise<RecordedRequest[]>;
  /** Resolves once `count` answers have arrived at the gate (default 1). */
  reached(gate: string, count?: number): Promise<void>;
  /** Opens the gate for those who wait and for those who come. */
  release(gate: string): Promise<void>;
  /** Resolves once the answer to request `index` is over, with how it ended. */
  settled(index: number): Promise<Settled>;
  stop(): Promise<void>;
}

/** Starts the server with the running Node, on a free port of the loopback interface. */
export async function startFakeProvider(): Promise<FakeProvider> {
  const main = fileURLToPath(new URL("./main.ts", import.meta.url));
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", main, "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  if (child.stdout === null) throw new Error("The fake provider has no output to read its URL from.");
  const [line] = await Promise.race([once(createInterface(child.stdout), "line"), exited]);
  const url = String(line);
  if (!url.startsWith("http://")) throw new Error(`The fake provider did not start: ${url}`);
  child.unref();
  child.stdout.destroy();
  child.channel?.unref();

  return {
    ...connectFakeProvider(url),
    stop: async () => {
      child.ref();
      child.kill();
      await exited;
    },
  };
}

/** Speaks to a server that somebody else has started. */
export function connectFakeProvider(url: string): Omit<FakeProvider, "stop"> {
  async function control<T>(path: string, body?: unknown): Promise<T> {
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(`${url}/control/${path}`, init);
    if (!response.ok) throw new Error(`The fake provider refused ${path}: ${await response.text()}`);
    // The server's own answers: their shape is this folder's contract.
    return (await response.json()) as T;
  }
  return {
    url,
    script: (...entries) => control("script", entries),
    reset: () => control("reset", {}),
    requests: () => control("requests"),
    countRequests: () => control("count"),
    requestCount: (count) => control(`requests?count=${count}`),
    reached: (gate, count = 1) => control(`reached?gate=${encodeURIComponent(gate)}&count=${count}`),
    release: (gate) => control("release", { gate }),
    settled: (index) => control(`settled?request=${index}`),
  };
}
