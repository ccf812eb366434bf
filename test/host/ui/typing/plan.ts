import fc from "fast-check";
import { type HunkKind, linesPerPlot } from "./documents.ts";

export const modes = ["before", "after", "auto-edit"] as const;
export type Mode = (typeof modes)[number];

/** What an agent changes in one file by one call. Each hunk has a plot of the file to itself. */
interface ProposalPlan {
  /** Which of the round's files. */
  file: number;
  hunks: readonly HunkKind[];
  /** The agent reads the file at once, and edits it after the user had time to change it. */
  reads: boolean;
  /** Its first hunk is about lines that an earlier proposal changes too. */
  overlaps: boolean;
}

export type AnswerWay = "panel" | "whole" | "all" | "key" | "lens" | "thread" | "diff" | "file" | "agent";

/** One thing that the user, an agent or another program does; a round goes on without waiting for what comes of it. */
export type Step =
  | { do: "propose"; proposal: number }
  | { do: "type"; file: number; plot: number; where: "end" | "start" | "newLine" | "inHunk" }
  | { do: "goOn" }
  | { do: "save" }
  | { do: "undo"; times: number }
  | { do: "redo" }
  | { do: "revert"; file: number }
  | { do: "write"; file: number }
  | { do: "answer"; way: AnswerWay; yes: boolean; pick: number; reason: boolean }
  | { do: "editProposal"; how: "type" | "revert" }
  /** Brings back what the user undid of the agents' edits. */
  | { do: "redoEdits" }
  | { do: "stop" }
  | { do: "settle" };

export interface Plan {
  mode: Mode;
  autoSave: "off" | "afterDelay" | "onFocusChange";
  formats: boolean;
  /** The first file is in two editors side by side. */
  split: boolean;
  lineEnd: "\n" | "\r\n" | "mixed";
  files: number;
  proposals: readonly ProposalPlan[];
  steps: readonly Step[];
  /** The answers to what is still open at the end of the steps. */
  finally: readonly boolean[];
}

export const plotsPerFile = 7;
export const linesPerFile = plotsPerFile * linesPerPlot;

const proposal: fc.Arbitrary<ProposalPlan> = fc.record({
  file: fc.nat(1),
  hunks: fc.array(fc.constantFrom<HunkKind>("replace", "replaceTwo", "shrink", "insert", "delete"), {
    minLength: 1,
    maxLength: 2,
  }),
  reads: fc.boolean(),
  overlaps: fc.constantFrom(false, false, true),
});

const file = fc.constantFrom(0, 0, 0, 1);
const pick = fc.nat(20);

/** In mode `before` an answer is given to a card, later to what is written. */
const waysBefore: readonly AnswerWay[] = ["panel", "panel", "whole", "all", "key", "key", "lens", "thread", "diff"];
const waysAfter: readonly AnswerWay[] = ["panel", "all", "key", "key", "lens", "file", "agent", "diff"];

export const allWays: readonly AnswerWay[] = [...new Set([...waysBefore, ...waysAfter])];

function steps(mode: Mode): fc.Arbitrary<Step[]> {
  const answer = fc.record({
    do: fc.constant("answer" as const),
    way: fc.constantFrom(...(mode === "before" ? waysBefore : waysAfter)),
    yes: fc.boolean(),
    pick,
    reason: fc.boolean(),
  });
  const type = fc.record({
    do: fc.constant("type" as const),
    file,
    plot: fc.nat(plotsPerFile - 1),
    where: fc.constantFrom("end", "end", "end", "start", "newLine", "newLine", "inHunk"),
  });
  const editProposal = fc.record({
    do: fc.constant("editProposal" as const),
    how: fc.constantFrom("type", "revert"),
  });
  const one = fc.oneof(
    { weight: 9, arbitrary: type },
    { weight: 4, arbitrary: fc.constant<Step>({ do: "goOn" }) },
    { weight: 5, arbitrary: fc.constant<Step>({ do: "save" }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("undo" as const), times: fc.integer({ min: 1, max: 3 }) }) },
    { weight: 1, arbitrary: fc.constant<Step>({ do: "redo" }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("revert" as const), file }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("write" as const), file }) },
    { weight: 8, arbitrary: answer },
    { weight: mode === "before" ? 2 : 0, arbitrary: editProposal },
    { weight: mode === "before" ? 0 : 2, arbitrary: fc.constant<Step>({ do: "redoEdits" }) },
    { weight: 1, arbitrary: fc.constant<Step>({ do: "settle" }) },
  );
  return fc.array(one, { minLength: 5, maxLength: 12 });
}

const plan = fc
  .record({
    mode: fc.constantFrom(...modes),
    autoSave: fc.constantFrom("off" as const, "off" as const, "afterDelay" as const, "onFocusChange" as const),
    formats: fc.constantFrom(false, false, true),
    split: fc.constantFrom(false, false, true),
    lineEnd: fc.constantFrom("\n" as const, "\n" as const, "\r\n" as const, "mixed" as const),
    proposals: fc.array(proposal, { minLength: 1, maxLength: 3 }),
    finally: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
    at: fc.array(fc.nat(6), { minLength: 3, maxLength: 3 }),
    stopsAt: fc.option(fc.nat(20), { freq: 4, nil: undefined }),
  })
  .chain(({ at, stopsAt, ...made }) =>
    steps(made.mode).map((own): Plan => {
      // Agents come at random moments; what the user does goes on around them.
      const all = [...own];
      for (const [index] of made.proposals.entries()) {
        all.splice(Math.min(at[index] ?? 0, all.length), 0, { do: "propose", proposal: index });
      }
      // After the first proposal: before it there is little to stop.
      const first = all.findIndex((step) => step.do === "propose") + 1;
      if (stopsAt !== undefined) all.splice(first + (stopsAt % (all.length - first + 1)), 0, { do: "stop" });
      return { ...made, files: 2, steps: all };
    }),
  );

/** The same seed gives the same plan. */
export function planOf(seed: number): Plan {
  const [made] = fc.sample(plan, { seed, numRuns: 1 });
  if (made === undefined) throw new Error("No plan was made.");
  return made;
}
