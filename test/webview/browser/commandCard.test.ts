import assert from "node:assert/strict";
import { recording } from "../support/recording.ts";
import { usePanel } from "../support/usePanel.ts";

describe("the card of a command in the panel", function () {
  this.timeout(60_000);
  const show = usePanel();

  it("opens the command's output in a terminal; other cards offer no such thing", async () => {
    const log = recording();
    const main = log.agent("main");
    const calls = [
      { id: "k1", name: "run_command", args: { command: "npm test" } },
      { id: "k2", name: "read_file", args: { path: "a.ts" } },
    ];
    log.answer(
      main,
      calls.map(({ id, name, args }) => ({ type: "toolCall", id, name, arguments: args })),
    );
    for (const { id, name, args } of calls) log.toolStart(main, id, name, name, args);
    log.toolEnd(main, "k2", "read_file", "text");
    const panel = await show([log.chat()]);
    const card = (name: RegExp) => panel.page.getByRole("group", { name });
    for (const name of [/npm test/, /a\.ts/]) await card(name).getByRole("button").first().click();
    await card(/npm test/)
      .getByRole("button", { name: "Show in terminal", exact: true })
      .click();
    assert.deepEqual((await panel.intents()).at(-1), { type: "showInTerminal", callId: "k1" });
    assert.equal(await panel.page.getByRole("button", { name: "Show in terminal" }).count(), 1);
  });

  it("shows the last lines that a command prints while it runs, also in a card that is closed", async () => {
    const log = recording();
    const main = log.agent("main");
    log.answer(main, [{ type: "toolCall", id: "k1", name: "run_command", arguments: { command: "npm test" } }]);
    log.toolStart(main, "k1", "run_command", "Run command", { command: "npm test" });
    const panel = await show([log.chat()]);
    const card = panel.page.getByRole("group", { name: "Run command npm test" });
    const printed = card.locator(".written-so-far.printed");
    const post = async () => {
      await panel.post(log.since(seq));
      await panel.drawn();
    };
    let seq = log.lastSeq;
    const output = "one\ntwo\nthree\n\nfour\n";
    log.event(main, { type: "tool_execution_update", callId: "k1", toolName: "run_command", output });
    await post();
    await printed.filter({ hasText: "four" }).waitFor();
    assert.equal(await printed.textContent(), "two\nthree\nfour");
    await card.getByRole("button").first().click();
    await card.getByRole("group", { name: "Output" }).waitFor();
    assert.equal(await printed.count(), 0);
    await card.getByRole("button").first().click();
    await printed.waitFor();
    seq = log.lastSeq;
    log.toolEnd(main, "k1", "run_command", `exit code 0\n${output}`);
    await post();
    assert.equal(await printed.count(), 0);
  });

  it("says who ended a command, without an error where that was the user", async () => {
    const log = recording();
    const main = log.agent("main");
    const endings = { user: "stopped by you", stopped: "stopped", timeout: "timed out" };
    const calls = Object.keys(endings).map((cause) => ({ id: cause, command: `sleep ${cause}` }));
    log.answer(
      main,
      calls.map(({ id, command }) => ({ type: "toolCall", id, name: "run_command", arguments: { command } })),
    );
    for (const { id, command } of calls) {
      log.toolStart(main, id, "run_command", "Run command", { command });
      const result = { content: `${id}\n`, details: { id: 1, cause: id, command } };
      log.event(main, {
        type: "tool_execution_end",
        callId: id,
        toolName: "run_command",
        result,
        isError: true,
        durationMs: 120,
      });
    }
    const { page } = await show([log.chat()]);
    for (const [cause, words] of Object.entries(endings)) {
      const card = page.getByRole("group", { name: `Run command sleep ${cause}` });
      assert.equal(await card.locator(".tool-outcome").textContent(), words);
      assert.equal(await card.getAttribute("data-status"), cause === "timeout" ? "error" : "aborted");
    }
  });

  it("follows what the command writes, and shows it once when it has ended", async () => {
    const log = recording();
    const main = log.agent("main");
    log.answer(main, [{ type: "toolCall", id: "k1", name: "run_command", arguments: { command: "npm test" } }]);
    log.toolStart(main, "k1", "run_command", "Run command", { command: "npm test" });
    const panel = await show([log.chat()]);
    const card = panel.page.getByRole("group", { name: "Run command npm test" });
    await card.getByRole("button").first().click();
    const lines = Array.from({ length: 60 }, (_, index) => `line ${index}`).join("\n");
    for (const output of [lines, "\nlast line"]) {
      const seq = log.lastSeq;
      log.event(main, { type: "tool_execution_update", callId: "k1", toolName: "run_command", output });
      await panel.post(log.since(seq));
      await panel.drawn();
    }
    const distance = () =>
      card
        .locator(".long-text")
        .filter({ hasText: "last line" })
        .evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
    await card.getByText("last line").waitFor();
    assert.ok((await distance()) < 4, `${await distance()} px from its end`);
    const seq = log.lastSeq;
    log.toolEnd(main, "k1", "run_command", `exit code 0\n${lines}\nlast line`);
    await panel.post(log.since(seq));
    await card.getByRole("group", { name: "Result" }).waitFor();
    assert.equal(await card.getByText("last line").count(), 1);
  });
});
