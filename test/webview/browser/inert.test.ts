import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import type { HostMessage } from "../../../src/protocol/messages.ts";
import { projectRoot } from "../support/projectRoot.ts";
import { recording, text, toolCall } from "../support/recording.ts";
import { usePanel } from "../support/usePanel.ts";

/** Every n-th payload: the whole corpus runs where time allows. */
const stride = 9;

const own = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "![x](https://evil.test/pixel.png)",
  "[x](javascript:alert(1))",
  "<svg onload=alert(1)><style>*{background:url(https://evil.test/c)}</style></svg>",
  '<a href="https://evil.test" ping="https://evil.test/p">x</a><iframe srcdoc="<script>parent.alert(1)</script>">',
];

function payloads(): string[] {
  const file = path.join(projectRoot, "../shared/corpora/xss.json");
  try {
    const corpus: { rows: { payload: string }[] } = JSON.parse(readFileSync(file, "utf8"));
    return [...own, ...corpus.rows.filter((_row, index) => index % stride === 0).map((row) => row.payload)];
  } catch {
    console.log(`The payload corpus is not at ${file}; only our own payloads run.`);
    return own;
  }
}

/** The payload everywhere where text of models, tools and users is shown. */
function everywhere(all: readonly string[]): HostMessage {
  const log = recording();
  const main = log.agent("main");
  const approval = { id: "a", agentId: main.id, callId: "c", toolName: all[0] ?? "", agentPath: all.slice(0, 3) };
  for (const [index, payload] of all.entries()) {
    const id = `call-${index}`;
    log.user(main, payload, { attachments: [{ kind: "file", path: payload }] });
    log.answer(main, [{ type: "thinking", text: payload }, text(payload), toolCall(id, payload, { path: payload })]);
    log.toolStart(main, id, payload, payload, { path: payload });
    log.toolEnd(main, id, payload, payload, true);
    const child = log.agent(payload, main, id);
    log.end(child, "error", payload);
    log.host({ type: "notice_shown", notice: { id, level: "error", text: payload, actions: [] } });
  }
  log.host({ type: "chat_titled", title: all[1] ?? "" });
  const files = all.slice(0, 8).map((payload) => {
    const hunk = {
      id: payload,
      oldStart: 1,
      oldLines: [payload],
      newStart: 1,
      newLines: [payload],
      decision: "pending",
    };
    return { path: payload, change: "update", languageId: payload, hunks: [hunk] };
  });
  // The literal's strings are wider than the unions they stand for.
  log.host({ type: "approval_requested", approval: { ...approval, files } } as Parameters<typeof log.host>[0]);
  const label = all[2] ?? "";
  return log.chat({ activeFile: label, model: { id: "m", label, isDemo: true, hasPrice: false } });
}

describe("hostile text in the panel", function () {
  this.timeout(120_000);
  const show = usePanel();

  it("neither runs, nor opens a dialog, nor asks the network for anything", async () => {
    const panel = await show([everywhere(payloads())], { height: 900 });
    const { page } = panel;
    for (const head of await page.locator(".fold-head").all()) await head.dispatchEvent("click");
    for (const head of await page.locator(".tool-head").all()) await head.dispatchEvent("click");
    await panel.drawn();
    for (const element of await page.locator("button").all()) await element.dispatchEvent("focus");
    const made = await page.evaluate(() => ({
      elements: document.querySelectorAll("#root :is(script, iframe, img, object, embed, form, video, audio, style, a)")
        .length,
      handlers: document.querySelectorAll("#root :is([onerror], [onload], [onclick], [style], [href], [src])").length,
    }));
    assert.deepEqual(made, { elements: 0, handlers: 0 });
    assert.deepEqual(panel.dialogs, []);
    assert.deepEqual(panel.strangeRequests, []);
    assert.deepEqual(panel.problems, []);
  });

  it("leads nowhere but through the host, and only to web, mail and workspace", async () => {
    const links = [
      "https://example.com/a",
      "mailto:a@example.com",
      "src/a.ts#L3",
      "javascript:alert(1)",
      "file:///etc/passwd",
    ];
    const log = recording();
    const main = log.agent("main");
    log.answer(main, [text(links.map((href) => `[to ${href}](${href})`).join("\n\n"))]);
    const panel = await show([log.chat()]);
    for (const link of await panel.page.getByRole("link").all()) await link.click();
    const opened = (await panel.intents()).filter(({ type }) => type === "openLink" || type === "openFile");
    assert.deepEqual(opened, [
      { type: "openLink", href: "https://example.com/a" },
      { type: "openLink", href: "mailto:a@example.com" },
      { type: "openFile", path: "src/a.ts", line: 3 },
    ]);
    assert.equal(panel.page.url(), "http://panel.test/");
  });

  it("that is no message of the host changes nothing", async () => {
    const panel = await show("running");
    const before = await panel.page.locator("#root").textContent();
    for (const strange of [
      "",
      "{",
      "null",
      '{"type":"chat"}',
      '{"type":"entries","chatId":"chat-1"}',
      '{"type":"x"}',
    ]) {
      await panel.postText(strange);
    }
    await panel.page.evaluate(() => globalThis.postMessage({ type: "chat", reset: true }, "*"));
    await panel.drawn();
    assert.equal(await panel.page.locator("#root").textContent(), before);
    assert.deepEqual(panel.problems, []);
  });
});
