import type { ScriptEntry } from "../../support/fakeProvider/script.ts";

/** What a driver has to do. The fake server plays the matching script. */
export interface Scenario {
  name: string;
  /** How the driver goes about it; `abortTree` stops a root that has `width` streams under it. */
  kind: "run" | "fanOut" | "abort" | "abortTree";
  /** Sub-agents. */
  width: number;
  /** What the fake server says in one run of the scenario. */
  script: ScriptEntry[];
  expected: Expected;
  /** What is compared: `cpu` unless it says otherwise. */
  metric?: "wall";
  /** The most that Arbor may take of what the SDK alone takes. */
  goal: number;
}

/** What a driver must have seen at the end, exactly, so that none is quick by skipping work. */
interface Expected {
  deltas: number;
  /** Characters of all text deltas, and of the arguments that tools were called with. */
  characters: number;
  calls: number;
  argumentCharacters: number;
  /** Requests that the server got. */
  requests: number;
  /** Tokens that all answers reported. Absent where no answer ends. */
  usage?: { input: number; output: number };
  /** Results of calls in the last request of an agent, in order. Absent where several agents ask at once. */
  results?: number;
  /** The last answer's text. */
  text?: string;
}

const usage = { input: 7, output: 3 };
const reported = (answers: number) => ({ input: answers * usage.input, output: answers * usage.output });

const readCall = (index: number) => ({ tool: "read", arguments: { path: pathOf(index), from: index } });
const pathOf = (index: number) => `src/file-${index}.ts`;
/** What a call of `read` counts as. */
const pathCharacters = (calls: number) =>
  Array.from({ length: calls }, (_, index) => pathOf(index).length).reduce((sum, length) => sum + length, 0);

const word = "word ";
const lastText = "All done, every file was read.";

function flood(deltas: number, perEvent: boolean): Pick<Scenario, "kind" | "width" | "script" | "expected"> {
  const characters = deltas * word.length;
  return {
    kind: "run",
    width: 1,
    script: [{ steps: [{ flood: deltas, perEvent }], usage }],
    expected: {
      ...{ deltas, characters, calls: 0, argumentCharacters: 0, requests: 1 },
      ...{ usage: reported(1), results: 0, text: word.repeat(deltas) },
    },
  };
}

/** `count` requests: all but the last call tools. */
function turns(count: number, callsPerTurn = 1): Pick<Scenario, "kind" | "width" | "script" | "expected"> {
  const calling = Array.from({ length: count - 1 }, (_, turn) => ({
    steps: Array.from({ length: callsPerTurn }, (_, call) => readCall(turn * callsPerTurn + call)),
    usage,
  }));
  const calls = (count - 1) * callsPerTurn;
  return {
    kind: "run",
    width: 1,
    script: [...calling, { steps: [{ text: lastText, chunk: 10 }], usage }],
    expected: {
      ...{ deltas: 3, characters: lastText.length, calls, argumentCharacters: pathCharacters(calls) },
      ...{ requests: count, usage: reported(count), results: calls, text: lastText },
    },
  };
}

/** One call whose arguments arrive in 5,000 deltas, written in bulk. */
function largeArguments(size: number): Pick<Scenario, "kind" | "width" | "script" | "expected"> {
  const path = "a.ts";
  const text = "line of code;\n".repeat(Math.ceil(size / 14)).slice(0, size);
  const json = JSON.stringify({ path, text });
  const step = Math.ceil(json.length / largeDeltas);
  const frames = Array.from({ length: largeDeltas }, (_, at) => {
    const delta = { type: "input_json_delta", partial_json: json.slice(at * step, (at + 1) * step) };
    return `event: content_block_delta\ndata: ${JSON.stringify({ type: "content_block_delta", index: 0, delta })}\n\n`;
  });
  const write = { tool: "write", rawArguments: "" };
  return {
    kind: "run",
    width: 1,
    script: [
      { steps: [write, { raw: frames.join("") }], usage },
      { steps: [{ text: "ok", chunk: 2 }], usage },
    ],
    expected: {
      ...{ deltas: 1, characters: 2, calls: 1, argumentCharacters: path.length + text.length },
      ...{ requests: 2, usage: reported(2), results: 1, text: "ok" },
    },
  };
}
const largeDeltas = 5000;

const childTurns = 3;
const childDeltas = 100;

/** Each child works for three turns of a hundred deltas, all of which the root shows. */
function fanOut(width: number): Pick<Scenario, "kind" | "width" | "script" | "expected"> {
  const deltas = width * childTurns * childDeltas + 1;
  const calls = width * (childTurns - 1);
  const requests = width * childTurns + 2;
  return {
    kind: "fanOut",
    width,
    script: [
      { when: { model: "child", turn: childTurns - 1 }, reply: { steps: [{ flood: childDeltas }], usage } },
      { when: { model: "child" }, reply: { steps: [{ flood: childDeltas }, readCall(1)], usage } },
      { when: { model: "root", turn: 0 }, reply: { steps: [{ tool: "fan_out", arguments: {} }], usage } },
      { when: { model: "root" }, reply: { steps: [{ text: "ok", chunk: 2 }], usage } },
    ],
    expected: {
      ...{ deltas, characters: (deltas - 1) * word.length + 2, calls, argumentCharacters: calls * pathOf(1).length },
      ...{ requests, usage: reported(requests), text: "ok" },
    },
  };
}

/** Deltas of each stream before it is aborted, and those the server would go on with. */
export const deltasBeforeAbort = 50;
export const restGate = "rest";
const deltasAfterAbort = 1000;

function aborted(kind: "abort" | "abortTree", width: number): Pick<Scenario, "kind" | "width" | "script" | "expected"> {
  const stream = { steps: [{ flood: deltasBeforeAbort }, { gate: restGate }, { flood: deltasAfterAbort }] };
  const deltas = width * deltasBeforeAbort;
  return {
    kind,
    width,
    script: [
      { when: { model: "root" }, reply: { steps: [{ tool: "fan_out", arguments: {} }], usage } },
      { when: {}, reply: stream },
    ],
    expected: {
      ...{ deltas, characters: deltas * word.length, calls: 0, argumentCharacters: 0 },
      requests: kind === "abort" ? width : width + 1,
    },
  };
}

export const scenarios: Scenario[] = [
  { name: "20,000 text deltas in bulk", ...flood(20_000, false), goal: 1 },
  { name: "20,000 text deltas, one write each", ...flood(20_000, true), goal: 1 },
  { name: "200 turns of one tool call", ...turns(200), goal: 1 },
  { name: "1,000 turns of one tool call", ...turns(1000), goal: 0.75 },
  { name: "20 turns of 16 parallel tool calls", ...turns(21, 16), goal: 1.1 },
  { name: "50 sub-agents, 3 turns of 100 deltas, mirrored", ...fanOut(50), goal: 1.1 },
  { name: "tool arguments of 35 kB in 5,000 deltas", ...largeArguments(35_000), goal: 1 },
  { name: "tool arguments of 70 kB in 5,000 deltas", ...largeArguments(70_000), goal: 1 },
  { name: "abort of one stream until it has settled", ...aborted("abort", 1), metric: "wall", goal: 1 },
  {
    name: "abort of a root over 50 streams until all have settled",
    ...aborted("abortTree", 50),
    metric: "wall",
    goal: 1,
  },
];

/** From the start of the process to the end of a first answer. */
export const firstAnswer: Scenario = { name: "process start to the end of a first answer", ...turns(1), goal: 1.1 };
