import type { Seen } from "./driver.ts";
import type { Scenario } from "./scenarios.ts";

/** What the fake server has of a run. */
export interface Served {
  requests: number;
  /** Answers whose connection the client closed before they had ended. */
  closed: number;
  /** Characters of all request bodies. */
  characters: number;
  /** The last request's body. */
  last: unknown;
}

/** Why a run is no measurement: what differs from the work that every driver has to do. */
export function faultsOf({ kind, width, expected }: Scenario, seen: Seen, served: Served): string[] {
  const faults: string[] = [];
  const compare = (what: string, actual: unknown, wanted: unknown) => {
    if (actual !== wanted) faults.push(`${what}: ${brief(actual)} instead of ${brief(wanted)}`);
  };
  compare("deltas", seen.deltas, expected.deltas);
  compare("characters", seen.characters, expected.characters);
  compare("calls", seen.calls, expected.calls);
  compare("characters of arguments", seen.argumentCharacters, expected.argumentCharacters);
  compare("requests", served.requests, expected.requests);
  if (expected.usage !== undefined) {
    compare("input tokens", seen.usage.input, expected.usage.input);
    compare("output tokens", seen.usage.output, expected.usage.output);
  }
  if (expected.text !== undefined) compare("text", seen.text, expected.text);
  if (expected.results !== undefined) compare("results sent", resultsIn(served.last), expected.results);
  if (kind === "abort" || kind === "abortTree") {
    compare("deltas after it had settled", seen.late, 0);
    compare("streams closed", served.closed, kind === "abort" ? 1 : width);
  }
  return faults;
}

function brief(value: unknown): string {
  const text = String(JSON.stringify(value));
  return text.length > 60 ? `${text.slice(0, 60)}… (${text.length} characters)` : text;
}

/** The results in a Messages request, each after the call that it answers; NaN for one that answers no call before it. */
function resultsIn(body: unknown): number {
  const calls = new Set<string>();
  let count = 0;
  for (const { role, content } of (body as Body).messages) {
    for (const block of typeof content === "string" ? [] : content) {
      if (role === "assistant" && block.type === "tool_use") calls.add(block.id ?? "");
      if (role !== "user" || block.type !== "tool_result") continue;
      if (!calls.delete(block.tool_use_id ?? "")) return Number.NaN;
      count += 1;
    }
  }
  return calls.size === 0 ? count : Number.NaN;
}

/** As much of a request of the Messages API as is looked at. */
interface Body {
  messages: { role: string; content: string | { type: string; id?: string; tool_use_id?: string }[] }[];
}
