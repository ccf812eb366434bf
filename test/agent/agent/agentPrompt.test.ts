import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentRegistry } from "../../../src/agent/agent/registry.ts";
import { ofType, recordedAgent, results, said } from "../../support/agents.ts";
import { call, text } from "../../support/scriptedModel.ts";

describe("the prompt of an agent", () => {
  it("is built from its parts in order, unless a system prompt is given", async () => {
    const registry = new AgentRegistry();
    registry.register({ name: "main", description: "itself" }, () => ({}));
    registry.register({ name: "scout", description: "looks around" }, () => ({}));
    const parts = { description: "A helper.", instructions: "Be brief.", projectContext: "A shop.", registry };
    const built = recordedAgent([text("ok")], parts);
    await built.agent.prompt("hi");
    const prompt = built.requests[0]?.systemPrompt ?? "";
    const tags = ["identity", "instructions", "project_context", "available_agents"];
    assert.deepEqual(
      tags.map((tag) => prompt.indexOf(`<${tag}>`)),
      tags.map((tag) => prompt.indexOf(`<${tag}>`)).toSorted((a, b) => a - b),
    );
    assert.match(prompt, /- scout: looks around/);
    assert.doesNotMatch(prompt, /- main: itself/);
    const given = recordedAgent([text("ok")], { ...parts, systemPrompt: "Just this." });
    await given.agent.prompt("hi");
    assert.equal(given.requests[0]?.systemPrompt, "Just this.");
  });

  it("includes its skills, and load_skill to read them", async () => {
    const skills = [{ name: "deploy", description: "ships it", content: "Press the button.", dir: "/skills/deploy" }];
    const { agent, requests } = recordedAgent([call("load_skill", { name: "deploy" }), text("ok")], { skills });
    await agent.prompt("hi");
    assert.match(requests[0]?.systemPrompt ?? "", /- deploy: ships it/);
    assert.deepEqual(
      requests[0]?.tools.map((tool) => tool.name),
      ["load_skill"],
    );
    assert.match(results(agent.messages)[0] ?? "", /Press the button\.[\s\S]*\/skills\/deploy/);
  });

  it("says who it is in words of its own, where it has them", async () => {
    const { agent, requests } = recordedAgent([text("ok")], {
      name: "main",
      description: "A helper.",
      identity: "You are Arbor.",
    });
    await agent.prompt("hi");
    assert.match(requests[0]?.systemPrompt ?? "", /^<identity>\nYou are Arbor\.\n<\/identity>/);
  });

  it("asks for its project context before each run until it is known, and then no more", async () => {
    const answers = [undefined, "A shop."];
    let asked = 0;
    const { agent, requests } = recordedAgent([text("a"), text("b"), text("c")], {
      projectContext: async () => answers[asked++],
    });
    for (const words of ["one", "two", "three"]) await agent.prompt(words);
    assert.equal(asked, 2);
    assert.deepEqual(
      requests.map(({ systemPrompt }) => /A shop\./.test(systemPrompt)),
      [false, true, true],
    );
  });

  it("E57: with a working folder, the nearest AGENTS.md is its project context, read once", async () => {
    const root = await mkdtemp(join(tmpdir(), "agents-md-"));
    try {
      await mkdir(join(root, "src"));
      await writeFile(join(root, "AGENTS.md"), "Use tabs.");
      const { agent, requests } = recordedAgent([text("a"), text("b")], { cwd: join(root, "src") });
      await agent.prompt("hi");
      await writeFile(join(root, "AGENTS.md"), "Use spaces.");
      await agent.prompt("more");
      for (const request of requests) assert.match(request.systemPrompt, /<project_context>\nUse tabs\.\n/);
      assert.match(agent.state.systemPrompt, /Use tabs\./);
    } finally {
      await rm(root, { recursive: true });
    }
  });

  it("E52, E53: a compactor is asked before each request; its summary and what it keeps are what is sent", async () => {
    const asked: number[] = [];
    const { agent, events, requests } = recordedAgent([text("one"), text("two")], {
      compactor: async (messages) => {
        asked.push(messages.length);
        const last = messages.at(-1);
        return asked.length === 1 || last === undefined ? "skip" : { summary: "they talked", keepFrom: last.id };
      },
    });
    await agent.prompt("first");
    await agent.prompt("second");
    assert.deepEqual(asked, [1, 3]);
    const sent = said(requests[1]?.messages ?? []);
    assert.equal(sent.length, 2);
    assert.match(sent[0] ?? "", /they talked/);
    assert.equal(sent[1], "user: second");
    assert.deepEqual(
      events.map((event) => event.type).filter((type) => type.startsWith("compaction")),
      ["compaction_start", "compaction_end"],
    );
    assert.equal(
      ofType(events, "message_end").some((event) => event.message.role === "summary"),
      true,
    );
    assert.equal(agent.messages.length, 5);
  });
});
