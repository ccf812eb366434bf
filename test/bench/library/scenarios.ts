import type { ScriptEntry } from "../../support/fakeProvider/script.ts";

/** What a driver is told to do. The fake server plays the matching script. */
export interface Scenario {
  name: string;
  /** How the driver goes about it. */
  kind: "run" | "fanOut" | "abort";
  /** Sub-agents, or streams that are aborted at once. */
  width: number;
  /** What the fake server says in one run of the scenario. */
  script: ScriptEntry[];
  /** What a driver must have seen at the end, so that nobody is quick by skipping work. */
  expected: { deltas: number; calls: number };
  /** What is compared: `cpu` unless it says otherwise. */
  metric?: "wall";
  /** The most that Arbor may take of what the SDK alone takes. */
  goal: number;
  stretch?: number;
}

const readCall = (index: number) => ({ tool: "read", arguments: { path: `src/file-${index}.ts`, from: index } });

/** `turns` requests: all but the last call tools. */
function turns(count: number, callsPerTurn = 1): ScriptEntry[] {
  const calling = Array.from({ length: count - 1 }, (_, turn) => ({
    steps: Array.from({ length: callsPerTurn }, (_, call) => readCall(turn * callsPerTurn + call)),
  }));
  return [...calling, { steps: [{ text: "All done, every file was read.", chunk: 10 }] }];
}

/** One call whose arguments of 35 kB arrive in 5,000 deltas, written in bulk. */
function largeArguments(): ScriptEntry[] {
  const text = JSON.stringify({ path: "a.ts", text: "line of code;\\n".repeat(2500).slice(0, 34_960) });
  const size = Math.ceil(text.length / largeDeltas);
  const frames = Array.from({ length: largeDeltas }, (_, at) => {
    const delta = { type: "input_json_delta", partial_json: text.slice(at * size, (at + 1) * size) };
    return `event: content_block_delta\ndata: ${JSON.stringify({ type: "content_block_delta", index: 0, delta })}\n\n`;
  });
  const write = { tool: "write", rawArguments: "" };
  return [{ steps: [write, { raw: frames.join("") }] }, { steps: [{ text: "ok", chunk: 2 }] }];
}
const largeDeltas = 5000;

const childTurns = 3;
const childDeltas = 100;

/** Each child works for three turns of a hundred deltas. */
const children: ScriptEntry[] = [
  { when: { model: "child", turn: childTurns - 1 }, reply: { steps: [{ flood: childDeltas }] } },
  { when: { model: "child" }, reply: { steps: [{ flood: childDeltas }, readCall(1)] } },
];
const parent: ScriptEntry[] = [
  { when: { model: "root", turn: 0 }, reply: { steps: [{ tool: "fan_out", arguments: {} }] } },
  { when: { model: "root" }, reply: { steps: [{ text: "ok", chunk: 2 }] } },
];

const streams = { when: {}, reply: { steps: [{ flood: 50 }, { gate: "never" as const }] } };

export const scenarios: Scenario[] = [
  {
    name: "20,000 text deltas in bulk",
    kind: "run",
    width: 1,
    script: [{ steps: [{ flood: 20_000 }] }],
    expected: { deltas: 20_000, calls: 0 },
    goal: 1.3,
    stretch: 1,
  },
  {
    name: "20,000 text deltas, one write each",
    kind: "run",
    width: 1,
    script: [{ steps: [{ flood: 20_000, perEvent: true }] }],
    expected: { deltas: 20_000, calls: 0 },
    goal: 1.1,
  },
  {
    name: "200 turns of one tool call",
    kind: "run",
    width: 1,
    script: turns(200),
    expected: { deltas: 3, calls: 199 },
    goal: 1.2,
  },
  {
    name: "1,000 turns of one tool call",
    kind: "run",
    width: 1,
    script: turns(1000),
    expected: { deltas: 3, calls: 999 },
    goal: 1.15,
    stretch: 0.8,
  },
  {
    name: "20 turns of 16 parallel tool calls",
    kind: "run",
    width: 1,
    script: turns(21, 16),
    expected: { deltas: 3, calls: 320 },
    goal: 1.25,
    stretch: 1.1,
  },
  {
    name: "50 sub-agents, 3 turns of 100 deltas, mirrored",
    kind: "fanOut",
    width: 50,
    script: [...children, ...parent],
    expected: { deltas: 50 * childTurns * childDeltas, calls: 50 * (childTurns - 1) },
    goal: 1.35,
    stretch: 1.2,
  },
  {
    name: "tool arguments of 35 kB in 5,000 deltas",
    kind: "run",
    width: 1,
    script: largeArguments(),
    expected: { deltas: 1, calls: 1 },
    goal: 1.3,
    stretch: 1.1,
  },
  {
    name: "abort of one stream until it has settled",
    kind: "abort",
    width: 1,
    script: [streams],
    expected: { deltas: 50, calls: 0 },
    metric: "wall",
    goal: 1.1,
  },
  {
    name: "abort of 50 streams until all have settled",
    kind: "abort",
    width: 50,
    script: [streams],
    expected: { deltas: 2500, calls: 0 },
    metric: "wall",
    goal: 1.25,
  },
];
