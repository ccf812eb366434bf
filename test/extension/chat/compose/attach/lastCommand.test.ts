import assert from "node:assert/strict";
import { rememberLastCommand } from "../../../../../src/extension/chat/compose/attach/lastCommand.ts";

async function* pieces(...texts: string[]): AsyncGenerator<string> {
  yield* texts;
}

describe("the last command of the terminals", () => {
  it("is the one whose end and whole output were seen, in readable text", async () => {
    const last = rememberLastCommand();
    const [first, second] = [{}, {}];
    const command = () => last.output?.command;
    assert.equal(command(), undefined);
    await last.started(first, { command: "npm test", read: () => pieces("\u001b[31m2 fai", "ling\u001b[0m\r\n") });
    assert.equal(command(), undefined);
    last.ended(first, 1);
    assert.deepEqual(last.output, { command: "npm test", output: "2 failing", omitted: 0, exitCode: 1 });
    last.ended(second, 0);
    const reading = last.started(second, { command: "ls", read: () => pieces("a\n") });
    last.ended(second, undefined);
    assert.equal(command(), "npm test");
    await reading;
    const silent = {};
    await last.started(silent, { command: "cd ..", read: () => pieces("\u001b]633;C\u0007\r\n") });
    last.ended(silent, 0);
    assert.deepEqual(last.output, { command: "ls", output: "a", omitted: 0 });
  });

  it("keeps the end of a long output and counts what it lost", async () => {
    const last = rememberLastCommand();
    const key = {};
    const lines = Array.from({ length: 20_000 }, (_, index) => `${String(index).padStart(8)}\n`);
    await last.started(key, { command: "many", read: () => pieces(...lines) });
    last.ended(key, 0);
    const { output = "", omitted = 0 } = last.output ?? {};
    assert.ok(output.endsWith("19999"));
    assert.ok(output.length < 130_000);
    assert.equal(omitted + output.length + 1, lines.length * 9);
  });
});
