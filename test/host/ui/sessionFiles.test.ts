import assert from "node:assert/strict";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Rule, Step } from "../../support/fakeProvider/script.ts";
import { eventually } from "../eventually.ts";
import { readRows } from "../readPanel.ts";
import { ask } from "../run.ts";
import { hostOf, sessionFile } from "./sessionFile.ts";
import { useSession } from "./wire/session.ts";

const answer = (words: string, steps: Step[], turn = 0): Rule => ({
  when: { lastUser: words, turn },
  reply: { steps, usage: { input: 1_000, output: 10 } },
});
const long = "The shop sells apples, pears and plums, each at a price of its own. ".repeat(20);
const task = { agent: "edit", task: "go and look", context: "go and look" };

const script: Rule[] = [
  answer("Count the prices", [{ text: "There are three prices." }]),
  answer("And the taxes", [{ text: "There are two taxes." }]),
  answer("And the discounts", [{ text: "There are no discounts." }]),
  answer("Tell me all", [{ text: long }, { gate: "telling" }, { text: "Never." }]),
  answer("Send somebody", [{ text: "Somebody looks." }, { tool: "delegate_to_agent", arguments: task }]),
  answer("go and look", [
    { text: "I list what is there." },
    { tool: "run_command", arguments: { command: "exec sleep 600" } },
  ]),
];

