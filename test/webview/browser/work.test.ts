import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { recording, text } from "../support/recording.ts";
import { usePanel } from "../support/usePanel.ts";

/** What the panel asked of the browser. The counts are the same however slow the machine is. */
interface Work {
  /** Elements that were made, and attributes and texts that were set, all of which make a layout due. */
  elements: number;
  attributes: number;
  appended: number;
  /** Figures of the layout that were read, for which it must be up to date. */
  figures: number;
  observers: number;
}

declare global {
  var counted: Work;
  var formats: number;
}

/** Runs in the page. */
function countWork(): void {
  const none: Work = { elements: 0, attributes: 0, appended: 0, figures: 0, observers: 0 };
  globalThis.counted = none;
  const counting = (owner: object, name: string, key: keyof Work) => {
    const known = Object.getOwnPropertyDescriptor(owner, name);
    const count = (called: unknown) =>
      typeof called !== "function"
        ? undefined
        : function (this: unknown, ...given: unknown[]) {
            none[key]++;
            return Reflect.apply(called, this, given);
          };
    if (known?.get === undefined) Object.defineProperty(owner, name, { ...known, value: count(known?.value) });
    else Object.defineProperty(owner, name, { ...known, get: count(known.get) as () => unknown });
  };
  counting(Document.prototype, "createElementNS", "elements");
  counting(Element.prototype, "setAttribute", "attributes");
  counting(CharacterData.prototype, "appendData", "appended");
  counting(Element.prototype, "scrollHeight", "figures");
  counting(Element.prototype, "clientHeight", "figures");
  globalThis.IntersectionObserver = class extends IntersectionObserver {
    constructor(...given: ConstructorParameters<typeof IntersectionObserver>) {
      super(...given);
      none.observers++;
    }
  };
}

const workIn = async (page: Page, run: () => Promise<void>): Promise<Work> => {
  const before = await page.evaluate(() => ({ ...globalThis.counted }));
  await run();
  const after = await page.evaluate(() => ({ ...globalThis.counted }));
  const difference = (key: keyof Work) => after[key] - before[key];
  return {
    ...{ elements: difference("elements"), attributes: difference("attributes"), appended: difference("appended") },
    ...{ figures: difference("figures"), observers: difference("observers") },
  };
};

describe("the panel's work", function () {
  this.timeout(60_000);
  const show = usePanel();

  it("is one write for a delta of plain words, and the end of the chat looked up once", async () => {
    const log = recording();
    const main = log.agent("main");
    log.user(main, "Tell me.");
    const messageId = log.streaming(main, "It begins with words");
    const panel = await show([log.chat()]);
    await panel.page.evaluate(countWork);
    const write = async (delta: string) => {
      const seq = log.lastSeq;
      log.event(main, { type: "message_update", messageId, delta: { type: "text_delta", index: 0, delta } });
      await panel.post(log.since(seq));
      await panel.drawn();
    };
    await write(" and");
    const deltas = 40;
    const work = await workIn(panel.page, async () => {
      for (let index = 0; index < deltas; index++) await write(" goes on");
    });
    assert.equal(work.appended, deltas);
    assert.equal(work.elements, 0);
    // What surrounds the text is drawn a few times a second.
    assert.ok(work.attributes <= deltas / 2, `${work.attributes} attributes`);
    // With each new line: where the end is, and perhaps the browser's word of having scrolled.
    assert.ok(work.figures <= 2 * deltas, `${work.figures} figures`);
  });

  it("makes no format of numbers before a number is shown that needs one", async () => {
    const { page } = await show([]);
    await page.addInitScript(() => {
      globalThis.formats = 0;
      Intl.NumberFormat = class extends Intl.NumberFormat {
        constructor(...given: ConstructorParameters<typeof Intl.NumberFormat>) {
          super(...given);
          globalThis.formats++;
        }
      } as typeof Intl.NumberFormat;
    });
    await page.reload();
    // What the panel loads when the browser is idle.
    const loaded = await page.waitForFunction(() =>
      performance.getEntriesByType("resource").find(({ name }) => name.includes("onDemand")),
    );
    await page.evaluate(async (entry) => void (entry && (await import(entry.name))), loaded);
    assert.equal(await page.evaluate("formats"), 0);
  });

  it("makes no observer for each block of code", async () => {
    const log = recording();
    const main = log.agent("main");
    const panel = await show([log.chat()]);
    await panel.page.evaluate(countWork);
    const code = "```ts\nconst a = 1;\n```\n\n";
    for (let turn = 0; turn < 40; turn++) log.answer(main, [text(code.repeat(3))]);
    const work = await workIn(panel.page, async () => {
      await panel.post(log.chat());
      await panel.page.locator(".code-block").nth(119).waitFor({ state: "attached" });
    });
    assert.ok(work.observers <= 4, `${work.observers} observers`);
  });

  it("makes few elements for a message out of view", async () => {
    const log = recording();
    const main = log.agent("main");
    const turns = 100;
    for (let turn = 0; turn < turns; turn++) {
      log.user(main, `Question ${turn}`);
      log.answer(main, [text("One paragraph.")]);
    }
    const panel = await show([log.chat()]);
    const rows = panel.page.locator(".message");
    await rows.nth(2 * turns - 1).waitFor({ state: "attached" });
    const [question, answer] = [rows.nth(20), rows.nth(21)].map((row) => row.locator("*"));
    assert.equal(await question?.count(), 2);
    assert.equal(await answer?.count(), 4);
  });

  it("makes what can be done with a message only where the reader may reach for it", async () => {
    const log = recording();
    const main = log.agent("main");
    const turns = 200;
    for (let turn = 0; turn < turns; turn++) {
      log.user(main, `Question ${turn}`);
      log.answer(main, [text("A paragraph of an answer. ".repeat(20))]);
    }
    const panel = await show([log.chat()]);
    const rows = panel.page.locator(".message");
    await rows.nth(2 * turns - 1).waitFor({ state: "attached" });
    const buttons = () => panel.page.locator(".message-actions button").count();
    const atEnd = await buttons();
    assert.ok(atEnd > 0 && atEnd < 300, `${atEnd} buttons of ${turns} exchanges`);
    await panel.page.getByRole("log").evaluate((element) => element.scrollTo(0, 0));
    await rows.first().getByRole("button", { name: "Copy" }).waitFor({ state: "attached" });
    assert.ok((await buttons()) < 600);
  });

  it("makes what can be done with code only where the reader may reach for it", async () => {
    const log = recording();
    const main = log.agent("main");
    const turns = 200;
    for (let turn = 0; turn < turns; turn++) log.answer(main, [text("```ts\nconst a = 1;\n```")]);
    log.end(main, "done");
    const panel = await show([log.chat()]);
    const blocks = panel.page.locator(".code-block");
    await blocks.nth(turns - 1).waitFor({ state: "attached" });
    const buttons = () => panel.page.locator(".code-block button").count();
    const atEnd = await buttons();
    assert.ok(atEnd > 0 && atEnd <= 3 * 100, `${atEnd} buttons of ${turns} blocks`);
    assert.equal(await blocks.last().getByRole("button").count(), 3);
    await panel.page.getByRole("log").evaluate((element) => element.scrollTo(0, 0));
    await blocks.first().getByRole("button", { name: "Copy code" }).waitFor({ state: "attached" });
    await blocks.first().locator(".token-keyword").waitFor();
  });
});
