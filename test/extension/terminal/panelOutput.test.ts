import assert from "node:assert/strict";
import { panelOutput } from "../../../src/extension/terminal/panelOutput.ts";

function arrange(share = 100) {
  const told: string[] = [];
  let written = "";
  let due: (() => void) | undefined;
  const output = panelOutput({
    share,
    emit: (text) => told.push(text),
    tail: (bytes) => written.slice(-bytes),
    schedule(flush) {
      due = flush;
      return () => {
        due = undefined;
      };
    },
  });
  return {
    told,
    write(text: string) {
      written += text;
      output.write(text);
    },
    end: () => output.end(),
    pass: () => due?.(),
  };
}

describe("live output for the panel", () => {
  it("gathers small pieces", () => {
    const { told, write, pass } = arrange();
    write("a");
    write("b");
    assert.deepEqual(told, []);
    pass();
    assert.deepEqual(told, ["ab"]);
  });

  it("emits what is left at the end, once", () => {
    const { told, write, end, pass } = arrange();
    write("a");
    end();
    pass();
    assert.deepEqual(told, ["a"]);
  });

  it("emits of an endless output the start and, at the end, the end", () => {
    const { told, write, end } = arrange(10);
    for (let count = 0; count < 1_000; count++) write("0123456");
    write("the very end");
    end();
    assert.deepEqual(told, [
      "0123456012\n[More output follows; its end is shown when the command has ended.]\n",
      "e very end",
    ]);
  });
});
