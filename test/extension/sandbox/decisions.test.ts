import assert from "node:assert/strict";
import type { AgentMeta } from "../../../src/agent/types.ts";
import { ChatGrants } from "../../../src/extension/approvals/chatGrants.ts";
import { offersFor } from "../../../src/extension/approvals/grants.ts";
import type { CommandPermission } from "../../../src/extension/approvals/permission.ts";
import { requestDetail } from "../../../src/extension/approvals/requestText.ts";
import { runsUnasked, SandboxGrant } from "../../../src/extension/approvals/sandboxGrant.ts";
import { CommandSandbox } from "../../../src/extension/sandbox/commandSandbox.ts";
import type { SandboxSetting } from "../../../src/extension/settings/settings.ts";
import { sandboxFailureText } from "../../../src/extension/tools/commandText.ts";
import type { HostEvent } from "../../../src/protocol/hostEvents.ts";

const agent: AgentMeta = { id: "main", name: "main", depth: 0 } as AgentMeta;
const request = (sandbox?: "inside" | "outside"): CommandPermission => ({
  ...{
    kind: "command",
    command: "npm test",
    cwd: "shop",
    folder: "/ws/shop",
    toolName: "run_command",
    callId: "c",
    agent,
  },
  ...(sandbox && { sandbox }),
});

function openGrant() {
  const memory = new Map<string, unknown>();
  const grant = new SandboxGrant({
    get: (key) => memory.get(key),
    update: async (key, value) => void memory.set(key, value),
  });
  const events: HostEvent[] = [];
  let ids = 0;
  const chat = () => {
    const grants = new ChatGrants({ emit: (event) => void events.push(event), newId: () => `grant-${++ids}` });
    grants.share({ sandbox: grant });
    return grants;
  };
  return { grant, chat, events };
}

describe("a sandboxed command", () => {
  it("needs no question in auto-edit; one outside, and any in another mode, does", () => {
    assert.equal(runsUnasked(request("inside"), "auto-edit"), true);
    for (const [sandbox, mode] of [
      ["outside", "auto-edit"],
      [undefined, "auto-edit"],
      ["inside", "ask"],
      ["inside", "plan"],
    ] as const) {
      assert.equal(runsUnasked(request(sandbox), mode), false);
    }
  });

  it("is allowed with all others of the workspace by one answer, in every chat, until that is removed", () => {
    const { chat, events } = openGrant();
    const [first, second] = [chat(), chat()];
    assert.equal(first.covers(request("inside"), ["main"]), false);
    assert.equal(first.add([{ request: request("inside"), agentPath: ["main"] }], "workspace"), true);
    for (const grants of [first, second]) {
      assert.equal(grants.covers({ ...request("inside"), command: "npm run build" }, ["other"]), true);
      assert.equal(grants.covers(request("outside"), ["main"]), false);
      assert.equal(grants.covers(request(), ["main"]), false);
    }
    assert.equal(second.letThrough("call-1", request("inside"), ["main"]), true);
    const shown = { id: "sandboxed commands", kind: "command", scope: "workspace", text: "*" };
    assert.deepEqual(events.slice(-2), [
      { type: "grants_changed", grants: [shown] },
      { type: "call_allowed", callId: "call-1", grant: shown },
    ]);
    second.remove(shown.id);
    assert.deepEqual(events.at(-1), { type: "grants_changed", grants: [] });
    assert.equal(first.covers(request("inside"), ["main"]), false);
  });

  it("offers that answer; one outside and one without a sandbox don't, and can't be given it", () => {
    const scopes = (sandbox?: "inside" | "outside") => offersFor(request(sandbox)).map(({ scope }) => scope);
    assert.deepEqual(scopes("inside"), ["agent", "session", "workspace"]);
    for (const sandbox of ["outside", undefined] as const) {
      assert.deepEqual(scopes(sandbox), ["agent", "session"]);
      const { chat, grant } = openGrant();
      assert.equal(chat().add([{ request: request(sandbox), agentPath: [] }], "workspace"), false);
      assert.equal(grant.isAllowed, false);
    }
  });

  it("that was allowed is not allowed outside, nor the reverse", () => {
    const { chat } = openGrant();
    const grants = chat();
    grants.add([{ request: request("inside"), agentPath: ["main"] }], "session");
    assert.equal(grants.covers(request("inside"), ["main"]), true);
    assert.equal(grants.covers(request("outside"), ["main"]), false);
    assert.equal(grants.covers(request(), ["main"]), false);
  });

  it("says where it runs when it is asked for", () => {
    assert.match(requestDetail(request("inside")), /^in shop\nin the sandbox: /);
    assert.match(requestDetail(request("outside")), /^in shop\noutside the sandbox, with all your rights$/);
    assert.equal(requestDetail(request()), "in shop");
  });
});

