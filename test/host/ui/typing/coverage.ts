import type { Entry } from "./oracle.ts";
import { allWays, modes } from "./plan.ts";
import type { Round } from "./stage.ts";

/** What comes up in any 30 rounds; else the driver tries less than it says. */
const usual: readonly string[] = [
  ...modes.map((mode) => `mode ${mode}`),
  ...["off", "afterDelay", "onFocusChange"].map((autoSave) => `auto-save ${autoSave}`),
  ...["auto-save that saved", "format on save that formatted", "typing in the second editor of a file"],
  ...['line ends "\\n"', 'line ends "\\r\\n"', "line ends mixed", "undo or redo by a key"],
  ...["type", "save", "write", "stop"].map((did) => `did ${did}`),
];
/** What depends on more than one step, and comes up in any 100 rounds. */
const rare: readonly string[] = [
  ...["revert", "editProposal", "redo", "overwrite"].map((did) => `did ${did}`),
  ...["two agents on the same lines", ...allWays.map((way) => `answer by ${way}`)],
];
const roundsForUsual = 30;
const roundsForRare = 100;

/** How many rounds had what. */
export class Coverage {
  readonly #counts = new Map<string, number>();
  #rounds = 0;

  add(round: Round, entries: readonly Entry[]): void {
    this.#rounds += 1;
    for (const what of new Set(happenedIn(round, entries))) {
      this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
    }
  }

  /** What should have come up in so many rounds, and did not. */
  get missing(): string[] {
    const wanted = [...(this.#rounds >= roundsForUsual ? usual : []), ...(this.#rounds >= roundsForRare ? rare : [])];
    return wanted.filter((what) => !this.#counts.has(what));
  }

  toString(): string {
    return [...usual, ...rare].map((what) => `${what}: ${this.#counts.get(what) ?? 0}`).join(", ");
  }
}

function happenedIn({ plan, deeds, hunks, proposed, waysTaken, hasTypedInSecond }: Round, entries: readonly Entry[]) {
  const happened = [
    `mode ${plan.mode}`,
    `auto-save ${plan.autoSave}`,
    `line ends ${plan.lineEnd === "mixed" ? "mixed" : JSON.stringify(plan.lineEnd)}`,
    ...deeds.map(({ did }) => `did ${did}`),
    ...[...waysTaken].map((way) => `answer by ${way}`),
  ];
  if (entries.some(({ isManual, kind }) => kind === "saving" && isManual === false))
    happened.push("auto-save that saved");
  if (entries.some(({ isHistory }) => isHistory)) happened.push("undo or redo by a key");
  if (plan.formats && isFormatted(entries)) happened.push("format on save that formatted");
  if (hasTypedInSecond) happened.push("typing in the second editor of a file");
  const shared = hunks.filter(({ isShared, proposal }) => isShared && proposed.has(proposal));
  if (shared.length > 1) happened.push("two agents on the same lines");
  return happened;
}

/** The blanks at the ends of lines, which nothing but a formatter takes away, are gone from a text that was saved. */
const isFormatted = (entries: readonly Entry[]) =>
  entries.some(({ kind, text }) => kind === "saved" && !/ {2}\r?$/m.test(text));
