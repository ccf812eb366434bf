import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Rule, Step } from "../../../support/fakeProvider/script.ts";
import { ask, seeThrough } from "../../run.ts";
import { type Session, startAfresh } from "./session.ts";

const file = "src/cart/cart.ts";
const first = { old_text: "export const emptyCart: Cart", new_text: "export const noCart: Cart" };
const second = { old_text: "pieceCount(cart: Cart): string", new_text: "pieceCount(cart: Cart): number" };

const turn = (index: number, steps: Step[]): Rule => ({
  when: { lastUser: "Repair the cart", turn: index },
  reply: { steps },
});

export function writesAcceptedHunksAlone(session: () => Session): void {
  describe("an edit of two hunks", () => {
    const onDisk = () => readFile(path.join(session().workspace, file), "utf8");
    let before_: string;

    before(async () => {
      const { fake, panel } = session();
      await startAfresh(session());
      before_ = await onDisk();
      await fake.script(
        turn(0, [{ tool: "read_file", arguments: { path: file } }]),
        turn(1, [{ tool: "edit_file", arguments: { path: file, edits: [first, second] } }]),
        turn(2, [{ text: "Done." }]),
      );
      await ask(panel, "Repair the cart");
      await panel.approval(`edit_file ${file}`).waitFor();
    });

    it("writes nothing before it is answered", async () => {
      assert.equal(await onDisk(), before_);
    });

    it("writes the accepted hunk and not the rejected one", async () => {
      const { panel } = session();
      await panel.button("Accept hunk 1").click();
      await panel.button("Reject hunk 2").click();
      assert.deepEqual(await seeThrough(panel, "none"), { ok: true });
      assert.equal(await onDisk(), before_.replace(first.old_text, first.new_text));
    });

    it("says to the model which one was kept", async () => {
      const requests = await session().fake.requests();
      assert.match(JSON.stringify(requests.at(-1)?.body), /reject/);
    });
  });
}
