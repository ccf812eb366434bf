import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { type FakeProvider, startFakeProvider } from "../../../support/fakeProvider/startFakeProvider.ts";
import { timeLimitMs, tries } from "../../../support/soak.ts";
import { type Editor, openEditor } from "../../editor.ts";
import { fakeModelSettings, keyEnvironment } from "../fakeModel.ts";
import { pictureFailures } from "../pictureFailures.ts";
import { connectObserver, type Observer } from "./observer.ts";
import { planOf } from "./plan.ts";
import { playRound } from "./round.ts";

/**
 * A round's seed is that of the run and its number: `npm run soak -- --seed N --share 0.003 typing` plays one again.
 * The sample always plays the same rounds, so that a failure comes from a change; a soak plays new ones.
 */
const { numRuns, seed = 402 } = tries("typing");

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
    editor = await openEditor({
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

  it("loses nothing, doubles nothing, and the agents hear what became of their edits", async () => {
    const stage = { page: editor.page, panel: editor.panel, observer, fake };
    const failures: string[] = [];
    for (let round = seed; round < seed + numRuns; round++) {
      const { steps, ...plan } = planOf(round);
      const t0 = performance.now();
      try {
        const { faults, log } = await playRound(stage, {
          workspace: home,
          plan: { ...plan, steps },
          name: `r${round}`,
        });
        if (process.env.ARBOR_DEBUG)
          console.error(
            round,
            Math.round(performance.now() - t0),
            faults.length,
            plan.mode,
            plan.autoSave,
            plan.formats,
            plan.split,
            timesOf(log),
          );
        if (faults.length > 0) failures.push([`Seed ${round}:`, ...faults, JSON.stringify(plan), ...log].join("\n  "));
      } catch (error) {
        // The rounds after it would meet an editor in an unknown state.
        failures.push(
          `Seed ${round}: the round broke off, and none followed.\n  ${error instanceof Error ? error.stack : error}`,
        );
        break;
      }
    }
    assert.equal(failures.length, 0, `${failures.length} of ${numRuns} rounds failed.\n${failures.join("\n\n")}`);
  }).timeout(timeLimitMs(900_000));
});

function timesOf(log: string[]): string {
  return String(log.length);
}
