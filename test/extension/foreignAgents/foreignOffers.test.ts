import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, type AgentEvent, userMessage } from "../../../src/agent/index.ts";
import { foldTree } from "../../../src/agent/tree/reduceTree.ts";
import { emptyTree } from "../../../src/agent/tree.ts";
import { textOf } from "../../../src/agent/vocabulary/messages.ts";
import type { PermissionRequest } from "../../../src/extension/approvals/permission.ts";
import { ChangeStore } from "../../../src/extension/changes/changeStore.ts";
import { directWrites } from "../../../src/extension/changes/directWrites.ts";
import type { TrackedFile } from "../../../src/extension/changes/model/change.ts";
import { CommandChanges, type NotCovered } from "../../../src/extension/changes/rewind/commandChanges.ts";
import { ChatDelegation } from "../../../src/extension/chat/agents/chatDelegation.ts";
import { agentOptions, mainAgent } from "../../../src/extension/customization/agents.ts";
import { nothingCustom } from "../../../src/extension/customization/customization.ts";
import { ForeignOffers } from "../../../src/extension/foreignAgents/foreignOffers.ts";
import { readProcesses } from "../../../src/extension/terminal/processTable.ts";
import type { CommandDependencies } from "../../../src/extension/tools/dependencies.ts";
import { createReadVersions, editorTools } from "../../../src/extension/tools/index.ts";
import type { HostEvent } from "../../../src/protocol/hostEvents.ts";
import { emptyHostState, type HostState, reduceHost } from "../../../src/protocol/hostState.ts";
import { memoryWorkspace } from "../../support/memoryWorkspace.ts";
import { scriptedModel } from "../../support/scriptedModel.ts";
import { scriptedReview } from "../../support/scriptedReview.ts";

const agentFile = join(import.meta.dirname, "../../support/acpAgent.ts");

interface Options {
  args?: string[];
  setting?: Record<string, unknown>;
  allows?: boolean;
  answer?: Parameters<typeof scriptedReview>[1];
  changes?: { begin(): Promise<() => Promise<NotCovered>> };
  host?: HostState;
  unsaved?: string[];
}

/** A main agent of ours that gives each of these tasks to an agent of another program. */
function arrange(
  tasks: string[],
  { args = [], setting, allows = true, answer, changes, host, unsaved = [] }: Options = {},
) {
  const workspace = memoryWorkspace({ files: { "a.ts": "one\ntwo\nthree\n" } });
  const review = scriptedReview(workspace, answer);
  const reads = createReadVersions();
  const asked: PermissionRequest[] = [];
  const emitted: HostEvent[] = [];
  const adopted: TrackedFile[] = [];
  const owned: { dispose(): void }[] = [];
  const chat = {
    host: host ?? emptyHostState(),
    emit(event: HostEvent) {
      emitted.push(event);
      chat.host = reduceHost(chat.host, event);
    },
    own: (part: { dispose(): void }) => void owned.push(part),
  };
  const commands = {
    askPermission: async (request: PermissionRequest) => {
      asked.push(request);
      return allows ? { allowed: true } : { allowed: false };
    },
    folder: async () => ({ path: "ws", absolute: tmpdir(), root: tmpdir() }),
    ...(changes !== undefined && { changes }),
  } as unknown as CommandDependencies; // Nothing else of it is used here.
  const offers = new ForeignOffers({
    definitions: () => setting ?? { Tester: { command: process.execPath, args: [agentFile, ...args] } },
    environment: process.env,
    warn: () => {},
    unsavedFiles: () => unsaved,
    adoptWrites: directWrites({
      ...{ store: new ChangeStore(), workspace, newId: () => "edit-1" },
      adopt: async (files) => void adopted.push(...files),
    }),
  });
  const toolParts = { workspace, review, reads, agentPath: () => ["main", "Tester"] };
  const parts = {
    ...{ tools: toolParts, commands, lineage: (id: string) => ["root", id], effects: [], usedUp: () => undefined },
    permissionMode: () => "ask" as const,
  };
  const tools = editorTools(toolParts);
  const calls = tasks.map((task) => ({
    calls: [{ name: "delegate_to_agent", args: { agent: "Tester", task, context: "" } }],
  }));
  const model = scriptedModel([...calls, { text: "Done." }]);
  const delegation = new ChatDelegation({
    ...{ tools, custom: () => nothingCustom, projectContext: async () => undefined },
    modelNamed: () => undefined,
    subAgentModel: () => undefined,
    others: () => offers.offers(chat, () => parts),
    each: () => ({ effects: [], middleware: [] }),
  });
  const main = new Agent({
    ...agentOptions(mainAgent, { tools }),
    model: { id: "big", provider: "test" },
    streamFn: model.streamFn,
    registry: delegation.directory,
  });
  delegation.attach(main);
  const events: AgentEvent[] = [];
  main.subscribe((event) => events.push(event));
  const run = async () => {
    await main.prompt(userMessage("go"));
    return main.messages.flatMap((message) => (message.role === "toolResult" ? [textOf(message)] : []));
  };
  const tree = () => foldTree(emptyTree(), events);
  return { run, tree, asked, emitted, adopted, chat, workspace, main, model, offers, delegation };
}

