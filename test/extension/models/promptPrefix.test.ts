import assert from "node:assert/strict";
import { Agent, AgentRegistry } from "../../../src/agent/index.ts";
import { agentOptions, mainAgent, registerAgents } from "../../../src/extension/customization/agents.ts";
import { editorTools } from "../../../src/extension/tools/index.ts";
import { model, providerAt, wireNames } from "../../agent/providers/support.ts";
import { toolBench } from "../../support/editorTools.ts";
import { type FakeProvider, startFakeProvider } from "../../support/fakeProvider/startFakeProvider.ts";

const cacheMark = ',"cache_control":{"type":"ephemeral"}';
/** Where the conversation ends in a body: what follows is no part of what a provider keeps. */
const endOfConversation = { anthropic: '],"stream"', responses: '],"store"', chat: '],"stream"' };

describe("what two requests of an agent have in common", () => {
  let server: FakeProvider;
  before(async () => {
    server = await startFakeProvider();
  });
  beforeEach(() => server.reset());
  after(() => server.stop());

  for (const wire of wireNames) {
    /** All bodies, byte by byte, of a run with tools and a plan that changes, and of one more question. */
    async function bodiesOfRuns(): Promise<string[]> {
      const bodies: string[] = [];
      const fetch: typeof globalThis.fetch = (url, init) => {
        bodies.push(String(init?.body));
        return globalThis.fetch(url, init);
      };
      const panel = { showPlan: () => {}, ask: async () => "" };
      const { dependencies } = toolBench({ files: { "a.ts": "export const a = 1;\n" } });
      const tools = editorTools({ ...dependencies, panel });
      const registry = new AgentRegistry();
      registerAgents(registry, { tools });
      const streamFn = providerAt(wire, server.url, { fetch });
      const agent = new Agent({
        ...agentOptions(mainAgent, { tools }),
        model,
        streamFn,
        registry,
        sessionId: "chat-1",
      });
      const plan = (status: string) => ({
        tool: "update_plan",
        arguments: { items: [{ text: "Read", status }] },
      });
      const usage = { input: 10, cacheRead: 90, output: 5 };
      await server.script(
        { steps: [{ thinking: "First a plan.", signature: "signed" }, plan("in_progress")], usage },
        {
          steps: [
            { tool: "read_file", arguments: { path: "a.ts" } },
            { tool: "list_files", arguments: {} },
          ],
          usage,
        },
        { steps: [plan("completed")], usage },
        { steps: [{ text: "It holds \ud83d\ude00 one constant." }], usage },
        { steps: [{ text: "Yes." }], usage },
      );
      assert.equal((await agent.send("What is in a.ts?").result).reason, "done");
      const run = await agent.send("Is that all?").result;
      assert.equal(run.usage.cacheRead, 90, "what the provider had kept is counted apart");
      await agent.dispose();
      return bodies;
    }

    it(`is over ${wire} the whole of the earlier one, byte by byte`, async () => {
      const bodies = (await bodiesOfRuns()).map((body) => body.replaceAll(cacheMark, ""));
      assert.equal(bodies.length, 5);
      for (const [at, body] of bodies.entries()) {
        const next = bodies[at + 1];
        const end = body.lastIndexOf(endOfConversation[wire]);
        assert.ok(end > 0);
        if (next !== undefined) assert.equal(next.slice(0, end), body.slice(0, end), `request ${at + 2}`);
      }
    });

    if (wire === "anthropic") {
      it("is marked for Anthropic where the earlier request ended, and after tools and instructions", async () => {
        const marks = (await bodiesOfRuns()).map((body) => {
          const { system, tools, messages } = JSON.parse(body);
          const isMarked = (block: object) => "cache_control" in block;
          assert.deepEqual([system.filter(isMarked).length, tools.findIndex(isMarked)], [1, tools.length - 1]);
          const isUser = ({ role }: { role: string }, index: number) => (role === "user" ? [index] : []);
          const marked = messages.flatMap(({ content }: { content: string | object[] }, index: number) =>
            typeof content !== "string" && content.some(isMarked) ? [index] : [],
          );
          assert.deepEqual(marked, messages.flatMap(isUser).slice(-2));
          assert.equal(marked.at(-1), messages.length - 1, "the end of the request is marked");
          return marked;
        });
        for (const [at, marked] of marks.entries()) {
          const before = marks[at - 1]?.at(-1);
          if (before !== undefined) assert.ok(marked.includes(before), `request ${at + 1}: ${marked}`);
        }
      });
    } else if (wire === "responses") {
      it("is led to the same place by the key of the chat", async () => {
        const keys = (await bodiesOfRuns()).map((body) => JSON.parse(body).prompt_cache_key);
        assert.deepEqual(new Set(keys), new Set(["chat-1"]));
      });
    }
  }
});
