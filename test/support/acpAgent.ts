// A small agent that speaks the Agent Client Protocol, for tests: the first word of a prompt says what it does.
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

type Json = Record<string, unknown>;
type Update = Json & { sessionUpdate: string };

const flags = new Set(process.argv.slice(2).filter((argument) => !argument.includes("=")));
const option = (name: string) => process.argv.find((argument) => argument.startsWith(`--${name}=`))?.split("=")[1];
/** Where sessions are kept, so that another process can load them. */
const store = option("store");
const agentName = option("name") ?? "test-agent";

/** The MCP server that a session was given, and what else it was asked to be. */
let given: { mcpServers?: { url: string; headers: { name: string; value: string }[] }[]; _meta?: Json } = {};
const waiting = new Map<number, (answer: Json) => void>();
const canceled = new Set<string>();
const steered: ((text: string) => void)[] = [];
let nextId = 1_000;
let mode = "default";
const sessions: Record<string, string[]> =
  store !== undefined && existsSync(store) ? JSON.parse(readFileSync(store, "utf8")) : {};

const send = (message: Json) => void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const update = (sessionId: string, body: Update) =>
  send({ method: "session/update", params: { sessionId, update: body } });
const say = (sessionId: string, text: string, messageId = "m1") =>
  update(sessionId, { sessionUpdate: "agent_message_chunk", messageId, content: { type: "text", text } });

