import type { Entry } from "./oracle.ts";
import { allWays, modes } from "./plan.ts";
import type { Round } from "./stage.ts";

/** What a driver of this kind has to come upon in a few dozen rounds; else it tries less than it says. */
const wanted: readonly string[] = [
  ...modes.map((mode) => `mode ${mode}`),
  ...["off", "afterDelay", "onFocusChange"].map((autoSave) => `auto-save ${autoSave}`),
  ...["auto-save that saved", "format on save that formatted", "typing in the second editor of a file"],
  ...['line ends "\\n"', 'line ends "\\r\\n"', "line ends mixed"],
  ...["type", "save", "revert", "write", "editProposal", "redo", "stop", "overwrite"].map((did) => `did ${did}`),
  ...["undo or redo by a key", "two agents on the same lines"],
  ...allWays.map((way) => `answer by ${way}`),
];

/** How many rounds had what. */
export class Coverage {
  readonly #counts = new Map<string, number>();

  add(round: Round, entries: readonly Entry[]): void {
    for (const what of new Set(happenedIn(round, entries))) {
      this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
    }
  }

  get missing(): string[] {
    return wanted.filter((what) => !this.#counts.has(what));
  }

  toString(): string {
    return wanted.map((what) => `${what}: ${this.#counts.get(what) ?? 0}`).join(", ");
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