describe("where a command runs", () => {
  const reason = "It is not installed.";
  function open(setting: SandboxSetting, isAvailable: boolean) {
    const reported: string[] = [];
    const works = { isAvailable: true, program: "/usr/bin/bwrap", canDisableNamespaces: true } as const;
    const choice = new CommandSandbox({
      setting: () => setting,
      probe: async () => (isAvailable ? works : { isAvailable, reason }),
      roots: () => ["/work/shop"],
      home: "/nonexistent/home",
      onUnavailable: (text) => void reported.push(text),
    });
    return { choice, reported };
  }

  const rows: [SandboxSetting, available: boolean, wantsOutside: boolean, "inside" | "outside" | undefined][] = [
    ["auto", true, false, "inside"],
    ["auto", true, true, "outside"],
    ["auto", false, false, undefined],
    ["auto", false, true, undefined],
    ["required", true, false, "inside"],
    ["off", true, false, undefined],
    ["off", true, true, undefined],
  ];
  for (const [setting, isAvailable, wantsOutside, expected] of rows) {
    const where = isAvailable ? "where it works" : "where it does not work";
    it(`is ${expected ?? "without a sandbox"} with "${setting}" ${where}${wantsOutside ? ", asking for outside" : ""}`, async () => {
      const { choice, reported } = open(setting, isAvailable);
      assert.equal(await choice.choose(wantsOutside), expected);
      assert.deepEqual(reported, isAvailable ? [] : [reason]);
    });
  }

  it('is nowhere else with "required"', async () => {
    await assert.rejects(open("required", true).choice.choose(true), {
      name: "ToolError",
      message: /allow no command/,
    });
    await assert.rejects(open("required", false).choice.choose(false), { message: /none here: It is not installed\./ });
    assert.equal(open("required", true).choice.canLeave(), false);
    assert.equal(open("auto", true).choice.canLeave(), true);
  });
});

const failed = {
  ...({ cause: "exit", exitCode: 1, signal: null, durationMs: 5, leftBehind: 0, independent: 0 } as const),
  sandboxed: { created: [], refusedHosts: [] },
};

describe("what of the sandbox made a command fail", () => {
  const outputs: [string, RegExp | undefined][] = [
    ["touch: cannot touch '/usr/x': Read-only file system", /temporary folder can be written/],
    ["Error: EROFS: read-only file system, open '/home/u/x'", /temporary folder can be written/],
    ["mv: cannot move 'a' to 'b': Device or resource busy", /can't be replaced/],
    ["npm error code EAI_AGAIN", /no network/],
    ["fatal: unable to access 'https://host.test/': Could not resolve host: host.test", /no network/],
    ["connect ECONNREFUSED 127.0.0.1:5432", /can be reached on this machine/],
    ["cat: .env: Permission denied", /keys and passwords/],
    ["1 test failed: expected 2, got 3", undefined],
    ["src/a.ts(3,1): error TS2304: Cannot find name 'x'.", undefined],
    ["", undefined],
  ];
  for (const [output, reason] of outputs) {
    it(`is ${reason === undefined ? "nothing" : "found"} in ${JSON.stringify(output)}`, () => {
      const said = sandboxFailureText(failed, output, { canLeave: true });
      if (reason === undefined) return assert.equal(said, "");
      assert.match(said, reason);
      assert.match(said, /call run_command again with outside_sandbox, which asks the user/);
      assert.match(sandboxFailureText(failed, output, { canLeave: false }), /settings allow no command outside it/);
      // Nothing is to be said of what did not fail, ran elsewhere, or was ended.
      assert.equal(sandboxFailureText({ ...failed, exitCode: 0 }, output, { canLeave: true }), "");
      assert.equal(sandboxFailureText({ ...failed, cause: "timeout" }, output, { canLeave: true }), "");
      const { sandboxed, ...outside } = failed;
      assert.deepEqual(sandboxed, failed.sandboxed);
      assert.equal(sandboxFailureText(outside, output, { canLeave: true }), "");
    });
  }
});
