import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import * as z from "zod";
import { Agent, type AgentTool, defineTool, userMessage } from "../../../src/agent/index.ts";
import type { PermissionRequest } from "../../../src/extension/approvals/permission.ts";
import { judgeRequest } from "../../../src/extension/approvals/permissionRules.ts";
import { requestDetail, requestText } from "../../../src/extension/approvals/requestText.ts";
import type { HookDefinition } from "../../../src/extension/customization/hookDefinition.ts";
import { parseHookFile } from "../../../src/extension/customization/hookFiles.ts";
import { ChatHooks } from "../../../src/extension/hooks/chatHooks.ts";
import { HookApproval } from "../../../src/extension/hooks/hookApproval.ts";
import { offeredTools } from "../../../src/extension/mcp/findTools.ts";
import { CommandSandbox } from "../../../src/extension/sandbox/commandSandbox.ts";
import type { SandboxProbe } from "../../../src/extension/sandbox/probe.ts";
import { Commands } from "../../../src/extension/terminal/commands.ts";
import { OutputStore } from "../../../src/extension/terminal/outputStore.ts";
import { runCommandTool } from "../../../src/extension/tools/runCommand.ts";
import type { HostEvent } from "../../../src/protocol/hostEvents.ts";
import { results, said } from "../../support/agents.ts";
import { call, type Script, scriptedModel, text } from "../../support/scriptedModel.ts";
import { machineProbe } from "../sandbox/support.ts";

const unstopped = new AbortController().signal;

