import assert from "node:assert/strict";
import type { ArborEvent, ArborModel, ArborModelRequest, ArborTool } from "../../../api/arbor.d.ts";
import { Agent, type AgentEvent, AgentRegistry, delegationTools, jsonSchemaTool } from "../../../src/agent/index.ts";
import { ExtensionRegistry } from "../../../src/extension/api/registry.ts";
import type { McpPermission } from "../../../src/extension/approvals/permission.ts";
import { registerAgents } from "../../../src/extension/customization/agents.ts";
import { nothingCustom } from "../../../src/extension/customization/customization.ts";
import { toolsOfServers } from "../../../src/extension/mcp/mcpTools.ts";
import { editorStream } from "../../../src/extension/models/editor/editorStream.ts";
import { createRateLimiter } from "../../../src/extension/models/limits/rateLimiter.ts";
import { scriptedModel, text } from "../../support/scriptedModel.ts";
import { runTool } from "../../support/toolContext.ts";

interface Arrangement {
  allowed?: boolean;
  callTimeoutMs?: number;
  answers?(): Promise<{ sessionId: string; text: string }>;
}

function arrange({ allowed = true, callTimeoutMs = 60_000, answers }: Arrangement = {}) {
  const failures: unknown[] = [];
  const asked: unknown[] = [];
  let changes = 0;
  const registry = new ExtensionRegistry({
    async ask(input) {
      asked.push(input);
      if (answers !== undefined) return answers();
      return { sessionId: "s1", text: "Done." };
    },
    onChange: () => void changes++,
    reportFailure: (error) => failures.push(error),
    callTimeoutMs,
  });
  const permissions: McpPermission[] = [];
  const tools = () =>
    toolsOfServers(registry.sources, {
      async askPermission(request) {
        if (request.kind === "mcp") permissions.push(request);
        return allowed ? { allowed } : { allowed };
      },
      ask: () => Promise.reject(new Error("nobody asks")),
      subAgentParts: () => ({}),
      allowed: { read: () => ({}), write: async () => {} },
      outputs: { keep: async () => "" },
    });
  const api = registry.exports.forExtension("acme.weather");
  const first = () => tools()[0] ?? assert.fail("no tool");
  return { registry, api, tools, first, permissions, failures, asked, changes: () => changes };
}

const weather = (run: ArborTool["run"]): ArborTool => ({
  ...{ name: "weather", description: "Tells the weather.", run },
  inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
});

