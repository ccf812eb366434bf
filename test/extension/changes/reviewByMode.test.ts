import assert from "node:assert/strict";
import { ChatGrants } from "../../../src/extension/approvals/chatGrants.ts";
import { isSensitivePath } from "../../../src/extension/approvals/sensitive.ts";
import { OpenEdits, type ReviewMode, reviewByMode, reviewModeOf } from "../../../src/extension/changes/reviewByMode.ts";
import type { HostEvent } from "../../../src/protocol/hostEvents.ts";
import { applying } from "./support/applying.ts";
import { reviewing } from "./support/reviewing.ts";

const nothingSensitive = { isSensitive: async () => false };

function grantsTelling(emit: (event: HostEvent) => void): ChatGrants {
  let ids = 0;
  return new ChatGrants({ emit, newId: () => `grant-${++ids}` });
}

const change = (path: string, callId: string, agentId = "a", after = "new\n") => ({
  callId,
  toolName: "write_file",
  agent: { id: agentId, prefix: agentId, depth: 1 },
  agentPath: ["main", agentId],
  changes: [{ path, after }],
});

/** A chat whose edits are asked for, over an empty workspace. */
function askingChat(mode: ReviewMode = "before", judge?: Parameters<typeof reviewByMode>[0]["judge"]) {
  const asking = reviewing({});
  const session = applying({}, asking.workspace);
  const open = new OpenEdits();
  const events: HostEvent[] = [];
  const emit = (event: HostEvent) => void events.push(event);
  const grants = grantsTelling(emit);
  const review = reviewByMode(
    {
      ...{ mode: () => mode, before: asking.reviews, after: session.reviews, open },
      isSensitive: async (path) => isSensitivePath(path),
      leadsTo: async (path) => (path === "src/auth/link.ts" ? "src/other.ts" : undefined),
      ...(judge && { judge }),
    },
    { emit, lineage: (agentId) => ["main", agentId], grants },
  );
  const approvals = () => events.flatMap((event) => (event.type === "approval_requested" ? [event.approval] : []));
  const { signal } = new AbortController();
  return {
    ...{ asking, session, open, events, grants, approvals, review },
    edit: (path: string, callId: string, agentId?: string, after?: string) =>
      review.review(change(path, callId, agentId, after), signal),
    change: (path: string, callId: string, before: string) =>
      review.review({ ...change(path, callId), changes: [{ path, before, after: "new\n" }] }, signal),
    overwrite: (path: string, callId: string, before: string) =>
      review.review(
        { ...change(path, callId), changes: [{ path, before, after: "new\n" }], mustAsk: "overwrites" },
        signal,
      ),
    move: (path: string, movedTo: string, callId: string) =>
      review.review({ ...change(path, callId), toolName: "move_file", changes: [{ path, movedTo }] }, signal),
    /** Resolves when so many approvals were asked for. */
    async asked(count: number) {
      while (approvals().length < count) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe("the review mode", () => {
  it("is after for auto-edit where edits would be asked for, and else as the setting says", () => {
    const cases = [
      ["before", "ask", "before"],
      ["before", "auto-edit", "after"],
      ["before", "plan", "before"],
      ["off", "auto-edit", "off"],
      ["after", "ask", "after"],
    ] as const;
    for (const [editReview, permissionMode, expected] of cases) {
      assert.equal(reviewModeOf({ editReview, permissionMode }), expected);
    }
  });

  it("16 asks for a sensitive file in every mode, whether it is made or changed, without an answer for more than once", async () => {
    for (const mode of ["before", "after", "off"] as const) {
      const { edit, change, asked, approvals, asking, session } = askingChat(mode);
      const edited = edit("src/.vscode/tasks.json", "c1");
      await asked(1);
      assert.equal(approvals()[0]?.scopes, undefined);
      const why = "Always asked for: src/.vscode/tasks.json can hold secrets or decide what runs.";
      assert.deepEqual(approvals()[0]?.why, [why]);
      assert.equal(session.textOf("src/.vscode/tasks.json"), undefined);
      await asking.reviews.reject({});
      await edited;
      session.type("AGENTS.md", "old\n");
      const changed = change("AGENTS.md", "c2", "old\n");
      await asked(2);
      assert.equal(session.textOf("AGENTS.md"), "old\n");
      await asking.reviews.reject({});
      await changed;
    }
  });

  it("28 asks for an edit that must be asked for in every mode, without an answer for more than once", async () => {
    for (const mode of ["before", "after", "off"] as const) {
      const { overwrite, asked, approvals, asking, session } = askingChat(mode);
      session.type("b.ts", "old\n");
      const edited = overwrite("b.ts", "c1", "old\n");
      await asked(1);
      assert.equal(approvals()[0]?.scopes, undefined);
      assert.deepEqual(approvals()[0]?.why, ["Always asked for: it replaces a file that is there."]);
      assert.equal(session.textOf("b.ts"), "old\n");
      await asking.reviews.accept({});
      await edited;
      assert.equal(session.textOf("b.ts"), "new\n");
    }
  });

  it("asks in every mode for what could not be written unasked, and says why", async () => {
    for (const mode of ["before", "after", "off"] as const) {
      const { review, asked, approvals, asking, session } = askingChat(mode);
      const unwritten = "b.ts is read-only.";
      const edited = review.review({ ...change("b.ts", "c1"), mustAsk: { unwritten } }, new AbortController().signal);
      await asked(1);
      assert.equal(approvals()[0]?.scopes, undefined);
      assert.deepEqual(approvals()[0]?.why, [`Always asked for: writing it failed. ${unwritten}`]);
      await asking.reviews.accept({});
      await edited;
      assert.equal(session.textOf("b.ts"), "new\n");
    }
  });

  it("says beforehand which files may not be written, with the rule, by where links lead as well, and asks nothing", async () => {
    const { review, approvals, session } = askingChat("off", async ({ paths }) => {
      const [rule, verdict] = paths.includes("src/other.ts")
        ? ["edit_file(src/other.ts)", "deny" as const]
        : ["edit_file(b.ts)", paths.includes("b.ts") ? ("ask" as const) : ("allow" as const)];
      return { verdict, rule, reason: "" };
    });
    const paths = ["a.ts", "b.ts", "src/auth/link.ts", "src/other.ts"];
    const { agent } = change("a.ts", "c1");
    const denied = await review.denies?.({ agent, changes: paths.map((path) => ({ path, after: "new\n" })) });
    const reason = "a rule in the settings forbids it: edit_file(src/other.ts)";
    assert.deepEqual(denied, new Map(paths.slice(2).map((path) => [path, reason])));
    assert.deepEqual([approvals(), session.textOf("a.ts")], [[], undefined]);
  });

  it("17 asks for an edit that names a schema on the web in every mode", async () => {
    for (const mode of ["before", "after", "off"] as const) {
      const { edit, asked, approvals, asking, session } = askingChat(mode);
      const edited = edit("a.json", "c1", "a", '{ "$schema": "https://evil.example/?d=1" }\n');
      await asked(1);
      assert.equal(approvals()[0]?.scopes, undefined);
      assert.match(approvals()[0]?.why?.join() ?? "", /^Always asked for: it names a schema on the web/);
      assert.equal(session.textOf("a.json"), undefined);
      await asking.reviews.reject({});
      await edited;
    }
  });

  it("asks again for a command once an agent has changed what it runs", async () => {
    const { edit, grants } = askingChat("after");
    const command = (text: string) =>
      ({
        kind: "command",
        ...{ command: text, cwd: ".", folder: "/ws", toolName: "run_command", callId: "c" },
        agent: { id: "a", prefix: "a", depth: 1 },
      }) as const;
    const build = command("node tools/build.js --fast");
    const other = command("node tools/other.js");
    const redirected = command("node tools/other.js > src/a.ts");
    for (const request of [build, other, redirected]) grants.add([{ request, agentPath: ["main", "a"] }], "session");
    await edit("src/a.ts", "c1");
    for (const request of [build, redirected]) assert.equal(grants.covers(request, ["main", "a"]), true);
    await edit("tools/build.js", "c2");
    assert.equal(grants.covers(build, ["main", "a"]), false);
    assert.equal(grants.covers(other, ["main", "a"]), true);
  });

  it("asks again for a command once an agent has moved another file to where it finds what it runs", async () => {
    const { edit, move, grants } = askingChat("after");
    await edit("drafts/other.js", "c1");
    const request = {
      kind: "command",
      ...{ command: "npm test", cwd: ".", folder: "/ws", toolName: "run_command", callId: "c" },
      ...{ agent: { id: "a", prefix: "a", depth: 1 }, runs: ["/ws/tools/test.js"], version: "1" },
    } as const;
    grants.add([{ request, agentPath: ["main", "a"] }], "session");
    assert.equal(grants.covers(request, ["main", "a"]), true);
    await move("drafts/other.js", "tools/test.js", "c2");
    assert.equal(grants.covers(request, ["main", "a"]), false);
  });

  it("writes unasked what an answer reaches, and says what let it through", async () => {
    const chat = askingChat();
    const first = chat.edit("src/auth/login.ts", "c1");
    await chat.asked(1);
    const approval = chat.approvals()[0];
    assert.equal(approval?.why, undefined, "it is the mode that asks");
    assert.deepEqual(approval?.scopes, [
      { scope: "agent" },
      { scope: "session" },
      { scope: "pattern", pattern: "src/auth/**" },
    ]);
    for (const proposalId of chat.open.grant(approval?.id ?? "", "pattern"))
      await chat.asking.reviews.accept({ proposalId });
    await first;
    await chat.edit("src/auth/deep/token.ts", "c2", "other");
    assert.equal(chat.session.textOf("src/auth/deep/token.ts"), "new\n");
    assert.equal(chat.session.pending().length, 1, "what nobody looked at waits for Keep or Undo");
    const told = chat.events.findLast((event) => event.type === "call_allowed");
    assert.deepEqual(told, {
      type: "call_allowed",
      callId: "c2",
      grant: { id: "grant-1", kind: "edit", scope: "pattern", text: "src/auth/**" },
    });
    const beside = chat.edit("src/authors.ts", "c3");
    const climbing = chat.edit("src/auth/../../other.ts", "c4").catch(() => undefined);
    const through = chat.edit("src/auth/link.ts", "c5");
    await chat.asked(3);
    await chat.asking.reviews.reject({});
    await Promise.all([beside, climbing, through]);
    assert.equal(chat.session.textOf("src/auth/link.ts"), undefined);
  });

  it("lets through with one answer what waits for the same, and never another agent's with an answer for one", async () => {
    const chat = askingChat();
    const waiting = [chat.edit("a.ts", "c1", "one"), chat.edit("b.ts", "c2", "one"), chat.edit("c.ts", "c3", "two")];
    await chat.asked(3);
    const idOf = (callId: string) => chat.approvals().find((approval) => approval.callId === callId)?.id ?? "";
    assert.deepEqual(chat.open.grant(idOf("c1"), "agent"), [idOf("c1"), idOf("c2")]);
    assert.deepEqual(chat.open.grant(idOf("c3"), "session"), [idOf("c3"), idOf("c1"), idOf("c2")]);
    await chat.asking.reviews.reject({});
    await Promise.all(waiting);
    assert.deepEqual(chat.open.grant(idOf("c1"), "session"), [], "a stale answer allows nothing");
  });

  it("asks once for the same edit of two agents, and an answer for agents reaches both", async () => {
    const chat = askingChat();
    const waiting = [chat.edit("a.ts", "c1", "one"), chat.edit("a.ts", "c2", "two")];
    await chat.asked(2);
    assert.deepEqual(
      chat.approvals().map(({ id, others }) => [id, others?.length]),
      [
        ["p1", undefined],
        ["p1", 1],
      ],
    );
    assert.deepEqual(chat.open.grant("p1", "agent"), ["p1"]);
    await chat.asking.reviews.accept({ proposalId: "p1" });
    await Promise.all(waiting);
    const unasked = [chat.edit("b.ts", "c3", "one"), chat.edit("c.ts", "c4", "two")];
    await Promise.all(unasked);
    assert.equal(chat.approvals().length, 2);
  });

  it("counts at the time of each edit", async () => {
    const text = "one\ntwo\n";
    const asking = reviewing({ "a.ts": text });
    const session = applying({ "a.ts": text }, asking.workspace);
    let mode: ReviewMode = "after";
    const review = reviewByMode(
      { mode: () => mode, before: asking.reviews, after: session.reviews, open: new OpenEdits(), ...nothingSensitive },
      { emit: () => {}, lineage: (agentId) => ["main", agentId], grants: grantsTelling(() => {}) },
    );
    const edit = (before: string, after: string) => ({
      callId: "c",
      toolName: "edit_file",
      agent: { id: "a", prefix: "a", depth: 1 },
      agentPath: ["main", "a"],
      changes: [{ path: "a.ts", before, after }],
    });
    const { signal } = new AbortController();
    await review.review(edit(text, "1\ntwo\n"), signal);
    assert.deepEqual(
      session.pending().map(({ hunk }) => hunk.author.agentIds),
      [["main", "a"]],
    );
    mode = "off";
    await review.review(edit("1\ntwo\n", "1\n2\n"), signal);
    assert.equal(session.textOf("a.ts"), "1\n2\n");
    assert.equal(session.pending().length, 1);
    mode = "before";
    const waiting = review.review(edit("1\n2\n", "1\n2\n3\n"), signal);
    while (asking.pending().length === 0) await Promise.resolve();
    assert.equal(session.textOf("a.ts"), "1\n2\n");
    await asking.reviews.reject({});
    assert.equal((await waiting).files[0]?.hunks[0]?.accepted, false);
  });
});
