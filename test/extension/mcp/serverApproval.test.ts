import assert from "node:assert/strict";
import { parseServers, type ServerDefinition } from "../../../src/extension/mcp/configuration.ts";
import { type ApprovalQuestion, ServerApproval } from "../../../src/extension/mcp/serverApproval.ts";

function define(args: readonly string[], kind: "user" | "workspace" = "workspace"): ServerDefinition {
  const source = { kind, name: ".vscode/mcp.json", folder: "/work" };
  const [server] = parseServers({ servers: { files: { command: "npx", args } } }, source).servers;
  assert.ok(server);
  return server;
}

function setUp({ answer = true, isTrusted = true } = {}) {
  const state = {
    approved: {} as Readonly<Record<string, string>>,
    isTrusted,
    answer,
    asked: [] as ApprovalQuestion[],
  };
  const open = () =>
    new ServerApproval({
      memory: {
        read: () => state.approved,
        write: async (approved) => {
          state.approved = approved;
        },
      },
      isTrusted: () => state.isTrusted,
      confirm: async (question) => {
        state.asked.push(question);
        return state.answer;
      },
    });
  return { state, open, approval: open() };
}

describe("A server that a workspace brings", () => {
  it("is asked for with its whole command line", async () => {
    const { state, approval } = setUp();
    assert.equal(await approval.mayStart(define(["-y", "server", "--root=/"])), true);
    assert.match(state.asked[0]?.detail ?? "", /^npx -y server --root=\/$/m);
  });

  it("is asked for once, in later windows too", async () => {
    const { state, open } = setUp();
    for (const approval of [open(), open()]) assert.equal(await approval.mayStart(define([])), true);
    assert.equal(state.asked.length, 1);
  });

  it("is asked for once when several want it at the same time", async () => {
    const { state, approval } = setUp();
    await Promise.all([1, 2, 3].map(() => approval.mayStart(define([]))));
    assert.equal(state.asked.length, 1);
  });

  it("is asked for again when it has changed, and the question says so", async () => {
    const { state, approval } = setUp();
    await approval.mayStart(define([]));
    await approval.mayStart(define(["--evil"]));
    assert.match(state.asked[1]?.message ?? "", /changed/);
    assert.match(state.asked[1]?.detail ?? "", /--evil/);
  });

  it("is not started after a no, nor asked for again unless the user wants it", async () => {
    const { state, approval } = setUp({ answer: false });
    assert.equal(await approval.mayStart(define([])), false);
    assert.equal(await approval.mayStart(define([])), false);
    assert.equal(state.asked.length, 1);
    state.answer = true;
    assert.equal(await approval.mayStart(define([]), { again: true }), true);
  });

  it("94 is neither asked for nor started in Restricted Mode, even when it was approved before", async () => {
    const { state, approval } = setUp();
    await approval.mayStart(define([]));
    state.isTrusted = false;
    assert.equal(await approval.mayStart(define([]), { again: true }), false);
    assert.equal(approval.isApproved(define([])), false);
    assert.equal(state.asked.length, 1);
  });

  it("is not taken for approved because its id is the name of an object's own method", () => {
    const { approval } = setUp();
    assert.equal(approval.isApproved({ ...define([]), id: "constructor" }), false);
  });
});

describe("A server of the user's settings", () => {
  it("is started without a question, but not in Restricted Mode", async () => {
    const { state, approval } = setUp();
    assert.equal(await approval.mayStart(define([], "user")), true);
    state.isTrusted = false;
    assert.equal(await approval.mayStart(define([], "user")), false);
    assert.deepEqual(state.asked, []);
  });
});
