import assert from "node:assert/strict";
import fc from "fast-check";
import type { AgentMeta } from "../../../../src/agent/index.ts";
import { emptyUsage } from "../../../../src/agent/index.ts";
import { Ledger } from "../../../../src/extension/chat/budget/ledger.ts";
import { eventSource } from "../../../support/events.ts";

const metaOf = (index: number, parent: number | undefined): AgentMeta => ({
  ...{ id: `a${index}`, prefix: "", depth: parent === undefined ? 0 : 1 },
  ...(parent !== undefined && { parentId: `a${parent}` }),
});
describe("the ledger of a run", () => {
  it("counts everything once for the agent that used it and for all above, in any tree", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(), { maxLength: 12 }),
        fc.array(fc.tuple(fc.nat(), fc.nat(1_000), fc.boolean()), { maxLength: 40 }),
        (parents, uses) => {
          const event = eventSource();
          const ledger = new Ledger(() => 0);
          const agents = [
            metaOf(0, undefined),
            ...parents.map((parent, index) => metaOf(index + 1, parent % (index + 1))),
          ];
          for (const agent of agents) ledger.observe(event(agent, { type: "agent_start" }));
          const own = new Map(agents.map(({ id }) => [id, { tokens: 0, turns: 0 }]));
          for (const [which, tokens, isTurn] of uses) {
            const agent = agents[which % agents.length] ?? assert.fail();
            const mine = own.get(agent.id) ?? assert.fail();
            if (isTurn) {
              ledger.countTurn(agent.id);
              mine.turns += 1;
            } else {
              const usage = { ...emptyUsage(), input: tokens };
              const zero = { contextTokens: 0, contextPercent: 0 };
              ledger.observe(event(agent, { type: "usage", delta: usage, own: usage, total: usage, ...zero }));
              mine.tokens += tokens;
            }
          }
          for (const { id } of agents) {
            const below = agents.filter((agent) => ledger.ancestry(agent.id).includes(id));
            const sum = { tokens: 0, turns: 0 };
            for (const agent of below) {
              sum.tokens += own.get(agent.id)?.tokens ?? 0;
              sum.turns += own.get(agent.id)?.turns ?? 0;
            }
            const { tokens, turns } = ledger.used(id);
            assert.deepEqual({ tokens, turns }, sum);
          }
        },
      ),
    );
  });

  it("stops the clock while an agent waits, once for all that wait at the same time", () => {
    const event = eventSource();
    let minutes = 0;
    const ledger = new Ledger(() => minutes * 60_000);
    const [main, child] = [metaOf(0, undefined), metaOf(1, 0)];
    ledger.observe(event(main, { type: "agent_start" }));
    minutes = 2;
    const [first, second] = [ledger.pause(), ledger.pause()];
    minutes = 10;
    first();
    first();
    minutes = 20;
    assert.equal(ledger.used(main.id).minutes, 2);
    second();
    ledger.observe(event(child, { type: "agent_start" }));
    minutes = 23;
    assert.deepEqual([ledger.used(main.id).minutes, ledger.used(child.id).minutes], [5, 3]);
  });

  it("counts for all above an agent that is asked again in a later run, also where its parent has no part in that", () => {
    const event = eventSource();
    const ledger = new Ledger(() => 0);
    const start = (agent: AgentMeta) => ledger.observe(event(agent, { type: "agent_start" }));
    const [main, parent, child] = [metaOf(0, undefined), metaOf(1, 0), metaOf(2, 1)];
    for (const agent of [main, parent, child]) start(agent);
    ledger.reset();
    start(main);
    start(child);
    ledger.countTurn(child.id);
    assert.deepEqual(ledger.ancestry(child.id), ["a2", "a1", "a0"]);
    assert.equal(ledger.used(main.id).turns, 1);
  });

  it("starts from zero with a run, and knows nothing of agents it never saw", () => {
    const event = eventSource();
    const ledger = new Ledger(() => 0);
    ledger.observe(event(metaOf(0, undefined), { type: "agent_start" }));
    ledger.countTurn("a0");
    ledger.reset();
    assert.deepEqual(ledger.used("a0"), { cost: 0, tokens: 0, turns: 0, minutes: 0 });
    ledger.countTurn("nobody");
    assert.deepEqual(ledger.ancestry("nobody"), []);
  });
});
