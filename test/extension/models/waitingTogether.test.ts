import assert from "node:assert/strict";
import { Agent, type AgentEvent, AgentRegistry } from "../../../src/agent/index.ts";
import { anthropicWire } from "../../../src/agent/providers/anthropic/anthropicStream.ts";
import { createProvider } from "../../../src/agent/providers/shared/provider.ts";
import { createRateLimiter } from "../../../src/extension/models/limits/rateLimiter.ts";
import type { Step } from "../../support/fakeProvider/script.ts";
import { type FakeProvider, startFakeProvider } from "../../support/fakeProvider/startFakeProvider.ts";
import { type ManualClock, manualClock } from "../../support/manualClock.ts";

const model = { id: "test-model", provider: "fake" };

describe("agents of a tree whose provider asks for a pause", () => {
  let server: FakeProvider;
  let clock: ManualClock;
  let events: AgentEvent[];
  let agent: Agent;
  const workers = 5;

  before(async () => {
    server = await startFakeProvider();
  });
  after(() => server.stop());
  beforeEach(async () => {
    await server.reset();
    clock = manualClock();
    events = [];
    const limiter = createRateLimiter(() => 8, clock);
    const streamFn = createProvider(anthropicWire, { apiKey: "k", baseUrl: server.url, limiter }, clock.timing);
    const registry = new AgentRegistry();
    registry.register({ name: "worker", description: "Works." }, () => ({ name: "worker", instructions: "You work." }));
    agent = new Agent({ name: "main", model, streamFn, registry });
    agent.subscribe((event) => events.push(event));
  });
  afterEach(() => agent.dispose());

  const delegating: Step[] = Array.from({ length: workers }, (_, n) => ({
    tool: "delegate_to_agent",
    arguments: { agent: "worker", task: `Part ${n}`, context: "None." },
  }));
  const slowly: Step[] = [{ text: "Do" }, { gate: "still writing" }, { text: "ne." }];
  const tooMany = { status: 429, body: "Slow down", headers: { "retry-after": "30" } };
  const waits = () => events.flatMap((event) => (event.type === "retry" ? [event.delayMs] : []));
  /** Resolves when the children have reported so many waits. */
  const told = async (count: number) => {
    while (waits().length < count) await new Promise((resolve) => setImmediate(resolve));
  };

  async function sendAllAway(): Promise<ReturnType<Agent["send"]>> {
    await server.script(
      { when: { system: "You work" }, reply: { ...tooMany, holdAt: "all sent" }, times: workers },
      { when: { system: "You work" }, reply: { steps: slowly, holdAt: "first again" }, times: 1 },
      { when: { system: "You work" }, reply: { steps: [{ text: "Done." }] } },
      { steps: delegating },
      { steps: [{ text: "All done." }] },
    );
    const run = agent.send("Share the work.");
    await server.reached("all sent", workers);
    await server.release("all sent");
    await told(workers);
    return run;
  }

  it("wait together, send one ahead and follow as soon as its answer begins", async () => {
    const run = await sendAllAway();
    assert.deepEqual(waits(), Array(workers).fill(30_000), "each of them says how long");
    await clock.pass(29_999);
    assert.equal((await server.requests()).length, 1 + workers, "nobody asks during the pause");
    await clock.pass(1);
    await server.reached("first again");
    assert.equal((await server.requests()).length, 1 + workers + 1, "one alone goes ahead");
    await server.release("first again");
    await server.requestCount(1 + workers + workers);
    await server.release("still writing");
    assert.equal((await run.result).reason, "done");
    assert.equal((await server.requests()).length, 1 + workers + workers + 1);
  });

  it("stop at once when the run is stopped in the pause, and ask no more", async () => {
    const run = await sendAllAway();
    await agent.abort();
    assert.equal((await run.result).reason, "aborted");
    await clock.pass(120_000);
    assert.equal((await server.requests()).length, 1 + workers);
  });
});