describe("The API for other extensions", () => {
  it("has a version, and takes the id of an extension", () => {
    const { registry } = arrange();
    assert.equal(registry.exports.version, 1);
    assert.throws(() => registry.exports.forExtension("nobody"), /takes the id of your extension/);
    assert.ok(Object.isFrozen(registry.exports) && Object.isFrozen(registry.exports.forExtension("a.b")));
  });

  it("asks an agent, and gives its answer", async () => {
    const { api, asked } = arrange();
    assert.deepEqual(await api.ask({ prompt: "Fix it" }), { sessionId: "s1", text: "Done." });
    assert.deepEqual(asked, [{ prompt: "Fix it" }]);
  });

  it("ends what others wait for when Arbor is deactivated, and takes and calls nothing more of theirs", async () => {
    const { registry, api, first, asked, changes } = arrange({ answers: () => new Promise(() => {}) });
    const heard: ArborEvent[] = [];
    const aborted: unknown[] = [];
    api.onEvent((event) => heard.push(event));
    const entered = Promise.withResolvers<void>();
    let calls = 0;
    const registered = api.registerTool(
      weather((_input, signal) => {
        calls++;
        signal.addEventListener("abort", () => aborted.push(signal.reason));
        entered.resolve();
        return new Promise(() => {});
      }),
    );
    const asking = api.ask({ prompt: "Fix it" });
    const tool = first();
    const isRefused = () =>
      assert.rejects(runTool(tool, { city: "Ulm" }), /acme\.weather failed: Arbor was deactivated/);
    const failing = isRefused();
    await entered.promise;
    registry.dispose();
    await assert.rejects(asking, /^Error: Arbor was deactivated: it was disabled or updated, or its window closes\.$/);
    await failing;
    await isRefused();
    assert.equal(calls, 1);
    const before = changes();
    registered.dispose();
    assert.equal(changes(), before, "Arbor has nothing to bring up to date");
    assert.match(String(aborted), /deactivated/);
    assert.deepEqual([registry.sources, registry.models], [[], []]);
    registry.emit({ type: "agent_start", agent: { id: "a", prefix: "a", depth: 0 } } as AgentEvent);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(heard, []);
    await assert.rejects(api.ask({ prompt: "Fix it" }), /deactivated/);
    assert.equal(asked.length, 1);
    assert.throws(() => api.registerTool(weather(() => "")), /deactivated/);
    assert.throws(() => api.onEvent(() => {}), /deactivated/);
    assert.throws(() => registry.exports.forExtension("acme.other"), /deactivated/);
  });

  it("offers a tool, which is asked about with the extension's id, and whose answer is data", async () => {
    const { api, first, permissions } = arrange();
    api.registerTool(weather(({ city }) => `Rain in ${String(city)}`));
    const { text: answered } = await runTool(first(), { city: "Ulm" });
    assert.match(answered, /^Data from the extension acme\.weather, to be judged.*\nRain in Ulm$/s);
    assert.deepEqual(
      permissions.map(({ server, tool, arguments: shown }) => [server, tool, JSON.parse(shown)]),
      [["acme.weather", "weather", { city: "Ulm" }]],
    );
  });

  it("does not call a tool that the user does not allow", async () => {
    const { api, first } = arrange({ allowed: false });
    let calls = 0;
    api.registerTool(weather(() => String(++calls)));
    const { text: answered } = await runTool(first(), { city: "Ulm" });
    assert.match(answered, /declined/);
    assert.equal(calls, 0);
  });

  it("turns a tool that throws, gives no text or never settles into an error for the model", async () => {
    const failing = [
      [() => Promise.reject(new Error("no network")), /acme\.weather failed: no network/],
      [() => ({ city: "Ulm" }) as unknown as string, /acme\.weather failed: .*expected string/s],
      [() => new Promise<string>(() => {}), /acme\.weather failed: .*timeout/i],
    ] as const;
    for (const [run, message] of failing) {
      const { api, first } = arrange({ callTimeoutMs: 20 });
      api.registerTool(weather(run));
      await assert.rejects(runTool(first(), { city: "Ulm" }), message);
    }
  });

  it("removes what is disposed of, and reports changes", async () => {
    const { api, first, tools, changes } = arrange();
    const registered = api.registerTool(weather(() => "Rain"));
    const tool = first();
    assert.throws(() => api.registerTool(weather(() => "")), /weather is registered already/);
    registered.dispose();
    registered.dispose();
    assert.deepEqual([tools(), changes()], [[], 2]);
    await assert.rejects(runTool(tool, { city: "Ulm" }), /does not offer weather any more/);
  });

  it("calls a tool that is an object of a class, and takes its schema as it was", async () => {
    const { api, first } = arrange();
    const inputSchema: Record<string, unknown> & { type: "object" } = { type: "object", properties: {} };
    class Counter implements ArborTool {
      readonly name = "count";
      readonly description = "Counts.";
      readonly inputSchema = inputSchema;
      #count = 0;
      run() {
        return String(++this.#count);
      }
    }
    inputSchema.self = inputSchema;
    assert.throws(() => api.registerTool(new Counter()), /circular/);
    delete inputSchema.self;
    api.registerTool(new Counter());
    inputSchema.self = inputSchema;
    assert.match((await runTool(first(), {})).text, /\n1$/);
  });

  it("refuses a tool or an agent that makes no sense, with the reason", () => {
    const { api } = arrange();
    const bad = { ...weather(() => ""), name: "a b" };
    assert.throws(() => api.registerTool(bad), /registerTool: .*name/s);
    assert.throws(() => api.registerTool({ ...bad, name: "a", run: 7 as never }), /registerTool: .*run/s);
    assert.throws(() => api.registerAgent({ name: "", description: "", instructions: "" }), /registerAgent/);
  });

  it("gives listeners each event as a copy, and goes on when one throws", async () => {
    const { registry, api, failures } = arrange();
    const heard: ArborEvent[] = [];
    api.onEvent(() => {
      throw new Error("mine");
    });
    const listening = api.onEvent((event) => {
      heard.push(event);
      Object.assign(event.agent, { id: "changed" });
    });
    const { model, streamFn } = scriptedModel([text("hello"), text("again")]);
    const agent = new Agent({ name: "main", model, streamFn });
    agent.subscribe((event) => registry.emit(event));
    await agent.prompt("hi");
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([heard[0]?.type, heard.at(-1)?.type], ["agent_start", "agent_end"]);
    assert.equal(failures.length, heard.length);
    assert.notEqual(agent.id, "changed");
    const before = heard.length;
    listening.dispose();
    await agent.prompt("more");
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(heard.length, before);
  });

  it("offers agents to delegate to, which never replace another one", () => {
    const { registry, api } = arrange();
    assert.equal(registry.withAgents(nothingCustom), nothingCustom);
    api.registerAgent({ name: "poet", description: "Writes poems.", instructions: "Rhyme.", tools: ["read_file"] });
    const taken = api.registerAgent({ name: "explore", description: "Mine.", instructions: "Mine." });
    const custom = registry.withAgents(nothingCustom);
    assert.equal(registry.withAgents(nothingCustom), custom, "the same for the same, so that prompts stay");
    assert.deepEqual(
      custom.agents.map(({ name }) => name),
      ["poet"],
    );
    const directory = new AgentRegistry();
    registerAgents(directory, { tools: { readOnly: [], all: [] } }, custom);
    assert.ok(delegationTools({ agent: { id: "main" }, registry: directory }).list().length > 0);
    assert.match(String(directory.configuration("poet")?.instructions), /Rhyme/);
    registry.exports
      .forExtension("other.poets")
      .registerAgent({ name: "poet", description: "Also.", instructions: "Also." });
    assert.deepEqual(
      registry.withAgents(nothingCustom).agents.map(({ name, description }) => [name, description]),
      [["poet", "Writes poems."]],
    );
    taken.dispose();
    assert.notEqual(registry.withAgents(nothingCustom), custom);
  });

  describe("adds a model", () => {
    const model = (respond: ArborModel["respond"]): ArborModel => ({
      ...{ id: "small:1", name: "Small", maxInputTokens: 10_000, respond },
    });
    /** What an agent with the model says. */
    async function answerOf(registry: ExtensionRegistry) {
      const streamFn = editorStream({
        listModels: async () => [...registry.models],
        limiter: createRateLimiter(() => 1),
      });
      const agent = new Agent({
        ...{ name: "main", model: { id: "acme.weather/small:1", provider: "vscode" }, streamFn },
        tools: [jsonSchemaTool({ name: "look", description: "Looks.", parameters: { type: "object" } }, () => "seen")],
      });
      return { agent, answer: async () => (await agent.prompt("hi")).text };
    }

    it("that is one of the editor's, calls tools, and gets their results", async () => {
      const { registry, api, changes } = arrange();
      const seen: ArborModelRequest[] = [];
      const registered = api.registerModel(
        model(async function* (request) {
          seen.push(request);
          if (seen.length === 1) yield { type: "call", id: "1", name: "look", input: {} };
          else yield { type: "text", text: "I have seen it." };
        }),
      );
      assert.equal(changes(), 1);
      assert.throws(() => api.registerModel(model(async function* () {})), /registered already/);
      const { answer } = await answerOf(registry);
      assert.equal(await answer(), "I have seen it.");
      assert.deepEqual(
        seen[0]?.tools.map(({ name }) => name),
        ["look"],
      );
      const result = { type: "result", callId: "1", content: [{ type: "text", text: "seen" }] };
      assert.deepEqual(seen[1]?.messages.at(-1), { role: "user", content: [result] });
      registered.dispose();
      assert.deepEqual([registry.models, changes()], [[], 2]);
    });

    it("that throws fails its request with what it said, and one that never answers is left", async () => {
      const { registry, api } = arrange();
      const failing = api.registerModel(
        model(async function* () {
          yield { type: "text", text: "Let me " };
          throw new Error("out of order");
        }),
      );
      const first = await answerOf(registry);
      await assert.rejects(first.answer(), /out of order/);
      failing.dispose();
      const worse = api.registerModel(
        model(() => ({
          [Symbol.asyncIterator]: () => ({
            next: () => Promise.reject(new Error("out of order")),
            return() {
              throw new Error("can't be closed");
            },
          }),
        })),
      );
      await assert.rejects((await answerOf(registry)).answer(), /out of order/);
      worse.dispose();
      api.registerModel(
        model(async function* () {
          await new Promise(() => {});
        }),
      );
      const second = await answerOf(registry);
      const running = second.answer();
      setTimeout(() => void second.agent.abort(), 50);
      await assert.rejects(running, { code: "aborted" });
    });

    it("only where it makes sense", () => {
      const { api } = arrange();
      for (const change of [{ id: "a/b" }, { name: "" }, { maxInputTokens: 0 }, { respond: undefined }]) {
        assert.throws(() => api.registerModel({ ...model(async function* () {}), ...change } as ArborModel));
      }
    });
  });
});
