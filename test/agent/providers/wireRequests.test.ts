import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { type Scenario, type SentRequest, sentRequests } from "../../support/wireTask/chatOverWire.ts";
import { goldenText } from "../../support/wireTask/goldenText.ts";
import { cachedInputs, cachedShare } from "../../support/wireTask/promptCaches.ts";
import { fiveTurns, interruptions } from "../../support/wireTask/scenarios.ts";
import { changedBytes, readRequest } from "../../support/wireTask/wireRequest.ts";
import { wireNames } from "./support.ts";

const folder = path.join(import.meta.dirname, "golden");

/** `ARBOR_GOLDEN=write` writes the files again, to be looked at in the diff. */
async function assertGolden(name: string, text: string): Promise<void> {
  const file = path.join(folder, name);
  if (process.env.ARBOR_GOLDEN === "write") await writeFile(file, text);
  assert.equal(text, await readFile(file, "utf8"), `${name} differs: run with ARBOR_GOLDEN=write and review the diff`);
}

/** The numbers of the requests that do not go on with every byte of the one before. */
function breaks(sent: readonly SentRequest[]): number[] {
  return sent.flatMap((_, at) => ((changedBytes(sent, at) ?? 0) === 0 ? [] : [at + 1]));
}

for (const wire of wireNames) {
  describe(`The requests of a chat over ${wire}`, () => {
    const sent = new Map<Scenario, SentRequest[]>();
    before(async () => {
      for (const scenario of [fiveTurns, interruptions]) sent.set(scenario, await sentRequests(wire, scenario));
    });
    const of = (scenario: Scenario) => sent.get(scenario) ?? [];
    const inputsOf = (scenario: Scenario) => cachedInputs(of(scenario).map(readRequest));

    it("are those that were reviewed", async () => {
      await assertGolden(`${wire}-five-turns.txt`, goldenText(of(fiveTurns)));
      await assertGolden(`${wire}-interruptions.txt`, goldenText(of(interruptions)));
    });

    it("go on with every byte of the one before, whatever comes between", () => {
      assert.equal(of(fiveTurns).length, 13);
      assert.deepEqual(breaks(of(fiveTurns)), []);
      assert.equal(of(interruptions).length, 13);
      assert.deepEqual(breaks(of(interruptions)), [11], "but after the summary");
    });

    it("come from the provider's cache by four fifths or more", () => {
      const share = cachedShare(inputsOf(fiveTurns));
      assert.ok(share >= 0.8, `${(share * 100).toFixed(1)} %`);
    });

    it("do so after an edit that waited ten minutes, and when a summary is asked for", () => {
      const [waited, summary] = [inputsOf(interruptions)[3], inputsOf(interruptions)[9]];
      assert.ok(waited !== undefined && summary !== undefined);
      assert.match(of(interruptions)[9]?.body ?? "", /<summary_request>/);
      for (const input of [waited, summary]) assert.ok(cachedShare([input]) > 0.9, JSON.stringify(input));
    });
  });
}
