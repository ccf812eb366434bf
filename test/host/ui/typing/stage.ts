import type { Page } from "playwright-core";
import type { FakeProvider } from "../../../support/fakeProvider/startFakeProvider.ts";
import type { ArborPanel } from "../../panel.ts";
import { type HunkTokens, newTokens, oldTokens } from "./documents.ts";
import type { Observer } from "./observer.ts";
import type { Deed } from "./oracle.ts";
import type { AnswerWay, Plan } from "./plan.ts";

/** Where a round takes place. */
interface Stage {
  page: Page;
  panel: ArborPanel;
  observer: Observer;
  fake: FakeProvider;
}

export type FileHunk = HunkTokens & { file: string };

type NewDeed = Deed extends infer Each ? (Each extends Deed ? Omit<Each, "at"> : never) : never;

/**
 * How a user goes from one step to the next. A hasty one presses keys while the editor still saves and the panel still draws,
 * quicker than people are, so that what happens depends on the machine; a calm one looks first at what came of the last step.
 */
export type Pace = "hasty" | "calm";

/** A round while it is played. */
export interface Round extends Stage {
  name: string;
  pace: Pace;
  plan: Plan;
  files: readonly string[];
  /** Of all proposals. */
  hunks: readonly FileHunk[];
  deeds: Deed[];
  /** What was done, for people. */
  log: string[];
  proposed: Set<number>;
  /** How many tokens were typed or written. */
  tokens: number;
  /** By which ways an answer was given. */
  waysTaken: Set<AnswerWay>;
  /** Of a file that two editors show. */
  hasTypedInSecond?: boolean;
  /** How many saves the editor did not carry out. */
  refusedSaves?: number;
  /** The file in which the user typed last. */
  caret?: string;
}

/** Where the agent of a proposal waits for its turn. */
export const gateOf = ({ name }: Pick<Round, "name">, proposal: number): string => `${name}-${proposal}`;

/** To be called just before it is done. */
export function note(round: Round, deed: NewDeed, words: string): Deed {
  const noted = { ...deed, at: Date.now() } as Deed;
  round.deeds.push(noted);
  log(round, words);
  return noted;
}

export function log(round: Pick<Round, "log">, words: string): void {
  round.log.push(`${Date.now() % 10_000_000} ${words}`);
}

/** The click may have come too late: what it meant was answered, or not. */
export function unsure(round: Round, deed: Deed): void {
  if (deed.did !== "answer") return;
  Object.assign(deed, { sure: [], perhaps: [...deed.sure, ...deed.perhaps] });
  log(round, "  the answer came too late");
}

export const released = ({ hunks, proposed }: Round): FileHunk[] =>
  hunks.filter(({ proposal }) => proposed.has(proposal));

/** The hunk that any of these tokens belongs to; lines that are removed may belong to several. */
export function hunkWith({ hunks }: Round, tokens: readonly string[]): FileHunk | undefined {
  const isOf = (own: readonly string[]) => own.some((token) => tokens.includes(token));
  return hunks.find((hunk) => isOf(newTokens(hunk))) ?? hunks.find((hunk) => isOf(oldTokens(hunk)));
}

export const columnOf = ({ plan, files, tokens }: Round, file: string): number =>
  plan.split && file === files[0] && tokens % 2 === 1 ? 2 : 1;

/** Puts the focus into a file, and with a token the caret into its line. A file that is in two editors takes turns. */
export async function show(round: Round, file: string, token?: string): Promise<void> {
  round.caret = file;
  await round.observer.show({ file, column: columnOf(round, file), ...(token !== undefined && { token }) });
}

export async function within(ms: number, holds: () => Promise<boolean>): Promise<boolean> {
  const giveUpAt = performance.now() + ms;
  while (!(await holds())) {
    if (performance.now() > giveUpAt) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return true;
}
