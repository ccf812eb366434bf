import assert from "node:assert/strict";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, type AgentMessage, MemorySessionStore, type Model, textOf } from "../../../src/agent/index.ts";
import { chooseProgramOption } from "../../../src/extension/foreignAgents/chooseOption.ts";
import { emptyHostState, type HostState, reduceHost } from "../../../src/protocol/hostState.ts";
import { scriptedModel } from "../../support/scriptedModel.ts";
import { scriptedPrompts } from "../../support/scriptedPrompts.ts";
import { arrangeDelegations, changesIn, type DelegationOptions } from "./delegations.ts";

const tester: Model = { id: "Tester", provider: "foreign" };

interface MainOptions extends DelegationOptions {
  messages?: readonly AgentMessage[];
  isTrusted?: boolean;
}

/** A chat whose main agent is one of another program. */
function arrangeMain({ messages = [], isTrusted = true, ...options }: MainOptions = {}) {
  const arranged = arrangeDelegations([], options);
  const { offers, chat, parts } = arranged;
  const own = scriptedModel([{ text: "Our own answer." }]);
  const agent = new Agent({
    ...{ id: "main", name: "main", model: tester, streamFn: own.streamFn, messages: [...messages] },
    session: new MemorySessionStore(),
    externalTurn: (model) => offers.mainTurn(chat, model, () => ({ ...parts, isTrusted })),
  });
  const say = async (text: string) => (await agent.prompt(text)).text ?? "";
  return { ...arranged, agent, say, own };
}

const noLogin = { logIn: async () => {}, commandOf: () => undefined };

const opened: { owned: { dispose(): void }[] }[] = [];
function open(options?: MainOptions) {
  const arranged = arrangeMain(options);
  opened.push(arranged);
  return arranged;
}

