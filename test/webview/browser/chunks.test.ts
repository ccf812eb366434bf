import assert from "node:assert/strict";
import { recording } from "../support/recording.ts";
import { usePanel } from "../support/usePanel.ts";

/** A request fails as often as this for each script whose name has the text. */
function failing(name: string, times: number) {
  const failed = new Map<string, number>();
  return {
    failed,
    fails(url: string): boolean {
      const count = failed.get(url) ?? 0;
      if (!url.includes(name) || count >= times) return false;
      failed.set(url, count + 1);
      return true;
    },
  };
}

describe("a script that the panel loads at first use", function () {
  this.timeout(60_000);
  const show = usePanel();

  it("is loaded when what it shows is opened again", async () => {
    const log = recording();
    const main = log.agent("main");
    log.user(main, "Read it");
    log.answer(main, [{ type: "toolCall", id: "c1", name: "read_file", arguments: { path: "a.ts" } }]);
    log.toolStart(main, "c1", "read_file", "Read", { path: "a.ts" });
    log.toolEnd(main, "c1", "read_file", "const a = 1;");
    log.end(main, "done");
    const { fails, failed } = failing("/chunks/ToolDetails", 1);
    const { page } = await show([log.chat()], { fails });
    const card = page.getByRole("group", { name: "Read a.ts" });
    const head = card.getByRole("button").first();
    const request = page.waitForEvent("requestfailed");
    await head.click();
    await request;
    await head.click();
    await head.click();
    await card.getByRole("group", { name: "Result" }).getByText("const a = 1;").waitFor();
    assert.equal(failed.size, 1);
  });

  it("is loaded as soon as it can be, with all that it builds on, where it is shown all the time", async () => {
    const log = recording();
    const main = log.agent("main");
    log.user(main, "Go on");
    log.host({
      type: "question_asked",
      question: { id: "q", agentId: main.id, agentPath: ["main"], callId: "c", text: "Which one?", options: [] },
    });
    for (const name of ["/chunks/onDemand", "/chunks/chunk"]) {
      const { fails, failed } = failing(name, 2);
      // Without what the panel begins with there is none.
      let hasBegun = false;
      const { page } = await show([log.chat()], {
        fails(url) {
          hasBegun ||= url.includes("/chunks/onDemand");
          return hasBegun && fails(url);
        },
      });
      await page.getByText("Which one?").waitFor();
      assert.ok(failed.size > 0, name);
    }
  });
});
