import assert from "node:assert/strict";
import type { Rule, Step } from "../../support/fakeProvider/script.ts";
import { eventually } from "../eventually.ts";
import { readConversation, readRows } from "../readPanel.ts";
import { ask } from "../run.ts";
import { useSession } from "./wire/session.ts";

const task = (agent: string, words: string) => ({ agent, task: words, context: words });
const answer = (words: string, turn: number, steps: Step[]): Rule => ({
  when: { lastUser: words, turn },
  reply: { steps, usage: { input: 100, output: 10 } },
});
const delegation = (words: string): Step[] => [
  { text: words },
  { tool: "spawn_agents", arguments: { tasks: [task("edit", "go north"), task("explore", "go south")] } },
];

/** main asks north and south, north asks deep; deep and south never answer before the third time. */
const script: Rule[] = [
  answer("Survey the shop", 0, delegation("Two agents will look.")),
  answer("Survey the shop", 1, delegation("They look once more.")),
  answer("Survey the shop", 2, [{ text: "All is surveyed, as far as it went." }]),
  answer("go north", 0, [{ tool: "delegate_to_agent", arguments: task("explore", "go deep") }]),
  answer("go south", 0, [{ tool: "list_files", arguments: {} }]),
  answer("go south", 1, [{ gate: "south" }, { text: "South." }]),
  answer("go deep", 0, [{ tool: "list_files", arguments: {} }]),
  answer("go deep", 1, [{ gate: "deep" }, { text: "Deep." }]),
];

describe("A window that is reloaded in the middle of a run of three levels, twice", () => {
  const session = useSession("anthropic");

  const rows = async () =>
    (await readRows(session().panel)).map(({ level, name, status }) => `${level} ${name} ${status}`);

  async function reloadInTheMiddle(time: number, cut: readonly string[]): Promise<void> {
    const { fake, editor, panel } = session();
    await Promise.all([fake.reached("deep", time), fake.reached("south", time)]);
    const said = await readConversation(panel);
    await editor.reload();
    await editor.openPanel();
    await panel.problems.filter({ hasText: "This run was interrupted" }).waitFor();
    await panel.conversation.getByText("Interrupted.", { exact: true }).waitFor();
    await eventually(async () => assert.deepEqual(await rows(), cut));
    // What was said is there word for word; what ran is closed.
    const words = (text: string) => text.split("\n").filter((line) => line.startsWith("  ") && !line.includes("·"));
    assert.deepEqual(words(await readConversation(panel)), words(said));
    assert.equal(await panel.stop.count(), 0);
  }

  it("shows the run as interrupted, goes on by one click, and ends with nothing lost", async () => {
    const { fake, editor, panel } = session();
    await fake.script(...script);
    await ask(panel, "Survey the shop");
    const first = ["1 main aborted", "2 edit aborted", "3 explore aborted", "2 explore aborted"];
    await reloadInTheMiddle(1, first);
    await panel.button("Resume").click();
    await panel.conversation.getByText("They look once more.").waitFor();
    // What ran before is below, folded.
    await reloadInTheMiddle(2, [...first, "2 Run 1 aborted"]);
    await panel.button("Resume").click();
    await panel.conversation.getByText("All is surveyed, as far as it went.").waitFor();
    await eventually(async () => assert.equal((await rows())[0], "1 main done"));
    assert.equal(await panel.problems.count(), 0);

    const bodies = (await fake.requests()).map(({ body }) => JSON.stringify(body));
    const last = bodies.at(-1) ?? "";
    for (const words of ["Survey the shop", "Two agents will look.", "They look once more.", "was interrupted"]) {
      assert.ok(last.includes(words), `the model was shown "${words}"`);
    }

    const whole = await readConversation(panel);
    const usage = await panel.usage.innerText();
    await editor.reload();
    await editor.openPanel();
    await panel.conversation.getByText("All is surveyed, as far as it went.").waitFor();
    assert.equal(await readConversation(panel), whole);
    await eventually(async () => assert.equal(await panel.usage.innerText(), usage));
    assert.equal(await panel.button("Resume").count(), 0);
  });

  it("keeps the words of an answer that was under way", async () => {
    const { fake, editor, panel } = session();
    await panel.button("New chat").click();
    await panel.messages.first().waitFor({ state: "detached" });
    await fake.script(answer("Tell me", 0, [{ text: "As far as this. " }, { gate: "telling" }, { text: "Never." }]));
    await ask(panel, "Tell me");
    await panel.conversation.getByText("As far as this.").waitFor();
    await editor.reload();
    await editor.openPanel();
    await panel.problems.filter({ hasText: "This run was interrupted" }).waitFor();
    await panel.conversation.getByText("As far as this.").waitFor();
    assert.equal(await panel.conversation.getByText("Interrupted.", { exact: true }).count(), 1);
    assert.equal(await panel.conversation.getByText("Stopped.", { exact: true }).count(), 0);
  });
});
