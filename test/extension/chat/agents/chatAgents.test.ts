import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent } from "../../../../src/agent/index.ts";
import { type ChatAgentsDependencies, configureChatAgent } from "../../../../src/extension/chat/agents/chatAgents.ts";
import type { Chat } from "../../../../src/extension/chat/chat.ts";
import { toolBench } from "../../../support/editorTools.ts";
import { scriptedModel, text } from "../../../support/scriptedModel.ts";
import { settingsFrom } from "../../../support/settings.ts";

describe("a chat whose workspace comes to be trusted", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "arbor-"));
    await writeFile(join(folder, "AGENTS.md"), "Use tabs.");
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("has the tools of the editor and the project's AGENTS.md from its next run on, and both stay", async () => {
    const { model, streamFn, requests } = scriptedModel([text("no"), text("yes"), text("still")]);
    const { dependencies } = toolBench({ files: { "a.ts": "" } });
    let isTrusted = false;
    // What of a chat and of the editor is asked before a run.
    const parts = {
      ...dependencies,
      review: { reviewFor: () => dependencies.review },
      paths: { of: () => ["main"], lineage: () => ["main"] },
      commands: { of: () => undefined },
      models: { mainModel: () => model, usesPatches: () => false },
      settings: () => settingsFrom({}),
      isTrusted: () => isTrusted,
      thinking: () => "off",
      folder: () => folder,
    } as unknown as ChatAgentsDependencies;
    const chat = {} as Chat;
    const agent = new Agent({ name: "main", model, streamFn });
    const run = async (words: string) => {
      configureChatAgent(agent, chat, parts);
      await agent.prompt(words);
    };
    await run("one");
    isTrusted = true;
    await run("two");
    await writeFile(join(folder, "AGENTS.md"), "Use spaces.");
    await run("three");
    const [before, after, later] = requests;
    assert.doesNotMatch(before?.systemPrompt ?? "", /tabs/);
    assert.deepEqual(before?.tools, []);
    assert.match(after?.systemPrompt ?? "", /<project_context>\nUse tabs\.\n<\/project_context>/);
    assert.ok(after?.tools.some(({ name }) => name === "read_file"));
    assert.equal(later?.systemPrompt, after?.systemPrompt, "what was read stays, so that the prefix does");
  });
});
