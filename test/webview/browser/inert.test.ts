import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { hostileChat } from "../support/hostileChat.ts";
import type { PanelPage } from "../support/panelPage.ts";
import { projectRoot } from "../support/projectRoot.ts";
import { recording, text } from "../support/recording.ts";
import { usePanel } from "../support/usePanel.ts";

const batchSize = 60;

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
    return [...own, ...corpus.rows.map((row) => row.payload)];
  } catch {
    console.log(`The payload corpus is not at ${file}; only our own payloads run.`);
    return own;
  }
}

const all = payloads();
const batches = Array.from({ length: Math.ceil(all.length / batchSize) }, (_, index) =>
  all.slice(index * batchSize, (index + 1) * batchSize),
);

/** Runs in the page: notes whatever a payload could call if it ran, and what the policy had to refuse, `eval` among it. */
function watch(): void {
  const ran: string[] = [];
  Object.assign(globalThis, { ran });
  for (const name of ["alert", "confirm", "prompt", "fetch", "open", "print", "XMLHttpRequest", "WebSocket"]) {
    Object.assign(globalThis, {
      [name]: () => {
        ran.push(name);
      },
    });
  }
  navigator.sendBeacon = () => ran.push("sendBeacon") > 0;
  document.addEventListener("securitypolicyviolation", ({ blockedURI, violatedDirective }) => {
    ran.push(`${violatedDirective} ${blockedURI}`);
  });
}

/** Runs in the page: opens what is folded, focuses every control, follows every link. */
function touchEverything(): void {
  const click = (selector: string) => {
    for (const element of document.querySelectorAll<HTMLElement>(selector)) element.click();
  };
  click(":is(.fold-head, .tool-head, .plan-head)[aria-expanded=false]");
  for (const element of document.querySelectorAll<HTMLElement>("button, [tabindex]")) element.focus();
  click(".markdown .link");
}

/** Runs in the page: what no text may bring about. Only drawings and pictures of our own have such parts. */
function madeElements(): string[] {
  const strange =
    "script, iframe, frame, object, embed, form, video, audio, style, link, meta, base, a, math, template, foreignObject, " +
    "animate, use, image, img, [onerror], [onload], [onclick], [onfocus], [href], [src], [srcdoc], [action], [formaction]";
  const styled = "[style]:not(.completions, .caret-mirror)";
  // How many rows are to be in view.
  const isCount = (element: Element) =>
    element.matches("section.agents") && /^--active-rows: \d+;$/.test(element.getAttribute("style") ?? "");
  return [...document.querySelectorAll(`#root :is(${strange}), #root ${styled}`)]
    .filter((element) => !isCount(element))
    .map(({ outerHTML }) => outerHTML.slice(0, 200));
}

