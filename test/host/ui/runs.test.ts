import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { Reply, Rule, Step } from "../../support/fakeProvider/script.ts";
import type { FakeProvider } from "../../support/fakeProvider/startFakeProvider.ts";
import type { Editor } from "../editor.ts";
import { eventually } from "../eventually.ts";
import { readRows } from "../readPanel.ts";
import { ask } from "../run.ts";
import { startAfresh, useSession } from "./wire/session.ts";

const plan = [
  { text: "Find the price", status: "completed" },
  { text: "Test the price", status: "pending" },
];

/** The `turn`-th answer to the agent that was asked `words`. */
function answer(words: string, turn: number, steps: Step[], input = 300): Rule {
  const reply: Reply = { steps, usage: { input, output: 20 } };
  return { when: { lastUser: words, turn }, reply };
}
const summarizing = (text: string): Rule => ({
  when: { lastUser: "Stop here and summarize this conversation" },
  reply: { steps: [{ text }] },
});
const looking: Step[] = [{ text: "I look on." }, { tool: "list_files", arguments: {} }];
/** An agent that explores never ends. */
const endless = (words: string): Rule => ({
  when: { lastUser: words },
  reply: { steps: looking, usage: { input: 300 } },
});

describe("Runs in an editor: compaction, budgets and traces", () => {
  const session = useSession("anthropic", undefined, {
    "arbor.trace.enabled": true,
    "arbor.compaction.threshold": 0.8,
  });
  let fake: FakeProvider;
  let editor: Editor;
  beforeEach(async () => {
    ({ fake, editor } = session());
    await startAfresh(session());
  });

  const says = (words: string | RegExp) => editor.panel.conversation.getByText(words).first().waitFor();
  const ends = (status: string) =>
    eventually(async () => assert.equal((await readRows(editor.panel))[0]?.status, status));
  const bodies = async () => (await fake.requests()).map(({ body }) => JSON.stringify(body));

  it("a conversation is compacted by command: the next request begins with the summary and keeps the plan", async () => {
    const { panel } = editor;
    await fake.script(
      summarizing("SUMMARY: the price is in price.ts"),
      answer("Plan the work", 0, [{ tool: "update_plan", arguments: { items: plan } }]),
      answer("Plan the work", 1, [{ text: "It is planned. ".repeat(80) }], 2_500),
      answer("Go on", 0, [{ text: "Going on." }], 400),
    );
    await ask(panel, "Plan the work");
    await ends("done");
    await eventually(async () => assert.equal(await panel.gauge.getAttribute("aria-valuenow"), "25"));
    await editor.runCommand("Arbor: Compact Conversation");
    await panel.conversation.getByRole("button", { name: /^Context summarized: 2\.5k → / }).waitFor();
    await eventually(async () => assert.ok(Number(await panel.gauge.getAttribute("aria-valuenow")) < 25));
    await ask(panel, "Go on");
    await says("Going on.");
    const requests = await bodies();
    assert.equal(requests.length, 4);
    const last = JSON.parse(requests[3] ?? "");
    const [first] = last.messages;
    assert.equal(first.role, "user");
    assert.match(
      JSON.stringify(first.content),
      /SUMMARY: the price is in price\.ts[\s\S]*- \[x\] Find the price[\s\S]*- \[ \] Test the price/,
    );
    assert.ok(!JSON.stringify(last.messages).includes("It is planned. It is planned."));
    await says(/^It is planned\./);
  });

  it("a context that fills up is compacted before the next request, and shown as one line", async () => {
    const { panel } = editor;
    await fake.script(
      summarizing("SUMMARY: all was looked at"),
      answer("Look closely", 0, [{ text: "Much to say. ".repeat(60) }], 8_100),
      answer("And now", 0, [{ text: "Now this." }], 500),
    );
    await ask(panel, "Look closely");
    await ends("done");
    await ask(panel, "And now");
    await says("Now this.");
    const line = panel.conversation.getByRole("button", { name: /^Context summarized: 8\.1k → / });
    await line.click();
    await says("SUMMARY: all was looked at");
    assert.equal((await fake.requests()).length, 3);
    await eventually(async () => assert.equal(await panel.gauge.getAttribute("aria-valuenow"), "5"));
  });

  describe("a budget of two requests", () => {
    const card = () => editor.panel.frame.getByRole("group", { name: "Budget of main", exact: true }).last();
    const button = (name: string) => card().getByRole("button", { name, exact: true });

    beforeEach(async () => {
      const { panel } = editor;
      await panel.frame.getByRole("button", { name: /^Context details/ }).click();
      const dialog = panel.frame.getByRole("dialog", { name: "Context of main" });
      await dialog.getByRole("link", { name: "Change budget" }).click();
      const fields = dialog.getByRole("group", { name: "All agents together" });
      await fields.getByRole("textbox", { name: "Requests" }).fill("2");
      await dialog.getByRole("button", { name: "Save budget" }).click();
      await dialog.getByText("Budget per run: 2 requests").waitFor();
      await dialog.getByRole("button", { name: "Close" }).click();
    });

    it("lets the run wait, is extended, and stops it with what was found", async () => {
      const { panel } = editor;
      await fake.script(endless("Look around"));
      await ask(panel, "Look around");
      await card().getByText("2 of 2 requests used.").waitFor();
      assert.equal((await fake.requests()).length, 2);
      assert.equal((await readRows(panel))[0]?.status, "waiting");
      await button("Extend").click();
      await card().getByText("4 of 4 requests used.").waitFor();
      assert.equal((await fake.requests()).length, 4);
      await button("Stop").click();
      await ends("limit");
      assert.equal((await fake.requests()).length, 4);
    });

    it("lets the agent wrap up with one last request, of which no tool is run", async () => {
      const { panel } = editor;
      await fake.script(answer("Look about", 0, looking), answer("Look about", 1, looking), {
        steps: [{ text: "This is what I have." }, { tool: "list_files", arguments: {} }],
      });
      await ask(panel, "Look about");
      await button("Wrap up").click();
      await ends("limit");
      await says("This is what I have.");
      const requests = await bodies();
      assert.equal(requests.length, 3);
      assert.match(requests[2] ?? "", /last message in this run: the budget of 2 requests is used up/);
    });
  });

  it("a run leaves a trace of its spans, which is shown as a tree and holds no word of it", async () => {
    const { panel, page } = editor;
    await fake.script(
      answer("Ask an explorer", 0, [
        { tool: "delegate_to_agent", arguments: { agent: "explore", task: "go and see", context: "" } },
      ]),
      answer("go and see", 0, [{ tool: "list_files", arguments: {} }]),
      answer("go and see", 1, [{ text: "Seen." }]),
      answer("Ask an explorer", 1, [{ text: "It is seen." }]),
    );
    await ask(panel, "Ask an explorer");
    await says("It is seen.");
    await ends("done");
    await editor.runCommand("Arbor: Show Trace of the Latest Run");
    await page.locator(".editor-instance", { hasText: "invoke_agent main" }).waitFor();
    const storage = path.join(editor.home, "user");
    const names = (await readdir(storage, { recursive: true })).filter((name) => /traces[\\/].*\.jsonl$/.test(name));
    const latest = names.sort().at(-1);
    assert.ok(latest !== undefined);
    const text = await readFile(path.join(storage, latest), "utf8");
    const spans = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      spans.map(({ name }) => name),
      [
        ...["chat test-model", "chat test-model", "execute_tool list_files", "chat test-model"],
        ...["invoke_agent explore", "execute_tool delegate_to_agent", "chat test-model", "invoke_agent main"],
      ],
    );
    const [, , , , explore, delegation, , main] = spans;
    assert.deepEqual([explore.parentSpanId, delegation.parentSpanId], [delegation.spanId, main.spanId]);
    assert.equal(main.attributes["gen_ai.usage.input_tokens"], 600);
    assert.ok(!/go and see|Ask an explorer|Seen/.test(text));
  });
});
