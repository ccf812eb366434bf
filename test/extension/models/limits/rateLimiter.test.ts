import assert from "node:assert/strict";
import { type Permit, whileHeld } from "../../../../src/agent/providers/shared/rateLimiter.ts";
import { createRateLimiter, rateLimiterByProvider } from "../../../../src/extension/models/limits/rateLimiter.ts";
import { manualClock } from "../../../support/manualClock.ts";
import { settingsFrom } from "../../../support/settings.ts";

const admitted = (passages: readonly Permit[]) => passages.map((permit) => permit.hold === undefined);

describe("the limiter to a provider", () => {
  const enter = (count: number, mostAtOnce = 8) => {
    const clock = manualClock();
    const limiter = createRateLimiter(() => mostAtOnce, clock);
    return { clock, limiter, passages: Array.from({ length: count }, () => limiter.acquire()) };
  };

  it("goes on after a pause whose timer comes a moment early", () => {
    let now = 0;
    const timers: { run: () => void; delayMs: number }[] = [];
    const limiter = createRateLimiter(() => 1, {
      now: () => now,
      later: (run, delayMs) => {
        timers.push({ run, delayMs });
        return () => {};
      },
    });
    const sentAway = limiter.acquire();
    sentAway.limited(500, "Slow down.");
    sentAway.release();
    const next = limiter.acquire();
    for (const early of [1, 0]) {
      const timer = timers.pop();
      now += (timer?.delayMs ?? 0) - early;
      timer?.run();
    }
    assert.equal(now, 500);
    assert.equal(next.hold, undefined);
  });

  it("lets no more requests go at once than allowed, the others in their order", () => {
    const { passages } = enter(4, 2);
    assert.deepEqual(admitted(passages), [true, true, false, false]);
    assert.deepEqual(passages[2]?.hold, {}, "a line says nothing");
    passages[1]?.release();
    assert.deepEqual(admitted(passages).slice(2), [true, false]);
    passages[0]?.release();
    passages[0]?.release();
    assert.equal(passages[3]?.hold, undefined);
  });

  it("emits once of a request that others come before, and nothing of one that goes at once", async () => {
    const { limiter, passages } = enter(1, 1);
    const events = async (permit: Permit) => {
      const emitted: unknown[] = [];
      for await (const event of whileHeld(permit, 0, undefined)) emitted.push(event);
      return emitted;
    };
    const second = limiter.acquire();
    const waiting = events(second);
    passages[0]?.release();
    assert.deepEqual(await waiting, [{ type: "retry", attempt: 0, delayMs: 0, error: "" }]);
    second.release();
    assert.deepEqual(await events(limiter.acquire()), []);
  });

  it("holds everybody for the time that one was asked to wait", async () => {
    const { clock, limiter, passages } = enter(1);
    passages[0]?.limited(30_000, "Slow down.");
    passages[0]?.release();
    const later = limiter.acquire();
    assert.deepEqual(later.hold, { delayMs: 30_000, reason: "Slow down." });
    await clock.pass(10_000);
    assert.deepEqual(limiter.acquire().hold, { delayMs: 20_000, reason: "Slow down." });
    await clock.pass(19_999);
    assert.notEqual(later.hold, undefined);
    await clock.pass(1);
    assert.equal(later.hold, undefined);
  });

  it("sends one ahead after the pause, and the others when it was answered", async () => {
    const { clock, limiter, passages } = enter(1);
    passages[0]?.limited(1_000, "Slow down.");
    const siblings = [limiter.acquire(), limiter.acquire(), limiter.acquire()];
    await clock.pass(1_000);
    assert.deepEqual(admitted(siblings), [true, false, false]);
    assert.deepEqual(siblings[1]?.hold, { reason: "Slow down." }, "how long the first will take is not known");
    passages[0]?.answered();
    assert.deepEqual(admitted(siblings), [true, false, false], "an answer from before the pause proves nothing");
    siblings[0]?.answered();
    assert.deepEqual(admitted(siblings), [true, true, true]);
  });

  it("informs all of a longer wait when the first was sent away again", async () => {
    const { clock, limiter, passages } = enter(1);
    passages[0]?.limited(1_000, "Slow down.");
    const siblings = [limiter.acquire(), limiter.acquire()];
    await clock.pass(1_000);
    let told = 0;
    void siblings[1]?.changed(undefined).then(() => told++);
    siblings[0]?.limited(5_000, "Slower.");
    siblings[0]?.release();
    await clock.pass(0);
    assert.equal(told, 1);
    assert.deepEqual(siblings[1]?.hold, { delayMs: 5_000, reason: "Slower." });
    await clock.pass(5_000);
    assert.equal(siblings[1]?.hold, undefined);
  });

  it("sends the next ahead when the first came to nothing", async () => {
    const { clock, limiter, passages } = enter(1);
    passages[0]?.limited(1_000, "Slow down.");
    const siblings = [limiter.acquire(), limiter.acquire(), limiter.acquire()];
    await clock.pass(1_000);
    siblings[0]?.release();
    assert.deepEqual(admitted(siblings).slice(1), [true, false]);
  });

  it("lets the others go as well when the first gets nothing for a while", async () => {
    const { clock, limiter, passages } = enter(1);
    passages[0]?.limited(1_000, "Slow down.");
    const siblings = [limiter.acquire(), limiter.acquire(), limiter.acquire()];
    await clock.pass(1_000);
    await clock.pass(9_999);
    assert.deepEqual(admitted(siblings), [true, false, false]);
    await clock.pass(1);
    assert.deepEqual(admitted(siblings), [true, true, true]);
    siblings[0]?.limited(5_000, "Slower.");
    siblings[0]?.release();
    assert.deepEqual(limiter.acquire().hold, { delayMs: 5_000, reason: "Slower." }, "a late refusal holds all again");
  });

  it("gives each that goes first its own time, and leaves no timer behind", async () => {
    const { clock, limiter, passages } = enter(1);
    passages[0]?.limited(1_000, "Slow down.");
    const siblings = [limiter.acquire(), limiter.acquire(), limiter.acquire()];
    await clock.pass(1_000);
    await clock.pass(9_000);
    siblings[0]?.release();
    await clock.pass(9_000);
    assert.deepEqual(admitted(siblings).slice(1), [true, false], "the time of the one before does not count");
    siblings[1]?.answered();
    assert.equal(siblings[2]?.hold, undefined);
    assert.equal(clock.nextDue(), undefined);
  });

  it("waits out a longer pause that the first was asked for, however long it was silent", async () => {
    const { clock, limiter, passages } = enter(1);
    passages[0]?.limited(1_000, "Slow down.");
    const siblings = [limiter.acquire(), limiter.acquire()];
    await clock.pass(1_000);
    await clock.pass(9_000);
    siblings[0]?.limited(60_000, "Slower.");
    siblings[0]?.release();
    await clock.pass(59_999);
    assert.notEqual(siblings[1]?.hold, undefined);
    await clock.pass(1);
    assert.equal(siblings[1]?.hold, undefined);
  });

  it("never shortens a pause", async () => {
    const { clock, limiter, passages } = enter(2);
    passages[0]?.limited(60_000, "Long.");
    passages[1]?.limited(500, "Short.");
    const later = limiter.acquire();
    await clock.pass(59_999);
    assert.notEqual(later.hold, undefined);
    await clock.pass(1);
    assert.equal(later.hold, undefined);
  });

  it("lets who waits leave at once, without a turn", async () => {
    const { clock, limiter, passages } = enter(1);
    passages[0]?.limited(60_000, "Slow down.");
    const [leaving, staying] = [limiter.acquire(), limiter.acquire()];
    const abort = new AbortController();
    const woken = leaving.changed(abort.signal);
    abort.abort();
    await woken;
    leaving.release();
    await clock.pass(60_000);
    assert.equal(staying.hold, undefined);
  });

  it("is one per provider, with a limit of its own where the entry names one", () => {
    let settings = settingsFrom({
      "arbor.limits.maxParallelAgents": 2,
      "arbor.providers": { lab: { type: "openai-chat", baseUrl: "http://127.0.0.1:1/v1", maxParallel: 1 } },
    });
    const trafficTo = rateLimiterByProvider(() => settings, manualClock());
    const held = (id: string) => admitted([trafficTo(id).acquire(), trafficTo(id).acquire(), trafficTo(id).acquire()]);
    assert.deepEqual(held("lab"), [true, false, false]);
    assert.deepEqual(held("anthropic"), [true, true, false]);
    settings = settingsFrom({ "arbor.limits.maxParallelAgents": 4 });
    assert.deepEqual(held("anthropic"), [true, false, false], "one that waited has gone first");
  });
});
