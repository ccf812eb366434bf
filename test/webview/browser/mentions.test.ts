import assert from "node:assert/strict";
import type { Attachment } from "../../../src/protocol/attachments.ts";
import type { SlashCommand, Suggestion } from "../../../src/protocol/suggestions.ts";
import { readCorpus } from "../../support/corpora.ts";
import { scenes } from "../gallery/scenes.ts";
import type { PanelPage } from "../support/panelPage.ts";
import { recording } from "../support/recording.ts";
import { usePanel } from "../support/usePanel.ts";

const file = (path: string): Suggestion => ({
  attachment: { kind: "file", path },
  label: path.split("/").at(-1) ?? path,
  detail: path.split("/").slice(0, -1).join("/"),
  mention: path,
});
const files = ["src/auth.ts", "src/auth/session.ts", "test/auth.test.ts"].map(file);
const commands: SlashCommand[] = [
  { name: "explain", description: "Explain the selection or the file", takesText: true },
  { name: "new", description: "Start a new chat", takesText: false },
  { name: "stop", description: "Stop all agents", takesText: false },
];

describe("mentions and commands in the panel", function () {
  this.timeout(60_000);
  const show = usePanel();

  const composerOf = ({ page }: PanelPage) => page.getByRole("textbox", { name: "Ask Agent" });
  const listOf = ({ page }: PanelPage) => page.getByRole("listbox", { name: /Context to attach|Commands/ });

  /** Answers the last question for suggestions, as the host does. */
  async function answer(panel: PanelPage, items: Suggestion[] = files): Promise<void> {
    const asked = (await panel.intents()).findLast((intent) => intent.type === "suggest");
    assert.ok(asked?.type === "suggest", "nothing was asked");
    await panel.post({ type: "suggestions", requestId: asked.requestId, items });
    await panel.drawn();
  }

  it("come in groups that are named, each once, and the arrows go through all of them", async () => {
    const panel = await show("idle");
    const { page } = panel;
    await composerOf(panel).focus();
    await page.keyboard.type("@a");
    const folder: Suggestion = { attachment: { kind: "folder", path: "src" }, label: "src", mention: "src/" };
    const agent: Suggestion = { attachment: { kind: "agent", name: "explore" }, label: "explore", mention: "explore" };
    await answer(panel, [agent, ...files.slice(0, 1), folder, ...files.slice(1)]);
    const list = listOf(panel);
    const groups = list.getByRole("group");
    assert.deepEqual(
      await groups.evaluateAll((all) =>
        all.map((group) => [group.ariaLabel, group.querySelectorAll("[role=option]").length]),
      ),
      [
        ["Agents", 1],
        ["Files", 3],
        ["Folders", 1],
      ],
    );
    await page.keyboard.press("ArrowUp");
    await panel.drawn();
    assert.equal(await list.getByRole("option", { name: "src", exact: true }).getAttribute("aria-selected"), "true");
    await page.keyboard.press("Enter");
    assert.equal(await composerOf(panel).inputValue(), "@src/ ");
  });

  it("have commands in groups by who brings them, each named once, and none where all are Arbor's", async () => {
    const more: SlashCommand[] = [
      { name: "review-pr", description: "Reviews a pull request", takesText: true, group: "prompt" },
      { name: "release", description: "Makes a release", takesText: true, group: "skill" },
      { name: "ask-docs", description: "Asks the documentation", takesText: true, group: "server" },
      { name: "tidy", description: "Tidies up", takesText: false, group: "prompt" },
    ];
    const panel = await show([recording().chat({ commands: [...commands, ...more] })]);
    const { page } = panel;
    await composerOf(panel).focus();
    await page.keyboard.type("/");
    await panel.drawn();
    const list = listOf(panel);
    const shown = () =>
      list
        .getByRole("group")
        .evaluateAll((all) =>
          all.map((group) => [
            group.ariaLabel,
            group.querySelector(".completion-group")?.textContent ?? "",
            [...group.querySelectorAll("[role=option] .completion-label")].map((label) => label.textContent),
          ]),
        );
    assert.deepEqual(await shown(), [
      ["Commands", "Commands", ["/explain", "/new"]],
      ["Prompts", "Prompts", ["/review-pr", "/tidy"]],
      ["Skills", "Skills", ["/release"]],
      ["MCP servers", "MCP servers", ["/ask-docs"]],
    ]);
    await page.keyboard.press("ArrowUp");
    await panel.drawn();
    assert.equal(await list.getByRole("option", { name: /^\/ask-docs/ }).getAttribute("aria-selected"), "true");
    await page.keyboard.type("e");
    await panel.drawn();
    assert.deepEqual(
      (await shown()).map(([name, title]) => [name, title]),
      [["Commands", ""]],
      "one group needs no heading",
    );
  });

  async function sent(panel: PanelPage) {
    return (await panel.intents()).find((intent) => intent.type === "send");
  }

  it("are chosen by keys alone: the arrows, Enter, and the chip goes with the message", async () => {
    const panel = await show("idle");
    const { page } = panel;
    const composer = composerOf(panel);
    await composer.focus();
    await page.keyboard.type("Explain @au");
    await answer(panel);
    const options = listOf(panel).getByRole("option");
    assert.equal(await options.count(), 3);
    assert.equal(await options.nth(0).getAttribute("aria-selected"), "true");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await panel.drawn();
    assert.equal(await options.nth(1).getAttribute("aria-selected"), "true");
    await page.keyboard.press("Enter");
    await panel.drawn();
    assert.equal(await composer.inputValue(), "Explain @src/auth/session.ts ");
    assert.equal(await listOf(panel).count(), 0);
    await page.keyboard.type("to me");
    await page.keyboard.press("Enter");
    assert.deepEqual(await sent(panel), {
      type: "send",
      text: "Explain @src/auth/session.ts to me",
      attachments: [{ kind: "file", path: "src/auth/session.ts" }],
      whenBusy: "queue",
    });
  });

  it("name to a screen reader which line Enter takes, while the focus stays in the text", async () => {
    const panel = await show("idle");
    const { page } = panel;
    await composerOf(panel).focus();
    await page.keyboard.type("@");
    await answer(panel);
    await page.keyboard.press("ArrowDown");
    await panel.drawn();
    const named = await page.evaluate(() => {
      const control = document.querySelector(".text-area")?.shadowRoot?.querySelector("textarea");
      return {
        active: control?.ariaActiveDescendantElement?.textContent,
        controls: control?.ariaControlsElements?.[0]?.getAttribute("role"),
        completes: control?.getAttribute("aria-autocomplete"),
        hasFocus: document.activeElement?.shadowRoot?.activeElement === control,
      };
    });
    assert.deepEqual(named, { active: "session.tssrc/auth", controls: "listbox", completes: "list", hasFocus: true });
    await page.keyboard.press("Tab");
    await panel.drawn();
    assert.equal(await composerOf(panel).inputValue(), "@src/auth/session.ts ");
  });

  it("can be undone by the text's own undo", async () => {
    const panel = await show("idle");
    await composerOf(panel).focus();
    await panel.page.keyboard.type("see @a");
    await answer(panel);
    await panel.page.keyboard.press("Enter");
    await panel.page.keyboard.press("Control+z");
    await panel.drawn();
    assert.equal(await composerOf(panel).inputValue(), "see @a");
  });

  it("close with Esc, which stops nothing and takes nothing else along", async () => {
    const panel = await show("running");
    const { page } = panel;
    await composerOf(panel).focus();
    await page.keyboard.type("@a");
    await answer(panel);
    await page.keyboard.press("Escape");
    await panel.drawn();
    assert.equal(await listOf(panel).count(), 0);
    assert.equal(await page.getByText("Press Esc again").count(), 0);
    await page.keyboard.type("u");
    await panel.drawn();
    assert.equal(await listOf(panel).count(), 0);
    await page.keyboard.press("Enter");
    const message = await sent(panel);
    assert.ok(message?.type === "send");
    assert.equal(message.text, "@au");
  });

  it("are chosen by the mouse, which does not take the focus", async () => {
    const panel = await show("idle");
    await composerOf(panel).focus();
    await panel.page.keyboard.type("@");
    await answer(panel);
    await listOf(panel)
      .getByRole("option", { name: /auth\.test\.ts/ })
      .click();
    await panel.page.keyboard.type("now");
    await panel.drawn();
    assert.equal(await composerOf(panel).inputValue(), "@test/auth.test.ts now");
    await panel.page.getByRole("button", { name: "Remove auth.test.ts" }).click();
    await panel.drawn();
    assert.equal(await composerOf(panel).inputValue(), "now");
  });

  it("leave all keys to an input method that composes", async () => {
    const panel = await show("idle");
    const composer = composerOf(panel);
    await composer.focus();
    await panel.page.keyboard.type("@a");
    await answer(panel);
    for (const key of ["Enter", "Tab", "ArrowDown", "Escape"]) {
      await composer.dispatchEvent("keydown", { key, isComposing: true, bubbles: true, composed: true });
    }
    await panel.drawn();
    assert.equal(await listOf(panel).count(), 1);
    assert.equal(await listOf(panel).getByRole("option").first().getAttribute("aria-selected"), "true");
    assert.equal(await composer.inputValue(), "@a");
    assert.equal(await sent(panel), undefined);
  });

  it("close when the focus goes, and never take it", async () => {
    const panel = await show("idle");
    await composerOf(panel).focus();
    await panel.page.keyboard.type("@a");
    await answer(panel);
    await panel.page.getByRole("log").focus();
    await panel.drawn();
    assert.equal(await listOf(panel).count(), 0);
    await answer(panel);
    assert.equal(await listOf(panel).count(), 0);
    assert.equal(await panel.page.evaluate(() => document.activeElement?.getAttribute("role")), "log");
  });

  for (const [width, height] of [
    [280, 720],
    [320, 260],
    [600, 500],
  ] as const) {
    it(`stay within a panel of ${width} by ${height} pixels, off the line that is typed`, async () => {
      const panel = await show("idle", { width, height });
      await composerOf(panel).focus();
      await panel.page.keyboard.type("one");
      for (let line = 0; line < 4; line++) await panel.page.keyboard.press("Shift+Enter");
      await panel.page.keyboard.type("@a");
      await answer(
        panel,
        Array.from({ length: 30 }, (_, index) => file(`src/some/deeply/nested/folder/that/is/long/module-${index}.ts`)),
      );
      const box = await listOf(panel).boundingBox();
      const text = await composerOf(panel).boundingBox();
      assert.ok(box !== null && text !== null);
      assert.ok(
        box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height,
        JSON.stringify(box),
      );
      assert.ok(box.height >= 40);
      const caretBottom = text.y + text.height;
      assert.ok(
        box.y + box.height <= caretBottom - 10 || box.y >= caretBottom - 10,
        "it covers the line that is typed",
      );
      const cut = await listOf(panel).evaluate((list) => list.scrollWidth > list.clientWidth);
      assert.equal(cut, false);
    });
  }

  it("scroll with the arrows to lines that are out of sight", async () => {
    const panel = await show("idle");
    await composerOf(panel).focus();
    await panel.page.keyboard.type("@");
    await answer(
      panel,
      Array.from({ length: 30 }, (_, index) => file(`src/module-${index}.ts`)),
    );
    await panel.page.keyboard.press("ArrowUp");
    await panel.drawn();
    const [list, last] = [
      await listOf(panel).boundingBox(),
      await listOf(panel).getByRole("option").last().boundingBox(),
    ];
    assert.ok(list !== null && last !== null && last.y + last.height <= list.y + list.height);
  });

  it("write out what can't be seen in names, and draw what looks like markup as text", async () => {
    const panel = await show("idle");
    await composerOf(panel).focus();
    await panel.page.keyboard.type("@");
    await answer(panel, [file("src/a\u202egnp.ts"), file("<img src=x onerror=alert(1)>.md")]);
    const options = listOf(panel).getByRole("option");
    assert.match((await options.nth(0).textContent()) ?? "", /a\\u\{202e\}gnp\.ts/);
    assert.match((await options.nth(1).textContent()) ?? "", /<img src=x onerror=alert\(1\)>\.md/);
    await panel.page.keyboard.press("Enter");
    await panel.drawn();
    await panel.page.getByRole("button", { name: "Remove a\\u{202e}gnp.ts" }).waitFor();
    assert.deepEqual([panel.dialogs, panel.strangeRequests], [[], []]);
  });

  it("run nothing and load nothing, whatever the names of files, commands and attachments are", async () => {
    const corpus = readCorpus("xss.json") as { rows: { payload: string }[] } | undefined;
    const payloads = ["<img src=x onerror=alert(1)>", ...(corpus?.rows ?? []).map(({ payload }) => payload)];
    const names = payloads.filter((payload) => payload !== "").slice(0, 400);
    const chat = recording().chat({
      commands: names.map((name) => ({ name, description: name, takesText: true })),
    });
    assert.ok(chat.type === "chat");
    const draftAttachments = names.slice(0, 45).flatMap((name): Attachment[] => [
      { kind: "file", path: name },
      { kind: "image", name, mimeType: "image/png", data: name },
    ]);
    const panel = await show([{ ...chat, draftAttachments }]);
    await composerOf(panel).focus();
    await panel.page.keyboard.type("/");
    await panel.drawn();
    await panel.page.keyboard.press("Backspace");
    await panel.page.keyboard.type("@");
    await answer(
      panel,
      names.map((name) => ({
        attachment: { kind: "symbol", path: name, name },
        label: name,
        detail: name,
        mention: name,
      })),
    );
    assert.equal(await listOf(panel).getByRole("option").count(), names.length);
    await panel.page.keyboard.press("Enter");
    await panel.drawn();
    assert.deepEqual([panel.dialogs, panel.strangeRequests], [[], []]);
  });

  it("offer a running agent, which alone gets the message", async () => {
    const panel = await show("running");
    await composerOf(panel).focus();
    await panel.page.keyboard.type("@tes");
    await panel.drawn();
    await panel.page.keyboard.press("Enter");
    await panel.page.keyboard.type("faster");
    await panel.page.keyboard.press("Enter");
    const message = await sent(panel);
    assert.ok(message?.type === "send");
    const [attachment] = message.attachments;
    assert.ok(attachment?.kind === "agent");
    assert.match(attachment.agentId ?? "", /tests/);
  });

  it("list the commands that the host can do, and do one that takes no words at once", async () => {
    const panel = await show([recording().chat({ commands })]);
    const { page } = panel;
    await composerOf(panel).focus();
    await page.keyboard.type("/");
    await panel.drawn();
    const options = listOf(panel).getByRole("option");
    // Nothing runs that could be stopped.
    assert.deepEqual(await options.allTextContents(), [
      "/explainExplain the selection or the file",
      "/newStart a new chat",
    ]);
    await page.keyboard.type("n");
    await panel.drawn();
    await page.keyboard.press("Enter");
    await panel.drawn();
    assert.ok((await panel.intents()).some((intent) => intent.type === "newChat"));
    assert.equal(await composerOf(panel).inputValue(), "");
  });

  it("start a new chat by /clear, and show tokens and cost by /cost", async () => {
    const own = ["clear", "cost"].map((name) => ({ name, description: name, takesText: false }));
    const { messages = [] } = scenes.running?.() ?? {};
    const withCommands = messages.map((message) =>
      "status" in message ? { ...message, status: { ...message.status, commands: own } } : message,
    );
    const panel = await show(withCommands);
    const { page } = panel;
    const send = async (text: string) => {
      await composerOf(panel).focus();
      await page.keyboard.type(text);
      await page.keyboard.press("Enter");
    };
    await send("/cost");
    await page.getByRole("dialog", { name: "Context of main" }).getByText("$0.06").first().waitFor();
    await page.keyboard.press("Escape");
    await send("/clear");
    assert.ok((await panel.intents()).some(({ type }) => type === "newChat"));
    assert.equal(await sent(panel), undefined);
  });

  it("let words follow a command that takes them", async () => {
    const panel = await show([recording().chat({ commands })]);
    const { page } = panel;
    await composerOf(panel).focus();
    await page.keyboard.type("/e");
    await panel.drawn();
    await page.keyboard.press("Enter");
    await page.keyboard.type("the loop");
    await page.keyboard.press("Enter");
    const command = (await panel.intents()).find((intent) => intent.type === "command");
    assert.deepEqual(command, {
      type: "command",
      name: "explain",
      text: "the loop",
      attachments: [],
      whenBusy: "queue",
    });
  });

  it("send a slash that names no command as it was typed", async () => {
    const panel = await show([recording().chat({ commands })]);
    await composerOf(panel).focus();
    await panel.page.keyboard.type("/etc/hosts is odd");
    await panel.page.keyboard.press("Enter");
    const message = await sent(panel);
    assert.ok(message?.type === "send");
    assert.equal(message.text, "/etc/hosts is odd");
  });
});
