import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { appendFile, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import type { FakeProvider } from "../../support/fakeProvider/startFakeProvider.ts";
import { picture } from "../../webview/gallery/picture.ts";
import type { Editor } from "../editor.ts";
import { eventually } from "../eventually.ts";
import type { ArborPanel } from "../panel.ts";
import { focusTerminal, openTerminal } from "../terminal.ts";
import { useSession } from "./wire/session.ts";

const run = promisify(execFile);

async function git(folder: string, ...args: string[]): Promise<void> {
  const who = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];
  await run("git", [...who, ...args], { cwd: folder });
}

/** Pastes a picture into the page, as text: the types of pages are not known here. */
const pasteScript = (data: string) => `async () => {
  const bytes = Uint8Array.from(atob("${data}"), (letter) => letter.charCodeAt(0));
  const transfer = new DataTransfer();
  transfer.items.add(new File([bytes], "shot.png", { type: "image/png" }));
  const control = document.querySelector(".text-area").shadowRoot.querySelector("textarea");
  control.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, composed: true, cancelable: true, clipboardData: transfer }));
}`;

const dropScript = (uris: string[]) => `() => {
  const transfer = new DataTransfer();
  transfer.setData("application/vnd.code.uri-list", ${JSON.stringify(uris.join("\r\n"))});
  const options = { bubbles: true, composed: true, cancelable: true, dataTransfer: transfer };
  document.querySelector(".composer-box").dispatchEvent(new DragEvent("drop", options));
}`;

