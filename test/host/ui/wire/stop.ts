import assert from "node:assert/strict";
import { eventually } from "../../eventually.ts";
import { readRows } from "../../readPanel.ts";
import { ask } from "../../run.ts";
import { type Session, startAfresh } from "./session.ts";

export function stopsMidStream(session: () => Session): void {
  describe("stopping while an answer streams", () => {
    before(async () => {
      const { fake, panel } = session();
      await startAfresh(session());
      await fake.script(
        { when: { lastUser: "Tell a story" }, reply: { steps: [{ text: "Once upon a time" }, { gate: "more" }] } },
        { when: { lastUser: "And now?" }, reply: { steps: [{ text: "A new story." }] } },
      );
      await ask(panel, "Tell a story");
      await panel.messagesOf("main").filter({ hasText: "Once upon a time" }).waitFor();
    });

    it("settles within a second", async () => {
      const { panel } = session();
      await panel.stop.click();
      const clickedAt = performance.now();
      await panel.row("main").and(panel.frame.locator('[data-status="aborted"]')).waitFor();
      await panel.stop.waitFor({ state: "hidden" });
      assert.ok(performance.now() - clickedAt < 1000, "the run is over a second after the click");
    });

    it("hangs up on the provider", async () => {
      assert.equal(await session().fake.settled(0), "closed");
    });

    it("keeps what was said and takes the next question", async () => {
      const { fake, panel } = session();
      await ask(panel, "And now?");
      await panel.messagesOf("main").filter({ hasText: "A new story." }).waitFor();
      assert.match(await panel.conversation.innerText(), /Once upon a time/);
      await eventually(async () => assert.equal((await readRows(panel))[0]?.status, "done"));
      assert.equal(await fake.settled(1), "finished");
    });
  });
}