describe("hostile text in the panel", function () {
  this.timeout(180_000);
  const show = usePanel();

  async function staysInert({ page, drawn, intents, ...panel }: PanelPage): Promise<void> {
    await page.evaluate(touchEverything);
    await drawn();
    assert.deepEqual(await page.evaluate(madeElements), []);
    assert.deepEqual(await page.evaluate(() => Reflect.get(globalThis, "ran")), []);
    const hrefs = (await intents()).flatMap((intent) => (intent.type === "openLink" ? [intent.href] : []));
    assert.deepEqual(
      hrefs.filter((href) => !/^(https?|mailto):/i.test(href)),
      [],
    );
    assert.deepEqual([...panel.dialogs, ...panel.strangeRequests, ...panel.problems], []);
    assert.equal(page.url(), "http://panel.test/");
  }

  for (const [index, texts] of batches.entries()) {
    it(`81 82 neither runs nor asks for anything, wherever it is: ${texts.length} texts of part ${index + 1}`, async () => {
      const panel = await show([], { height: 900 });
      const { page } = panel;
      await page.evaluate(watch);
      const { chat, suggestions, history } = hostileChat(texts);
      await panel.post(chat);
      await panel.drawn();
      await staysInert(panel);
      await page.getByRole("button", { name: "Next approval" }).click();
      await page.getByRole("button", { name: "Details of" }).first().dispatchEvent("click");
      await staysInert(panel);
      const composer = page.getByRole("textbox", { name: "Ask Agent" });
      for (const typed of ["/", "@x"]) {
        await composer.fill(typed);
        await panel.drawn();
        const asked = (await panel.intents()).findLast((intent) => intent.type === "suggest");
        if (asked !== undefined) await panel.post(suggestions(asked.requestId));
        await panel.drawn();
        await page.getByRole("listbox", { name: typed === "/" ? "Commands" : "Context to attach" }).waitFor();
        assert.deepEqual(await page.evaluate(madeElements), []);
      }
      await panel.post({ type: "focus", target: "history" });
      await panel.post(history);
      await panel.drawn();
      assert.ok((await page.locator(".history-row").count()) >= texts.length);
      await staysInert(panel);
    });
  }

  it("81 is written out where it can't be seen, in every name, path, command and address", async () => {
    const unseen = [
      "\u202egpj.exe",
      "zero\u200bwidth",
      "\u2066left\u2069",
      "soft\u00adhyphen",
      "line\u2028end",
      "tag\u{e0041}",
    ];
    const panel = await show([], { height: 900 });
    const { page } = panel;
    const { chat, suggestions, history } = hostileChat(unseen, { inWords: false });
    await panel.post(chat);
    await panel.drawn();
    /** Runs in the page: where one of them is as it was given, in a text or in an attribute. */
    const offenders = () => {
      const pattern = /[\p{Cf}\p{Zl}\p{Zp}]/u;
      const found: string[] = [];
      for (const element of document.querySelectorAll("#root *")) {
        const own = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
        for (const { textContent } of own) {
          if (pattern.test(textContent ?? "")) found.push(`${element.closest("[class]")?.className}: ${textContent}`);
        }
        for (const name of ["title", "aria-label", "aria-description", "data-text", "alt", "placeholder"]) {
          const value = element.getAttribute(name) ?? "";
          if (pattern.test(value)) found.push(`${element.className} ${name}: ${value}`);
        }
      }
      return found.map((line) => line.replace(/[^ -~]/gu, (sign) => `<${sign.codePointAt(0)?.toString(16)}>`));
    };
    await page.evaluate(touchEverything);
    await panel.drawn();
    const found = await page.evaluate(offenders);
    await page.getByRole("button", { name: "Next approval" }).click();
    await page.getByRole("button", { name: "Details of" }).nth(1).dispatchEvent("click");
    await panel.drawn();
    found.push(...(await page.evaluate(offenders)));
    const composer = page.getByRole("textbox", { name: "Ask Agent" });
    for (const typed of ["/", "@x"]) {
      await composer.fill(typed);
      await panel.drawn();
      const asked = (await panel.intents()).findLast((intent) => intent.type === "suggest");
      if (asked !== undefined) await panel.post(suggestions(asked.requestId));
      await panel.drawn();
      found.push(...(await page.evaluate(offenders)));
    }
    await panel.post({ type: "focus", target: "history" });
    await panel.post(history);
    await panel.drawn();
    found.push(...(await page.evaluate(offenders)));
    assert.deepEqual([...new Set(found)], []);
  });

  it("83 leads nowhere but through the host, and only to web, mail and workspace", async () => {
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

  it("84 that is no message of the host changes nothing", async () => {
    const panel = await show("running");
    const before = await panel.page.locator("#root").textContent();
    for (const strange of ["", "{", "null", "7", "[]", '{"type":"x"}']) await panel.postText(strange);
    await panel.page.evaluate(() => globalThis.postMessage({ type: "chat", reset: true }, "*"));
    await panel.drawn();
    assert.equal(await panel.page.locator("#root").textContent(), before);
    assert.deepEqual(panel.problems, []);
  });
});
