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
});
