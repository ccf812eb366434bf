import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import os from "node:os";
import { join } from "node:path";
import { Agent } from "../../../../src/agent/index.ts";
import { PermissionQueue } from "../../../../src/extension/approvals/permissionQueue.ts";
import { Chat } from "../../../../src/extension/chat/chat.ts";
import { runNotice } from "../../../../src/extension/chat/notices.ts";
import { ChatCommands } from "../../../../src/extension/chat/processes/chatCommands.ts";
import { RunningCommandsBoard } from "../../../../src/extension/panel/status/chatBoards.ts";
import { PausedCommands } from "../../../../src/extension/terminal/pausedCommands.ts";
import { readProcesses } from "../../../../src/extension/terminal/processTable.ts";
import { createReadVersions, editorTools } from "../../../../src/extension/tools/index.ts";
import type { HostEvent } from "../../../../src/protocol/hostEvents.ts";
import { user } from "../../../support/events.ts";
import { memoryWorkspace } from "../../../support/memoryWorkspace.ts";
import { call, hang, type Script, scriptedModel, text } from "../../../support/scriptedModel.ts";
import { scriptedReview } from "../../../support/scriptedReview.ts";
import { patienceMs } from "../../terminal/support.ts";

/** A chat whose root agent has the tools for commands, and a user who accepts all that is asked. */
async function openChat(script: Script, changed: readonly string[] = [], paused = new PausedCommands()) {
  const folder = await mkdtemp(join(os.tmpdir(), "arbor-chat-"));
  const permissions = new PermissionQueue({
    newId: () => crypto.randomUUID(),
    agentPath: () => ["main"],
    lineage: (id) => [id],
  });
  const commands = new ChatCommands({
    permissions,
    storage: join(folder, "outputs"),
    keyNames: () => [],
    folder: async () => ({ path: "shop", absolute: folder, root: folder }),
    agentPath: () => ["main"],
    paused,
    changes: { begin: async () => async () => ({ paths: [], isPartial: false, changed }) },
  });
  const { model, streamFn } = scriptedModel(script);
  const workspace = memoryWorkspace();
  const chat = new Chat({
    createAgent(chat) {
      const dependencies = { workspace, review: scriptedReview(workspace), reads: createReadVersions() };
      const { all } = editorTools({ ...dependencies, agentPath: () => ["main"], commands: commands.of(chat) });
      const agent = new Agent({ name: "main", model, streamFn, tools: all });
      agent.subscribe((event) => commands.observe(chat, event));
      return agent;
    },
    configure: () => {},
    noticeFor: runNotice,
    onActivity: () => {},
  });
  chat.log.onAppend((entry) => {
    if ("host" in entry && entry.host.type === "approval_requested")
      permissions.decide(entry.host.approval.id, "accepted");
  });
  const running = () => commands.of(chat).commands.runningIds();
  return { folder, chat, commands, running, close: () => rm(folder, { recursive: true, force: true }) };
}

const serve = call("run_command", { command: "sleep 1000", background: true });

