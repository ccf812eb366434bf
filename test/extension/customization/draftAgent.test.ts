import assert from "node:assert/strict";
import { UserError } from "../../../src/extension/common/userError.ts";
import { parseAgentFile } from "../../../src/extension/customization/agentFile.ts";
import { draftAgent, isSentence } from "../../../src/extension/customization/draftAgent.ts";
import { type Script, scriptedModel, text } from "../../support/scriptedModel.ts";

const { signal } = new AbortController();

async function draft(answer: string, taken: string[] = [], script: Script = [text(answer)]) {
  const model = scriptedModel(script);
  const logged: string[] = [];
  const warn = (message: string) => logged.push(message);
  const written = await draftAgent("It looks for secrets.", { ...model, taken: new Set(taken), warn }, signal);
  const parsed = parseAgentFile("x.md", written.text, { toolNames: [], modelProblem: () => undefined });
  return { ...parsed, asked: model.requests[0], logged };
}

describe("an agent that a model writes", () => {
  it("is a file without mistakes, with tools that there are and a name that is free", async () => {
    const json = JSON.stringify({
      name: "Secret Finder",
      description: 'Finds "secrets": keys.\nUse it before a push.',
      tools: ["search_text", "launch_rockets"],
      instructions: "Look for keys.\n---\nReport them.",
    });
    const { agent, mistakes, asked } = await draft(`Here it is:\n\`\`\`json\n${json}\n\`\`\``, ["secret-finder"]);
    assert.deepEqual(mistakes, []);
    assert.equal(agent?.name, "secret-finder-2");
    assert.equal(agent?.description, 'Finds "secrets": keys. Use it before a push.');
    assert.deepEqual(agent?.tools, ["search_text"]);
    assert.equal(agent?.instructions, "Look for keys.\n---\nReport them.");
    assert.deepEqual(asked?.tools, []);
  });

  it("has no tools rather than all where it names none that there is", async () => {
    const json = { name: "x", description: "d", instructions: "i" };
    const tools = async (named: object) => (await draft(JSON.stringify({ ...json, ...named }))).agent?.tools;
    assert.deepEqual([await tools({ tools: [] }), await tools({ tools: ["launch_rockets"] })], [[], []]);
    assert.equal(await tools({}), undefined);
  });

  for (const [name, expected] of [
    ["review", "review-2"],
    ["Diff", "diff-2"],
  ]) {
    it(`is not called ${name}, which means something else`, async () => {
      const { agent, mistakes } = await draft(JSON.stringify({ name, description: "d", instructions: "i" }));
      assert.deepEqual([agent?.name, mistakes], [expected, []]);
    });
  }

  for (const answer of ["I can't.", "{}", '{"name": "x", "description": "", "instructions": "y"}', "{".repeat(50)]) {
    it(`is none where the model answers ${answer.slice(0, 20)}`, async () => {
      await assert.rejects(draft(answer), UserError);
    });
  }

  it("is none where the model fails, which is said, and none where the user stops it", async () => {
    const fails = (signal: AbortSignal) => {
      const { model } = scriptedModel([]);
      const streamFn = () => {
        throw new Error("no network");
      };
      return draftAgent("It looks for secrets.", { model, streamFn, taken: new Set(), warn: assert.fail }, signal);
    };
    await assert.rejects(fails(signal), new UserError("The model could not be asked: no network"));
    await assert.rejects(fails(AbortSignal.abort()), { name: "AbortError" });
  });

  it("logs what the provider warns of", async () => {
    const json = JSON.stringify({ name: "x", description: "d", instructions: "i" });
    const warning = { type: "warning" as const, message: "lab does not take temperature." };
    const { logged } = await draft(json, [], [{ ...text(json), first: [warning] }]);
    assert.deepEqual(logged, [warning.message]);
  });

  it("is asked for by a sentence, where a name gives a template", () => {
    assert.deepEqual(["reviewer", "code reviewer", "Looks for secrets"].map(isSentence), [false, false, true]);
  });
});
