import type { ServerResponse } from "node:http";
import { createGates, type Gates } from "./gates.ts";
import { createScript, type Script } from "./match.ts";
import type { RecordedRequest, Settled } from "./script.ts";

/** What one script has led to. A reset drops it whole and starts another. */
export interface State {
  readonly script: Script;
  readonly gates: Gates;
  readonly requests: RecordedRequest[];
  /** Of all bodies, as they came. */
  readonly sentCharacters: number;
  /** `size` is the length of the body as it came. */
  record(
    request: Omit<RecordedRequest, "settled" | "settledAt" | "at">,
    size: number,
    response: ServerResponse,
  ): (settled: Settled) => void;
  /** Resolves once the condition holds; asked again whenever a request comes or is answered. */
  until(holds: () => boolean): Promise<void>;
  dropOpen(): void;
}

const keptBodies = 64_000_000;

export function newState(): State {
  const requests: RecordedRequest[] = [];
  const open = new Set<ServerResponse>();
  const waiting: (() => void)[] = [];
  const sizes: number[] = [];
  let kept = 0;
  let oldest = 0;

  function forgetOldBodies(size: number): void {
    sizes.push(size);
    kept += size;
    for (; kept > keptBodies && oldest < requests.length - 1; oldest += 1) {
      kept -= sizes[oldest] ?? 0;
      const request = requests[oldest];
      if (request !== undefined) request.body = null;
    }
  }

  function wake(): void {
    for (const notify of waiting.splice(0)) notify();
  }
  return {
    script: createScript(),
    gates: createGates(),
    requests,
    get sentCharacters() {
      return sizes.reduce((sum, size) => sum + size, 0);
    },
    record: (request, size, response) => {
      const recorded: RecordedRequest = { ...request, at: Date.now(), settled: "open" };
      requests.push(recorded);
      forgetOldBodies(size);
      open.add(response);
      function settle(settled: Settled): void {
        if (recorded.settled === "open") Object.assign(recorded, { settled, settledAt: Date.now() });
        open.delete(response);
        wake();
      }
      response.on("close", () => settle(response.writableFinished ? "finished" : "closed"));
      wake();
      return settle;
    },
    until: async (holds) => {
      while (!holds()) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    dropOpen: () => {
      for (const response of open) response.destroy();
    },
  };
}
