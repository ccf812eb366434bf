import assert from "node:assert/strict";
import type { HostMessage } from "../../../src/protocol/messages.ts";
import { mostHighlighted, tokenKinds } from "../../../src/webview/markdown/highlight/tokens.ts";
import { type PanelPage, themeNames } from "../support/panelPage.ts";
import { recording, text } from "../support/recording.ts";
import { usePanel } from "../support/usePanel.ts";

/** A token of each kind. */
const samples: Readonly<Record<string, string>> = {
  ts: '/** Adds. */\nexport function add(first: number): Thing {\n  return new Map([["a", first + 1.5, null]]);\n}\n',
  html: '<div class="a">words</div>\n',
  diff: "+ new line\n- old line\n@@ place @@\n",
  python: "@decorated\nclass Owner:\n    pass\n",
};
const answer = Object.entries(samples)
  .map(([language, code]) => `\`\`\`${language}\n${code}\`\`\``)
  .join("\n\n");

function chatWith(words: string): HostMessage {
  const log = recording();
  const main = log.agent("main");
  log.answer(main, [text(words)]);
  log.end(main, "done");
  return log.chat();
}

const coloured = (panel: PanelPage) =>
  panel.page.waitForFunction(() => {
    const blocks = [...document.querySelectorAll(".code-block")];
    return blocks.length > 0 && blocks.every((block) => block.querySelector("[class^=token-]") !== null);
  });

/** The colours of each kind and what stands behind them, as the page paints them. */
const coloursOf = (panel: PanelPage) =>
  panel.page.evaluate(() => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const painted = (layers: readonly string[]): number[] => {
      if (canvas === null) return [];
      for (const layer of layers) {
        canvas.fillStyle = layer;
        canvas.fillRect(0, 0, 1, 1);
      }
      return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const styleOf = (selector: string) => getComputedStyle(document.querySelector(selector) ?? document.body);
    const behind = [styleOf("html").backgroundColor, styleOf(".code-block").backgroundColor];
    return [...document.querySelectorAll("[class^=token-]")].map((token) => ({
      kind: token.className.replace("token-", ""),
      colour: painted([...behind, getComputedStyle(token).color]),
      background: painted(behind),
    }));
  });

function contrast(a: readonly number[], b: readonly number[]): number {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = colour.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

describe("code in colours", function () {
  this.timeout(60_000);
  const show = usePanel();

  it("comes from a chunk of its own, under the page's policy, when the first code is seen", async () => {
    const panel = await show([chatWith("No code.")]);
    const asked: string[] = [];
    panel.page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    assert.equal(await panel.page.locator("[class^=token-]").count(), 0);
    await panel.post(chatWith(answer));
    await coloured(panel);
    assert.deepEqual(asked.length, 1);
    assert.match(asked[0] ?? "", /^\/chunks\/languages-\w+\.js$/);
    assert.deepEqual(panel.problems, []);
    assert.deepEqual(panel.strangeRequests, []);
  });

  it("changes no letter of the code", async () => {
    const panel = await show([chatWith(answer)]);
    await coloured(panel);
    const shown = await panel.page.locator(".code-block code").allTextContents();
    assert.deepEqual(
      shown,
      Object.values(samples).map((code) => code.trimEnd()),
    );
  });

  for (const theme of themeNames) {
    it(`can be read in the theme ${theme}`, async () => {
      const panel = await show([chatWith(answer)], { theme, height: 1_200 });
      await coloured(panel);
      const colours = await coloursOf(panel);
      const kinds = new Set(colours.map(({ kind }) => kind));
      const poor = colours.filter(({ colour, background }) => contrast(colour, background) < 4.5);
      assert.deepEqual(poor, []);
      assert.deepEqual(
        tokenKinds.filter((kind) => !kinds.has(kind)),
        [],
      );
    });
  }

  it("waits until a block is whole, also beside blocks that are", async () => {
    const log = recording();
    const main = log.agent("main");
    const messageId = log.streaming(main, "```ts\nconst first = 1;\n```\n\n```ts\nconst second");
    const panel = await show([log.chat()]);
    const [first, second] = [panel.page.locator(".code-block").nth(0), panel.page.locator(".code-block").nth(1)];
    await first.locator(".token-keyword").waitFor();
    assert.equal(await second.locator("[class^=token-]").count(), 0);
    const seq = log.lastSeq;
    const delta = { type: "text_delta" as const, index: 0, delta: " = 2;\n```\n\nDone." };
    log.event(main, { type: "message_update", messageId, delta });
    await panel.post(log.since(seq));
    await second.locator(".token-keyword").waitFor();
    assert.equal(await second.locator("code").textContent(), "const second = 2;");
  });

  it("leaves code of an unknown language as it is", async () => {
    const panel = await show([chatWith("```martian\nconst a = 1;\n```\n\n```ts\nconst a = 1;\n```")]);
    await panel.page.locator(".code-block").nth(1).locator(".token-keyword").waitFor();
    assert.equal(await panel.page.locator(".code-block").nth(0).locator("[class^=token-]").count(), 0);
  });

  it("stays within bounds for ten thousand lines, of which the rest is plain", async () => {
    const lines = Array.from({ length: 10_000 }, (_, index) => `export const line${index} = "${index}";`);
    const panel = await show([chatWith(`\`\`\`ts\n${lines.join("\n")}\n\`\`\``)]);
    const least = mostHighlighted / 40;
    await panel.page.waitForFunction((count) => document.querySelectorAll(".token-keyword").length > count, least);
    assert.ok((await panel.page.locator("[class^=token-]").count()) < mostHighlighted / 5);
    const shown = await panel.page.locator(".code-block code").textContent();
    assert.equal(shown?.replaceAll("\n", ""), lines.join(""));
  });
});