describe("The files of chats", () => {
  const session = useSession("anthropic");
  before(() => session().fake.script(...script));

  const notice = (words: string | RegExp) => session().panel.problems.filter({ hasText: words });
  const inHistory = (name: string) => session().panel.frame.getByRole("listitem").filter({ hasText: name });

  async function openHistory(): Promise<void> {
    const { panel } = session();
    await panel.button("History").click();
    await panel.frame.getByRole("searchbox", { name: "Search chats" }).waitFor();
  }

  async function newChat(): Promise<void> {
    const { panel } = session();
    await panel.button("New chat").click();
    await panel.messages.first().waitFor({ state: "detached" });
  }

  it("are written again when they are deleted while the chat is open, and the chat says so", async () => {
    const { panel, editor } = session();
    await ask(panel, "Count the prices");
    await panel.conversation.getByText("There are three prices.").waitFor();
    await panel.stop.waitFor({ state: "hidden" });
    const file = await sessionFile(session().editor, "Count the prices");
    await rm(file);
    await ask(panel, "And the taxes");
    await panel.conversation.getByText("There are two taxes.").waitFor();
    await notice("was deleted while the chat was open. Arbor has written it again.").waitFor();
    await eventually(async () => assert.match(await readFile(file, "utf8"), /three prices.*two taxes/s));
    await editor.reload();
    await editor.openPanel();
    await panel.conversation.getByText("There are three prices.").waitFor();
    await panel.conversation.getByText("There are two taxes.").waitFor();
  });

  it("have what was being said when the extension host was killed, cut off, and what it has cost", async () => {
    const { panel, editor, fake } = session();
    await newChat();
    await ask(panel, "Tell me all");
    await fake.reached("telling");
    const file = await sessionFile(session().editor, "Tell me all");
    const words = long.trim();
    await eventually(async () => assert.ok((await savedText(file)).includes(words)));
    process.kill(await hostOf(file), "SIGKILL");
    await editor.reload();
    await editor.openPanel();
    await notice("This run was interrupted").waitFor();
    await panel.conversation.getByText("Interrupted.", { exact: true }).waitFor();
    const said = await panel.messagesOf("main").innerText();
    assert.ok(said.includes(words), said);
    assert.match(await panel.usage.innerText(), /^In ≈1k · Out ≈\d+/);
  });

  it("have no call of a sub-agent that still waits after a kill", async () => {
    const { panel, editor } = session();
    await newChat();
    await ask(panel, "Send somebody");
    await panel.approval("run_command exec sleep 600").waitFor();
    process.kill(await hostOf(await sessionFile(session().editor, "Send somebody")), "SIGKILL");
    await editor.reload();
    await editor.openPanel();
    await notice("This run was interrupted").waitFor();
    await eventually(async () =>
      assert.deepEqual(
        (await readRows(panel)).map(({ name, status }) => `${name} ${status}`),
        ["main aborted", "edit waiting"],
      ),
    );
    await panel.row("edit").click();
    await panel.conversation.getByText("I list what is there.").waitFor();
    const card = panel.conversation.locator(".tool-card").filter({ hasText: "exec sleep 600" });
    await card.filter({ hasText: "interrupted" }).waitFor();
    assert.equal(await panel.conversation.locator('.status-icon[data-status="running"]').count(), 0);
  });

  it("are shown with all that can be read, and say exactly how much can't", async () => {
    const { panel } = session();
    const file = await sessionFile(session().editor, "Count the prices");
    const text = await readFile(file, "utf8");
    const lines = text.split("\n").slice(0, -1);
    const folder = path.dirname(file);
    const spoil = (count: number, change: (line: string) => string) => {
      let left = count;
      return lines.map((line) =>
        /"type":"(turn_start|turn_end|usage)"/.test(line) && left-- > 0 ? change(line) : line,
      );
    };
    const rootId = lines.map((line) => JSON.parse(line).agent?.agent).find((agent) => agent?.depth === 0)?.id ?? "";
    const wrongId = `${rootId.slice(0, -1)}${rootId.endsWith("0") ? "1" : "0"}`;
    const firstEnd = lines.findIndex((line) => line.includes('"type":"agent_end"'));
    const variants: [title: string, lines: string[]][] = [
      ["With a mark", [`\ufeff${lines[0]}`, ...lines.slice(1)]],
      ["With five damages", spoil(5, (line) => line.slice(0, -30))],
      ["With one damage", spoil(1, (line) => `${line.slice(0, 100)}${"\0".repeat(40)}${line.slice(140)}`)],
      ["With a wrong id", lines.map((line, at) => (at === firstEnd ? line.replaceAll(rootId, wrongId) : line))],
      ["With a long line", [...lines.slice(0, 5), "word ".repeat(12e6), ...lines.slice(5)]],
    ];
    for (const [title, changed] of variants) {
      const id = title.replaceAll(" ", "-");
      const own = changed.map((line) => line.replace('"title":"Count the prices"', `"title":"${title}"`));
      await writeFile(path.join(folder, `${id}.jsonl`), `${own.join("\n")}\n`);
    }
    await writeFile(path.join(folder, "rubbish.jsonl"), "This is no chat\n\0\0\0\n");
    const expected: Record<string, RegExp | undefined> = {
      "With a mark": undefined,
      "With five damages": /5 entries of this chat are damaged\. They are left out/,
      "With one damage": /1 entry of this chat is damaged\. It is left out/,
      "With a wrong id": /1 entry of this chat is damaged: it belongs to no agent/,
      "With a long line": /1 entry of this chat is damaged\. It is left out/,
    };
    for (const [title, words] of Object.entries(expected)) {
      await openHistory();
      await inHistory(title).getByRole("button").first().click();
      await panel.conversation.getByText("There are three prices.").waitFor();
      await panel.conversation.getByText("There are two taxes.").waitFor();
      if (words === undefined) assert.equal(await notice(/damaged/).count(), 0);
      else await notice(words).waitFor();
    }
  });

  it("of which nothing can be read are in the history as damaged, and can be shown and deleted", async () => {
    const { editor, panel } = session();
    await openHistory();
    const row = inHistory("Damaged chat").filter({ hasText: "can't be read" });
    await row.waitFor();
    await row.hover();
    assert.equal(await row.getByRole("button", { name: "Rename" }).count(), 0);
    await row.getByRole("button", { name: "Show file" }).click();
    await editor.page.getByRole("tab", { name: /rubbish\.jsonl/ }).waitFor();
    const file = await sessionFile(session().editor, "This is no chat");
    await row.hover();
    await row.getByRole("button", { name: "Delete" }).click();
    await row.waitFor({ state: "detached" });
    await eventually(() => assert.rejects(stat(file)));
    await panel.button("Undo").click();
    await row.waitFor();
    assert.match(await readFile(file, "utf8"), /This is no chat/);
    await panel.button("Close history").click();
  });
});

/** What a session's file has of answers that have not ended. */
async function savedText(file: string): Promise<string> {
  const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line.includes('"growing":{'));
  const events = lines.flatMap((line) => JSON.parse(line).growing.events);
  return events.map((event) => event.delta?.delta ?? "").join("");
}
