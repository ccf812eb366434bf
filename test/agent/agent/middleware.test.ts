import assert from "node:assert/strict";
import { mock } from "node:test";
import {
  logger,
  type Middleware,
  outputGuardrail,
  type Runner,
  recovery,
  timeout,
} from "../../../src/agent/agent/middleware.ts";
import type { RunResult } from "../../../src/agent/loop/runTypes.ts";
import { AgentError } from "../../../src/agent/vocabulary/errors.ts";
import { emptyUsage } from "../../../src/agent/vocabulary/usage.ts";
import { assistant, rootMeta } from "../../support/events.ts";

const done: RunResult = {
  reason: "done",
  messages: [assistant("a", "yes")],
  finalMessage: assistant("a", "yes"),
  usage: emptyUsage(),
};
const failed: RunResult = {
  reason: "error",
  messages: [],
  usage: emptyUsage(),
  error: new AgentError("provider", "no connection"),
};
const ends =
  (result: RunResult): Runner =>
  async () =>
    result;
const untilAborted: Runner = (signal) =>
  new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve({ reason: "aborted", messages: [], usage: emptyUsage() }));
  });

function run(middleware: Middleware, inner: Runner, signal = new AbortController().signal): Promise<RunResult> {
  return middleware(inner, rootMeta)(signal);
}

describe("timeout", () => {
  beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
  afterEach(() => mock.timers.reset());

  it("B42: a run that passes the deadline is aborted and fails with a deadline error", async () => {
    const running = run(timeout(1000), untilAborted);
    mock.timers.tick(999);
    assert.equal(await Promise.race([running, Promise.resolve("running")]), "running");
    mock.timers.tick(1);
    const { reason, error } = await running;
    assert.deepEqual([reason, error?.code], ["error", "timeout"]);
    assert.match(error?.message ?? "", /deadline.*1000 ms/);
  });

  it("B42: a faster run is untouched", async () => {
    assert.equal(await run(timeout(1000), ends(done)), done);
  });

  it("B42: an abort by the caller stays an abort", async () => {
    const caller = new AbortController();
    const running = run(timeout(1000), untilAborted, caller.signal);
    caller.abort();
    assert.equal((await running).reason, "aborted");
  });
});

describe("recovery", () => {
  it("B43: a throw becomes a run that ended with an error", async () => {
    const cause = new Error("boom");
    const result = await run(recovery(), async () => {
      throw cause;
    });
    assert.equal(result.reason, "error");
    assert.equal(result.error?.message, "agent panicked: boom");
    assert.equal(result.error?.cause, cause);
  });

  it("B43: a run that ended in any other way is untouched", async () => {
    assert.equal(await run(recovery(), ends(failed)), failed);
  });
});

describe("logger", () => {
  function lines(inner: Runner) {
    const written: string[] = [];
    const log = {
      info: (message: string) => written.push(`info ${message}`),
      error: (message: string) => written.push(`error ${message}`),
    };
    return { written, running: run(logger(log), inner) };
  }

  it("B44: writes a line when a run starts and one with its duration when it ends", async () => {
    const { written, running } = lines(ends(done));
    await running;
    assert.match(written.join("\n"), /^info main: .*start.*\ninfo main: .*\d+ ms/);
  });

  it("B44: writes a failure at error level with its text", async () => {
    const { written, running } = lines(ends(failed));
    await running;
    assert.match(written.at(-1) ?? "", /^error main: .*\d+ ms.*no connection/);
  });

  it("B44: writes a throw at error level and lets it pass", async () => {
    const { written, running } = lines(async () => {
      throw new Error("boom");
    });
    await assert.rejects(running, /boom/);
    assert.match(written.at(-1) ?? "", /^error main: .*boom/);
  });

  it("B44: does not call an abort an error", async () => {
    const { written, running } = lines(ends({ ...done, reason: "aborted" }));
    await running;
    assert.match(written.at(-1) ?? "", /^info .*aborted/);
  });
});

describe("outputGuardrail", () => {
  it("B45: a message that passes the check is returned", async () => {
    const seen: string[] = [];
    const result = await run(
      outputGuardrail((message) => {
        seen.push(message.id);
      }),
      ends(done),
    );
    assert.equal(result, done);
    assert.deepEqual(seen, ["a"]);
  });

  it("B45: a message that fails the check is withheld, and the run has the check's error", async () => {
    const result = await run(
      outputGuardrail(async () => {
        throw new Error("holds a secret");
      }),
      ends({ ...done, result: "a secret" }),
    );
    assert.deepEqual([result.reason, result.error?.message], ["error", "holds a secret"]);
    assert.ok(!("finalMessage" in result) && !("result" in result));
  });

  it("B45: a run that failed on its own is not checked", async () => {
    const check = () => assert.fail("checked");
    assert.equal(await run(outputGuardrail(check), ends(failed)), failed);
    const withMessage: RunResult = { ...failed, finalMessage: assistant("a", "half") };
    assert.equal(await run(outputGuardrail(check), ends(withMessage)), withMessage);
  });
});
