import assert from "node:assert/strict";
import { parseServers, type ServerDefinition } from "../../../src/extension/mcp/configuration.ts";
import { type ApprovalQuestion, ServerApproval } from "../../../src/extension/mcp/serverApproval.ts";

function define(
  args: readonly string[],
  kind: "user" | "workspace" = "workspace",
  rest: object = {},
): ServerDefinition {
  const source = { kind, name: ".vscode/mcp.json", folder: "/work" };
  const [server] = parseServers({ servers: { files: { command: "npx", args, ...rest } } }, source).servers;
  assert.ok(server);
  return server;
}

function setUp({ answer = true, isTrusted = true } = {}) {
  const state = {
    approved: {} as Readonly<Record<string, string>>,
    isTrusted,
    problem: "There is none." as string | undefined,
    isRequired: false,
    /** Or the name of a button. */
    answer: answer as boolean | string,
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
      sandboxProblem: async () => state.problem,
      isSandboxRequired: () => state.isRequired,
      confirm: async (question) => {
        state.asked.push(question);
        if (typeof state.answer !== "string") return state.answer ? question.answers[0] : undefined;
        return question.answers.find(({ label }) => label === state.answer) ?? assert.fail(`no ${state.answer}`);
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

describe("The place of a server", () => {
  const meant = (kind: "user" | "workspace", rest: object = {}) => define([], kind, { sandboxEnabled: true, ...rest });
  const labels = ({ answers }: ApprovalQuestion) => answers.map(({ label }) => label);

  it("is asked for with the server of a workspace, where the sandbox works, and what it reaches there", async () => {
    const { state, open, approval } = setUp();
    state.problem = undefined;
    state.answer = "Start in Sandbox";
    assert.equal(await approval.mayStart(define([])), true);
    assert.deepEqual(labels(state.asked[0] ?? assert.fail()), ["Start in Sandbox", "Start Outside"]);
    assert.match(state.asked[0]?.detail ?? "", /reaches registry\.npmjs\.org\. Outside it has your rights/);
    const later = open();
    await later.lookForSandbox();
    assert.deepEqual([later.placeOf(define([])), later.isApproved(define([]))], ["sandbox", true]);
    assert.equal(approval.outsideReason(define([])), undefined);
  });

  it("is outside where the user says so, and nothing more is asked", async () => {
    const { state, approval } = setUp();
    state.problem = undefined;
    state.answer = "Start Outside";
    for (let time = 0; time < 2; time++) assert.equal(await approval.mayStart(define([])), true);
    assert.deepEqual([approval.placeOf(define([])), state.asked.length], ["outside", 1]);
    assert.equal(approval.outsideReason(define([])), "sandboxEnabled is not set");
  });

  it("is the sandbox where the definition says so, with its rules in the question", async () => {
    const { state, approval } = setUp();
    state.problem = undefined;
    const rules = { filesystem: { allowWrite: ["/data"] }, network: { allowedDomains: ["a.test", "*.b.test"] } };
    assert.equal(await approval.mayStart(meant("workspace", { sandbox: rules })), true);
    const [question = assert.fail()] = state.asked;
    assert.deepEqual(labels(question), ["Start"]);
    assert.match(question.detail, /^It runs in the sandbox.*reaches registry\.npmjs\.org, a\.test, \*\.b\.test\./);
    assert.match(question.detail, /^sandbox allowWrite: \/data$/m);
    assert.match(question.detail, /^sandbox allowedDomains: a\.test, "\*\.b\.test"$/m);
    assert.equal(approval.placeOf(meant("workspace", { sandbox: rules })), "sandbox");
  });

  it("is asked about with the paths that the definition opens in the sandbox, and every host where it opens that", async () => {
    const { state, approval } = setUp();
    state.problem = undefined;
    const root = `\${workspaceFolder}`;
    const detailOf = async (rest: object) => {
      await approval.mayStart(meant("workspace", rest));
      return state.asked.at(-1)?.detail ?? "";
    };
    const filesystem = {
      allowRead: ["~/notes", `${root}/../other`],
      allowWrite: [`${root}/a`, "/data"],
    };
    const opened = await detailOf({ cwd: "/srv/app", sandbox: { filesystem, network: { allowedDomains: ["*"] } } });
    assert.match(opened, /reaches registry\.npmjs\.org, every public host\. /);
    assert.match(opened, / Its definition also lets it change \/data\. /);
    assert.match(
      opened,
      / also lets it read ~\/notes, \$\{workspaceFolder\}\/\.\.\/other, \/srv\/app\. Keys in .* not hidden\. /,
    );
    assert.match(opened, /^[^\n]* Arbor runs:\n/);
    assert.doesNotMatch(await detailOf({ cwd: `${root}/a` }), /also|not hidden/);
  });

  for (const kind of ["user", "workspace"] as const) {
    it(`is outside the sandbox that a server of the ${kind} is meant for only once the user says so`, async () => {
      const { state, open, approval } = setUp({ answer: false });
      assert.equal(approval.isApproved(meant(kind)), false);
      assert.equal(await approval.mayStart(meant(kind)), false);
      assert.match(state.asked[0]?.message ?? "", /outside the sandbox that it is meant for/);
      assert.match(state.asked[0]?.detail ?? "", /^There is none\. It runs on this machine with your rights/);
      state.answer = true;
      assert.equal(await approval.mayStart(meant(kind), { again: true }), true);
      assert.deepEqual(
        [approval.placeOf(meant(kind)), approval.outsideReason(meant(kind))],
        ["outside", "There is none."],
      );
      assert.equal(await open().mayStart(meant(kind)), true);
      assert.equal(state.asked.length, 2);
    });
  }

  it("that was approved in the sandbox is asked for again once that does not work any more", async () => {
    const { state, approval } = setUp();
    state.problem = undefined;
    assert.equal(await approval.mayStart(meant("workspace")), true);
    state.problem = "It is gone.";
    await approval.lookForSandbox();
    assert.equal(approval.isApproved(meant("workspace")), false);
    assert.equal(await approval.mayStart(meant("workspace")), true);
    assert.match(state.asked[1]?.detail ?? "", /^It is gone\./);
  });

  it("that was chosen by the user is asked for again, with the reason, once the sandbox does not work any more", async () => {
    const { state, approval } = setUp();
    state.problem = undefined;
    state.answer = "Start in Sandbox";
    assert.equal(await approval.mayStart(define([])), true);
    state.problem = "It is gone.";
    await approval.lookForSandbox();
    state.answer = false;
    assert.equal(await approval.mayStart(define([])), false);
    assert.match(state.asked[1]?.message ?? "", /outside the sandbox/);
    assert.match(state.asked[1]?.detail ?? "", /^It is gone\. It runs on this machine with your rights/);
  });

  it("shows hosts that hide something as what they are, in one line", async () => {
    const { state, approval } = setUp();
    state.problem = undefined;
    const network = { allowedDomains: ["a.test\n\nnpx good", "b\u202e.test"] };
    await approval.mayStart(meant("workspace", { sandbox: { network } }));
    const { detail } = state.asked[0] ?? assert.fail();
    assert.deepEqual(detail.split("\n").length, 4);
    assert.doesNotMatch(detail, /\u202e/);
  });

  it("is never outside where the sandbox is required, and nothing is asked", async () => {
    const { state, approval } = setUp();
    state.isRequired = true;
    assert.equal(await approval.mayStart(meant("workspace"), { again: true }), false);
    assert.deepEqual([state.asked, approval.refusal(meant("workspace"))], [[], "There is none."]);
    state.problem = undefined;
    assert.equal(await approval.mayStart(meant("workspace"), { again: true }), true);
    assert.equal(approval.otherPlace(meant("workspace")), undefined);
  });

  it("is the sandbox again, whatever was answered before, once that is required", async () => {
    for (const kind of ["user", "workspace"] as const) {
      const { state, approval } = setUp();
      assert.equal(await approval.mayStart(meant(kind)), true);
      assert.equal(approval.placeOf(meant(kind)), "outside");
      state.isRequired = true;
      assert.deepEqual([approval.placeOf(meant(kind)), approval.isApproved(meant(kind))], ["sandbox", false]);
    }
  });

  it("is another one when the user wants that, which is asked with the whole command line", async () => {
    const { state, approval } = setUp();
    state.problem = undefined;
    assert.equal(await approval.mayStart(define([], "user")), true);
    assert.equal(approval.otherPlace(define([], "user")), undefined);
    await approval.lookForSandbox();
    assert.equal(approval.otherPlace(define([], "user")), "sandbox");
    assert.equal(await approval.mayStart(define([], "user"), { place: "sandbox" }), true);
    assert.deepEqual(
      [approval.placeOf(define([], "user")), approval.otherPlace(define([], "user"))],
      ["sandbox", "outside"],
    );
    assert.equal(await approval.mayStart(meant("user"), { place: "outside" }), true);
    assert.match(state.asked[1]?.message ?? "", /outside the sandbox/);
    assert.equal(approval.outsideReason(meant("user")), "by your choice");
  });
});