describe("the commands of a chat", function () {
  this.timeout(patienceMs);
  it("go on after a run that ended on its own, and end with the chat", async () => {
    const { chat, commands, running, close } = await openChat([serve, text("It runs.")]);
    await chat.send(user("u1", "serve"), "queue");
    assert.deepEqual(running(), ["command-1"]);
    const command = commands.of(chat).commands.find("command-1");
    await chat.dispose();
    assert.equal((await command?.ended)?.signal, "SIGKILL");
    await close();
  });

  it("are asked for again once one of them has changed what decides what runs", async () => {
    for (const [path, isLeft] of [
      ["src/a.ts", true],
      ["src/conftest.py", false],
    ] as const) {
      const { chat, folder, close } = await openChat([call("run_command", { command: "true" }), text("Done.")], [path]);
      const request = {
        kind: "command",
        ...{ command: "pytest", cwd: ".", folder, toolName: "run_command", callId: "c" },
        agent: { id: "a", prefix: "a", depth: 1 },
      } as const;
      chat.grants.add([{ request, agentPath: ["main"] }], "session");
      await chat.send(user("u1", "run"), "queue");
      assert.equal(chat.grants.covers(request, ["a"]), isLeft);
      await chat.dispose();
      await close();
    }
  });

  it("are listed while they run in the background, until they have ended", async () => {
    const { chat, commands, close } = await openChat([serve, text("It runs.")]);
    let changes = 0;
    commands.onDidChange(() => void changes++);
    await chat.send(user("u1", "serve"), "queue");
    const [running] = commands.runningFor(chat);
    assert.deepEqual([running?.command, running?.agentPath, running?.chatTitle], ["sleep 1000", ["main"], undefined]);
    const command = commands.background(running?.id ?? "");
    assert.equal(command?.id, "command-1");
    const end = await command?.stop("user");
    assert.equal(end?.cause, "user");
    await new Promise(setImmediate);
    assert.deepEqual([commands.runningFor(chat), commands.background(running?.id ?? ""), changes], [[], undefined, 2]);
    const told = chat.log
      .entriesAfter(0)
      ?.flatMap((entry) => ("host" in entry && entry.host.type === "command_ended" ? [entry.host] : []));
    assert.deepEqual(
      told?.map(({ callId, outcome }) => [callId, outcome.cause]),
      [[running?.callId, "user"]],
    );
    await chat.dispose();
    await close();
  });

  it("are no longer listed when their chat is gone", async () => {
    const { chat, commands, close } = await openChat([serve, text("It runs.")]);
    await chat.send(user("u1", "serve"), "queue");
    assert.equal(commands.runningFor(chat).length, 1);
    await chat.dispose();
    assert.deepEqual(commands.runningFor(chat), []);
    await close();
  });

  it("are listed in other chats that are shown, by the title of their own", async () => {
    const { chat, commands, close } = await openChat([serve, text("It runs.")]);
    const emitted = (events: HostEvent[]) => events.map((event) => "commands" in event && event.commands.length);
    const listener = (isReadOnly = false) => {
      const events: HostEvent[] = [];
      // Nothing else of a chat is looked at.
      const other = { isReadOnly, emit: (event: HostEvent) => void events.push(event) } as unknown as Chat;
      return { other, events };
    };
    const [shown, hidden, readOnly] = [listener(), listener(), listener(true)];
    const board = new RunningCommandsBoard({
      commands,
      chats: () => [shown.other, hidden.other, readOnly.other],
      isShown: (each) => each !== hidden.other,
    });
    await chat.send(user("u1", "serve"), "queue");
    const [event] = shown.events;
    assert.deepEqual(event?.type === "commands_changed" && event.commands.map(({ chatTitle }) => chatTitle), ["serve"]);
    board.update();
    assert.deepEqual([emitted(shown.events), hidden.events, readOnly.events], [[1], [], []]);
    await chat.dispose();
    assert.deepEqual(emitted(shown.events), [1, 0]);
    board.dispose();
    await close();
  });

  it("end with the run that the user stops", async () => {
    const { chat, commands, close } = await openChat([serve, hang()]);
    const run = chat.send(user("u1", "serve"), "queue");
    const { promise: answered, resolve } = Promise.withResolvers<void>();
    chat.log.onAppend((entry) => {
      if ("agent" in entry && entry.agent.type === "tool_execution_end") resolve();
    });
    await answered;
    const command = commands.of(chat).commands.find("command-1");
    await chat.stop();
    await run;
    assert.equal((await command?.ended)?.cause, "stopped");
    await chat.dispose();
    await close();
  });

  it("are found by the call that ran them, in their own chat", async () => {
    const { chat, commands, close } = await openChat([call("run_command", { command: "echo seen" }), text("Ran.")]);
    await chat.send(user("u1", "run"), "queue");
    const ended = chat.log
      .entriesAfter(0)
      ?.flatMap((entry) => ("agent" in entry && entry.agent.type === "tool_execution_end" ? [entry.agent.callId] : []));
    const callId = ended?.[0] ?? assert.fail("no call ended");
    assert.equal(commands.ofCall(chat, callId)?.output.tail(100), "seen\n");
    assert.equal(commands.ofCall(chat, "another"), undefined);
    await chat.dispose();
    await close();
  });

  it("pause while the editor changes a file, also those of agents that work elsewhere", async () => {
    const paused = new PausedCommands();
    const { folder, chat, commands, close } = await openChat([], [], paused);
    const at = { path: "elsewhere", absolute: folder, root: folder };
    const there = { name: "elsewhere", folder, readable: [], commandFolder: async () => at };
    const { commands: others } = commands.elsewhere(chat, there);
    const call = { folder, agentId: "main", callId: "call", isBackground: false, isSandboxed: false };
    const started = await others.start({ ...call, command: "sleep 1000" });
    const starting = await paused.during(async () => {
      const later = others.start({ ...call, command: "true" });
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(others.runningIds().length, 1);
      const rows = others.processes(readProcesses);
      assert.ok(rows.length > 0 && rows.every(({ isPaused }) => isPaused));
      return { later };
    });
    await (await starting.later).ended;
    await chat.dispose();
    assert.equal((await started.ended).signal, "SIGKILL");
    await close();
  });

  it("keep long outputs in a folder of the chat", async () => {
    const long = call("run_command", { command: "seq 1 50000" });
    const { folder, chat, close } = await openChat([long, text("Counted.")]);
    await chat.send(user("u1", "count"), "queue");
    const names = await readdir(join(folder, "outputs", chat.id));
    assert.equal(names.length, 1);
    assert.match(names[0] ?? "", /^\w+-command-1\.txt$/);
    await chat.dispose();
    await close();
  });
});
