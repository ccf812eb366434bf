import assert from "node:assert/strict";
import * as z from "zod";
import { Agent, defineTool } from "../../../src/agent/index.ts";
import type { AgentValidator } from "../../../src/extension/customization/agentFile.ts";
import { validatorHooks } from "../../../src/extension/customization/validators.ts";
import { said } from "../../support/agents.ts";
import { call, type Script, scriptedModel, text } from "../../support/scriptedModel.ts";

/** Tools that do what their arguments say: fail, or not. */
const tool = (name: string) =>
  defineTool({
    ...{ name, description: name, schema: z.looseObject({}) },
    execute: (args) => ({ content: "x", isError: args.fails === true }),
  });
const tools = ["run_command", "write_file", "edit_file", "get_diagnostics"].map(tool);
const run = (command: string, fails = false) => call("run_command", { command, ...(fails && { fails }) });

async function rounds(validate: readonly AgentValidator[], script: Script, problems: number[] = []) {
  const model = scriptedModel(script);
  const hooks = validatorHooks(validate, { problemCount: () => problems.shift() ?? 0 });
  const agent = new Agent({ model: model.model, streamFn: model.streamFn, tools, hooks });
  const events: unknown[] = [];
  agent.subscribe((event) => event.type === "validation" && events.push(event.valid));
  await agent.prompt("go");
  const asked = said(agent.messages).filter((line) => line.includes("<validation>"));
  return { asked, events };
}

describe("what must hold before an agent ends", () => {
  it("is what it has done: until then it goes on", async () => {
    const { asked, events } = await rounds(
      ["diff-read", "tests-run"],
      [text("fine"), run("git diff HEAD"), text("fine"), run("npm test", true), run("npm test"), text("fine")],
    );
    assert.equal(asked.length, 2);
    assert.match(asked[0] ?? "", /run git diff[\s\S]*Run the tests/u);
    assert.doesNotMatch(asked[1] ?? "", /git diff/);
    assert.deepEqual(events, [false, false, true]);
  });

  it("may be a command, which has to succeed after the last change", async () => {
    const { asked } = await rounds(
      [{ command: "npm test" }],
      [run("npm test"), call("write_file", { path: "a" }), text("done"), run("npm test"), text("done")],
    );
    assert.deepEqual(
      asked.map((line) => /`(.*)`/.exec(line)?.[1]),
      ["npm test"],
    );
  });

  it("may be that there are no more problems than before", async () => {
    const { asked } = await rounds(["no-new-problems"], [call("get_diagnostics"), text("a"), text("b")], [2, 3, 2]);
    assert.match(asked.join(), /shows 1 problems more/);
    assert.equal(asked.length, 1);
  });

  it("is demanded three times at most", async () => {
    const { asked, events } = await rounds(
      ["plan-written"],
      Array.from({ length: 4 }, () => text("no")),
    );
    assert.deepEqual([asked.length, events.length], [3, 3]);
  });

  it("may be reported as impossible where nothing can be tested", async () => {
    const { asked } = await rounds(["tests-run"], [text("Not tested: there are no tests.")]);
    assert.deepEqual(asked, []);
  });
});
