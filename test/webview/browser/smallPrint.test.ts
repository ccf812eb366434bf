import assert from "node:assert/strict";
import type { HostEvent } from "../../../src/protocol/hostEvents.ts";
import { recording, startTime, text } from "../support/recording.ts";
import { usePanel } from "../support/usePanel.ts";

type Asked = Extract<HostEvent, { type: "question_asked" }>["question"];

describe("the small print of a conversation", function () {
  this.timeout(60_000);
  const show = usePanel();

  it("says for how long an answer was thought about, in seconds or minutes, at its first thought alone", async () => {
    const log = recording();
    const main = log.agent("main");
    const thought = (words: string) => ({ type: "thinking" as const, text: words });
    log.answer(main, [thought("One."), text("So."), thought("Two."), text("Done.")], { thinkingMs: 4_200 });
    log.answer(main, [thought("Three."), text("Later.")], { thinkingMs: 125_000 });
    const { page } = await show([log.chat()]);
    const names = await page
      .getByRole("log")
      .getByRole("button", { name: /^Thought/ })
      .allInnerTexts();
    assert.deepEqual(
      names.map((name) => name.trim()),
      ["Thought for 4 s", "Thought", "Thought for 2m 05s"],
    );
  });

  it("shows when a message was written, while the pointer is over it", async () => {
    const log = recording();
    const main = log.agent("main");
    log.user(main, "Look around");
    log.answer(main, [text("Looked around.")], { timestamp: startTime });
    log.end(main, "done");
    const { page } = await show([log.chat()]);
    const message = page.getByRole("article", { name: "main" });
    const time = message.locator("time");
    const isDrawn = () => {
      const all = [...document.querySelectorAll(".message-time")];
      return all.some((each) => each.checkVisibility({ opacityProperty: true, visibilityProperty: true }));
    };
    await page.mouse.move(0, 0);
    await page.waitForFunction(`!(${isDrawn})()`);
    await message.hover();
    await page.waitForFunction(isDrawn);
    const drawn = await time.evaluate((element) => getComputedStyle(element, "::before").content);
    assert.match(drawn, /\d{1,2}:\d{2}/);
  });

  it("draws what is between backticks as code in questions, and in the lines and briefs of agents", async () => {
    const log = recording();
    const main = log.agent("main");
    log.user(main, "Look around");
    const delegate = { type: "toolCall" as const, id: "c1", name: "spawn_agents", arguments: {} };
    log.answer(main, [delegate]);
    log.toolStart(main, "c1", "spawn_agents", "Delegate", {});
    for (const title of ["Rename `total` here", "Test `sum`"]) {
      const child = log.agent("edit", main, "c1", title);
      log.user(child, `Look at \`${title.includes("sum") ? "sum.ts" : "total.ts"}\` and change it.`);
      log.answer(child, [text("Changed `a`.")]);
      log.end(child, "done");
    }
    const question: Asked = {
      id: "q",
      agentId: main.id,
      agentPath: ["main"],
      callId: "c9",
      text: "Keep `total` or `sum`?",
      options: [],
    };
    log.host({ type: "question_asked", question });
    const { page } = await show([log.chat()]);
    await page
      .getByRole("log")
      .getByRole("button", { name: /^2 agents/ })
      .click();
    const code = (selector: string) => page.locator(`${selector} code`).allInnerTexts();
    assert.deepEqual(await code(".delegation .agent-name"), ["total", "sum"]);
    assert.deepEqual(await code(".delegation .exchange"), ["total.ts", "sum.ts"]);
    assert.deepEqual(await code(".question"), ["total", "sum"]);
    for (const selector of [".delegation", ".question"]) {
      const shown = (await page.locator(selector).allInnerTexts()).join(" ");
      assert.ok(!shown.includes("`"), shown);
    }
  });
});
