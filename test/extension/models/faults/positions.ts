import type { Reply, Step, StreamReply } from "../../../support/fakeProvider/script.ts";

/** Where in an answer a fault comes. */
export const positions = [
  "before the headers",
  "after the headers",
  "inside the text",
  "inside the arguments",
  "before the end",
] as const;
export type Position = (typeof positions)[number];

export const textSoFar = "So far";
/** What the whole call of an answer asks for, and a call that is never whole. */
export const wholePath = "/whole";
export const cutArguments = '{"path":"/cut","x":';

const wholeCall: Step[] = [{ tool: "write_file", arguments: { path: wholePath } }, { endPart: true }];
const cutCall: Step = { tool: "write_file", rawArguments: cutArguments };

/** An answer up to where it breaks. */
const broken: Record<Position, Step[]> = {
  "before the headers": [],
  "after the headers": [],
  "inside the text": [{ text: textSoFar }],
  "inside the arguments": [{ text: textSoFar }, cutCall],
  "before the end": [{ text: textSoFar }, ...wholeCall],
};

/** An answer that goes on to its end, and where what is odd about it is. */
const whole: Record<Position, Step[]> = {
  ...broken,
  "inside the arguments": wholeCall,
};

/** The headers come late. The test lets them. */
export const lateHeaders = "late headers";

/** An answer that breaks at a position by these steps; before the headers, by this reply. */
export function breaking(at: Position, steps: Step[], before: Reply): Reply {
  return at === "before the headers" ? before : { steps: [...broken[at], ...steps] };
}

/** An answer that is odd from a position on, and ends as an answer does. */
export function odd(at: Position, steps: Step[], more: Omit<StreamReply, "steps"> = {}): Reply {
  const held = at === "before the headers" ? { holdAt: lateHeaders } : {};
  return { steps: [...whole[at], ...steps], ...held, ...more };
}
