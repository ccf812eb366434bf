import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { textOf } from "../../../src/agent/vocabulary/messages.ts";
import { describeReal } from "../../support/installedPackage.ts";
import { answers, bodies, hostOf, place, rows, said, steered, stopsWhileAsked, usage } from "./realAgents.ts";

describeReal("Codex 2.6, the real one", () => {
  const made = place("codex-acp", "2.6.0");
  const command = (cmd: string, more: object = {}) => ({ tool: "exec_command", arguments: { cmd, ...more } });

  it("writes in its own sandbox without a question, and what it wrote waits for review", async () => {
    const { provider, file } = made;
    await provider.script(
      { steps: [{ text: "Reading." }, command(`cat ${file}`)], usage },
      { steps: [{ text: "Editing." }, command(`sed -i s/two/TWO/ ${file}`)], usage },
      answers("All done."),
    );
    const { run, asked, adopted, tree, emitted } = made.arrange(["change it"]);
    assert.deepEqual(await run(), ["All done."]);
    assert.deepEqual(asked, []);
    assert.equal(await readFile(file, "utf8"), "one\nTWO\nthree\n");
    assert.deepEqual(
      adopted.map(({ path, hunks }) => [path, hunks.map(({ hunk }) => [hunk.oldText, hunk.newText])]),
      [["a.txt", [["two\n", "TWO\n"]]]],
    );
    assert.deepEqual(rows(tree().nodes), ["Tester done", "  agent:exec_command done", "  agent:exec_command done"]);
    const node = Object.values(tree().nodes).find(({ meta }) => meta.name === "Tester");
    assert.deepEqual([node?.own.input, node?.own.output], [300, 30]);
    assert.deepEqual(node?.messages.filter(({ role }) => role === "assistant").map(textOf), [
      "Reading.",
      "Editing.",
      "All done.",
    ]);
    // What the command printed.
    assert.equal(Object.values(node?.tools ?? {})[0]?.result?.content, "one\ntwo\nthree\n");
    const known = emitted.findLast((event) => event.type === "foreign_agent");
    assert.equal(known?.type === "foreign_agent" && known.supervision, "sandboxed");
  });

  it("edits with its own patch tool", async () => {
    const { provider, file } = made;
    const patch = `*** Begin Patch\n*** Update File: ${file}\n@@\n one\n-two\n+TWO\n three\n*** End Patch`;
    await provider.script({ steps: [command(`apply_patch <<'EOF'\n${patch}\nEOF`)], usage }, answers("All done."));
    const { run, adopted, tree } = made.arrange(["patch it"]);
    await run();
    assert.equal(await readFile(file, "utf8"), "one\nTWO\nthree\n");
    assert.deepEqual(
      adopted.map(({ path }) => path),
      ["a.txt"],
    );
    const node = Object.values(tree().nodes).find(({ meta }) => meta.name === "Tester");
    assert.deepEqual(
      Object.values(node?.tools ?? {}).map(({ toolName, status, args }) => [toolName, status, args]),
      [["agent:edit", "done", { paths: [file] }]],
    );
  });

  for (const allows of [true, false]) {
    it(`asks before a command leaves its sandbox, and ${allows ? "goes on" : "gives up where it may not"}`, async () => {
      const { provider, home } = made;
      const outside = join(home, "outside.txt");
      const escalated = command(`touch ${outside}`, {
        sandbox_permissions: "require_escalated",
        justification: "May I?",
      });
      await provider.script({ steps: [escalated], usage }, answers("All done."));
      const { run, asked, tree } = made.arrange(["write outside"], { allows });
      const [result = ""] = await run();
      assert.deepEqual(
        asked.map((request) => request.kind === "command" && request.command),
        [`touch ${outside}`],
      );
      assert.equal(existsSync(outside), allows);
      assert.match(result, allows ? /^All done\.$/ : /Tester stopped because this was not allowed: touch/);
      const [agent, call] = rows(tree().nodes);
      assert.deepEqual(
        [agent, call],
        allows ? ["Tester done", "  agent:exec_command done"] : ["Tester error", "  agent:execute error"],
      );
    });
  }

  it("goes on with the reason where a command may not leave its sandbox", async () => {
    const { provider, home } = made;
    const outside = join(home, "outside.txt");
    const escalated = command(`touch ${outside}`, {
      sandbox_permissions: "require_escalated",
      justification: "May I?",
    });
    await provider.script({ steps: [escalated], usage }, answers("Then not."));
    const { run } = made.arrange(["write outside"], { allows: false, reason: "not there" });
    assert.match((await run())[0] ?? "", /Then not\.$/);
    assert.ok(!existsSync(outside));
    assert.ok((await bodies(provider)).some((body) => /did not allow touch .*not there/.test(body)));
  });

  it("can't write outside of its folder without a question", async () => {
    const { provider } = made;
    // Temporary folders are open to it, except this one. It may leave out a command that fails within milliseconds.
    const base = await mkdtemp("/var/tmp/arbor-outside-");
    const outside = join(base, "outside.txt");
    await provider.script({ steps: [command(`sleep 0.3; touch ${outside}`)], usage }, answers("All done."));
    const { run, asked, tree } = made.arrange(["write outside"]);
    await run();
    assert.deepEqual(asked, []);
    assert.ok(!existsSync(outside));
    assert.deepEqual(rows(tree().nodes), ["Tester done", "  agent:exec_command error"]);
    await rm(base, { recursive: true });
  });

  it("stops while a question is open, which is withdrawn", async () => {
    const { provider, home } = made;
    const outside = join(home, "outside.txt");
    const escalated = command(`touch ${outside}`, {
      sandbox_permissions: "require_escalated",
      justification: "May I?",
    });
    await provider.script({ steps: [escalated], usage }, answers("All done."));
    await stopsWhileAsked(made);
    assert.ok(!existsSync(outside));
  });

  it("takes in what is said while it works", async () => {
    const { provider } = made;
    const half = { steps: [{ text: "Half of it. " }, { gate: "on" }], usage };
    // It may drop a request that is under way and ask again.
    await provider.script({ when: {}, times: 1, reply: half }, { when: {}, reply: answers("Turned.") });
    assert.equal(await steered(made), "Turned.");
    assert.ok((await bodies(provider)).some((body) => body.includes("turn left")));
  });

  it("stops in the middle of an answer", async () => {
    const { provider } = made;
    await provider.script({ when: {}, reply: { steps: [{ text: "Half of it. " }, { gate: "never" }], usage } });
    const { worker, tree } = made.arrange([]);
    const agent = worker();
    const run = agent.prompt("go on for ever");
    await said(agent, "Half of it.");
    await agent.abort();
    await assert.rejects(run, { code: "aborted" });
    const [node] = Object.values(tree().nodes);
    assert.equal(node?.status, "aborted");
    assert.match(node?.messages.map(textOf).join("\n") ?? "", /Half of it/);
  });

  it("has those that it starts as rows", async () => {
    const { provider } = made;
    const extra = { namespace: "multi_agent_v1" };
    await provider.script(
      { when: { lastToolResult: "agent_id" }, reply: answers("They work.") },
      { when: { lastUser: "LEAF" }, reply: { steps: [{ text: "Leaf reads." }], usage } },
      {
        when: { lastUser: "start them" },
        reply: { steps: [{ tool: "spawn_agent", arguments: { message: "LEAF task" }, extra }], usage },
      },
    );
    const { run, tree } = made.arrange(["start them"]);
    await run();
    assert.deepEqual(rows(tree().nodes), ["Tester done", "  agent:delegate done", "  agent done"]);
    const leaf = Object.values(tree().nodes).find(({ meta }) => meta.depth === 2);
    assert.deepEqual(leaf?.messages.map(textOf), ["Leaf reads."]);
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
    // It asks a model for other things, too.
    const later = (await bodies(provider)).slice(earlier);
    assert.ok(later.some((body) => /PLUM.*which word was it\?/s.test(body)));
    assert.ok(!later.some((body) => body.includes("<conversation>")), "its own session has it");
    const [node] = Object.values(second.tree().nodes);
    const all = ["the word is PLUM", "Noted.", "which word was it?", "Noted."];
    assert.deepEqual(node?.messages.map(textOf), all);
  });

  it("can write nothing while it plans", async () => {
    const { provider, file } = made;
    await provider.script({ steps: [command(`sleep 0.3; sed -i s/two/TWO/ ${file}`)], usage }, answers("All done."));
    const { run, tree } = made.arrange(["plan it"], { mode: "plan" });
    await run();
    assert.equal(await readFile(file, "utf8"), "one\ntwo\nthree\n");
    assert.deepEqual(rows(tree().nodes), ["Tester done", "  agent:exec_command error"]);
  });
});
