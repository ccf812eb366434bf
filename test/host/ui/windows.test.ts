import assert from "node:assert/strict";
import { cp, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { Rule, Step } from "../../support/fakeProvider/script.ts";
import type { Editor } from "../editor.ts";
import { eventually } from "../eventually.ts";
import type { ArborPanel } from "../panel.ts";
import { ask } from "../run.ts";
import { useSession } from "./wire/session.ts";

const answer = (words: string, steps: Step[], turn = 0): Rule => ({
  when: { lastUser: words, turn },
  reply: { steps, usage: { input: 100, output: 10 } },
});

const renamed = { old_text: "# Corner shop", new_text: "# Corner store" };

describe("Two windows on one folder", () => {
  const session = useSession("anthropic", undefined, { "arbor.edits.review": "after" });
  let second: Awaited<ReturnType<Editor["openWindow"]>>;
  before(async () => {
    second = await session().editor.openWindow();
    await second.openPanel();
  });

  const [one, two] = [() => session().panel, () => second.panel];
  const inHistory = (panel: ArborPanel, name: string) => panel.frame.getByRole("listitem").filter({ hasText: name });
  async function openHistory(panel: ArborPanel): Promise<void> {
    await panel.button("History").click();
    await panel.frame.getByRole("searchbox", { name: "Search chats" }).waitFor();
  }
  async function openChat(panel: ArborPanel, name: string): Promise<void> {
    await openHistory(panel);
    await inHistory(panel, name).getByRole("button").first().click();
    await panel.conversation.waitFor();
  }
  async function newChat(panel: ArborPanel): Promise<void> {
    await panel.button("New chat").click();
    await panel.messages.first().waitFor({ state: "detached" });
  }
  const says = (panel: ArborPanel, words: string) => panel.conversation.getByText(words).waitFor();
  const tells = (panel: ArborPanel, words: string) =>
    panel.frame.getByRole("note").filter({ hasText: words }).waitFor();

  it("list each other's chats, and show what is said in the other one as it is said", async () => {
    const { fake } = session();
    await fake.script(answer("Count the prices", [{ text: "I count." }, { gate: "prices" }, { text: " Three." }]));
    await openHistory(two());
    await ask(one(), "Count the prices");
    await fake.reached("prices");
    await inHistory(two(), "Count the prices").filter({ hasText: "running" }).waitFor();
    await inHistory(two(), "Count the prices").getByRole("button").first().click();
    await tells(two(), "This chat is open in another window");
    await two().messagesOf("You").filter({ hasText: "Count the prices" }).waitFor();
    await fake.release("prices");
    await says(two(), "I count. Three.");
    await fake.script(answer("And the taxes", [{ text: "There is one." }]));
    await ask(one(), "And the taxes");
    await says(two(), "There is one.");
  });

  it("leave an approval to the window that runs the agent, and show there and here what was answered", async () => {
    const { fake } = session();
    const command = "echo counted $((6 * 7))";
    await fake.script(
      answer("Count by a command", [{ tool: "run_command", arguments: { command } }]),
      answer("Count by a command", [{ text: "It is counted." }], 1),
    );
    await ask(one(), "Count by a command");
    await one().approval("run_command").waitFor();
    await tells(two(), `main waits for your answer: ${command} Answer in the window that runs this chat.`);
    assert.equal(await two().approvals.count(), 0);
    await one().approval("run_command").getByRole("button", { name: "Run", exact: true }).click();
    await two().frame.getByRole("note").filter({ hasText: "waits for your answer" }).waitFor({ state: "detached" });
    await says(two(), "It is counted.");
  });

  it("leave a question to that window, too", async () => {
    const { fake } = session();
    const question = { question: "Which till?", options: ["The left one"] };
    await fake.script(
      answer("Ask me", [{ tool: "ask_user", arguments: question }]),
      answer("Ask me", [{ text: "The left till it is." }], 1),
    );
    await ask(one(), "Ask me");
    await tells(two(), "main waits for your answer: Which till?");
    await one().frame.getByRole("button", { name: "The left one" }).first().click();
    await two().frame.getByRole("note").filter({ hasText: "waits for your answer" }).waitFor({ state: "detached" });
    await says(two(), "The left till it is.");
  });

  it("rename a chat in the other one's history and title", async () => {
    await openHistory(two());
    await openHistory(one());
    await inHistory(one(), "Count the prices").hover();
    await inHistory(one(), "Count the prices").getByRole("button", { name: "Rename" }).click();
    await one().frame.getByRole("textbox", { name: "Title of the chat" }).fill("Prices of the shop");
    await one().frame.getByRole("textbox", { name: "Title of the chat" }).press("Enter");
    await inHistory(two(), "Prices of the shop").waitFor();
    assert.equal(await inHistory(two(), "Count the prices").count(), 0);
  });

  it("refuse to delete a chat that is open in the other one, and list it again", async () => {
    await inHistory(two(), "Prices of the shop").hover();
    await inHistory(two(), "Prices of the shop").getByRole("button", { name: "Delete" }).click();
    await second.page.getByText("This chat is open in another window. Close it there first.").first().waitFor();
    await inHistory(two(), "Prices of the shop").waitFor();
    assert.equal(await two().frame.getByRole("note", { name: "Deleted chat" }).count(), 0);
    await two().button("Close history").click();
    await one().button("Close history").click();
  });

  it("go on in a copy when the second one sends", async () => {
    const { fake } = session();
    await fake.script(answer("And the discounts", [{ text: "There are none." }]));
    await ask(two(), "And the discounts");
    await says(two(), "There are none.");
    assert.equal(await one().conversation.getByText("There are none.").count(), 0);
    const body = JSON.stringify((await fake.requests()).at(-1)?.body);
    assert.match(body, /Count the prices.*Three\..*And the discounts/s);
    await openHistory(one());
    await inHistory(one(), "Prices of the shop (fork)").waitFor();
    await one().button("Close history").click();
  });

  it("let the second go on in a chat that the first one closes", async () => {
    const { fake } = session();
    await fake.script(answer("Go on", [{ text: "I go on." }]));
    await openHistory(two());
    const original = inHistory(two(), "Prices of the shop").filter({ hasNotText: "(fork)" });
    await original.getByRole("button").first().click();
    await tells(two(), "This chat is open in another window");
    await newChat(one());
    await tells(two(), "The other window has closed this chat");
    await ask(two(), "Go on");
    await says(two(), "I go on.");
    const sessions = await files(path.join(await workspaceFolder(session().editor), "sessions"));
    assert.equal(sessions.filter((name) => name.endsWith(".jsonl")).length, 2, "no further copy");
    await newChat(two());
  });

  it("show a deleted chat as gone in the other one", async () => {
    const { fake } = session();
    await fake.script(answer("Something else", [{ text: "Yes?" }]), answer("Once more", [{ text: "From the start." }]));
    await ask(one(), "Something else");
    await says(one(), "Yes?");
    await openChat(two(), "Something else");
    await says(two(), "Yes?");
    await openHistory(one());
    await inHistory(one(), "Something else").hover();
    await inHistory(one(), "Something else").getByRole("button", { name: "Delete" }).click();
    await tells(two(), "This chat was deleted in another window");
    await ask(two(), "Once more");
    await says(two(), "From the start.");
    assert.equal(await two().conversation.getByText("Yes?").count(), 0);
  });

  it("give a reloaded window its draft and its chat back", async () => {
    await two().composer.pressSequentially("not sent yet");
    await eventually(async () => {
      const folder = path.join(await workspaceFolder(session().editor), "windows/1");
      assert.match(await readFile(path.join(folder, "drafts.json"), "utf8"), /not sent yet/);
    });
    await second.reload();
    await second.openPanel();
    await says(two(), "From the start.");
    await eventually(async () => assert.equal(await two().composer.inputValue(), "not sent yet"));
    await two().composer.fill("");
  });

  it("let the second see a run whose window crashed, and go on in it when its host has ended", async () => {
    const { fake, editor } = session();
    await fake.script(
      answer("Name the modules", [{ text: "I look." }, { tool: "read_file", arguments: { path: "README.md" } }]),
      answer("Name the modules", [{ tool: "edit_file", arguments: { path: "README.md", edits: [renamed] } }], 1),
      answer("Name the modules", [{ text: "Cart" }, { gate: "modules" }, { text: " and orders." }], 2),
    );
    await ask(one(), "Name the modules");
    await fake.reached("modules");
    const host = await hostOf(editor);
    await crash(editor);
    await openChat(two(), "Name the modules");
    await tells(two(), "or in one that has not ended yet");
    await says(two(), "I look.");
    process.kill(host, "SIGKILL");
    await tells(two(), "The other window has closed this chat");
    await two().button("Continue here").click();
    await tells(two(), "This run was interrupted");
    await two().button("Resume").click();
    await fake.reached("modules", 2);
    await fake.release("modules");
    await says(two(), "Cart and orders.");
  });

  it("let the second undo what agents wrote in the crashed one, and their model learn of it", async () => {
    const { fake, workspace } = session();
    const readme = () => readFile(path.join(workspace, "README.md"), "utf8");
    assert.match(await readme(), /^# Corner store$/m);
    const pending = two().frame.getByRole("region", { name: "Pending edits" });
    // A window that might only be reloaded is given half a minute.
    await pending.getByRole("button").first().click({ timeout: 70_000 });
    await two().button("Undo README.md").click();
    await eventually(async () => assert.match(await readme(), /^# Corner shop$/m));
    await pending.waitFor({ state: "detached" });
    await fake.script(answer("Was that right", [{ text: "It was not." }]));
    await ask(two(), "Was that right");
    await says(two(), "It was not.");
    const request = JSON.stringify((await fake.requests()).at(-1)?.body);
    assert.match(request, /README\.md, line 1: undone by the user/);
  });
});

describe("A window on a folder whose chats an earlier version kept in the editor's own folders", () => {
  const session = useSession("anthropic");

  it("has them all, with those of a further window, and the draft", async () => {
    const { editor, fake, panel, workspace } = session();
    await fake.script(answer("Count the prices", [{ text: "Three." }]), answer("And more", [{ text: "None." }]));
    await ask(panel, "Count the prices");
    await panel.conversation.getByText("Three.").waitFor();
    await panel.composer.pressSequentially("not sent yet");
    const place = await workspaceFolder(editor);
    await eventually(async () =>
      assert.match(await readFile(path.join(place, "windows/0/drafts.json"), "utf8"), /yet/),
    );
    // The window goes, and what it kept is laid where an earlier version had it.
    await editor.page.goto("about:blank");
    await eventually(async () => assert.deepEqual(await locks(editor), []));
    const [own = "", further] = await editorFolders(editor);
    assert.equal(further, undefined);
    await mkdir(own, { recursive: true });
    for (const name of ["sessions", "words"]) await rename(path.join(place, name), path.join(own, name));
    for (const name of ["drafts.json", "shown-chat.json"]) {
      await rename(path.join(place, "windows/0", name), path.join(own, name));
    }
    const [id = ""] = (await readdir(path.join(own, "sessions"))).filter((name) => name.endsWith(".jsonl"));
    const other = path.join(`${path.dirname(own)}-1`, path.basename(own), "sessions");
    await mkdir(other, { recursive: true });
    const copy = "00000000-0000-4000-8000-000000000001";
    const text = await readFile(path.join(own, "sessions", id), "utf8");
    await cp(path.join(own, "sessions", id), path.join(other, `${copy}.jsonl`));
    await rm(place, { recursive: true });

    const { page } = editor;
    await page.goto(`${editor.address}/?folder=${encodeURIComponent(workspace)}`, { waitUntil: "domcontentloaded" });
    await editor.openPanel();
    await panel.conversation.getByText("Three.").waitFor();
    await eventually(async () => assert.equal(await panel.composer.inputValue(), "not sent yet"));
    await panel.button("History").click();
    const rows = panel.frame.getByRole("list", { name: "Chats" }).getByRole("listitem");
    await eventually(async () => assert.equal(await rows.count(), 2));
    assert.equal(await readFile(path.join(place, "sessions", `${copy}.jsonl`), "utf8"), text);
    assert.deepEqual(await files(own), []);
  });
});

const user = (editor: Editor) => path.join(editor.home, "user/User");

async function files(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).sort();
}

/** Where Arbor keeps what belongs to the only workspace. */
async function workspaceFolder(editor: Editor): Promise<string> {
  const workspaces = path.join(user(editor), "globalStorage/arbor.arbor-agent/workspaces");
  const [key = "", other] = await readdir(workspaces);
  assert.equal(other, undefined, "all windows have one place");
  return path.join(workspaces, key);
}

/** Where the editor lets a window of the workspace keep its own. */
async function editorFolders(editor: Editor): Promise<string[]> {
  const storage = path.join(user(editor), "workspaceStorage");
  return (await files(storage)).map((name) => path.join(storage, name, "arbor.arbor-agent"));
}

async function locks(editor: Editor): Promise<string[]> {
  const found = await Promise.all((await editorFolders(editor)).map((folder) => files(path.dirname(folder))));
  return found.flat().filter((name) => name === "vscode.lock");
}

/** The process of the first window's extension host. */
async function hostOf(editor: Editor): Promise<number> {
  const [own = ""] = await editorFolders(editor);
  return JSON.parse(await readFile(path.join(path.dirname(own), "vscode.lock"), "utf8")).pid;
}

/** The first window's page is gone without a word to its host, which lives on. */
async function crash({ page }: Editor): Promise<void> {
  const crashed = page.waitForEvent("crash");
  const client = await page.context().newCDPSession(page);
  void client.send("Page.crash").catch(() => undefined);
  await crashed;
}