describe("an agent of another program as a sub-agent of ours", function () {
  this.timeout(15_000);

  it("gets the task, and its answer is the result", async () => {
    const { run, tree, emitted, main } = arrange(["say hello there"]);
    assert.deepEqual(await run(), ["hello there"]);
    const child = Object.values(tree().nodes).find(({ meta }) => meta.name === "Tester");
    assert.deepEqual([child?.meta.parentId, child?.status, child?.own.input], [main.id, "done", 100]);
    const known = emitted.findLast((event) => event.type === "foreign_agent");
    assert.deepEqual(known?.type === "foreign_agent" && [known.program, known.supervision, known.reported], [
      "Tester",
      "unsupervised",
      { tokens: true, cost: false },
    ]);
  });

  it("is one whom agents can choose by name, unless the name is one of ours", async () => {
    const command = { command: process.execPath };
    const { delegation } = arrange([], { setting: { Tester: command, explore: command, bad: 7, "a/b": command } });
    const names = delegation.directory.list().map(({ name }) => name);
    assert.deepEqual(names, ["Tester", "edit", "explore"]);
    const { effects } = delegation.directory.configuration("explore") ?? {};
    assert.ok(effects !== undefined);
    assert.equal(delegation.directory.configuration("explore")?.externalTurn, undefined);
  });

  it("asks like ours: a command as a command, an edit with its lines", async () => {
    const { run, asked } = arrange(["tree"]);
    await run();
    assert.deepEqual(
      asked.map((request) => request.kind === "command" && [request.agent.name, request.command, request.cwd]),
      [["worker", "npm test", "ws"]],
    );
  });

  it("has what it saves reviewed hunk by hunk, and knows afterwards what was written", async () => {
    const { run, workspace } = arrange(["save a.ts"], {
      answer: { answer: ({ oldLines }) => (oldLines[0] === "one" ? { reject: "keep it" } : "accept") },
    });
    const [result = ""] = await run();
    assert.match(result, /^refused: Edited a\.ts: kept 1 change.*rejected 1/s);
    assert.match(result, /keep it/);
    const content = await workspace.read("a.ts", new AbortController().signal);
    assert.equal(content.kind === "text" && content.text, "one\ntwo\nTHREE\n");
  });

  it("learns that all is saved where all is accepted", async () => {
    const { run, workspace } = arrange(["save a.ts"]);
    assert.deepEqual(await run(), ["saved"]);
    const content = await workspace.read("a.ts", new AbortController().signal);
    assert.equal(content.kind === "text" && content.text, "ONE\ntwo\nTHREE\n");
  });

  it("writes nothing outside the workspace through the editor", async () => {
    const { run } = arrange(["save ../outside.ts"]);
    const [result = ""] = await run();
    assert.match(result, /^refused: /);
  });

  it("shows what it writes directly as its hunks, to be kept or undone", async () => {
    const bytes = (text: string) => new TextEncoder().encode(text);
    const found = new Map([
      ["a.ts", { before: { bytes: bytes("one\ntwo\nthree\n") }, after: { bytes: bytes("ONE\ntwo\nTHREE\n") } }],
      ["new.ts", { before: {}, after: { bytes: bytes("new\n") } }],
      ["image.png", { before: {}, after: { bytes: Uint8Array.of(0xff, 0xfe, 0x80) } }],
      ["gone.ts", { before: { bytes: bytes("x\n") }, after: {} }],
    ]);
    const changes = { begin: async () => async () => ({ paths: [], isPartial: false, found }) };
    const { run, adopted } = arrange(["say hi"], { changes });
    await run();
    assert.deepEqual(
      adopted.map(({ path, hunks }) => [path, hunks.length, hunks[0]?.kind, hunks[0]?.author.agentPath]),
      [
        ["a.ts", 2, "update", ["main", "Tester"]],
        ["new.ts", 1, "add", ["main", "Tester"]],
      ],
    );
  });

  it("that writes without a word is seen in whatever it writes, and leaves no process", async () => {
    const folder = await mkdtemp(join(tmpdir(), "arbor-hostile-"));
    await writeFile(join(folder, "a.ts"), "one\ntwo\n");
    const kept: string[] = [];
    const changes = new CommandChanges({
      files: {
        list: async () => ({ paths: await readdir(folder), truncated: false }),
        folders: async () => [],
        async stamp(path) {
          const found = await stat(join(folder, path)).catch(() => undefined);
          return found && { isFile: found.isFile(), bytes: found.size, version: `${found.mtimeMs} ${found.size}` };
        },
        take: async (path) => ({ bytes: await readFile(join(folder, path)) }),
      },
      checkpoints: {
        moment: async () => ({ messageId: "m" }) as never,
        addChanges: async (_moment, found) => void kept.push(...found.keys()),
      },
      warn: () => {},
    });
    const { run, adopted } = arrange(
      [`overwrite ${join(folder, "a.ts")}`, `overwrite ${join(folder, "b.ts")}`, "fork"],
      { changes },
    );
    const results = await run();
    assert.deepEqual(results.slice(0, 2), ["written", "written"]);
    assert.deepEqual(
      adopted.map(({ path, hunks }) => [path, hunks.map(({ hunk }) => [hunk.oldText, hunk.newText])]),
      [
        ["a.ts", [["one\n", "ONE\n"]]],
        ["b.ts", [["", "new\n"]]],
      ],
    );
    assert.deepEqual(kept, ["a.ts", "b.ts"]);
    assert.ok(!readProcesses().some(({ pid }) => pid === Number(results[2])));
  });

  it("that can't be started is an error result with the reason", async () => {
    const { run } = arrange(["hi"], { setting: { Tester: { command: "/no/such/program" } } });
    const [result = ""] = await run();
    assert.match(result, /Tester could not be started: spawn \/no\/such\/program ENOENT/);
  });

  it("learns which files the editor has not saved", async () => {
    const { run } = arrange(["recall"], { unsaved: ["/ws/a.ts"] });
    assert.match((await run())[0] ?? "", /unsaved changes in \/ws\/a\.ts/);
  });

  it("goes on with its session after the window was reloaded", async () => {
    const store = join(await mkdtemp(join(tmpdir(), "arbor-acp-")), "sessions.json");
    const before = arrange([], { args: [`--store=${store}`] });
    const work = async ({ delegation }: typeof before, text: string) => {
      const options = delegation.directory.configuration("Tester") ?? assert.fail();
      const { model = assert.fail() } = options;
      const agent = new Agent({ ...options, id: "child", model, streamFn: before.model.streamFn });
      return (await agent.prompt(text)).text;
    };
    await work(before, "say one");
    // As it is read back from the chat's log.
    const host = before.emitted.reduce(reduceHost, emptyHostState());
    const after = arrange([], { args: [`--store=${store}`], host });
    assert.equal(await work(after, "recall"), "say one | recall");
  });

  it("is a fresh one for each task", async () => {
    const { run } = arrange(["say one", "recall"]);
    assert.deepEqual(await run(), ["one", "recall"]);
  });
});
