import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { textOf } from "../../../src/agent/vocabulary/messages.ts";
import { describeReal } from "../../support/installedPackage.ts";
import {
  answers,
  bodies,
  hostOf,
  place,
  rows,
  said,
  steered,
  stopsWhileAsked,
  usage,
  variables,
} from "./realAgents.ts";

describeReal("Claude Code 0.100, the real one", () => {
  const made = place("claude-agent-acp", "0.100.0");
  /** Of an agent at work; requests for titles and suggestions are not among them. */
  const work = { tool: "Edit" };

  async function scriptEdit() {
    const { provider, file } = made;
    await provider.script(
      {
        when: { ...work },
        times: 1,
        reply: { steps: [{ text: "Reading." }, { tool: "Read", arguments: { file_path: file } }], usage },
      },
      {
        when: { ...work },
        times: 1,
        reply: {
          steps: [
            { text: "Editing." },
            { tool: "Edit", arguments: { file_path: file, old_string: "two", new_string: "TWO" } },
          ],
          usage,
        },
      },
      { when: {}, reply: answers("All done.") },
    );
  }

  it("asks before it edits, and what it wrote waits for review", async () => {
    await scriptEdit();
    const { run, asked, adopted, tree, emitted } = made.arrange(["change it"]);
    assert.deepEqual(await run(), ["All done."]);
    assert.deepEqual(
      asked.map((each) => each.kind === "foreign" && [each.title, each.isEdit, each.details]),
      [["Edit a.txt", true, `${made.file}\n-two\n+TWO`]],
    );
    assert.equal(await readFile(made.file, "utf8"), "one\nTWO\nthree\n");
    assert.deepEqual(
      adopted.map(({ path, hunks }) => [path, hunks.map(({ hunk }) => [hunk.oldText, hunk.newText])]),
      [["a.txt", [["two\n", "TWO\n"]]]],
    );
    assert.deepEqual(rows(tree().nodes), ["Tester done", "  agent:Read done", "  agent:Edit done"]);
    const node = Object.values(tree().nodes).find(({ meta }) => meta.name === "Tester");
    assert.deepEqual([node?.own.input, node?.own.output], [300, 30]);
    assert.deepEqual(node?.messages.filter(({ role }) => role === "assistant").map(textOf), [
      "Reading.",
      "Editing.",
      "All done.",
    ]);
    const known = emitted.findLast((event) => event.type === "foreign_agent");
    assert.equal(known?.type === "foreign_agent" && known.supervision, "asks");
  });

  it("leaves the file as it is where the edit is rejected", async () => {
    await scriptEdit();
    const { run, asked, adopted, tree } = made.arrange(["change it"], { allows: false });
    await run();
    assert.equal(asked.length, 1);
    assert.equal(await readFile(made.file, "utf8"), "one\ntwo\nthree\n");
    assert.deepEqual(adopted, []);
    assert.deepEqual(rows(tree().nodes).slice(1), ["  agent:Read done", "  agent:Edit error"]);
  });

  it("has Arbor write what is accepted of its edit, and learns what was not", async () => {
    const { provider, file } = made;
    const text = "one\ntwo\nthree\n";
    const edit = { file_path: file, old_string: text, new_string: "ONE\ntwo\nTHREE\n" };
    const step = (tool: string, args: object) => ({
      ...{ when: work, times: 1 },
      reply: { steps: [{ tool, arguments: args }], usage },
    });
    await provider.script(step("Read", { file_path: file }), step("Edit", edit), { when: {}, reply: answers("Seen.") });
    const { run, asked, adopted, workspace } = made.arrange(["change it"], {
      files: { "a.txt": text },
      answer: { answer: ({ oldLines }) => (oldLines[0] === "one" ? { reject: "keep it" } : "accept") },
    });
    assert.deepEqual(await run(), ["Seen."]);
    assert.deepEqual([asked, adopted], [[], []]);
    const content = await workspace.read("a.txt", new AbortController().signal);
    assert.equal(content.kind === "text" && content.text, "one\ntwo\nTHREE\n");
    assert.equal(await readFile(file, "utf8"), text, "it has not written by itself");
    assert.ok((await bodies(provider)).some((body) => /took a part of your edit.*rejected 1.*keep it/s.test(body)));
  });

  it("asks for a command as a command", async () => {
    await made.provider.script(
      {
        when: { ...work },
        times: 1,
        reply: { steps: [{ tool: "Bash", arguments: { command: "echo hi > b.txt", description: "Say hi" } }], usage },
      },
      { when: {}, reply: answers("All done.") },
    );
    const { run, asked, adopted, tree } = made.arrange(["run it"]);
    await run();
    assert.deepEqual(
      asked.map((each) => each.kind === "command" && each.command),
      ["echo hi > b.txt"],
    );
    assert.deepEqual(
      adopted.map(({ path, hunks }) => [path, hunks[0]?.kind]),
      [["b.txt", "add"]],
    );
    assert.deepEqual(rows(tree().nodes), ["Tester done", "  agent:Bash done"]);
  });

  it("stops in the middle of an answer", async () => {
    const { provider } = made;
    await provider.script({ when: work, reply: { steps: [{ text: "Half of it. " }, { gate: "never" }], usage } });
    await provider.script({ when: {}, reply: answers("ok") });
    const { worker, tree } = made.arrange([]);
    const agent = worker();
    const run = agent.prompt("go on for ever");
    await said(agent, "Half of it.");
    const since = performance.now();
    await agent.abort();
    await assert.rejects(run, { code: "aborted" });
    assert.ok(performance.now() - since < 5_000, "it takes too long");
    const [node] = Object.values(tree().nodes);
    assert.equal(node?.status, "aborted");
    assert.match(node?.messages.map(textOf).join("\n") ?? "", /Half of it/);
  });

  it("stops while a question is open, which is withdrawn", async () => {
    await scriptEdit();
    await stopsWhileAsked(made);
    assert.equal(await readFile(made.file, "utf8"), "one\ntwo\nthree\n");
  });

  it("takes in what is said while it works", async () => {
    const { provider } = made;
    const half = { steps: [{ text: "Half of it. " }, { gate: "on" }], usage };
    await provider.script({ when: work, times: 1, reply: half }, { when: {}, reply: answers("Turned.") });
    assert.match(await steered(made), /Turned\./);
    assert.ok((await bodies(provider)).some((body) => body.includes("turn left")));
  });

  it("has those that it starts as rows, two levels deep, and the question of one is that one's", async () => {
    const { provider, file } = made;
    const spawn = (prompt: string) => ({
      tool: "Agent",
      arguments: {
        ...{ description: "look around", prompt, subagent_type: "general-purpose" },
        run_in_background: false,
      },
    });
    const write = { tool: "Write", arguments: { file_path: `${file}.new`, content: "new\n" } };
    await provider.script(
      { when: work, times: 1, reply: { steps: [spawn("MIDDLE task")], usage } },
      { when: work, times: 1, reply: { steps: [spawn("LEAF task")], usage } },
      { when: work, times: 1, reply: { steps: [write], usage } },
      { when: {}, reply: answers("I am done.") },
    );
    const { run, asked, tree, adopted } = made.arrange(["start them"]);
    await run();
    assert.deepEqual(rows(tree().nodes), [
      "Tester done",
      "  agent:delegate done",
      "  general-purpose done",
      "    agent:delegate done",
      "    general-purpose done",
      "      agent:Write done",
    ]);
    assert.deepEqual(
      asked.map(({ agent }) => [agent.name, agent.depth]),
      [["general-purpose", 3]],
    );
    assert.deepEqual(
      adopted.map(({ path }) => path),
      ["a.txt.new"],
    );
  });

  it("goes on with its session in another process", async () => {
    const { provider } = made;
    await provider.script({ when: {}, reply: answers("Noted.") });
    const first = made.arrange([]);
    const worker = first.worker();
    assert.equal((await worker.prompt("the word is PLUM")).text, "Noted.");
    const second = made.arrange([], { host: hostOf(first) });
    const earlier = (await provider.requests()).length;
    assert.equal((await second.worker(worker.messages).prompt("which word was it?")).text, "Noted.");
    assert.deepEqual(
      second.emitted.flatMap((event) => (event.type === "foreign_agent" ? [event.sessionId] : [])).at(-1),
      Object.values(hostOf(first).foreignAgents)[0]?.sessionId,
    );
    const later = (await bodies(provider)).slice(earlier);
    assert.ok(later.some((body) => body.includes("PLUM") && body.includes("which word was it?")));
    assert.ok(!later.some((body) => body.includes("<conversation>")), "its own session has it");
    const [node] = Object.values(second.tree().nodes);
    const said = ["the word is PLUM", "Noted.", "which word was it?", "Noted."];
    assert.deepEqual(node?.messages.map(textOf), said);
  });

  it("runs no hook of the repository, while the user's own run", async () => {
    const { folder, home, provider } = made;
    const hook = (path: string) =>
      JSON.stringify({ hooks: { SessionStart: [{ hooks: [{ type: "command", command: `touch ${path}` }] }] } });
    await mkdir(join(folder, ".claude"));
    await writeFile(join(folder, ".claude", "settings.json"), hook(join(home, "by-repository")));
    await writeFile(join(home, ".claude", "settings.json"), hook(join(home, "by-user")));
    await provider.script({ when: {}, reply: answers("Hello.") });
    await made.arrange(["say hello"]).run();
    assert.deepEqual([existsSync(join(home, "by-repository")), existsSync(join(home, "by-user"))], [false, true]);
  });

  it("plans in its mode for plans", async () => {
    await scriptEdit();
    const { run, emitted } = made.arrange(["plan it"], { mode: "plan", allows: false });
    await run();
    assert.equal(await readFile(made.file, "utf8"), "one\ntwo\nthree\n");
    const known = emitted.findLast((event) => event.type === "foreign_agent");
    assert.equal(known?.type === "foreign_agent" && known.supervision, "asks");
    assert.ok((await bodies(made.provider)).some((body) => /plan mode/i.test(body)));
  });
});

