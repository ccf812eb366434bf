import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { inspect } from "node:util";
import { type FakeProvider, startFakeProvider } from "../../../support/fakeProvider/startFakeProvider.ts";
import { isEverything, isFull, timeLimitMs, tries } from "../../../support/soak.ts";
import type { Editor } from "../../editor.ts";
import { openSharedEditor } from "../../sharedEditor.ts";
import { fakeModelSettings, keyEnvironment } from "../fakeModel.ts";
import { pictureFailures } from "../pictureFailures.ts";
import { Coverage } from "./coverage.ts";
import { connectObserver, type Observer } from "./observer.ts";
import { type Plan, planOf, type Step } from "./plan.ts";
import { playRound } from "./round.ts";
import { smallestFailing } from "./smallest.ts";
import type { Pace } from "./stage.ts";

/**
 * A round's seed is that of the run and its number: `npm run soak -- --seed N --share 0.003 typing` plays one again.
 * The sample always plays the same rounds, so that a failure comes from a change; a soak plays new ones.
 */
const { numRuns, seed = 506 } = tries("typing");

/** `ARBOR_TYPING_PACE=hasty` for a machine that does nothing else. */
const pace: Pace = process.env.ARBOR_TYPING_PACE === "hasty" ? "hasty" : "calm";

const maxTriesToShrink = 20;

/** Nothing completes, closes or indents what is typed. */
const plainTyping = {
  "editor.quickSuggestions": { other: "off", comments: "off", strings: "off" },
  "editor.wordBasedSuggestions": "off",
  "editor.autoClosingBrackets": "never",
  "editor.trimAutoWhitespace": false,
  "files.trimTrailingWhitespace": false,
  // Not over the cards of the panel.
  "workbench.notifications.position": "bottom-left",
};

describe("A user who types, saves, undoes and reverts while agents edit the same files", () => {
  let home: string;
  let fake: FakeProvider;
  let editor: Editor;
  let observer: Observer;
  pictureFailures(() => editor);

  before(async () => {
    home = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
    fake = await startFakeProvider();
    const addressFile = path.join(home, "observer");
    editor = await openSharedEditor({
      workspace: home,
      settings: { ...fakeModelSettings(fake, "anthropic"), ...plainTyping },
      env: { ...keyEnvironment, ARBOR_OBSERVER: addressFile },
      viewport: { width: 1700, height: 1100 },
      width: 480,
      otherExtensions: [path.join(import.meta.dirname, "observer")],
    });
    observer = await connectObserver(addressFile);
  });
  after(async () => {
    await editor.close();
    await fake.stop();
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  });

  it("loses nothing, doubles nothing, and the agents learn what became of their edits", async () => {
    const stage = { page: editor.page, panel: editor.panel, observer, fake };
    const coverage = new Coverage();
    const failures: string[] = [];
    const play = (plan: Plan, name: string) => playRound(stage, { workspace: home, plan, name, pace });
    for (let seedOfRound = seed; seedOfRound < seed + numRuns; seedOfRound++) {
      const plan = planOf(seedOfRound);
      try {
        const { faults, log, round, entries } = await play(plan, `r${seedOfRound}`);
        coverage.add(round, entries);
        if (faults.length === 0) continue;
        const failure = [`Seed ${seedOfRound}:`, ...faults, ...log];
        // At once, so that it is named whatever becomes of the tries that follow.
        failures.push(failure.join("\n  "));
        if (isFull) console.log(failures.at(-1));
        let again = 0;
        // What the agents propose belongs to the plan; each try takes seconds, so that only the first failure is made small.
        const fewer = (kept: readonly Step[]) =>
          plan.steps.filter((step) => step.do === "propose" || kept.includes(step));
        const { steps: kept, tries } = await smallestFailing(
          plan.steps.filter((step) => step.do !== "propose"),
          {
            fails: async (some) =>
              (await play({ ...plan, steps: fewer(some) }, `r${seedOfRound}s${++again}`)).faults.length > 0,
            maxTries: failures.length === 1 ? maxTriesToShrink : 0,
          },
        );
        const steps = fewer(kept);
        const smallest = `Still fails with ${steps.length} of ${plan.steps.length} steps, by ${tries} tries:`;
        const script = JSON.stringify({ ...plan, steps }, undefined, 1);
        failures[failures.length - 1] = [...failure, smallest, script].join("\n  ");
      } catch (error) {
        // The rounds after it would meet an editor in an unknown state.
        failures.push(`Seed ${seedOfRound}: the round broke off, and none followed.\n  ${inspect(error)}`);
        break;
      }
    }
    assert.equal(failures.length, 0, `${failures.length} of ${numRuns} rounds failed.\n${failures.join("\n\n")}`);
    // Fewer rounds do not come by everything.
    if (isEverything) assert.deepEqual(coverage.missing, [], coverage.toString());
  }).timeout(timeLimitMs(1_500_000));
});
