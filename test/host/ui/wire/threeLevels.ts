import assert from "node:assert/strict";
import type { Rule, Step } from "../../../support/fakeProvider/script.ts";
import { eventually } from "../../eventually.ts";
import { readRows } from "../../readPanel.ts";
import { ask } from "../../run.ts";
import { type Session, startAfresh } from "./session.ts";

const task = (agent: string, words: string) => ({ agent, task: words, context: words });

/** The `turn`-th answer to the agent that was asked `words` reports `input` tokens in and 20 out. */
function answer(words: string, turn: number, input: number, steps: Step[]): Rule {
  return { when: { lastUser: words, turn }, reply: { steps, usage: { input, output: 20 } } };
}

/** main asks north and south at once, north asks deep; all three come to rest at a gate. */
const script: Rule[] = [
  answer("Survey the shop", 0, 1200, [
    { text: "Two agents will look." },
    { tool: "spawn_agents", arguments: { tasks: [task("edit", "go north"), task("explore", "go south")] } },
  ]),
  answer("go north", 0, 500, [{ tool: "delegate_to_agent", arguments: task("explore", "go deep") }]),
  answer("go south", 0, 600, [{ tool: "list_files", arguments: {} }]),
  answer("go deep", 0, 300, [{ tool: "list_files", arguments: {} }]),
  answer("go deep", 1, 400, [{ gate: "deep" }, { text: "Deep is done." }]),
  answer("go south", 1, 100, [{ gate: "south" }, { text: "South is done." }]),
  answer("go north", 1, 700, [{ gate: "north" }, { text: "North is done." }]),
  answer("Survey the shop", 1, 3400, [{ gate: "main" }, { text: "All is surveyed." }]),
];

export function showsThreeLevels(session: () => Session): void {
  describe("three levels of agents", () => {
    const rows = async () =>
      (await readRows(session().panel)).map(
        ({ level, name, status, tokens }) => `${level} ${name} ${status} ${tokens}`,
      );
    const gauge = async () => {
      const { panel } = session();
      return [await panel.gauge.getAttribute("aria-valuenow"), await panel.gauge.getAttribute("aria-valuetext")];
    };

    before(async () => {
      const { fake, panel } = session();
      await startAfresh(session());
      await fake.script(...script);
      await ask(panel, "Survey the shop");
      await Promise.all([fake.reached("deep"), fake.reached("south")]);
    });

    it("are below the agent that asked them, each with the tokens of its branch while all of them run", () =>
      eventually(async () =>
        assert.deepEqual(await rows(), [
          "1 main running 2.7k",
          "2 edit running 840",
          "3 explore running 320",
          "2 explore running 620",
        ]),
      ));

    it("leave the root's gauge at the root's own last request", () =>
      eventually(async () => assert.deepEqual(await gauge(), ["12", "1.2k of 10k tokens"])));

    it("come to rest from the leaves to the root", async () => {
      const { fake } = session();
      await fake.release("deep");
      await fake.reached("north");
      await eventually(async () =>
        assert.deepEqual(await rows(), [
          "1 main running 3.1k",
          "2 edit running 1.3k",
          "3 explore done 740",
          "2 explore running 620",
        ]),
      );
      await fake.release("south");
      await fake.release("north");
      await fake.reached("main");
      await fake.release("main");
      await eventually(async () =>
        assert.deepEqual(await rows(), [
          "1 main done 7.4k",
          "2 edit done 2k",
          "3 explore done 740",
          "2 explore done 740",
        ]),
      );
    });

    it("add up to the usage of the root", async () => {
      const inTokens = 1200 + 500 + 600 + 300 + 400 + 100 + 700 + 3400;
      const outTokens = 8 * 20;
      const usd = (inTokens * 10 + outTokens * 100) / 1_000_000;
      const shown = new RegExp(`^In 7\\.2k · Out ${outTokens} · ≈ ?\\$${usd.toFixed(2)}$`);
      await eventually(async () => assert.match(await session().panel.usage.innerText(), shown));
    });

    it("let the gauge follow the root's next request", () =>
      eventually(async () => assert.deepEqual(await gauge(), ["34", "3.4k of 10k tokens"])));
  });
}