/** A folder with scripts, the hooks of a chat in it, and all that they show and ask. */
async function bench({ sandbox: probe, name = "arbor-hooks-" }: { sandbox?: SandboxProbe; name?: string } = {}) {
  const folder = await realpath(await mkdtemp(join(os.tmpdir(), name)));
  const stored = new Map<string, unknown>();
  const state = {
    hooks: [] as HookDefinition[],
    isTrusted: true,
    allows: true,
    asked: [] as PermissionRequest[],
    refusedPath: undefined as string | undefined,
    whileAsked: undefined as (() => Promise<void>) | undefined,
    runs: [] as Extract<HostEvent, { type: "hook_ran" }>[],
    notices: [] as string[],
  };
  const memory = {
    get: (key: string) => stored.get(key),
    update: async (key: string, value: unknown) => void stored.set(key, value),
  };
  const sandbox =
    probe && new CommandSandbox({ setting: () => "auto", probe: async () => probe, roots: () => [folder] });
  const commands = new Commands({
    ...(sandbox && { sandbox }),
    outputs: new OutputStore(join(folder, ".outputs")),
    environment: process.env,
    keyNames: () => [],
    graceMs: 50,
  });
  const hooksOf = () =>
    new ChatHooks({
      ...{ sessionId: "s1", commands },
      ...(sandbox && { sandbox }),
      approval: new HookApproval({ memory, isTrusted: () => state.isTrusted }),
      definitions: () => state.hooks,
      askPermission: async (request) => {
        state.asked.push(request);
        await state.whileAsked?.();
        if (request.kind === "hook" && state.refusedPath === request.path) return { allowed: false };
        return { allowed: state.allows };
      },
      folder: async () => ({ absolute: folder, root: folder }),
      mode: () => "ask",
      rootId: () => "root",
      emit: (event) => event.type === "hook_ran" && state.runs.push(event),
      showNotice: (notice) => state.notices.push(notice.text),
    });
  const chat = hooksOf();
  return {
    ...{ folder, state, chat, hooksOf, commands },
    /** As in a file of hooks. */
    use(hooks: Record<string, unknown>, names: HookDefinition["names"] = "claude") {
      const parsed = parseHookFile(".claude/settings.json", JSON.stringify({ hooks }), names);
      assert.deepEqual(parsed.mistakes, []);
      state.hooks = parsed.hooks;
    },
    async script(name: string, ...lines: string[]) {
      await writeFile(join(folder, name), ["#!/bin/sh", ...lines].join("\n"));
      await chmod(join(folder, name), 0o755);
    },
    agent(script: Script, tools: AgentTool[]) {
      const scripted = scriptedModel(script);
      const agent = new Agent({
        model: scripted.model,
        streamFn: scripted.streamFn,
        name: "main",
        tools,
        ...chat.parts(),
      });
      return { agent, requests: scripted.requests };
    },
    async close() {
      commands.dispose();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const hook = (command: string, matcher?: string, more: object = {}) => [
  { ...(matcher !== undefined && { matcher }), hooks: [{ type: "command", command, ...more }] },
];

/** A tool of the name of one of Arbor's that says what it got. */
function echo(name: string): AgentTool {
  return defineTool({ name, description: name, schema: z.looseObject({}), execute: (args) => JSON.stringify(args) });
}

const outcomes = (runs: readonly { event: string; outcome: string }[]) =>
  runs.map(({ event, outcome }) => `${event} ${outcome}`);

describe("the hooks of a chat", function () {
  this.timeout(60_000);
  let its: Awaited<ReturnType<typeof bench>>;
  beforeEach(async () => {
    its = await bench();
  });
  afterEach(() => its.close());

  it("block a call by exit code 2, and the model reads why; a tool that is not meant runs", async () => {
    await its.script("guard.sh", `if grep -q '"command":"rm '; then echo "no rm here" >&2; exit 2; fi`);
    its.use({ PreToolUse: hook('"$CLAUDE_PROJECT_DIR"/guard.sh', "Bash") });
    const { agent } = its.agent(
      [
        call("run_command", { command: "rm x" }),
        call("read_file", { path: "a" }),
        call("run_command", { command: "ls" }),
        text("ok"),
      ],
      [echo("run_command"), echo("read_file")],
    );
    await agent.prompt("go");
    const [blocked = "", ...ran] = results(agent.messages);
    assert.equal(blocked, "A hook of the user's blocked run_command: no rm here");
    assert.deepEqual(ran, ['{"path":"a"}', '{"command":"ls"}']);
    assert.deepEqual(outcomes(its.state.runs), ["PreToolUse blocked", "PreToolUse ran"]);
    assert.equal(its.state.runs[0]?.text, "no rm here");
  });

  it("change arguments, also in the words of Claude Code, and the model is informed", async () => {
    const answer = (input: object) =>
      JSON.stringify({
        hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow", updatedInput: input },
      });
    await its.script("a.sh", `echo '${answer({ command: "ls -l" })}'`);
    await its.script("b.sh", `echo '${answer({ file_path: join(its.folder, "src/b.ts") })}'`);
    its.use({ PreToolUse: [...hook("./a.sh", "Bash"), ...hook("./b.sh", "Read")] });
    const { agent } = its.agent(
      [call("run_command", { command: "ls" }), call("read_file", { path: "a.ts" }), text("ok")],
      [echo("run_command"), echo("read_file")],
    );
    await agent.prompt("go");
    const [command = "", file = ""] = results(agent.messages);
    assert.match(command, /^\{"command":"ls -l"\}\n\nA hook of the user's changed the arguments/);
    assert.match(file, /^\{"path":"src\/b.ts"\}\n/);
    assert.deepEqual(outcomes(its.state.runs), ["PreToolUse changed", "PreToolUse changed"]);
  });

  describe("at a call of a server's tool", () => {
    const shop = () => [echo("shop__list"), echo("shop__delete")];
    /** So many that a model finds and calls them by way of two tools. */
    const folded = () => offeredTools([...shop(), ...Array.from({ length: 60 }, (_, at) => echo(`bank__t${at}`))]);
    const seen = async () =>
      (await readFile(join(its.folder, "seen.jsonl"), "utf8"))
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));

    for (const matcher of ["mcp__shop__delete", "mcp__shop__.*", "shop__delete", "mcp__.*__delete"]) {
      it(`run where ${matcher} is to match, also by way of use_tool`, async () => {
        its.use({ PreToolUse: hook("echo no >&2; exit 2", matcher) });
        const { agent } = its.agent([call("shop__delete", { id: 1 }), text("ok")], shop());
        await agent.prompt("go");
        const one = its.agent(
          [
            call("use_tool", { name: "shop__delete", arguments: { id: 1 } }),
            call("use_tool", { name: "bank__t1" }),
            text("ok"),
          ],
          folded(),
        );
        await one.agent.prompt("go");
        assert.deepEqual(results(agent.messages), ["A hook of the user's blocked shop__delete: no"]);
        assert.deepEqual(results(one.agent.messages), ["A hook of the user's blocked shop__delete: no", "{}"]);
      });
    }

    it("read its name and its arguments, as it was called and as Claude Code names it", async () => {
      const read = hook(`tee -a "$CLAUDE_PROJECT_DIR/seen.jsonl" > /dev/null`, "mcp__shop__list");
      const script = () => [call("use_tool", { name: "shop__list", arguments: { path: "a", agent: "b" } }), text("ok")];
      for (const names of ["claude", "arbor"] as const) {
        its.use({ PreToolUse: read, PostToolUse: read }, names);
        await its.agent(script(), folded()).agent.prompt("go");
      }
      assert.deepEqual(
        (await seen()).map(({ hook_event_name, tool_name, tool_input }) => [hook_event_name, tool_name, tool_input]),
        ["mcp__shop__list", "shop__list"].flatMap((name) =>
          ["PreToolUse", "PostToolUse"].map((event) => [event, name, { path: "a", agent: "b" }]),
        ),
      );
    });

    it("change its own arguments, and ask about them", async () => {
      const output = { permissionDecision: "ask", updatedInput: { file_path: "b" } };
      await its.script("a.sh", `echo '${JSON.stringify({ hookSpecificOutput: output })}'`);
      its.use({ PreToolUse: hook("./a.sh", "mcp__shop__list") });
      const args = { name: "shop__list", arguments: { file_path: "a", n: 1 } };
      const { agent } = its.agent([call("use_tool", args), text("ok")], folded());
      await agent.prompt("go");
      const asked = its.state.asked.flatMap((each) => (each.kind === "hook" && each.callId ? [each.command] : []));
      assert.match(
        results(agent.messages)[0] ?? "",
        /^\{"file_path":"b","n":1\}\n\nA hook [^{]*\{"file_path":"b","n":1\}$/,
      );
      assert.match(asked.at(-1) ?? "", /^shop__list \{\s+"file_path": "b"/);
    });

    it("that was renamed for models are found by what the server calls it", async () => {
      const origin = { server: "my shop", tool: "list.all" };
      const renamed = Object.assign(echo("my_shop__list_all_0a1b2c3d"), { origin });
      its.use({ PreToolUse: hook("echo no >&2; exit 2", "mcp__my_shop__list_all") });
      const { agent } = its.agent([call(renamed.name), text("ok")], [renamed]);
      await agent.prompt("go");
      assert.match(results(agent.messages)[0] ?? "", /blocked my_shop__list_all_0a1b2c3d: no/);
    });
  });

  it("47 can't change a call to one that a rule denies: what runs is what is asked for", async () => {
    await its.script(
      "a.sh",
      `echo '{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"command":"touch made"}}}'`,
    );
    its.use({ PreToolUse: hook("./a.sh", "Bash") });
    const asked: string[] = [];
    const tool = runCommandTool.create({
      outputs: new OutputStore(join(its.folder, ".outputs")),
      commands: its.commands,
      folder: async () => ({ path: ".", absolute: its.folder, root: its.folder }),
      async askPermission(request) {
        if (request.kind === "command") asked.push(request.command);
        const rules = { allow: ["run_command(ls *)"], ask: [], deny: ["run_command(touch *)"] };
        const ruling = await judgeRequest(request, { rules, roots: [its.folder], shell: "bash" });
        return { allowed: ruling?.verdict === "allow" };
      },
    });
    const { agent } = its.agent([call("run_command", { command: "ls" }), text("ok")], [tool]);
    await agent.prompt("go");
    assert.deepEqual(asked, ["touch made"]);
    assert.match(results(agent.messages)[0] ?? "", /declined/);
    assert.equal(existsSync(join(its.folder, "made")), false);
  });

  it("observe results, send feedback on them, and replace them", async () => {
    await its.script("see.sh", `cat >> "$CLAUDE_PROJECT_DIR/seen.jsonl"`);
    await its.script("say.sh", `echo '{"decision":"block","reason":"run the linter"}'`);
    await its.script("cut.sh", `echo '{"hookSpecificOutput":{"updatedToolOutput":"[cut]"}}'`);
    its.use({ PostToolUse: [...hook("./see.sh"), ...hook("./say.sh", "Write"), ...hook("./cut.sh", "Read")] });
    const { agent } = its.agent(
      [call("write_file", { path: "a.ts", content: "x" }), call("read_file", { path: "a.ts" }), text("ok")],
      [echo("write_file"), echo("read_file")],
    );
    await agent.prompt("go");
    const [written = "", read = ""] = results(agent.messages);
    assert.match(written, /"content":"x"\}\n\n<hook_feedback event="PostToolUse">\nrun the linter\n<\/hook_feedback>$/);
    assert.equal(read, "[cut]");
    const seen = (await readFile(join(its.folder, "seen.jsonl"), "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      { ...seen[0], tool_use_id: "" },
      {
        ...{ session_id: "s1", transcript_path: "", cwd: its.folder, permission_mode: "default" },
        ...{ hook_event_name: "PostToolUse", tool_name: "Write", tool_use_id: "" },
        tool_input: { path: "a.ts", content: "x", file_path: join(its.folder, "a.ts") },
        tool_response: { success: true, content: '{"path":"a.ts","content":"x"}', filePath: join(its.folder, "a.ts") },
      },
    );
    assert.equal(seen[1].tool_name, "Read");
  });

  it("keep an agent at work until it is done, at most eight times", async () => {
    await its.script("once.sh", `grep -q '"stop_hook_active":true' || { echo "run the tests" >&2; exit 2; }`);
    its.use({ Stop: hook("./once.sh") });
    const one = its.agent([text("done"), text("tested")], []);
    await one.agent.prompt("go");
    assert.match(said(one.requests[1]?.messages ?? []).at(-1) ?? "", /event="Stop">\nrun the tests/);
    assert.deepEqual(outcomes(its.state.runs), ["Stop blocked", "Stop ran"]);
    its.use({ Stop: hook("exit 2") });
    const other = its.agent(
      Array.from({ length: 9 }, () => text("done")),
      [],
    );
    await other.agent.prompt("go");
    assert.equal(other.requests.length, 9);
  });

  it("block a message, or add what its agent is to know", async () => {
    its.use({
      UserPromptSubmit: hook(`if grep -q secret; then echo "no secrets" >&2; exit 2; fi; echo "It is Monday."`),
    });
    assert.deepEqual(await its.chat.submit(userMessage("a secret"), unstopped), { blocked: "no secrets" });
    const sent = await its.chat.submit(userMessage("hello"), unstopped);
    assert.ok("message" in sent);
    const [, added] = sent.message.content;
    assert.deepEqual(added, { type: "text", text: "<hook_context>\nIt is Monday.\n</hook_context>" });
  });

  it("are run for sub-agents when they start and before they end, by their names", async () => {
    await its.script("note.sh", `cat >> notes; echo '{"hookSpecificOutput":{"additionalContext":"Be brief."}}'`);
    its.use({ SubagentStart: hook("./note.sh", "Explore"), SubagentStop: hook("cat >> notes", "Explore") });
    const scripted = scriptedModel([call("ask_explore", { input: "look" }), text("found"), text("ok")]);
    const explore = new Agent({
      model: scripted.model,
      streamFn: scripted.streamFn,
      name: "explore",
      ...its.chat.parts(),
    });
    const main = new Agent({
      model: scripted.model,
      streamFn: scripted.streamFn,
      name: "main",
      tools: [explore.asTool({ name: "ask_explore" })],
    });
    await main.prompt("go");
    assert.match(said(scripted.requests[1]?.messages ?? []).join("\n"), /Be brief/);
    const notes = (await readFile(join(its.folder, "notes"), "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      notes.map(({ hook_event_name, agent_type, last_assistant_message }) => [
        hook_event_name,
        agent_type,
        last_assistant_message,
      ]),
      [
        ["SubagentStart", "Explore", undefined],
        ["SubagentStop", "Explore", "found"],
      ],
    );
  });

  const bad: [string, string, object, RegExp][] = [
    ["hangs", "sleep 100", { timeout: 0.2 }, /did not end in time/],
    ["floods", "yes", {}, /printed too much/],
    ["fails", "echo broken >&2; exit 1", {}, /exit code 1\. broken/],
    ["prints garbage", "echo '{garbage'", {}, /not JSON/],
    ["prints another decision", `echo '{"decision":42}'`, {}, /decision that can't be read/],
    ["is not there", "./missing.sh", {}, /exit code 127/],
    ["does not read what it is given", "exec <&-; exit 3", {}, /exit code 3/],
  ];
  for (const [what, command, more, expected] of bad) {
    it(`that ${what} is named, and everything goes on`, async () => {
      its.use({ PreToolUse: hook(command, "*", more), Stop: hook("cat > /dev/null") });
      const { agent } = its.agent(
        [call("read_file", { path: "a", big: "x".repeat(300_000) }), text("ok")],
        [echo("read_file")],
      );
      const { reason } = await agent.prompt("go");
      assert.equal(reason, "done");
      assert.match(results(agent.messages)[0] ?? "", /^\{"path":"a"/);
      assert.match(its.state.notices.join("\n"), expected);
      assert.deepEqual(outcomes(its.state.runs), ["PreToolUse failed", "Stop ran"]);
    });
  }

  it("end with their agent, and ask nothing more then", async () => {
    its.use({ PreToolUse: hook("sleep 100") });
    const { agent } = its.agent([call("read_file", { path: "a" })], [echo("read_file")]);
    const running = agent.prompt("go").catch(() => undefined);
    while (its.state.asked.length === 0) await new Promise(setImmediate);
    await agent.abort();
    await running;
    assert.equal(agent.status, "idle");
  });

  it("are asked for once with their text, in any chat, and again when their script has changed", async () => {
    await its.script("check.sh", "exit 0");
    its.use({ UserPromptSubmit: hook("./check.sh") });
    await its.chat.submit(userMessage("one"), unstopped);
    await its.hooksOf().submit(userMessage("two"), unstopped);
    const [request, ...others] = its.state.asked;
    assert.equal(others.length, 0);
    assert.ok(request);
    assert.equal(requestText(request), "./check.sh");
    assert.match(requestDetail(request), /UserPromptSubmit, from \.claude\/settings\.json[\s\S]*with your rights/);
    await its.script("check.sh", "exit 0 # changed");
    await its.chat.submit(userMessage("three"), unstopped);
    const changed = its.state.asked[1];
    assert.match(changed === undefined ? "" : requestDetail(changed), /has changed since you allowed it/);
    assert.equal(its.state.runs.length, 3);
  });

  it("are asked for again when the script that the variable leads to has changed, in a folder with blanks", async () => {
    const other = await bench({ name: "arbor hooks (1) " });
    try {
      await other.script("check.sh", "exit 0");
      other.use({ UserPromptSubmit: hook('"$CLAUDE_PROJECT_DIR/check.sh"') });
      await other.chat.submit(userMessage("one"), unstopped);
      await other.script("check.sh", "exit 0 # changed");
      await other.chat.submit(userMessage("two"), unstopped);
      assert.equal(other.state.asked.length, 2);
      assert.deepEqual(outcomes(other.state.runs), ["UserPromptSubmit ran", "UserPromptSubmit ran"]);
    } finally {
      await other.close();
    }
  });

  it("are asked for again when their script changed while the user was asked, and then run", async () => {
    await its.script("check.sh", "exit 0");
    its.use({ UserPromptSubmit: hook("./check.sh") });
    its.state.whileAsked = async () => {
      its.state.whileAsked = undefined;
      await its.script("check.sh", "exit 2");
    };
    assert.ok("blocked" in (await its.chat.submit(userMessage("one"), unstopped)));
    assert.equal(its.state.asked.length, 2);
  });

  it("run once where several files name the same, from one that the user allows", async () => {
    const command = "echo ran >> times; exit 2";
    its.use({ UserPromptSubmit: hook(command) });
    const [own] = its.state.hooks;
    assert.ok(own);
    its.state.hooks = [
      { ...own, path: ".claude/settings.local.json" },
      { ...own, path: "a.json", isAsync: true },
      own,
      { ...own, path: "~/.claude/settings.json" },
    ];
    its.state.refusedPath = ".claude/settings.local.json";
    assert.ok("blocked" in (await its.chat.submit(userMessage("one"), unstopped)));
    const settled = () => its.state.runs.length === 3;
    while (!settled()) await new Promise(setImmediate);
    assert.deepEqual(outcomes(its.state.runs).sort(), [
      "UserPromptSubmit blocked",
      "UserPromptSubmit declined",
      "UserPromptSubmit ran",
    ]);
  });

  it("run however many commands of agents run, which can neither find nor stop them", async () => {
    const sleeping = { folder: its.folder, agentId: "main", callId: "", isSandboxed: false };
    for (let count = 0; count < 16; count++) await its.commands.start({ ...sleeping, command: "sleep 100" });
    const before = its.commands.runningIds();
    await its.script("hook.sh", "touch began; read -r line < go; exit 2");
    await promisify(execFile)("mkfifo", [join(its.folder, "go")]);
    its.use({ UserPromptSubmit: hook("./hook.sh") });
    const submitted = its.chat.submit(userMessage("one"), unstopped);
    while (!existsSync(join(its.folder, "began"))) await new Promise(setImmediate);
    assert.equal(its.commands.find("command-17"), undefined);
    assert.deepEqual(its.commands.runningIds(), before);
    await writeFile(join(its.folder, "go"), "on\n");
    assert.ok("blocked" in (await submitted));
  });

  it("do not run after a no, which is not asked again until they change", async () => {
    its.state.allows = false;
    its.use({ UserPromptSubmit: hook("touch ran") });
    await its.chat.submit(userMessage("one"), unstopped);
    await its.chat.submit(userMessage("two"), unstopped);
    assert.equal(its.state.asked.length, 1);
    assert.deepEqual(outcomes(its.state.runs), ["UserPromptSubmit declined", "UserPromptSubmit declined"]);
  });

  it("94 neither run nor are asked for in a workspace that is not trusted", async () => {
    its.state.isTrusted = false;
    its.use({ UserPromptSubmit: hook("exit 2") });
    assert.ok("message" in (await its.chat.submit(userMessage("one"), unstopped)));
    assert.deepEqual([its.state.asked, its.state.runs], [[], []]);
  });

  it("have the user asked about a call", async () => {
    its.use({
      PreToolUse: hook(
        `echo '{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"It is late."}}'`,
      ),
    });
    const { agent } = its.agent([call("read_file", { path: "a" }), text("ok")], [echo("read_file")]);
    await agent.prompt("go");
    const [, asked] = its.state.asked;
    assert.match(
      asked === undefined ? "" : `${requestText(asked)}\n${requestDetail(asked)}`,
      /^read_file [\s\S]*It is late\./,
    );
    assert.equal(results(agent.messages)[0], '{"path":"a"}');
  });

  it("run in the sandbox where there is one, and say so when they are asked for", async function () {
    const probe = await machineProbe();
    if (!probe.isAvailable) return this.skip();
    const sandboxed = await bench({ sandbox: probe });
    try {
      sandboxed.use({
        UserPromptSubmit: hook(
          `cat > got.json; echo out > "$HOME/x"; echo err >&2; echo "in $(id -u >/dev/null && pwd)"`,
        ),
      });
      const sent = await sandboxed.chat.submit(userMessage("hello"), unstopped);
      assert.ok("message" in sent);
      assert.match(JSON.stringify(sent.message.content), new RegExp(`in ${sandboxed.folder}`));
      assert.match(await readFile(join(sandboxed.folder, "got.json"), "utf8"), /"prompt":"hello"/);
      const [asked] = sandboxed.state.asked;
      assert.match(asked === undefined ? "" : requestDetail(asked), /It runs in the sandbox\./);
      await assert.rejects(readFile(join(os.homedir(), "x")));
    } finally {
      await sandboxed.close();
    }
  });
});
