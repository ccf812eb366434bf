import assert from "node:assert/strict";
import fc from "fast-check";
import * as z from "zod";
import { type StreamFn, withNativeOutput } from "../../../src/agent/vocabulary/model.ts";
import { parsePartialJson } from "../../../src/agent/vocabulary/partialJson.ts";
import { ofType } from "../../support/agents.ts";
import { echoTool, shown, testAgent } from "../../support/scriptedAgents.ts";
import { call, type RecordedRequest, type Reply, scriptedModel, text } from "../../support/scriptedModel.ts";

const schema = z.object({ city: z.string(), people: z.number().int() });
const rome = { city: "Rome", people: 2_800_000 };

/** An agent whose provider writes JSON by a schema itself. */
function nativeAgent(script: Reply[]) {
  const scripted = scriptedModel(script);
  const streamFn: StreamFn = (...asked) => scripted.streamFn(...asked);
  return { ...testAgent([], { streamFn: withNativeOutput(streamFn) }), requests: scripted.requests };
}

const formatOf = (request: RecordedRequest | undefined) => request?.options.output;
const toolNames = (request: RecordedRequest | undefined) => request?.tools.map(({ name }) => name);

describe("an agent that is asked for typed output", () => {
  it("gives text, output and usage, by the provider's own mode where there is one", async () => {
    const { agent, requests } = nativeAgent([{ ...text(JSON.stringify(rome)), usage: { output: 7 } }]);
    const { text: said, output, usage } = await agent.run("Rome?", { output: schema });
    const city: string = output.city;
    assert.deepEqual([city, output, said, usage.output], ["Rome", rome, JSON.stringify(rome), 7]);
    assert.deepEqual(formatOf(requests[0])?.schema.required, ["city", "people"]);
    assert.deepEqual(toolNames(requests[0]), []);
  });

  it("is given a tool for it elsewhere, beside its own, for that run alone", async () => {
    const { agent, requests } = testAgent([call("echo"), call("submit_output", rome), text("Hello.")], {
      tools: [echoTool()],
    });
    const { output, text: said } = await agent.run("Rome?", { output: schema });
    assert.deepEqual([output, JSON.parse(said)], [rome, rome]);
    assert.deepEqual(toolNames(requests[1]), ["echo", "submit_output"]);
    assert.equal(formatOf(requests[0]), undefined);
    await agent.run("Hi.");
    assert.deepEqual(toolNames(requests[2]), ["echo"]);
  });

  it("takes JSON in the text of a model that does not call the tool", async () => {
    const json = JSON.stringify(rome);
    for (const answer of [`Here it is:\n\`\`\`json\n${json}\n\`\`\``, `As of [1] it is ${json}, roughly.`]) {
      const { agent } = testAgent([text(answer)]);
      assert.deepEqual((await agent.run("Rome?", { output: schema, maxOutputAttempts: 1 })).output, rome, answer);
    }
  });

  for (const [how, agentOf, wrong, right] of [
    ["natively", nativeAgent, text('{"city":"Rome"}'), text(JSON.stringify(rome))],
    ["by the tool", testAgent, call("submit_output", { city: "Rome" }), call("submit_output", rome)],
    ["in text", testAgent, text("Rome has many."), call("submit_output", rome)],
  ] as const) {
    it(`is asked again, with what is wrong, when its output is not valid (${how})`, async () => {
      const { agent, requests } = agentOf([wrong, right]);
      assert.deepEqual((await agent.run("Rome?", { output: schema })).output, rome);
      const asked = shown(requests[1]).at(-1) ?? "";
      assert.match(asked, /not valid/);
      assert.match(asked, /"people"/);
    });
  }

  it("fails as not valid once the attempts are used up", async () => {
    const { agent, requests, events } = testAgent([text("no"), text("no"), text("never")]);
    await assert.rejects(agent.run("Rome?", { output: schema, maxOutputAttempts: 2 }), { code: "validation" });
    assert.equal(requests.length, 2);
    assert.deepEqual(
      ofType(events, "validation").map(({ attempt, valid }) => [attempt, valid]),
      [
        [1, false],
        [2, false],
      ],
    );
  });

  it("gives what is no object, and what the schema makes of it", async () => {
    const { agent, requests } = nativeAgent([text('{"value":["2026-01-02"]}'), text('["2026-01-02"]')]);
    const dates = z.array(z.iso.date().transform((date) => new Date(date).getTime()));
    for (const _ of [1, 2]) {
      assert.deepEqual((await agent.run("When?", { output: dates })).output, [Date.UTC(2026, 0, 2)]);
    }
    assert.equal(formatOf(requests[0])?.schema.type, "object");
  });

  it("streams the output while it arrives, and the text", async () => {
    for (const { agent } of [
      nativeAgent([{ ...text(JSON.stringify(rome)), pieces: 8 }]),
      testAgent([{ ...call("submit_output", rome), pieces: 8 }]),
    ]) {
      const stream = agent.send("Rome?", { output: schema });
      const seen: unknown[] = [];
      for await (const partial of stream.partialOutputStream) seen.push(partial);
      assert.ok(seen.length >= 2);
      assert.deepEqual(seen.at(-1), rome);
      assert.equal((await stream.result).output !== undefined, true);
    }
    const { agent } = testAgent([{ ...text("Hello there."), pieces: 4 }]);
    const stream = agent.send("Hi.");
    const pieces: string[] = [];
    for await (const piece of stream.textStream) pieces.push(piece);
    assert.equal(pieces.length, 4);
    assert.deepEqual([pieces.join(""), (await stream.result).text], ["Hello there.", "Hello there."]);
  });

  it("gives the events of a stream in batches, of the types that are wanted", async () => {
    const { agent } = testAgent([{ ...text("Hello there."), pieces: 9 }]);
    const types: string[] = [];
    let batches = 0;
    for await (const batch of agent.send("Hi.").inBatches({ types: ["message_end", "agent_end"] })) {
      batches += 1;
      types.push(...batch.map(({ type }) => type));
    }
    assert.deepEqual(types, ["message_end", "message_end", "agent_end"]);
    assert.ok(batches <= 3);
  });
});

describe("the beginning of a JSON text", () => {
  it("has, at any length, what the whole has so far", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), fc.nat(), (json, at) => {
        assert.deepEqual(parsePartialJson(json), JSON.parse(json));
        const part = parsePartialJson(json.slice(0, at % (json.length + 1)));
        if (part !== undefined) assertBeginning(part, JSON.parse(json));
      }),
      { numRuns: 500 },
    );
  });
});

function assertBeginning(part: unknown, whole: unknown): void {
  if (typeof part === "string" && typeof whole === "string") assert.ok(whole.startsWith(part));
  else if (Array.isArray(part) && Array.isArray(whole)) {
    for (const [at, item] of part.entries()) assertBeginning(item, whole[at]);
  } else if (typeof part === "object" && part !== null && typeof whole === "object" && whole !== null) {
    for (const [key, value] of Object.entries(part)) assertBeginning(value, Reflect.get(whole, key));
  } else if (typeof part === "number") assert.equal(typeof whole, "number");
  else assert.deepEqual(part, whole);
}