function ask(method: string, params: Json): Promise<Json> {
  const id = nextId++;
  send({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const call = (toolCallId: string, kind: string, more: Json = {}) => ({
  ...{
    sessionUpdate: "tool_call",
    toolCallId,
    title: `${kind} it`,
    kind,
    status: "pending",
    content: [],
    locations: [],
  },
  ...more,
});
const settle = (toolCallId: string, status: string, text = "") => ({
  ...{ sessionUpdate: "tool_call_update", toolCallId, status },
  content: [{ type: "content", content: { type: "text", text } }],
});

const askOptions = [
  { optionId: "always", name: "Always", kind: "allow_always" },
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

async function permitted(sessionId: string, toolCall: Json, options: Json[] = askOptions): Promise<string> {
  const answer = await ask("session/request_permission", { sessionId, toolCall, options });
  const { outcome } = (answer.result ?? {}) as { outcome?: { outcome: string; optionId?: string } };
  return outcome?.optionId ?? outcome?.outcome ?? "error";
}

/** Asks the MCP server that the session was given. */
async function served(method: string, params: Json): Promise<Json> {
  const answer = await asked(method, params);
  if (answer === undefined) return { content: [{ type: "text", text: "no server" }], isError: true };
  const text = await answer.text();
  const json = text.startsWith("{") ? text : (/data: (.*"id".*)\n/.exec(text)?.[1] ?? "{}");
  return (JSON.parse(json) as { result?: Json }).result ?? { content: [], isError: true };
}

/** Resolves when the server has begun to answer. */
async function asked(method: string, params: Json): Promise<Response | undefined> {
  const [server] = given.mcpServers ?? [];
  if (server === undefined) return undefined;
  const headers = {
    ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
    ...Object.fromEntries(
      server.headers.map(({ name, value }) => [name, value.replace(/\$\{(\w+)\}/, (_, key) => process.env[key] ?? "")]),
    ),
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: nextId++, method, params });
  return fetch(server.url, { method: "POST", headers, body });
}

const replaced = (text: string) => text.replace("one", "ONE").replace("three", "THREE");

/** What each prompt does; gives how it stopped. */
const works: Record<string, (sessionId: string, rest: string) => Promise<string | undefined>> = {
  async say(sessionId, rest) {
    update(sessionId, { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "Well. " } });
    say(sessionId, rest);
    return undefined;
  },
  async recall(sessionId) {
    say(sessionId, (sessions[sessionId] ?? []).join(" | "));
    return undefined;
  },
  async env(sessionId) {
    say(sessionId, JSON.stringify(process.env));
    return undefined;
  },
  /** Calls a tool of the server that it was given, as Claude Code says that it does. */
  async tool(sessionId, rest) {
    const [name = "", ...words] = rest.split(" ");
    const toolCallId = `t${nextId++}`;
    const meta = { claudeCode: { toolName: `mcp__arbor__${name}` } };
    update(sessionId, call(toolCallId, "other", { name: `mcp__arbor__${name}`, _meta: meta }));
    const allowed = await permitted(sessionId, { toolCallId, title: name, kind: "other", _meta: meta });
    const args = JSON.parse(words.join(" ") || "{}");
    const result = allowed === "yes" ? await served("tools/call", { name, arguments: args }) : { content: [] };
    const text = JSON.stringify(result.content);
    update(sessionId, settle(toolCallId, result.isError === true ? "failed" : "completed", text));
    say(sessionId, `${allowed} ${text}`);
    return undefined;
  },
  /** Calls one, and does not wait for it. */
  async hurry(_sessionId, name) {
    await asked("tools/call", { name, arguments: {} });
    return undefined;
  },
  async tools(sessionId) {
    const { tools = [] } = (await served("tools/list", {})) as { tools?: { name: string }[] };
    say(sessionId, tools.map(({ name }) => name).join(" "));
    return undefined;
  },
  /** What it was asked to be. */
  async meta(sessionId) {
    say(sessionId, JSON.stringify(given));
    return undefined;
  },
  /** As Codex asks: with the folder, and it gives up what it is at when it may not. */
  async command(sessionId, rest) {
    const [cwd = "", ...words] = rest.split(" ");
    const rawInput = { command: words.join(" "), cwd };
    const answer = await permitted(sessionId, { toolCallId: "c1", title: words.join(" "), kind: "execute", rawInput });
    update(sessionId, settle("c1", answer === "yes" ? "completed" : "failed", answer));
    if (answer !== "yes") return "cancelled";
    say(sessionId, "ran");
    return undefined;
  },
  async "give-up"() {
    return "cancelled";
  },
  async mode(sessionId) {
    say(sessionId, mode);
    return undefined;
  },
  async model(sessionId) {
    say(sessionId, model);
    return undefined;
  },
  /** Changes its model on its own, or its mode. */
  async becomes(sessionId, rest) {
    if (rest === "huge") model = rest;
    else mode = rest;
    update(sessionId, { sessionUpdate: "config_option_update", configOptions: configOptions(["huge"]) });
    say(sessionId, rest);
    return undefined;
  },
  async tree(sessionId) {
    const [child, leaf] = [`${sessionId}-child`, `${sessionId}-leaf`];
    const spawned = (of: string, title: string) => ({
      sessionUpdate: "subagent_update",
      sessionId: of,
      title,
      description: "worker",
      state: { state: "running" },
    });
    const ended = (of: string) => ({
      sessionUpdate: "subagent_update",
      sessionId: of,
      state: { state: "idle", stopReason: "end_turn" },
    });
    update(sessionId, spawned(child, "look around"));
    say(child, "I have somebody look.");
    update(child, spawned(leaf, "read"));
    update(leaf, call("r1", "read", { locations: [{ path: "/a.ts" }] }));
    const answer = await permitted(leaf, {
      toolCallId: "x1",
      title: "npm test",
      kind: "execute",
      rawInput: { command: "npm test" },
    });
    update(leaf, settle("x1", answer === "yes" ? "completed" : "failed", answer));
    update(leaf, settle("r1", "completed", "text of it"));
    say(leaf, "It is empty.");
    update(child, ended(leaf));
    say(child, "Nothing there.", "m2");
    update(sessionId, ended(child));
    say(sessionId, "All looked at.");
    update(sessionId, {
      sessionUpdate: "usage_update",
      used: 500,
      size: 1_000,
      cost: { amount: 0.5, currency: "USD" },
    });
    return undefined;
  },
  /** Says what its session has cost so far: "0.5 USD 9 EUR". */
  async cost(sessionId, rest) {
    for (const [, amount, currency = ""] of rest.matchAll(/(\S+) (\S+)/g)) {
      const cost = { amount: Number(amount), currency };
      update(sessionId, { sessionUpdate: "usage_update", used: 500, size: 1_000, cost });
    }
    say(sessionId, rest);
    return undefined;
  },
  /** Asks, then writes to the disk itself. */
  async edit(sessionId, path) {
    const before = readFileSync(path, "utf8");
    const content = [{ type: "diff", path, oldText: before, newText: replaced(before) }];
    update(sessionId, call("e1", "edit", { content, locations: [{ path }] }));
    const answer = await permitted(sessionId, { toolCallId: "e1", kind: "edit", title: "edit it", content });
    if (answer === "yes") writeFileSync(path, replaced(before));
    update(sessionId, settle("e1", answer === "yes" ? "completed" : "failed", answer));
    say(sessionId, answer);
    return undefined;
  },
  /** Has answered while one that it spawned still asks. */
  async behind(sessionId, path) {
    const child = `${sessionId}-child`;
    update(sessionId, {
      sessionUpdate: "subagent_update",
      sessionId: child,
      title: "behind",
      state: { state: "running" },
    });
    const work = async () => {
      await pause(100);
      await works.edit?.(child, path);
      update(sessionId, { sessionUpdate: "subagent_update", sessionId: child, state: { state: "idle" } });
    };
    void work();
    say(sessionId, "It works on.");
    return undefined;
  },
  /** Has the editor write. */
  async save(sessionId, path) {
    const before = (await ask("fs/read_text_file", { sessionId, path })) as {
      result?: { content: string };
      error?: Json;
    };
    const text = before.result === undefined ? "new\n" : replaced(before.result.content);
    update(sessionId, call("s1", "edit", { locations: [{ path }] }));
    const { error } = await ask("fs/write_text_file", { sessionId, path, content: text });
    update(sessionId, settle("s1", error === undefined ? "completed" : "failed", JSON.stringify(error ?? {})));
    say(sessionId, error === undefined ? "saved" : `refused: ${(error as { message: string }).message}`);
    return undefined;
  },
  /** Writes to the disk without asking. */
  async overwrite(sessionId, path) {
    writeFileSync(path, existsSync(path) ? replaced(readFileSync(path, "utf8")) : "new\n");
    say(sessionId, "written");
    return undefined;
  },
  /** Takes in nothing more, and has answered soon. */
  async soon(sessionId) {
    say(sessionId, "nearly done", "m0");
    await new Promise((resolve) => setTimeout(resolve, 50));
    return undefined;
  },
  async slow(sessionId) {
    for (let count = 0; !canceled.has(sessionId); count++) {
      say(sessionId, `word${count} `);
      await pause(20);
    }
    return "cancelled";
  },
  /** Changes its mode unasked. */
  async escalate(sessionId) {
    mode = "bypassPermissions";
    update(sessionId, { sessionUpdate: "current_mode_update", currentModeId: mode });
    say(sessionId, "anything goes");
    return undefined;
  },
  /** Has one work that ends when it is canceled. */
  async child(sessionId) {
    const child = `${sessionId}-child`;
    canceled.delete(child);
    update(sessionId, {
      sessionUpdate: "subagent_update",
      sessionId: child,
      title: "work",
      state: { state: "running" },
    });
    say(child, "child works");
    while (!canceled.has(child)) await pause(10);
    const state = { state: "idle", stopReason: "cancelled" };
    update(sessionId, { sessionUpdate: "subagent_update", sessionId: child, state });
    say(sessionId, "child stopped");
    return undefined;
  },
  async steer(sessionId) {
    say(sessionId, "waiting ");
    say(sessionId, await new Promise((resolve) => steered.push(resolve)), "m2");
    return undefined;
  },
  async garbage(sessionId, rest) {
    say(sessionId, "so much ", "m0");
    for (let count = Number(rest); count > 0; count--) process.stdout.write(`no message ${count} {"jsonrpc"\n`);
    say(sessionId, "still here");
    return undefined;
  },
  async crash(sessionId) {
    say(sessionId, "about to ");
    update(sessionId, call("c1", "execute"));
    process.stderr.write("segmentation fault, of sorts\n");
    await pause(20);
    process.exit(3);
  },
  hang: () => new Promise(() => {}),
  /** Leaves processes behind that are no children of its own any more. */
  async fork(sessionId) {
    const left = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
    left.unref();
    say(sessionId, String(left.pid));
    return undefined;
  },
  /** Asks without end, and reads no answer. */
  async deaf() {
    process.stdin.pause();
    for (let count = 0; count < 20; count++) {
      send({ id: `${count} ${"x".repeat(8_000_000)}`, method: "no/such/method", params: {} });
      await pause(20);
    }
    return new Promise(() => {});
  },
  /** Forks for ever: what it starts is in sessions of its own, and a part of it without its environment. */
  async forks(sessionId, mark) {
    const loop = "while :; do setsid sleep 600 & env -i setsid sleep 601 & sleep 0.02; done";
    for (let count = 0; count < 3; count++) {
      const env = { ...process.env, FORK_MARK: mark };
      spawn("sh", ["-c", loop], { detached: true, stdio: "ignore", env }).unref();
    }
    await pause(300);
    say(sessionId, "forked");
    return undefined;
  },
  /** Changes files of a folder in whatever way, and hides it as well as it can. */
  async ravage(sessionId, folder) {
    const at = (name: string) => join(folder, name);
    const { atime, mtime } = statSync(at("same-time.ts"));
    writeFileSync(at("same-time.ts"), "two\n");
    utimesSync(at("same-time.ts"), atime, mtime);
    rmSync(at("gone.ts"));
    renameSync(at("old-name.ts"), at("new-name.ts"));
    writeFileSync(at("picture.png"), Uint8Array.of(0x89, 0xff, 0x00));
    rmSync(at("link.ts"));
    symlinkSync("/etc/hostname", at("link.ts"));
    writeFileSync(at("swapped.ts"), "new\n");
    renameSync(at("swapped.ts"), at("target.ts"));
    spawnSync("sh", ["-c", 'printf "by a shell\\n" > by-shell.ts'], { cwd: folder });
    // In the name of one that was never announced, and of nothing at all.
    await ask("fs/write_text_file", { sessionId: "nobody", path: at("nobody.ts"), content: "x" });
    await ask("fs/write_text_file", { sessionId, path: "../../outside.ts", content: "x" });
    writeFileSync(at("quiet.ts"), "quiet\n");
    chmodSync(at("quiet.ts"), 0o777);
    say(sessionId, "nothing happened");
    return undefined;
  },
  async spawns(sessionId, rest) {
    for (let count = 0; count < Number(rest); count++) {
      update(sessionId, { sessionUpdate: "subagent_update", sessionId: `c${count}`, state: { state: "running" } });
      say(`c${count}`, "hi");
    }
    return undefined;
  },
  async orphan(sessionId) {
    say("unknown-child", "before my parent");
    update(sessionId, {
      sessionUpdate: "subagent_update",
      sessionId: "unknown-child",
      title: "late",
      state: { state: "running" },
    });
    update(sessionId, { sessionUpdate: "subagent_update", sessionId: "unknown-child", state: { state: "idle" } });
    say(sessionId, "ok");
    return undefined;
  },
  async nothing(sessionId) {
    const answers = [
      await permitted(sessionId, {}),
      await permitted(sessionId, { toolCallId: "n1" }, []),
      await permitted(sessionId, { toolCallId: "n2" }, [{ optionId: "always", name: "", kind: "allow_always" }]),
      await permitted("nobody", { toolCallId: "n3", kind: "execute" }),
    ];
    say(sessionId, answers.join(","));
    return undefined;
  },
  async reuse(sessionId) {
    for (const text of ["first", "second"]) {
      update(sessionId, call("same", "read"));
      update(sessionId, settle("same", "completed", text));
    }
    say(sessionId, "ok");
    return undefined;
  },
  async "behind-its-back"(sessionId) {
    say(sessionId, "done");
    return undefined;
  },
  async late(sessionId) {
    say(sessionId, "ended");
    return undefined;
  },
  async terminal(sessionId) {
    const { error } = await ask("terminal/create", { sessionId, command: "ls" });
    say(sessionId, JSON.stringify(error));
    return undefined;
  },
};

async function prompt(id: unknown, { sessionId, prompt: blocks }: { sessionId: string; prompt: { text?: string }[] }) {
  const text = blocks.map((block) => block.text ?? "").join("\n");
  sessions[sessionId] = [...(sessions[sessionId] ?? []), text];
  if (store !== undefined) writeFileSync(store, JSON.stringify(sessions));
  canceled.delete(sessionId);
  // What the client adds about the editor comes after the words of the user.
  const [line = ""] = text.split("\n");
  const named = works[line.split(" ")[0]?.replace(/^\//, "") ?? ""];
  const [word = "", ...rest] = (named === undefined ? text : line).split(" ");
  const work = named ?? works.say;
  const stopReason = (await work?.(sessionId, rest.join(" "))) ?? "end_turn";
  const usage = { inputTokens: 100, outputTokens: 10, cachedReadTokens: 5, totalTokens: 115 };
  const result = flags.has("--no-usage") ? { stopReason } : { stopReason, usage };
  send({ id, result });
  if (word === "twice") send({ id, result });
  if (word === "behind-its-back") {
    await pause(500);
    writeFileSync(line.split(" ")[1] ?? "", "late\n");
  }
  if (word === "late") {
    await pause(500);
    say(sessionId, "after the end");
    update(sessionId, call("l1", "edit"));
    process.stderr.write("spoke after its end\n");
  }
}

let model = "small";
const choice = (id: string, category: string, currentValue: string, values: string[]) => ({
  ...{ id, category, currentValue, name: `The ${id}`, type: "select" },
  options: values.map((value) => ({ value, name: value.toUpperCase(), description: null })),
});
const configOptions = (more: string[] = []) => [
  choice("mode", "mode", mode, ["default", "bypassPermissions"]),
  {
    ...choice("model", "model", model, []),
    options: [{ group: "all", ...choice("", "", "", ["small", "large", ...more]) }],
  },
  choice("yolo", "danger", "off", ["off", "on"]),
];

const hasLogin = () => store !== undefined && existsSync(`${store}.login`);
const authMethods = (params: Json) => {
  const { auth } = params.clientCapabilities as { auth?: { terminal?: boolean } };
  const inTerminal = { id: "terminal", name: "In a terminal", type: "terminal", args: ["--login"] };
  return [
    { id: "own", name: "Its own", description: "Opens a browser" },
    { id: "key", name: "A key", type: "env_var", vars: [{ name: "KEY" }] },
    ...(auth?.terminal === true ? [inTerminal] : []),
  ];
};

const modes = () => ({
  currentModeId: mode,
  availableModes: [
    { id: "default", name: "Ask" },
    { id: "plan", name: "Plan" },
    { id: "bypassPermissions", name: "Bypass" },
  ],
});

function answer(method: string, params: Json): Json | undefined {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: flags.has("--version-2") ? 2 : 1,
        agentCapabilities: {
          loadSession: !flags.has("--no-load"),
          ...(flags.has("--mcp") && { mcpCapabilities: { http: true } }),
        },
        agentInfo: { name: agentName },
        ...(flags.has("--auth") && { authMethods: authMethods(params) }),
        ...(!flags.has("--no-steering") && { _meta: { steering: { supported: true } } }),
      };
    case "session/new": {
      given = params;
      if (flags.has("--bypass")) mode = "bypassPermissions";
      const sessionId = `session-${process.pid}`;
      sessions[sessionId] = [];
      const availableCommands = [
        { name: "compact", description: "Makes room", input: null },
        { name: "memory show", description: "Two words" },
      ];
      update(sessionId, { sessionUpdate: "available_commands_update", availableCommands });
      return { sessionId, modes: modes(), configOptions: configOptions() };
    }
    case "session/load":
      given = params;
      if (sessions[String(params.sessionId)] === undefined) return undefined;
      for (const text of sessions[String(params.sessionId)] ?? []) {
        update(String(params.sessionId), { sessionUpdate: "user_message_chunk", content: { type: "text", text } });
        say(String(params.sessionId), "of an earlier time");
      }
      return { modes: modes() };
    case "session/set_config_option":
      if (params.configId === "model") model = String(params.value);
      return { configOptions: configOptions() };
    case "session/set_mode":
      mode = String(params.modeId);
      return {};
    case "_session/steering": {
      const [resolve] = steered.splice(0, 1);
      if (resolve === undefined) return { outcome: "promptRequired" };
      resolve((params.prompt as { text: string }[]).map(({ text }) => text).join(" "));
      return { outcome: "injected" };
    }
    default:
      return undefined;
  }
}

if (flags.has("--chatty")) for (let line = 0; line < 5_000; line++) process.stderr.write(`note ${line}\n`);
if (flags.has("--exit")) {
  process.stderr.write("no licence\n");
  process.exit(1);
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params = {}, ...rest } = JSON.parse(line) as { id?: number; method?: string; params?: Json };
  if (method === undefined) {
    if (id !== undefined) waiting.get(id)?.(rest as Json);
    return;
  }
  if (flags.has("--silent")) return;
  if (method === "session/cancel") {
    canceled.add(String(params.sessionId));
    return;
  }
  if (id === undefined) return;
  if (method === "session/prompt") {
    void prompt(id, params as { sessionId: string; prompt: { text?: string }[] });
    return;
  }
  if (method === "authenticate") {
    if (store !== undefined && params.methodId === "own") writeFileSync(`${store}.login`, "");
    const isDone = hasLogin();
    send(isDone ? { id, result: {} } : { id, error: { code: -32_603, message: "wrong password" } });
    return;
  }
  if (method === "session/new" && flags.has("--auth") && !hasLogin()) {
    send({ id, error: { code: -32_000, message: "Authentication required" } });
    return;
  }
  const result = answer(method, params);
  // Some say only after the answer to a prompt that it was too late to steer it.
  if (result?.outcome === "promptRequired") setTimeout(() => send({ id, result }), 200);
  else send(result === undefined ? { id, error: { code: -32_002, message: "not found" } } : { id, result });
});
// As a real agent: it ends when its input ends, unless it hangs.
process.stdin.on("end", () => flags.has("--stays") || process.exit(0));