describe("an agent of another program as the main agent of a chat", function () {
  this.timeout(15_000);
  afterEach(() => {
    for (const { owned } of opened.splice(0)) for (const part of owned) part.dispose();
  });

  it("answers one message after the other in one session", async () => {
    const { say, chat } = open();
    assert.equal(await say("say one"), "one");
    assert.equal(await say("recall"), "say one | recall");
    assert.deepEqual(
      [chat.host.foreignAgents.main?.program, chat.host.foreignAgents.main?.supervision],
      ["Tester", "unsupervised"],
    );
  });

  it("takes in what is said while it works, and stops when it is stopped", async () => {
    const { agent, say } = open();
    const { promise: isWaiting, resolve } = Promise.withResolvers<void>();
    agent.subscribe((event) => event.type === "message_update" && resolve());
    const running = say("steer");
    await isWaiting;
    agent.steer("and this");
    assert.equal(await running, "and this");
    const slow = agent.prompt("slow");
    setTimeout(() => void agent.abort(), 200);
    assert.equal((await slow.catch(() => undefined))?.reason ?? "aborted", "aborted");
    assert.equal(await say("say back"), "back");
  });

  it("goes on with its session after the window was reloaded", async () => {
    const args = [`--store=${join(await mkdtemp(join(tmpdir(), "arbor-acp-")), "sessions.json")}`];
    const before = open({ args });
    await before.say("say one");
    // As it is read back from the chat's log.
    const host: HostState = before.emitted.reduce(reduceHost, emptyHostState());
    const after = open({ args, host, messages: before.agent.messages });
    assert.equal(await after.say("recall"), "say one | recall");
  });

  it("begins again with what is left of the conversation after a rewind", async () => {
    const { say, agent } = open();
    await say("say one");
    await say("say two");
    const second = agent.messages.find((message) => textOf(message) === "say two");
    await agent.rewindTo(second?.id ?? "");
    const known = await say("recall");
    assert.match(known, /^conversation so far:\n<conversation>\nUser: say one\n\nAssistant: one\n<\/conversation>/);
    assert.doesNotMatch(known, /two/);
  });

  it("learns what was said before it came, and what another model said meanwhile", async () => {
    const { say, agent, chat, offers, own } = open();
    agent.setModel(own.model);
    await say("hello");
    agent.setModel(tester);
    assert.match(await say("recall"), /User: hello\n\nAssistant: Our own answer\./);
    assert.match(await say("recall"), /recall \| recall$/);
    offers.leaveMain(chat, "main");
    assert.deepEqual(chat.host.foreignAgents, {});
  });

  it("starts with the next message where it could not be started before", async () => {
    const { say, parts } = open();
    const { folder } = parts.commands;
    parts.commands.folder = () => Promise.reject(new Error("no folder"));
    await assert.rejects(say("say one"), /no folder/);
    parts.commands.folder = folder;
    assert.equal(await say("say one"), "one");
  });

  it("learns what was said before it came also where its first message was refused", async () => {
    const { say, agent, own, parts } = open();
    agent.setModel(own.model);
    await say("hello");
    agent.setModel(tester);
    let mode: "plan" | "ask" = "plan";
    parts.permissionMode = () => mode;
    await assert.rejects(say("plan it"), /does not plan/);
    mode = "ask";
    assert.match(await say("recall"), /User: hello\n\nAssistant: Our own answer\./);
  });

  it("has a command of its own at the start of its prompt", async () => {
    const { say } = open({ unsaved: ["/ws/a.ts"] });
    assert.match(await say("/recall all"), /^\/recall all\nThe editor has unsaved changes in \/ws\/a\.ts/);
  });

  it("works with the model that the user chose of those it offers, and nothing else of it can be chosen", async () => {
    const { say, catalog } = open();
    assert.equal(await say("model"), "small");
    assert.deepEqual(
      catalog.of("Tester").options.map(({ id, values }) => [id, values.map(({ name }) => name)]),
      [["model", ["SMALL", "LARGE"]]],
    );
    const prompts = scriptedPrompts("LARGE");
    await chooseProgramOption({ prompts, catalog, programs: ["Other", "Tester"], current: "Tester", ...noLogin });
    assert.equal(await say("model"), "large");
    // What is not offered any more is not asked for.
    await catalog.change("Tester", { chosen: { model: "gone", yolo: "on" } });
    assert.equal(await say("model"), "large");
  });

  it("may change its own options, and its mode with them", async () => {
    const { say, catalog, chat } = open({ args: ["--name=@agentclientprotocol/claude-agent-acp"] });
    await say("becomes huge");
    const [option] = catalog.of("Tester").options;
    assert.deepEqual([option?.current, option?.values.map(({ value }) => value)], ["huge", ["small", "large", "huge"]]);
    // What it chose is not what the user chose.
    assert.equal(await say("model"), "huge");
    await catalog.change("Tester", { chosen: { model: "large" } });
    assert.equal(await say("model"), "large");
    assert.equal(chat.host.foreignAgents.main?.supervision, "asks");
    await say("becomes bypassPermissions");
    assert.equal(chat.host.foreignAgents.main?.supervision, "unsupervised");
    assert.equal(await say("mode"), "default");
  });

  it("says before its first session that it has not said what can be chosen", async () => {
    const { catalog } = open();
    const prompts = scriptedPrompts();
    await chooseProgramOption({ prompts, catalog, programs: ["Tester"], current: undefined, ...noLogin });
    await chooseProgramOption({ prompts, catalog, programs: [], current: undefined, ...noLogin });
    assert.deepEqual(prompts.told, [
      "Tester says with its first answer what can be chosen. Send it a message first.",
      "There is no foreign agent yet. Add one first.",
    ]);
  });

  it("has its commands in the composer, as far as they are words", async () => {
    const { say, catalog } = open();
    await say("say one");
    assert.deepEqual(catalog.commands("Tester"), [
      { name: "compact", description: "Makes room", takesText: true, group: "server" },
    ]);
    assert.deepEqual(catalog.commands("Other"), []);
  });

  it("has its writes reviewed as those of ours are", async () => {
    const { say, workspace } = open({
      answer: { answer: ({ oldLines }) => (oldLines[0] === "one" ? { reject: "keep it" } : "accept") },
    });
    assert.match(await say("save a.ts"), /keep it/);
    const content = await workspace.read("a.ts", new AbortController().signal);
    assert.equal(content.kind === "text" && content.text, "one\ntwo\nTHREE\n");
  });

  it("has what was written between two turns offered when the next begins, where nothing is known of it", async () => {
    for (const [args, isOffered] of [
      [[], true],
      [["--name=gemini-cli"], false],
    ] as const) {
      const folder = await mkdtemp(join(tmpdir(), "arbor-late-"));
      const file = join(folder, "a.ts");
      await writeFile(file, "one\n");
      const { agent, say, adopted } = open({ changes: changesIn(folder), args: [...args] });
      const seen: string[] = [];
      agent.subscribe((event) => {
        if (event.type === "warning") seen.push(event.message);
        // What its answer begins with.
        if (event.type === "message_update" && seen.at(-1) !== "answer") seen.push("answer");
      });
      await say(`behind-its-back ${file}`);
      while ((await readFile(file, "utf8")) !== "late\n") await new Promise((resolve) => setTimeout(resolve, 10));
      seen.length = 0;
      await say("say hi");
      const warning =
        "Between two turns of Tester, files were changed outside the editor, by it or by something else. You can keep or undo these changes: a.ts";
      assert.deepEqual(seen, isOffered ? [warning, "answer"] : ["answer"]);
      const hunks = adopted.flatMap((changed) => changed.hunks.map((hunk) => ({ path: changed.path, ...hunk })));
      assert.deepEqual(
        hunks.map(({ path, author, hunk }) => [path, author.agentPath, hunk.oldLines, hunk.newLines]),
        isOffered ? [["a.ts", ["main", "Tester or something else, between two turns"], ["one"], ["late"]]] : [],
      );
    }
  });

  it("is not taken for the writer of what was written here meanwhile, and what it wrote beside it is named or offered", async () => {
    const image = (text: string) => ({ bytes: Buffer.from(text) });
    const change = (before: string, after: string) => ({ before: image(before), after: image(after) });
    const changes = {
      begin: async () => async () => ({
        ...{ paths: [], isPartial: false },
        byEditor: new Set(["ours.ts", "both.ts"]),
        found: new Map([
          ["ours.ts", change("1\n", "2\n")],
          ["both.ts", change("a\nb\nc\n", "A\nb\nC\n")],
        ]),
        known: new Map([
          ["ours.ts", { isAll: true, writes: [] }],
          ["both.ts", { isAll: false, writes: [change("a\nb\nc\n", "a\nb\nC\n")] }],
        ]),
      }),
    };
    const { say, adopted } = open({ changes });
    await say("say hi");
    const hunks = adopted.flatMap(({ path, hunks }) => hunks.map(({ hunk }) => [path, hunk.newLines]));
    assert.deepEqual(hunks, [["both.ts", ["A"]]]);
  });

  it("does not work in a workspace that is not trusted, nor without its setting", async () => {
    const { agent } = open({ isTrusted: false });
    await assert.rejects(agent.prompt("say one"), /Tester works in trusted workspaces only\./);
    const gone = open({ setting: {} });
    await assert.rejects(gone.agent.prompt("say one"), /arbor\.foreignAgents does not say how Tester is started\./);
  });
});
