import { deepEqual, equal } from "node:assert/strict";
import { faultsOf, type Served } from "./checks.ts";
import { measureAbort, nothingSeen, type Seen } from "./driver.ts";
import { type Scenario, scenarios } from "./scenarios.ts";

describe("The checks of the bench", () => {
  const turns = scenario("200 turns");
  const abort = scenario("abort of one");

  it("take a run that did all of the work", () => {
    deepEqual(faultsOf(turns, seenOf(turns), servedOf(turns)), []);
    deepEqual(faultsOf(abort, seenOf(abort), servedOf(abort)), []);
  });

  const skipped: Record<string, (seen: Seen, served: Served) => void> = {
    "lost a delta": (seen) => (seen.deltas -= 1),
    "repeated a delta": (seen) => (seen.deltas += 1),
    "lost a character": (seen) => (seen.characters -= 1),
    "skipped a call": (seen) => (seen.calls -= 1),
    "cut arguments": (seen) => (seen.argumentCharacters -= 1),
    "lost usage": (seen) => (seen.usage.output -= 1),
    "has another text": (seen) => (seen.text = "All done."),
    "asked once too often": (_seen, served) => (served.requests += 1),
    "left results out of its requests": (_seen, served) => (served.last = requestWith(198)),
  };
  for (const [what, change] of Object.entries(skipped)) {
    it(`refuse a run that ${what}`, () => {
      const seen = seenOf(turns);
      const served = servedOf(turns);
      change(seen, served);
      equal(faultsOf(turns, seen, served).length, 1);
    });
  }

  it("refuse a stream that the server could go on with after the abort", () => {
    equal(faultsOf(abort, seenOf(abort), { ...servedOf(abort), closed: 0 }).length, 1);
  });

  it("see a delta that comes after everything has settled", async () => {
    let late = (_text: string) => {};
    const seen = await measureAbort({
      seen: nothingSeen(),
      deltas: 50,
      start(onDelta) {
        late = onDelta;
        queueMicrotask(() => {
          for (let at = 0; at < 50; at++) onDelta("word ");
        });
        return { settled: Promise.resolve(), abort() {} };
      },
    });
    deepEqual(faultsOf(abort, seen, servedOf(abort)), []);
    late("word ");
    equal(seen.late, 1);
    equal(faultsOf(abort, { ...seen, deltas: 50, characters: 250 }, servedOf(abort)).length, 1);
  });
});

function scenario(start: string): Scenario {
  const found = scenarios.find(({ name }) => name.startsWith(start));
  if (found === undefined) throw new Error(`There is no scenario ${start}.`);
  return found;
}

function seenOf({ expected }: Scenario): Seen {
  const { deltas, characters, calls, argumentCharacters, usage, text } = expected;
  const seen = { ...nothingSeen(), deltas, characters, calls, argumentCharacters };
  return { ...seen, ...(usage && { usage: { ...usage } }), ...(text !== undefined && { text }) };
}

function servedOf({ expected, kind }: Scenario): Served {
  const { requests, results } = expected;
  return { requests, closed: kind === "abort" ? 1 : 0, characters: 0, last: requestWith(results ?? 0) };
}

function requestWith(results: number): object {
  const ids = Array.from({ length: results }, (_, index) => `call_${index}`);
  return {
    messages: ids.flatMap((id) => [
      { role: "assistant", content: [{ type: "tool_use", id }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id }] },
    ]),
  };
}
