import type { ServerResponse } from "node:http";
import { createGates, type Gates } from "./gates.ts";
import { createScript, type Script } from "./match.ts";
import type { RecordedRequest, Settled } from "./script.ts";

/** What one script has led to. A reset drops it whole and starts another. */
export interface State {
  readonly script: Script;
  readonly gates: Gates;
  readonly requests: RecordedRequest[];
  record(request: Omit<RecordedRequest, "settled">, response: ServerResponse): (settled: Settled) => void;
  /** Resolves once the condition holds; asked again whenever a request comes or is answered. */
  until(holds: () => boolean): Promise<void>;
  dropOpen(): void;
}

export function newState(): State {
  const requests: RecordedRequest[] = [];
  const open = new Set<ServerResponse>();
  const waiting: (() => void)[] = [];

  function wake(): void {
    for (const notify of waiting.splice(0)) notify();
  }
  return {
    script: createScript(),
    gates: createGates(),
    requests,
    record: (request, response) => {
      const recorded: RecordedRequest = { ...request, settled: "open" };
      requests.push(recorded);
      open.add(response);
      function settle(settled: Settled): void {
        if (recorded.settled === "open") recorded.settled = settled;
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
