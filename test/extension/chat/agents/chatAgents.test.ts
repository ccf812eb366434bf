import assert from "node:assert/strict";
import { Agent, jsonSchemaTool } from "../../../../src/agent/index.ts";
import { type ChatAgentsDependencies, configureChatAgent } from "../../../../src/extension/chat/agents/chatAgents.ts";
import { projectContextOf } from "../../../../src/extension/chat/agents/delegationParts.ts";
import type { Chat } from "../../../../src/extension/chat/chat.ts";
import { readProjectInstructions } from "../../../../src/extension/customization/projectInstructions.ts";
import type { Notice } from "../../../../src/protocol/hostEvents.ts";
import { toolBench } from "../../../support/editorTools.ts";
import { scriptedModel, text } from "../../../support/scriptedModel.ts";
import { settingsFrom } from "../../../support/settings.ts";

describe("a chat whose workspace comes to be trusted", () => {
  it("has the tools of the editor and the project's AGENTS.md from its next run on, and both stay", async () => {
    const { model, streamFn, requests } = scriptedModel([text("no"), text("yes"), text("still")]);
    const { dependencies, workspace } = toolBench({ files: { "a.ts": "", "AGENTS.md": "Use tabs." } });
    let isTrusted = false;
    // What of a chat and of the editor is asked before a run.
    const parts = {
      ...dependencies,
      review: { reviewFor: () => dependencies.review },
      paths: { of: () => ["main"], lineage: () => ["main"] },
      commands: { of: () => ({}) },
      mcpTools: () => [],
      models: { mainModel: () => model, usesPatches: () => false },
      settings: () => settingsFrom({}),
      isTrusted: () => isTrusted,
      thinking: () => "off",
      delegations: new WeakMap(),
      projectInstructions: () => readProjectInstructions({ workspace, filesInPlay: () => [] }),
    } as unknown as ChatAgentsDependencies;
    const shown: Notice[] = [];
    const chat = { notices: { show: (notice: Notice) => shown.push(notice) } } as unknown as Chat;
    const agent = new Agent({ name: "main", model, streamFn, projectContext: projectContextOf(chat, parts) });
    const run = async (words: string) => {
      configureChatAgent(agent, chat, parts);
      await agent.prompt(words);
    };
    await run("one");
    isTrusted = true;
    await run("two");
    workspace.files.set("AGENTS.md", "Use spaces.");
    await run("three");
    const [before, after, later] = requests;
    assert.doesNotMatch(before?.systemPrompt ?? "", /tabs/);
    assert.deepEqual(before?.tools, []);
    assert.match(after?.systemPrompt ?? "", /<project_context>\n<instructions_file path="AGENTS\.md">\nUse tabs\.\n/);
    assert.ok(after?.tools.some(({ name }) => name === "read_file"));
    assert.equal(later?.systemPrompt, after?.systemPrompt, "what was read stays, so that the prefix does");
    assert.deepEqual(shown, []);
  });

  it("shows the user what of the project's instructions is left out", async () => {
    const shown: Notice[] = [];
    const context = projectContextOf({ notices: { show: (notice: Notice) => shown.push(notice) } } as unknown as Chat, {
      isTrusted: () => true,
      projectInstructions: async () => ({ text: "Use tabs.", problems: ["a/AGENTS.md is not used"] }),
    });
    assert.equal(await context(), "Use tabs.");
    await context();
    assert.deepEqual(
      shown.map(({ level, text }) => ({ level, text })),
      [{ level: "warning", text: "a/AGENTS.md is not used" }],
    );
  });
});

describe("a chat in plan mode", () => {
  it("sends the same tools and the same system prompt as in any other mode", async () => {
    const { model, streamFn, requests } = scriptedModel([text("plan"), text("done")]);
    const { dependencies } = toolBench({ files: { "a.ts": "" } });
    let mode = "plan";
    const parts = {
      ...dependencies,
      review: { reviewFor: () => dependencies.review },
      paths: { of: () => ["main"], lineage: () => ["main"] },
      commands: { of: () => ({}) },
      mcpTools: () => [],
      models: { mainModel: () => model, usesPatches: () => false },
      settings: () => settingsFrom({ "arbor.permissions.mode": mode }),
      isTrusted: () => true,
      thinking: () => "off",
      delegations: new WeakMap(),
    } as unknown as ChatAgentsDependencies;
    const agent = new Agent({ name: "main", model, streamFn });
    for (mode of ["plan", "ask"]) {
      configureChatAgent(agent, {} as Chat, parts);
      await agent.prompt(mode);
    }
    const [planning, asking] = requests;
    assert.ok(planning?.tools.some(({ name }) => name === "write_file"));
    assert.deepEqual(asking?.tools, planning?.tools);
    assert.equal(asking?.systemPrompt, planning?.systemPrompt);
  });
});

describe("a chat with MCP servers", () => {
  it("offers their tools as they are before each run, in the same order, and none in Restricted Mode", async () => {
    const { model, streamFn, requests } = scriptedModel([text("1"), text("2"), text("3"), text("4")]);
    const { dependencies } = toolBench({ files: { "a.ts": "" } });
    const tool = (name: string) => jsonSchemaTool({ name, description: "", parameters: { type: "object" } }, () => "");
    let names = ["shop__buy", "shop__sell"];
    let isTrusted = true;
    const parts = {
      ...dependencies,
      review: { reviewFor: () => dependencies.review },
      paths: { of: () => ["main"], lineage: () => ["main"] },
      commands: { of: () => ({}) },
      mcpTools: () => names.map(tool),
      models: { mainModel: () => model, usesPatches: () => false },
      settings: () => settingsFrom({}),
      isTrusted: () => isTrusted,
      thinking: () => "off",
      delegations: new WeakMap(),
    } as unknown as ChatAgentsDependencies;
    const agent = new Agent({ name: "main", model, streamFn });
    const run = async () => {
      configureChatAgent(agent, {} as Chat, parts);
      await agent.prompt("go");
    };
    await run();
    await run();
    names = ["find_tools", "use_tool"];
    await run();
    isTrusted = false;
    await run();
    const offered = requests.map(({ tools }) => tools.map(({ name }) => name));
    assert.deepEqual(offered[0]?.slice(0, 3), ["shop__buy", "shop__sell", "read_file"]);
    assert.deepEqual(offered[1], offered[0]);
    assert.deepEqual(offered[2]?.slice(0, 3), ["find_tools", "use_tool", "read_file"]);
    assert.deepEqual(offered[3], []);
  });
});
