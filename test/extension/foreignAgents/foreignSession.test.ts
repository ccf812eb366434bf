import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent } from "../../../src/agent/agent/agent.ts";
import { foldTree } from "../../../src/agent/tree/reduceTree.ts";
import { type AgentTree, emptyTree, type TreeNode } from "../../../src/agent/tree.ts";
import type { AgentEvent } from "../../../src/agent/vocabulary/events.ts";
import { textOf } from "../../../src/agent/vocabulary/messages.ts";
import { RefusedRequest } from "../../../src/extension/foreignAgents/connection.ts";
import {
  type ForeignFacts,
  ForeignSession,
  type ForeignSessionOptions,
} from "../../../src/extension/foreignAgents/foreignSession.ts";
import type { ForeignCall } from "../../../src/extension/foreignAgents/toolCalls.ts";
import { readProcesses } from "../../../src/extension/terminal/processTable.ts";
import type { PermissionMode } from "../../../src/protocol/modes.ts";

const agentFile = join(import.meta.dirname, "../../support/acpAgent.ts");

type Host = ForeignSessionOptions["host"];

interface Options extends Partial<Pick<ForeignSessionOptions, "earlier" | "limits" | "environment">> {
  args?: string[];
  env?: string[];
  mode?: PermissionMode;
  host?: Partial<Host>;
}

const sessions: ForeignSession[] = [];

function startAgent({ args = [], env = [], mode = "ask", host = {}, ...rest }: Options = {}) {
  const asked: { agent: string | undefined; call: ForeignCall }[] = [];
  const facts = new Map<string, ForeignFacts>();
  const session = new ForeignSession({
    definition: { name: "Tester", command: process.execPath, args: [agentFile, ...args], env, guarded: false },
    cwd: tmpdir(),
    environment: process.env,
    permissionMode: () => mode,
    host: {
      askPermission: async ({ name }, call) => {
        asked.push({ agent: name, call });
        return { allowed: true };
      },
      readFile: () => Promise.reject(new RefusedRequest(-32_002, "none")),
      writeFile: () => Promise.reject(new RefusedRequest(-32_000, "not now")),
      onFacts: (agentId, known) => void facts.set(agentId, known),
      onPlan: () => {},
      onOffers: () => {},
      chosenOptions: () => ({}),
      watchChanges: async () => async () => {},
      usedUp: () => undefined,
      unsavedFiles: () => [],
      ...host,
    },
    ...rest,
  });
  sessions.push(session);
  const agent = new Agent({
    ...{ name: "main", model: { id: "Tester", provider: "foreign" }, streamFn: () => Promise.reject() as never },
    externalTurn: () => session.takeTurn,
  });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => events.push(event));
  const tree = (): AgentTree => foldTree(emptyTree(), events);
  const root = (): TreeNode => {
    const node = tree().nodes[agent.id];
    assert.ok(node);
    return node;
  };
  const answerTo = async (text: string) => (await agent.prompt(text)).text ?? "";
  return { agent, session, asked, facts, events, tree, root, answerTo };
}

/** Resolves when the agent has said this. */
async function said({ agent }: { agent: Agent }, text: RegExp): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let all = "";
  const stop = agent.subscribe((event) => {
    if (event.type !== "message_update" || !("delta" in event.delta)) return;
    all += event.delta.delta;
    if (text.test(all)) resolve();
  });
  await promise;
  stop();
}

function isAlive(pid: number): boolean {
  return readProcesses().some((row) => row.pid === pid);
}

