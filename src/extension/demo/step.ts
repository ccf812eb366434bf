/** A tool call that a rule wants made. */
export interface Call {
  name: string;
  arguments: Record<string, unknown>;
}

/** What a call brought. */
export interface Outcome {
  text: string;
  isError: boolean;
}

/** What a rule does next: it asks for calls, or it is done. Both are told to the user. */
export type Step = { type: "calls"; text: string; calls: Call[] } | { type: "answer"; text: string };

/** What is known while a request is worked on. */
export interface Work {
  /** Names of the tools on offer. */
  tools: ReadonlySet<string>;
  /** Names of the agents that can be delegated to; empty when delegation is not on offer. */
  agents: ReadonlySet<string>;
  outcomeOf(call: Call): Outcome | undefined;
}

/** Either every outcome in the order of the calls, or the calls that still have to be made. */
export function gather(work: Work, calls: readonly Call[]): { outcomes: Outcome[]; missing: Call[] } {
  const outcomes = calls.map((call) => work.outcomeOf(call));
  return {
    outcomes: outcomes.filter((outcome) => outcome !== undefined),
    missing: calls.filter((_, index) => outcomes[index] === undefined),
  };
}

/** Calls are told apart by what they ask, so that a rule finds its results whatever their order. */
export function callKey({ name, arguments: input }: Call): string {
  return `${name} ${canonicalJson(input)}`;
}

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, entry]) => `${JSON.stringify(key)}:${canonicalJson(entry)}`).join(",")}}`;
}
