import assert from "node:assert/strict";
import fc from "fast-check";
import { applyPatch } from "../../../../src/extension/tools/text/patch.ts";
import { applyEdits, EditError } from "../../../../src/extension/tools/text/replace.ts";
import {
  type DamagedEdit,
  damages,
  editDamages,
  outcomes,
  patchDamages,
  randomEdit,
  replacementOutcomes,
  writtenEdit,
  writtenPatch,
} from "../../../support/damagedEdits.ts";
import { tries } from "../../../support/soak.ts";

async function patched(edit: DamagedEdit): Promise<string | undefined> {
  const [change] = await applyPatch(writtenPatch(edit), async () => edit.before);
  return change?.after;
}

/** The text that an edit leads to; undefined where it is refused. */
async function outcome(work: () => Promise<string | undefined> | string): Promise<string | undefined> {
  try {
    return await work();
  } catch (error) {
    assert.ok(error instanceof EditError, String(error));
    return undefined;
  }
}

/** How many edits were tried, and how many of them were applied. */
interface Count {
  tried: number;
  applied: number;
}

describe("Edits as models write them", () => {
  it("lead to the right text or are refused, whatever is wrong with a patch", async () => {
    const count: Count = { tried: 0, applied: 0 };
    const property = fc.asyncProperty(randomEdit, damages(patchDamages), async (edit, damage) => {
      const damaged = damage(edit);
      const text = await outcome(() => patched(damaged));
      count.tried++;
      if (text === undefined) return;
      count.applied++;
      assert.ok(
        outcomes(damaged).includes(text),
        `${writtenPatch(damaged)}\nleads to\n${text}\nin place of\n${edit.after}`,
      );
    });
    await fc.assert(property, tries("damagedPatches"));
    assert.ok(count.applied > count.tried * 0.6, `only ${count.applied} of ${count.tried} patches were applied`);
  });

  it("lead to the right text or are refused, whatever is wrong with a replacement", async () => {
    const count: Count = { tried: 0, applied: 0 };
    const property = fc.asyncProperty(randomEdit, damages(editDamages), async (edit, damage) => {
      const damaged = damage(edit);
      const text = await outcome(() => applyEdits(edit.before, writtenEdit(damaged)).text);
      count.tried++;
      if (text === undefined) return;
      count.applied++;
      const written = JSON.stringify(writtenEdit(damaged), undefined, 1);
      assert.ok(
        replacementOutcomes(damaged).includes(text),
        `${written}\nleads to\n${text}\nin place of\n${edit.after}`,
      );
    });
    await fc.assert(property, tries("damagedReplacements"));
    assert.ok(count.applied > count.tried * 0.6, `only ${count.applied} of ${count.tried} edits were applied`);
  });

  for (const [name, damage] of Object.entries(patchDamages)) {
    it(`are applied most of the time when a patch has ${name}`, async () => {
      const count: Count = { tried: 0, applied: 0 };
      await fc.assert(
        fc.asyncProperty(randomEdit, fc.nat(), async (edit, seed) => {
          const damaged = damage(edit, seed);
          count.tried++;
          const text = await outcome(() => patched(damaged));
          if (text !== undefined) count.applied++;
          assert.ok(text === undefined || outcomes(damaged).includes(text), writtenPatch(damaged));
        }),
        { numRuns: 100, seed: 7 },
      );
      assert.ok(count.applied >= 75, `only ${count.applied} of ${count.tried} were applied`);
    });
  }
});