describe("an agent of another program", function () {
  this.timeout(5_000);
  afterEach(async () => {
    await Promise.all(sessions.splice(0).map((session) => session.close()));
  });

  it("answers, and what it reports is counted", async () => {
    const { answerTo, root, agent, facts } = startAgent();
    assert.equal(await answerTo("say hello"), "hello");
    assert.equal(await answerTo("say again"), "again");
    const { own, messages } = root();
    assert.deepEqual([own.input, own.output, own.cacheRead, own.cost], [200, 20, 10, 0]);
    assert.deepEqual(messages.map(textOf), ["say hello", "hello", "say again", "again"]);
    assert.deepEqual(facts.get(agent.id)?.reported, { tokens: true, cost: false });
  });

  it("has only US dollars added up, and says that nothing was reported where it reports others", async () => {
    const dollars = startAgent();
    await dollars.answerTo("cost 0.5 USD 0.75 USD");
    await dollars.answerTo("cost 9 EUR 1 USD 9 usd");
    assert.deepEqual([dollars.root().own.cost, dollars.facts.get(dollars.agent.id)?.reported.cost], [1, true]);
    const euros = startAgent();
    await euros.answerTo("cost 9 EUR");
    assert.deepEqual([euros.root().own.cost, euros.facts.get(euros.agent.id)?.reported.cost], [0, false]);
  });

  it("that reports nothing is known to have reported nothing", async () => {
    const { answerTo, agent, facts } = startAgent({ args: ["--no-usage"] });
    await answerTo("say hello");
    assert.deepEqual(facts.get(agent.id)?.reported, { tokens: false, cost: false });
  });

  it("has its children in the tree, two levels deep, and a question of one is that one's", async () => {
    const { answerTo, tree, root, asked } = startAgent();
    assert.equal(await answerTo("tree"), "All looked at.");
    const child = tree().nodes[root().children[0] ?? ""];
    const leaf = tree().nodes[child?.children[0] ?? ""];
    assert.deepEqual([child?.meta.name, child?.meta.label, child?.status], ["worker", "look around", "done"]);
    assert.deepEqual([leaf?.meta.depth, leaf?.status], [2, "done"]);
    assert.deepEqual(
      asked.map(({ agent, call }) => [agent, call.kind, call.args]),
      [["worker", "execute", { command: "npm test" }]],
    );
    assert.deepEqual(
      Object.values(leaf?.tools ?? {}).map(({ label, status }) => [label, status]),
      [
        ["read it", "done"],
        ["npm test", "done"],
      ],
    );
    const [row] = Object.values(root().tools);
    assert.deepEqual([row?.toolName, row?.status, child?.meta.toolCallId], ["agent:delegate", "done", row?.callId]);
    assert.deepEqual([root().contextTokens, root().contextPercent, root().own.cost], [500, 50, 0.5]);
  });

  it("is never allowed anything for longer than once", async () => {
    for (const allowed of [true, false]) {
      const { answerTo } = startAgent({ host: { askPermission: async () => ({ allowed }) } });
      const dir = await mkdtemp(join(tmpdir(), "arbor-acp-"));
      const file = join(dir, "a.txt");
      await writeFile(file, "one\n");
      assert.equal(await answerTo(`edit ${file}`), allowed ? "yes" : "no");
      await rm(dir, { recursive: true });
    }
  });

  it("that asks for permission of nothing is answered with no", async () => {
    const { answerTo, asked } = startAgent({ limits: { childrenMs: 50 } });
    assert.equal(await answerTo("nothing"), "error,cancelled,cancelled,yes");
    assert.equal(asked.length, 1);
  });

  it("stops when it is asked to, with what it said", async () => {
    const started = startAgent();
    const run = started.agent.prompt("slow");
    await said(started, /word2/);
    await started.agent.abort();
    await assert.rejects(run, { code: "aborted" });
    assert.equal(started.root().status, "aborted");
    assert.match(textOf(started.root().messages[1] ?? assert.fail()), /^word0 word1 word2/);
    assert.equal(await started.answerTo("say on"), "on");
  });

  it("that does not stop is ended, and started again by the next message", async () => {
    const started = startAgent({ limits: { cancelMs: 100 }, args: ["--stays"] });
    assert.equal(await started.answerTo("say first"), "first");
    const run = started.agent.prompt("hang");
    await new Promise((resolve) => setTimeout(resolve, 100));
    await started.agent.abort();
    await assert.rejects(run, { code: "aborted" });
    assert.match(await started.answerTo("say second"), /<\/conversation>\nhang\nsay second$/);
  });

  it("takes in what is said while it works", async () => {
    const started = startAgent();
    const run = started.agent.prompt("steer");
    await said(started, /waiting/);
    started.agent.steer("turn left");
    assert.equal((await run).text, "turn left");
    assert.deepEqual(started.root().messages.map(textOf), ["steer", "waiting ", "turn left", "turn left"]);
  });

  it("gets what it was sent too late with its next prompt, even where it says so after its answer", async () => {
    const started = startAgent();
    const run = started.agent.prompt("soon");
    await said(started, /nearly done/);
    started.agent.steer("say later");
    assert.equal((await run).text, "later");
  });

  it("that can't be steered gets it with its next prompt", async () => {
    const started = startAgent({ args: ["--no-steering"] });
    const run = started.agent.prompt("slowly");
    started.agent.steer("say later");
    assert.equal((await run).text, "later");
  });

  it("goes on with its session in another process, where it can", async () => {
    const dir = await mkdtemp(join(tmpdir(), "arbor-acp-"));
    const args = [`--store=${join(dir, "sessions.json")}`];
    const first = startAgent({ args });
    await first.answerTo("say one");
    const sessionId = first.facts.get(first.agent.id)?.sessionId ?? "";
    await first.session.close();
    const second = startAgent({ args, earlier: { sessionId } });
    assert.equal(await second.answerTo("recall"), "say one | recall");
    // What it repeats is known.
    assert.deepEqual(second.root().messages.map(textOf), ["recall", "say one | recall"]);
    const third = startAgent({ args: [...args, "--no-load"], earlier: { sessionId } });
    assert.equal(await third.answerTo("recall"), "recall");
    await rm(dir, { recursive: true });
  });

  it("that crashes fails with what it wrote last, its call too, and is started again", async () => {
    const { agent, answerTo, root } = startAgent();
    await assert.rejects(agent.prompt("crash"), /Tester failed: It ended with code 3\..*/);
    assert.equal(root().status, "error");
    assert.deepEqual(
      Object.values(root().tools).map(({ status }) => status),
      ["error"],
    );
    assert.match(await answerTo("say back"), /<\/conversation>\nsay back$/, "a new session learns what was said");
  });

  it("that asks without end and reads no answer is ended", async () => {
    const { agent, answerTo } = startAgent();
    assert.equal(await answerTo("say first"), "first");
    await assert.rejects(agent.prompt("deaf"), /Tester failed: .*It does not read what it is sent/);
    assert.match(await answerTo("say back"), /say back$/);
  }).timeout(60_000);

  it("that is silent is ended", async () => {
    const { agent } = startAgent({ limits: { silentMs: 300 } });
    await assert.rejects(agent.prompt("hang"), /Tester failed: It stopped responding\./);
  });

  it("that never answers at its start is an error, and so is one that exits, or that does not exist", async () => {
    const silent = startAgent({ args: ["--silent"], limits: { startMs: 300 } });
    await assert.rejects(silent.agent.prompt("hi"), /Tester could not be started: It does not answer\./);
    const exiting = startAgent({ args: ["--exit"] });
    await assert.rejects(exiting.agent.prompt("hi"), /could not be started: It ended with code 1\./);
    assert.ok(!exiting.session.log.includes("secret"));
    const newer = startAgent({ args: ["--version-2"] });
    await assert.rejects(newer.agent.prompt("hi"), /It speaks version 2 of the protocol/);
  });

  it("that needs a login says so with its command", async () => {
    const { agent } = startAgent({ args: ["--auth"] });
    await assert.rejects(agent.prompt("hi"), /needs you to log in first: Authentication required/);
  });

  it("may write 900 lines that are no messages, but no more than that", async () => {
    const { agent, answerTo } = startAgent();
    assert.equal(await answerTo("garbage 900"), "still here");
    await assert.rejects(agent.prompt("garbage 2000"), /It sends something else than messages/);
    assert.match(await answerTo("say back"), /<\/conversation>\nsay back$/, "a new session learns what was said");
  });

  it("that floods its error output loses old lines of its log only", async () => {
    const { answerTo, session } = startAgent({ args: ["--chatty"] });
    assert.equal(await answerTo("say hi"), "hi");
    assert.ok(session.log.length <= 500);
  });

  it("that answers twice, speaks after its end or uses ids again is understood", async () => {
    const { answerTo, root, session } = startAgent();
    assert.equal(await answerTo("twice"), "");
    assert.equal(await answerTo("late"), "ended");
    while (!session.log.includes("spoke after its end")) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.equal(await answerTo("reuse"), "ok");
    const { tools, messages } = root();
    assert.equal(Object.keys(tools).length, 2);
    assert.deepEqual(
      messages.flatMap((message) => (message.role === "toolResult" ? [textOf(message)] : [])),
      ["first", "second"],
    );
    assert.ok(!messages.some((message) => textOf(message).includes("after the end")));
  });

  it("whose child comes before its parent says so has it all the same", async () => {
    const { answerTo, tree, root } = startAgent();
    assert.equal(await answerTo("orphan"), "ok");
    const child = tree().nodes[root().children[0] ?? ""];
    assert.deepEqual([child?.status, child?.messages.map(textOf)], ["done", ["before my parent"]]);
  });

  it("that spawns for ever is shown with 200 of them, and a warning", async () => {
    const { answerTo, tree, events } = startAgent({ limits: { childrenMs: 50 } });
    await answerTo("spawns 1000");
    assert.equal(Object.keys(tree().nodes).length, 201);
    assert.equal(events.filter(({ type }) => type === "warning").length, 1);
    assert.ok(Object.values(tree().nodes).every(({ status }) => status !== "running"));
  });

  it("has none of our keys, and of its own the variables that are named", async () => {
    const environment = {
      ...{ PATH: process.env.PATH, ANTHROPIC_API_KEY: "sk-ant-1", OPENAI_API_KEY: "sk-proj-1", NODE_OPTIONS: "" },
      ...{ MY_LOGIN: "named", AWS_SECRET_ACCESS_KEY: "x" },
    };
    const { answerTo } = startAgent({ environment, env: ["MY_LOGIN"] });
    const known: Record<string, string> = JSON.parse(await answerTo("env"));
    assert.equal(known.MY_LOGIN, "named");
    for (const name of ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "NODE_OPTIONS", "AWS_SECRET_ACCESS_KEY"]) {
      assert.ok(!(name in known), name);
    }
  });

  it("is ended with what it left behind", async () => {
    const { answerTo, session } = startAgent();
    const pid = Number(await answerTo("fork"));
    assert.ok(isAlive(pid));
    await session.close();
    assert.ok(!isAlive(pid));
  });

  it("gets no terminal", async () => {
    const { answerTo } = startAgent();
    assert.match(await answerTo("terminal"), /-32601/);
  });

  it("is put in its asking mode, and badged by what is true of it", async () => {
    const known = startAgent({ args: ["--name=@agentclientprotocol/claude-agent-acp", "--bypass"] });
    assert.equal(await known.answerTo("mode"), "default");
    assert.equal(known.facts.get(known.agent.id)?.supervision, "asks");
    const unknown = startAgent({ args: ["--bypass"] });
    assert.equal(await unknown.answerTo("mode"), "bypassPermissions");
    assert.equal(unknown.facts.get(unknown.agent.id)?.supervision, "unsupervised");
  });

  it("that leaves its asking mode unasked is unsupervised from then on", async () => {
    const { answerTo, agent, facts } = startAgent({ args: ["--name=@agentclientprotocol/claude-agent-acp"] });
    await answerTo("say hi");
    assert.equal(facts.get(agent.id)?.supervision, "asks");
    await answerTo("escalate");
    assert.equal(facts.get(agent.id)?.supervision, "unsupervised");
    // It is put back before it goes on.
    assert.equal(await answerTo("mode"), "default");
    assert.equal(facts.get(agent.id)?.supervision, "asks");
  });

  it("has those that it spawned stopped one by one", async () => {
    const started = startAgent();
    const run = started.agent.prompt("child");
    await said(started, /child works/);
    const child = Object.values(started.tree().nodes).find(({ meta }) => meta.depth === 1);
    assert.ok(!started.session.cancelChild(started.agent.id));
    assert.ok(started.session.cancelChild(child?.meta.id ?? ""));
    assert.equal((await run).text, "child stopped");
    assert.equal(started.tree().nodes[child?.meta.id ?? ""]?.status, "aborted");
  });

  it("plans only where it can be kept from changing files", async () => {
    const known = startAgent({ args: ["--name=gemini-cli"], mode: "plan" });
    assert.equal(await known.answerTo("mode"), "plan");
    const { agent } = startAgent({ mode: "plan" });
    await assert.rejects(agent.prompt("mode"), /can't be kept from changing files/);
  });

  it("is stopped when its budget is used up", async () => {
    let words = 0;
    const { agent, root } = startAgent({
      host: { usedUp: () => (++words > 5 ? { limit: "tokens", text: "enough tokens" } : undefined) },
    });
    const { reason } = await agent.prompt("slow");
    assert.equal(reason, "limit");
    assert.equal(root().status, "limit");
  });
});
