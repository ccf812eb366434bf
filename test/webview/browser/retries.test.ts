import assert from "node:assert/strict";
import { recording, startTime, text, toolCall } from "../support/recording.ts";
import { usePanel } from "../support/usePanel.ts";

const limited = "Anthropic limits the rate of requests (Slow down).";

describe("a request that is asked again, in the panel", function () {
  this.timeout(60_000);
  const show = usePanel();

  /** A run whose child and root wait for the provider until 30 s after the start of everything. */
  function waiting() {
    const log = recording();
    const main = log.agent("main");
    log.user(main, "Hello");
    log.answer(main, [toolCall("c1", "delegate_to_agent", { agent: "explore", task: "Look" })]);
    const child = log.agent("explore", main, "c1");
    for (const agent of [main, child]) {
      log.streaming(agent, "");
      const seq = (log.entries.at(-1)?.seq ?? 0) + 1;
      log.event(agent, { type: "retry", attempt: 1, delayMs: 30_000 - seq * 500, error: limited });
    }
    return { log, main, child };
  }

  it("counts the seconds down in the conversation and in each agent's row", async () => {
    const panel = await show();
    const { page } = panel;
    await page.clock.setFixedTime(startTime);
    await panel.post(waiting().log.chat());
    const words = (seconds: number) => `Retrying in ${seconds} s: ${limited}`;
    await page.locator(".working").getByText(words(30)).waitFor();
    for (const row of await page.getByRole("treeitem").all()) await row.getByText(words(30)).waitFor();
    await page.clock.setFixedTime(startTime + 12_000);
    await page.locator(".working").getByText(words(18)).waitFor();
    await page.clock.setFixedTime(startTime + 31_000);
    await page.locator(".working").getByText("Retrying…").waitFor();
    assert.equal(await page.getByText("Retrying in").count(), 0, "a row shows what the agent did last");
  });

  it("says of a request that was not sent yet that it waits", async () => {
    const log = recording();
    const main = log.agent("main");
    log.streaming(main, "");
    log.event(main, { type: "retry", attempt: 0, delayMs: 9_000, error: limited });
    const { page, post } = await show();
    await page.clock.setFixedTime(startTime);
    await post(log.chat());
    await page
      .locator(".working")
      .getByText(/^Waiting \d+ s: Anthropic limits/)
      .waitFor();
  });

  it("says no more of it once something of the answer came", async () => {
    const { log, main } = waiting();
    const messageId = log.streaming(main, "Here ");
    log.event(main, { type: "message_update", messageId, delta: { type: "text_delta", index: 0, delta: "I am." } });
    const panel = await show([log.chat()]);
    await panel.page.getByText("Here I am.").first().waitFor();
    assert.equal(await panel.page.locator(".working").count(), 0);
  });

  it("marks the part of an answer that was cut off, without alarm, above the answer that replaced it", async () => {
    const log = recording();
    const main = log.agent("main");
    log.user(main, "Hello");
    const lost = "The connection to Anthropic was lost before the answer was complete. Try again.";
    log.answer(main, [text("Half an ans")], { stopReason: "error", errorKind: "incomplete", errorMessage: lost });
    log.event(main, { type: "retry", attempt: 1, delayMs: 0, error: lost });
    log.answer(main, [], { stopReason: "error", errorKind: "incomplete", errorMessage: lost });
    log.answer(main, [text("The whole answer.")]);
    log.end(main, "done");
    const { page } = await show([log.chat()]);
    const [cut, empty, whole] = await page.getByRole("article", { name: "main" }).all();
    assert.ok(cut !== undefined && empty !== undefined && whole !== undefined);
    await empty.getByText("No answer. Retried.").waitFor();
    await cut.getByText("Half an ans").waitFor();
    await cut.getByText("Answer cut off. Retried.").waitFor();
    assert.equal(await cut.locator(".error").count(), 0);
    assert.equal(await whole.getByText("Answer cut off").count(), 0);
  });
});
