import assert from "node:assert/strict";
import { createPathQueue, exclusivelyAll, type PathTurn } from "../../../src/extension/tools/pathQueue.ts";

const { signal } = new AbortController();
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Work on a path that ends when it is asked to. */
function working(queue = createPathQueue()) {
  const running: string[] = [];
  const chat = {};
  const start = (name: string, what?: unknown, own: AbortSignal = signal) => {
    const end = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<PathTurn>();
    const done = queue(
      "a.ts",
      own,
      async (turn) => {
        running.push(name);
        begun.resolve(turn);
        await end.promise;
        running.splice(running.indexOf(name), 1);
      },
      async () => {
        if (what === undefined) throw new Error("It wants nothing.");
        return { of: chat, what };
      },
    );
    return { end: () => end.resolve(), turn: begun.promise, done };
  };
  return { running, start, chat, queue };
}

describe("The queue of a path", () => {
  it("lets one work at a time, in their order", async () => {
    const { running, start } = working();
    const [one, two, three] = [start("one"), start("two"), start("three")];
    await settled();
    assert.deepEqual(running, ["one"]);
    one.end();
    await settled();
    assert.deepEqual(running, ["two"]);
    two.end();
    three.end();
    await Promise.all([one.done, two.done, three.done]);
    assert.deepEqual(running, []);
  });

  it("lets in who wants what the turn is shared for, whether it waits already or comes later", async () => {
    const { running, start, chat } = working();
    const one = start("one");
    const [same, other, early] = [start("same", ["x"]), start("other", ["y"]), start("failing")];
    await settled();
    (await one.turn).share({ of: chat, what: ["x"] });
    const late = start("late", ["x"]);
    await settled();
    assert.deepEqual(running, ["one", "same", "late"]);
    assert.deepEqual([(await one.turn).isShared, (await late.turn).isShared], [false, true]);
    one.end();
    same.end();
    await settled();
    assert.deepEqual(running, ["late"], "the others wait for the last of them");
    late.end();
    await settled();
    assert.deepEqual(running, ["other"]);
    other.end();
    early.end();
    await Promise.all([other.done, early.done]);
  });

  it("lets no one in on what is answered, nor on what another chat wants", async () => {
    const { running, start, queue, chat } = working();
    const one = start("one");
    await settled();
    (await one.turn).share({ of: chat, what: ["x"] });
    const elsewhere = working(queue).start("elsewhere", ["x"]);
    (await one.turn).unshare();
    const late = start("late", ["x"]);
    await settled();
    assert.deepEqual(running, ["one"]);
    for (const { end } of [one, elsewhere, late]) end();
    await Promise.all([one.done, elsewhere.done, late.done]);
  });

  it("forgets who is called off, before and while it is let in", async () => {
    const { running, start, chat } = working();
    const one = start("one");
    const stop = new AbortController();
    const waiting = start("waiting", ["x"], stop.signal);
    await settled();
    stop.abort();
    (await one.turn).share({ of: chat, what: ["x"] });
    await assert.rejects(waiting.done);
    one.end();
    await one.done;
    const next = start("next");
    await settled();
    assert.deepEqual(running, ["next"]);
    next.end();
    await next.done;
  });

  it("shares all paths of a piece of work", async () => {
    const queue = createPathQueue();
    const chat = {};
    const ends = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let atOnce = 0;
    const both = ends.map(({ promise }) =>
      exclusivelyAll(
        queue,
        {
          paths: ["b.ts", "a.ts"],
          work: async (turn) => {
            atOnce++;
            turn.share({ of: chat, what: 1 });
            await promise;
          },
          request: async () => ({ of: chat, what: 1 }),
        },
        signal,
      ),
    );
    await settled();
    assert.equal(atOnce, 2);
    for (const { resolve } of ends) resolve();
    await Promise.all(both);
  });
});
