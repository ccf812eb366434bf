import assert from "node:assert/strict";
import { eventually } from "../../eventually.ts";
import { ask } from "../../run.ts";
import { type Session, startAfresh } from "./session.ts";

export function survivesClosing(session: () => Session): void {
  describe("closing the view while an answer streams", () => {
    const conversation = () => session().panel.conversation.innerText();
    const saysMore = (words: string) => session().panel.messagesOf("main").filter({ hasText: words }).first().waitFor();

    async function closeAndReopen(): Promise<void> {
      const { editor, panel } = session();
      await editor.runCommand("View: Hide Secondary Side Bar");
      await panel.composer.waitFor({ state: "detached" });
      await editor.openPanel();
    }

    before(async () => {
      const { fake, panel } = session();
      await startAfresh(session());
      await fake.script(
        {
          when: { lastUser: "Describe the shop", turn: 0 },
          reply: { steps: [{ text: "First I **look**." }, { tool: "list_files", arguments: { path: "src" } }] },
        },
        {
          when: { lastUser: "Describe the shop", turn: 1 },
          reply: {
            steps: [
              { text: "It has:\n\n- a cart\n" },
              { gate: "closed" },
              { text: "- prices\n" },
              { gate: "end" },
              { text: "- orders" },
            ],
          },
        },
      );
      await ask(panel, "Describe the shop");
      await saysMore("a cart");
    });

    it("shows the identical transcript when it is opened again", async () => {
      const before = await conversation();
      await closeAndReopen();
      await eventually(async () => assert.equal(await conversation(), before));
    });

    it("shows what was said while it was closed", async () => {
      const { editor, panel, fake } = session();
      await editor.runCommand("View: Hide Secondary Side Bar");
      await panel.composer.waitFor({ state: "detached" });
      await fake.release("closed");
      await fake.reached("end");
      await editor.openPanel();
      await saysMore("prices");
    });

    it("goes on to the same end as a view that was never closed", async () => {
      await session().fake.release("end");
      await saysMore("orders");
      await session().panel.stop.waitFor({ state: "hidden" });
      const shown = await conversation();
      await closeAndReopen();
      await eventually(async () => assert.equal(await conversation(), shown));
    });
  });
}