describeReal("Claude Code 0.100, the real one, guarded", () => {
  const made = place("claude-agent-acp", "0.100.0");
  const guardedSetting = () => ({
    Tester: { command: made.command, args: made.args, env: variables, guarded: true },
  });

  it("has Arbor's tools alone, and what it does with them is reviewed here", async () => {
    const { provider } = made;
    const call = (name: string, args: object) => ({
      ...{ when: { tool: "mcp__arbor__edit_file" }, times: 1 },
      reply: { steps: [{ tool: `mcp__arbor__${name}`, arguments: args }], usage },
    });
    await provider.script(
      call("read_file", { path: "a.ts" }),
      call("edit_file", { path: "a.ts", edits: [{ old_text: "one", new_text: "ONE" }] }),
      call("delegate_to_agent", { agent: "explore", task: "LOOK at it", context: "" }),
      { when: {}, reply: answers("All done.") },
    );
    const { run, asked, adopted, tree, emitted, workspace } = made.arrange(["change it"], {
      setting: guardedSetting(),
      answer: { answer: () => "accept" },
    });
    assert.deepEqual(await run(), ["All done."]);
    const sent = await provider.requests();
    const offered = sent.flatMap(({ body }) => {
      const { tools = [] } = body as { tools?: { name: string }[] };
      return tools.map(({ name }) => name);
    });
    const own = new Set(offered.filter((name) => !name.startsWith("mcp__arbor__")));
    // The other one represents tools that its model finds by searching for them.
    assert.deepEqual([...own].sort(), ["DeferredToolPlaceholder", "WebSearch"]);
    assert.ok(offered.includes("mcp__arbor__edit_file"));
    const content = await workspace.read("a.ts", new AbortController().signal);
    assert.equal(content.kind === "text" && content.text, "ONE\ntwo\nthree\n");
    assert.deepEqual([asked, adopted], [[], []]);
    assert.deepEqual(rows(tree().nodes), [
      "Tester done",
      ...["  read_file done", "  edit_file done", "  delegate_to_agent done", "  explore done"],
    ]);
    const known = emitted.find((event) => event.type === "foreign_agent");
    assert.equal(known?.type === "foreign_agent" && known.supervision, "guarded");
  });
});
