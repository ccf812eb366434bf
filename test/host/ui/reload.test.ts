import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
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
/** main asks north and south, north asks deep; deep and south answer once the test lets them. */
const script: Rule[] = [
  answer("Survey the shop", 0, [
    { text: "Two agents will look." },
    { tool: "spawn_agents", arguments: { tasks: [task("edit", "go north"), task("explore", "go south")] } },
  ]),
  answer("Survey the shop", 1, [{ text: "All is surveyed." }]),
  answer("go north", 0, [{ tool: "delegate_to_agent", arguments: task("explore", "go deep") }]),
  answer("go north", 1, [{ text: "North, and what is below." }]),
  answer("go south", 0, [{ tool: "list_files", arguments: {} }]),
  answer("go south", 1, [{ gate: "south" }, { text: "South." }]),
  answer("go deep", 0, [{ tool: "list_files", arguments: {} }]),
  answer("go deep", 1, [{ gate: "deep" }, { text: "Deep." }]),
];
/** Of main, north, south and deep; those that were cut off twice are asked three times. */
const requestCount = 2 + 2 + (1 + 3) + (1 + 3);

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
    // What was said is there word for word; what ran is closed. Where it was cut off before is no message.
    const isSaid = (line: string) => line.startsWith("  ") && !line.includes("·") && line.trim() !== "Interrupted.";
    const words = (text: string) => text.split("\n").filter(isSaid);
    assert.deepEqual(words(await readConversation(panel)), words(said));
    assert.equal(await panel.stop.count(), 0);
  }

  it("shows the run as interrupted, goes on by one click, and ends with nothing lost", async () => {
    const { fake, editor, panel } = session();
    await fake.script(...script);
    await ask(panel, "Survey the shop");
    const rowsWith = (status: string) =>
      ["1 main", "2 edit", "3 explore", "2 explore"].map((row) => `${row} ${status}`);
    await reloadInTheMiddle(1, rowsWith("aborted"));
    await panel.button("Resume").click();
    await reloadInTheMiddle(2, rowsWith("aborted"));
    await panel.button("Resume").click();
    await Promise.all([fake.reached("deep", 3), fake.reached("south", 3)]);
    await Promise.all([fake.release("deep"), fake.release("south")]);
    await panel.conversation.getByText("All is surveyed.").waitFor();
    // The same agents, and no others.
    await eventually(async () => assert.deepEqual(await rows(), rowsWith("done")));
    assert.equal(await panel.problems.count(), 0);

    const bodies = (await fake.requests()).map(({ body }) => JSON.stringify(body));
    assert.equal(bodies.length, requestCount, "no answer is paid for twice");
    const last = bodies.at(-1) ?? "";
    for (const words of ["Survey the shop", "Two agents will look.", "North, and what is below.", "South."]) {
      assert.ok(last.includes(words), `the model was shown "${words}"`);
    }
    assert.ok(!last.includes("was interrupted"));

    const whole = await readConversation(panel);
    const usage = await panel.usage.innerText();
    await editor.reload();
    await editor.openPanel();
    await panel.conversation.getByText("All is surveyed.").waitFor();
    // Lines of sub-agents come with a script of their own.
    await eventually(async () => assert.equal(await readConversation(panel), whole));
    await eventually(async () => assert.equal(await panel.usage.innerText(), usage));
    assert.equal(await panel.button("Resume").count(), 0);
  });

  it("asks again with the same card of a sub-agent, and goes on with the same call", async () => {
    const { fake, editor, panel, workspace } = session();
    await panel.button("New chat").click();
    await panel.messages.first().waitFor({ state: "detached" });
    const command = "echo ran >> ran.txt";
    await fake.script(
      answer("Have it run", 0, [{ tool: "delegate_to_agent", arguments: task("edit", "go and run") }]),
      answer("Have it run", 1, [{ text: "All has run." }]),
      answer("go and run", 0, [{ tool: "run_command", arguments: { command } }]),
      answer("go and run", 1, [{ text: "It has run." }]),
    );
    const before = (await fake.requests()).length;
    const asked = async () => (await fake.requests()).length - before;
    const card = panel.approval(`run_command ${command}`);
    const runs = () => readFile(path.join(workspace, "ran.txt"), "utf8").catch(() => "");
    await ask(panel, "Have it run");
    await card.waitFor();
    assert.equal(await asked(), 2);
    await editor.reload();
    await editor.openPanel();
    await panel.problems.filter({ hasText: "This run was interrupted" }).waitFor();
    await card.waitFor();
    // A chat that is not shown.
    await panel.button("New chat").click();
    await panel.messages.first().waitFor({ state: "detached" });
    await editor.reload();
    await editor.openPanel();
    await editor.page.locator(".statusbar-item", { hasText: "1 waiting" }).waitFor();
    await editor.runCommand("Arbor: Show Pending Requests");
    await card.waitFor();
    assert.deepEqual([await asked(), await runs()], [2, ""], "nothing went on without an answer");
    await card.getByRole("button", { name: "Run", exact: true }).click();
    await panel.conversation.getByText("All has run.").waitFor();
    assert.equal(await card.count(), 0);
    assert.equal(await panel.problems.count(), 0);
    assert.equal(await runs(), "ran\n", "it ran once");
    assert.equal(await asked(), 4, "the model was asked for the call once");
    const bodies = (await fake.requests()).map(({ body }) => JSON.stringify(body));
    assert.ok(!bodies.slice(before).some((body) => body.includes("was interrupted")));
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