describe("The composer, in an editor", () => {
  const session = useSession(
    "anthropic",
    async (workspace) => {
      await git(workspace, "init", "-q");
      await git(workspace, "add", ".");
      await git(workspace, "commit", "-q", "-m", "All");
      await appendFile(path.join(workspace, "README.md"), "\nChanged since the commit.\n");
      await writeFile(path.join(workspace, "broken.json"), '{ "open": [1, 2 }\n');
    },
    {},
    undefined,
    { builtIns: "all" },
  );
  let fake: FakeProvider;
  let editor: Editor;
  let folder: string;
  before(async () => {
    ({ fake, editor, workspace: folder } = session());
    await fake.script({ when: {}, reply: { steps: [{ text: "Seen." }] } });
  });

  const options = (panel: ArborPanel) =>
    panel.frame.getByRole("listbox", { name: "Context to attach" }).getByRole("option");

  /** Types words and a mention until its line is offered, and takes that line. */
  async function mention(words: string, typed: string, label: string): Promise<void> {
    const { panel } = editor;
    const option = options(panel).filter({ hasText: label }).first();
    await eventually(async () => {
      await panel.composer.fill("");
      await panel.composer.pressSequentially(`${words} ${typed}`);
      await option.waitFor({ timeout: 2_000 });
    });
    await option.click();
    await option.waitFor({ state: "detached" });
  }

  /** What is on disk of drafts. */
  async function storedDrafts(): Promise<string> {
    const files = await readdir(editor.home, { recursive: true });
    const [file] = files.filter((name) => path.basename(name) === "drafts.json");
    return file === undefined ? "" : readFile(path.join(editor.home, file), "utf8");
  }

  /** Sends what is written, waits for the answer, and gives the last message of the request. */
  async function requested(): Promise<string> {
    const before = (await fake.requests()).length;
    await editor.page.keyboard.press("Enter");
    const requests = await fake.requestCount(before + 1);
    await editor.panel.stop.waitFor({ state: "detached" });
    // A request of the Messages API.
    const body = requests.at(-1)?.body as { messages: { content: unknown }[] };
    return JSON.stringify(
      body.messages.findLast((message) => !JSON.stringify(message).includes('"role":"assistant"'))?.content,
    );
  }

  it("brings a file that was picked from the list", async () => {
    await mention("Explain", "@compu", "computePrice.ts");
    await editor.panel.button("Remove computePrice.ts").waitFor();
    const request = await requested();
    assert.match(request, /Explain @src\/pricing\/computePrice\.ts/);
    assert.match(request, /<attached_file path=\\"src\/pricing\/computePrice\.ts\\">\\n.*export function computePrice/);
  });

  it("brings a folder, and a file that is only typed", async () => {
    await mention("See", "@orders", "orders");
    await editor.page.keyboard.type("beside @docs/discounts.md.");
    const request = await requested();
    assert.match(request, /<attached_folder path=\\"src\/orders\\">\\nsrc\/orders\/export\.ts/);
    assert.match(request, /<attached_file path=\\"docs\/discounts\.md\\">/);
  });

  it("brings what changed since the last commit", async () => {
    await mention("Check", "@di", "Changes since the last commit");
    const request = await requested();
    assert.match(request, /<git_diff>\\n.*\+Changed since the commit\./);
    assert.match(request, /new file broken\.json, not added yet/);
  });

  it("brings the problems that the editor shows", async () => {
    await editor.openFile("broken.json");
    await mention("Fix", "@prob", "problems");
    assert.match(await requested(), /<problems>\\nbroken\.json:1:\d+ error: /);
  });

  it("brings a symbol's lines", async () => {
    await editor.openFile("computePrice.ts");
    await mention("Explain", "@#computePrice", "computePrice");
    assert.match(
      await requested(),
      /<attached_symbol path=\\"src\/pricing\/computePrice\.ts\\" name=\\"computePrice\\"/,
    );
  });

  it("brings the output of the last command in a terminal", async () => {
    const { page, panel } = editor;
    const terminal = await openTerminal(page);
    // The editor sometimes does not notice the first command in a new terminal.
    await eventually(async () => {
      await focusTerminal(page);
      await page.keyboard.type("echo made in a terminal $((6 * 7))\n");
      await terminal.getByText("made in a terminal 42").last().waitFor();
      await panel.composer.fill("Look @term");
      await options(panel).filter({ hasText: "terminal" }).waitFor({ timeout: 2_000 });
    });
    await mention("Look", "@term", "terminal");
    assert.match(
      await requested(),
      /<terminal command=\\"echo made in a terminal \$\(\(6 \* 7\)\)\\" exit_code=\\"0\\">\\nmade in a terminal 42/,
    );
  });

  it("hands work to an agent that is mentioned first", async () => {
    await mention("", "@expl", "explore");
    await editor.page.keyboard.type("where are prices?");
    assert.match(await requested(), /Delegate this to the agent \\"explore\\"/);
  });

  it("shows the model a picture that was pasted, and the message shows it, too", async () => {
    const { panel } = editor;
    await panel.composer.fill("What is this?");
    await panel.frame.locator("body").evaluate(`(${pasteScript(picture(64, 48, 90))})()`);
    await panel.button("Remove shot.png").waitFor();
    await panel.composer.focus();
    const request = await requested();
    assert.match(request, /\{"type":"image","source":\{"type":"base64","media_type":"image\/png","data":"iVBORw0KGgo/);
    await panel.messagesOf("You").last().getByRole("button", { name: "Enlarge shot.png" }).click();
    await panel.frame.getByRole("dialog", { name: "shot.png" }).waitFor();
    await editor.page.keyboard.press("Escape");
    await panel.frame.getByRole("dialog", { name: "shot.png" }).waitFor({ state: "detached" });
  });

  it("attaches what is dropped from the explorer, and refuses what lies outside the workspace", async () => {
    const { panel, page } = editor;
    const drop = (...files: string[]) =>
      panel.frame.locator("body").evaluate(`(${dropScript(files.map((file) => `vscode-remote://machine${file}`))})()`);
    await drop(path.join(folder, "docs"), path.join(folder, "package.json"));
    await panel.button("Remove docs").waitFor();
    await panel.button("Remove package.json").waitFor();
    await panel.composer.fill("See these");
    const request = await requested();
    assert.match(request, /<attached_folder path=\\"docs\\">\\ndocs\/discounts\.md/);
    assert.match(request, /<attached_file path=\\"package\.json\\">/);
    await drop("/etc/hostname");
    await page.getByText("/etc/hostname is outside the workspace.").first().waitFor();
    assert.equal(await panel.button("Remove hostname").count(), 0);
  });

  it("reviews the changes by a command, and starts a new chat by another", async () => {
    const { panel, page } = editor;
    await panel.composer.fill("/review only the words");
    const request = await requested();
    assert.match(request, /Review my changes since the last commit.*only the words/);
    assert.match(request, /<git_diff>/);
    await panel.composer.fill("/new");
    await page.keyboard.press("Enter");
    await panel.messages.first().waitFor({ state: "detached" });
  });

  it("keeps what is written and attached when the window is reloaded", async () => {
    const { panel } = editor;
    await mention("Later: look at", "@compu", "computePrice.ts");
    await editor.page.keyboard.type("again");
    const words = "Later: look at @src/pricing/computePrice.ts again";
    await eventually(async () => assert.equal(await panel.composer.inputValue(), words));
    // Who leaves the text has written for now: the host is informed at once.
    await panel.conversation.focus();
    await eventually(async () => assert.ok((await storedDrafts()).includes(words)));
    await editor.reload();
    await editor.openPanel();
    await eventually(async () => assert.equal(await panel.composer.inputValue(), words));
    await panel.button("Remove computePrice.ts").waitFor();
    assert.deepEqual(editor.faults, []);
  });
});
