import assert from "node:assert/strict";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonSchemaTool } from "../../../src/agent/index.ts";
import { arrangeDelegations, type DelegationOptions } from "./delegations.ts";
import { rows } from "./realAgents.ts";

const agentFile = join(import.meta.dirname, "../../support/acpAgent.ts");
const claude = "--name=@agentclientprotocol/claude-agent-acp";

function guarded(tasks: string[], { args = [claude, "--mcp"], ...options }: DelegationOptions = {}) {
  const setting = { Tester: { command: process.execPath, args: [agentFile, ...args], guarded: true } };
  return arrangeDelegations(tasks, { setting, ...options });
}

const textIn = async ({ workspace }: ReturnType<typeof arrangeDelegations>, path: string) => {
  const content = await workspace.read(path, new AbortController().signal);
  return content.kind === "text" ? content.text : "";
};

describe("a guarded agent of another program", function () {
  this.timeout(20_000);
  const opened: ReturnType<typeof arrangeDelegations>[] = [];
  const open = (...parts: Parameters<typeof guarded>) => {
    const arranged = guarded(...parts);
    opened.push(arranged);
    return arranged;
  };
  afterEach(() => {
    for (const { owned } of opened.splice(0)) for (const part of owned) part.dispose();
  });

  it("has the tools of its node in place of its own, and says so", async () => {
    const { run, emitted } = open(["tools", "meta"]);
    const [tools = "", meta = "{}"] = await run();
    assert.match(tools, /^read_file .*edit_file .*write_file .*delegate_to_agent spawn_agents$/);
    const { _meta, mcpServers } = JSON.parse(meta);
    assert.deepEqual(_meta.claudeCode.options.tools, ["WebSearch"]);
    assert.deepEqual(_meta.claudeCode.options.settingSources, ["user"]);
    for (const tool of ["Bash", "Edit", "Write", "Agent"]) {
      assert.ok(_meta.claudeCode.options.disallowedTools.includes(tool), tool);
    }
    assert.match(mcpServers[0].url, /^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    // The token itself would be in the arguments of a process, which all users of the machine see.
    assert.match(mcpServers[0].headers[0].value, /^Bearer \$\{ARBOR_TOOL_SERVER_TOKEN\}$/);
    const known = emitted.find((event) => event.type === "foreign_agent");
    assert.equal(known?.type === "foreign_agent" && known.supervision, "guarded");
  });

  it("has its edits reviewed before they are written, and learns what was rejected", async () => {
    const edit = (path: string, before: string, after: string) =>
      `tool edit_file ${JSON.stringify({ path, edits: [{ old_text: before, new_text: after }] })}`;
    const store = join(await mkdtemp(join(tmpdir(), "arbor-acp-")), "sessions.json");
    const arranged = open(["x"], {
      args: [claude, "--mcp", `--store=${store}`],
      answer: { answer: ({ oldLines }) => (oldLines[0] === "one" ? { reject: "keep it" } : "accept") },
    });
    const agent = arranged.worker();
    await agent.prompt(`tool read_file ${JSON.stringify({ path: "a.ts" })}`);
    assert.match((await agent.prompt(edit("a.ts", "one", "ONE"))).text ?? "", /keep it/);
    assert.equal(await textIn(arranged, "a.ts"), "one\ntwo\nthree\n");
    await agent.prompt(edit("a.ts", "three", "THREE"));
    assert.equal(await textIn(arranged, "a.ts"), "one\ntwo\nTHREE\n");
    // No question of its own beside the review, and one row for each call.
    assert.deepEqual(arranged.asked, []);
    assert.deepEqual(rows(arranged.tree().nodes), [
      "Tester done",
      "  read_file done",
      "  edit_file done",
      "  edit_file done",
    ]);
    assert.deepEqual(agent.messages.map(({ role }) => role).slice(0, 4), [
      "user",
      "assistant",
      "toolResult",
      "assistant",
    ]);
  });

  it("has the result of each call in its transcript, also of one that it did not wait for", async () => {
    const lasting = jsonSchemaTool(
      { name: "last", description: "Lasts.", parameters: { type: "object", properties: {} } },
      (_args, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("withdrawn")));
        }),
    );
    const { worker } = open([], { serverTools: [lasting] });
    const agent = worker();
    await agent.prompt("hurry last");
    assert.deepEqual(
      agent.messages.map(({ role }) => role),
      ["user", "assistant", "toolResult"],
    );
  });

  it("has our agents as its sub-agents, below it and with the tools that they have", async () => {
    const task = { agent: "explore", task: "tools", context: "" };
    const { run, tree, owned } = open([`tool delegate_to_agent ${JSON.stringify(task)}`]);
    const [answer = ""] = await run();
    assert.match(answer, /read_file/);
    // A session that has ended is not held by its chat.
    assert.equal(owned.length, 1);
    assert.ok(!answer.includes("edit_file"), answer);
    assert.deepEqual(rows(tree().nodes), ["Tester done", "  delegate_to_agent done", "  explore done"]);
    const child = Object.values(tree().nodes).find(({ meta }) => meta.name === "explore");
    assert.deepEqual([child?.meta.depth, child?.meta.model], [2, "Tester"]);
  });

  it("gives its instructions to a sub-agent of ours, with its model", async () => {
    const task = { agent: "edit", task: "meta", context: "" };
    const { run } = open([`tool delegate_to_agent ${JSON.stringify(task)}`]);
    const [answer = ""] = await run();
    assert.match(answer, /carr(?:y|ies) out/i);
  });

  it("is no longer guarded once it skips its questions", async () => {
    const { worker, emitted } = open([]);
    await worker().prompt("escalate");
    const known = emitted.findLast((event) => event.type === "foreign_agent");
    assert.equal(known?.type === "foreign_agent" && known.supervision, "unsupervised");
  });

  it("does not start where its own tools can't be switched off, or it takes no server", async () => {
    for (const args of [["--mcp"], [claude]]) {
      const { worker } = open([], { args });
      await assert.rejects(worker().prompt("say hi"), /Tester could not be started: It can't be guarded/);
    }
  });
});

describe("an agent of another program with its own tools", function () {
  this.timeout(20_000);

  it("is offered the tools of the user's servers, which ask here, and nothing else of ours", async () => {
    const arranged = arrangeDelegations(["tools", 'tool docs__find {"for":"x"}', "tool read_file {}"], {
      args: [claude, "--mcp"],
      serverTools: [
        jsonSchemaTool(
          { name: "docs__find", description: "Finds.", parameters: { type: "object", properties: {} } },
          (args, { agent }) => `${agent.name} asked ${JSON.stringify(args)}`,
        ),
      ],
    });
    const [tools, found = "", refused = ""] = await arranged.run();
    assert.equal(tools, "docs__find");
    assert.match(found, /Tester asked \{\\"for\\":\\"x\\"\}/);
    assert.match(refused, /There is no tool read_file/);
    // The one that is not ours is asked about as its own.
    assert.deepEqual(
      arranged.asked.map(({ kind }) => kind),
      ["foreign"],
    );
    for (const part of arranged.owned) part.dispose();
  });

  it("is given no server where it takes none, or there are no tools for it", async () => {
    for (const args of [[claude], [claude, "--mcp"]]) {
      const { run, owned } = arrangeDelegations(["meta"], { args });
      const [meta = "{}"] = await run();
      assert.deepEqual(JSON.parse(meta).mcpServers, []);
      for (const part of owned) part.dispose();
    }
  });
});
