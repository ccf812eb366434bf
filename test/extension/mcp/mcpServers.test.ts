import assert from "node:assert/strict";
import type { ServersFound } from "../../../src/extension/mcp/configuration.ts";
import { McpServers } from "../../../src/extension/mcp/mcpServers.ts";
import { ServerApproval } from "../../../src/extension/mcp/serverApproval.ts";
import { showServers } from "../../../src/extension/mcp/serverPicker.ts";
import type { Prompts } from "../../../src/extension/models/setup/prompts.ts";
import { scriptedPrompts } from "../../support/scriptedPrompts.ts";
import { define, hostile, TestServers } from "./support/servers.ts";

const made = new TestServers();
const { signal } = new AbortController();

function setUp({ answer = true, isTrusted = true, maxWaitMs = 5_000, problem = "There is none." } = {}) {
  const state = {
    found: { servers: [], problems: [] } as ServersFound,
    ...{ answer, isTrusted },
    asked: [] as string[],
    reported: [] as string[],
  };
  let approved: Readonly<Record<string, string>> = {};
  const servers = new McpServers({
    read: async () => state.found,
    approval: new ServerApproval({
      memory: {
        read: () => approved,
        write: async (next) => {
          approved = next;
        },
      },
      isTrusted: () => state.isTrusted,
      sandboxProblem: async () => problem,
      isSandboxRequired: () => false,
      confirm: async ({ message, answers }) => {
        state.asked.push(message);
        return state.answer ? answers[0] : undefined;
      },
    }),
    create: (definition) => made.of(definition),
    report: (problem) => state.reported.push(problem),
    maxWaitMs,
  });
  return { state, servers, states: () => servers.all.map((server) => server.state.type) };
}

describe("The MCP servers of a window", () => {
  afterEach(() => made.dispose());

  it("start with the first message, and one that fails takes nothing from the others", async () => {
    const { state, servers, states } = setUp();
    state.found = { servers: [define("a", hostile("")), define("b", { command: "/nowhere" })], problems: ["odd"] };
    await servers.startForUse(signal);
    assert.deepEqual(states(), ["running", "failed"]);
    assert.equal(state.reported[0], "odd");
    assert.match(state.reported[1] ?? "", /MCP server b/);
  });

  it("are not started again by each message when they can't be, and their problems are reported once", async () => {
    const { state, servers } = setUp();
    state.found = { servers: [define("b", { command: "/nowhere" })], problems: ["odd"] };
    await servers.startForUse(signal);
    await servers.startForUse(signal);
    assert.equal(state.reported.length, 2);
  });

  it("94 of a workspace are not started when the user says no", async () => {
    const { state, servers, states } = setUp({ answer: false });
    state.found = { servers: [define("a", hostile(""), "workspace")], problems: [] };
    await servers.startForUse(signal);
    assert.deepEqual([states(), state.asked.length, servers.approved], [["stopped"], 1, []]);
  });

  it("94 are not started in Restricted Mode, and nothing is asked", async () => {
    const { state, servers, states } = setUp({ isTrusted: false });
    state.found = { servers: [define("a", hostile("")), define("b", hostile(""), "workspace")], problems: [] };
    await servers.startForUse(signal);
    assert.deepEqual([states(), state.asked], [["stopped", "stopped"], []]);
  });

  it("stay as they are when the configuration does, and end when it has changed", async () => {
    const { state, servers } = setUp();
    state.found = { servers: [define("a", hostile("")), define("b", hostile(""))], problems: [] };
    await servers.startForUse(signal);
    const [a, b] = servers.all;
    state.found = { servers: [define("a", hostile("")), define("b", hostile("names"))], problems: [] };
    await servers.refresh();
    assert.equal(servers.all[0], a);
    assert.notEqual(servers.all[1], b);
    assert.equal(servers.all[1]?.state.type, "stopped");
  });

  it("keep a message waiting no longer than allowed", async () => {
    const { state, servers, states } = setUp({ maxWaitMs: 50 });
    state.found = { servers: [define("a", hostile("silent"))], problems: [] };
    await servers.startForUse(signal);
    assert.deepEqual(states(), ["starting"]);
  });
});

describe("The list of MCP servers", () => {
  afterEach(() => made.dispose());

  it("stops and starts a server, and asks again about one that was refused", async () => {
    const { state, servers, states } = setUp({ answer: false });
    state.found = { servers: [define("a", hostile(""), "workspace")], problems: [] };
    await servers.startForUse(signal);
    state.answer = true;
    const shown: string[] = [];
    const show = (action: string) =>
      showServers({
        servers,
        prompts: scriptedPrompts("a", action),
        showText: async (text) => void shown.push(text),
        openSettings: async () => {},
        forgetInputs: async () => {},
      });
    await show("Start");
    assert.deepEqual([states(), state.asked.length], [["running"], 2]);
    await show("Show tools");
    assert.match(shown[0] ?? "", /## work\n\nWorks\./);
    await show("Stop");
    assert.deepEqual(states(), ["stopped"]);
    await show("Show log");
    assert.match(shown[1] ?? "", /exited with code 0/);
  });

  it("says of each server on this machine whether it is sandboxed, and why not", async () => {
    const { state, servers } = setUp();
    const meant = define("b", { ...hostile(""), sandboxEnabled: true });
    state.found = { servers: [define("a", hostile("")), meant, define("c", { url: "http://a.test" })], problems: [] };
    await servers.startForUse(signal);
    const shown: (string | undefined)[] = [];
    const prompts: Pick<Prompts, "choose" | "showMessage" | "during"> = {
      ...scriptedPrompts(),
      async choose({ choices }) {
        shown.push(...choices.map(({ description }) => description));
        return undefined;
      },
    };
    const others = { showText: async () => {}, openSettings: async () => {}, forgetInputs: async () => {} };
    await showServers({ servers, prompts, ...others });
    assert.deepEqual(shown, [
      "running, tools: 1 · not sandboxed: sandboxEnabled is not set",
      "running, tools: 1 · not sandboxed: There is none.",
      shown[2],
    ]);
    assert.doesNotMatch(shown[2] ?? assert.fail(), /sandbox/);
  });

  it("says what to do where there is none", async () => {
    const prompts = scriptedPrompts("Open Settings");
    let isOpen = false;
    await showServers({
      servers: setUp().servers,
      prompts,
      showText: async () => {},
      openSettings: async () => {
        isOpen = true;
      },
      forgetInputs: async () => {},
    });
    assert.ok(isOpen);
  });
});
