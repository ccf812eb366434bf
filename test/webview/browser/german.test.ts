import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { bundle } from "../../../scripts/words/source.mjs";
import { useScene } from "../support/useScene.ts";

/** What has most words of the panel's own. */
const states = [
  ...["idle", "idle-setup", "running", "approval", "command", "scopes", "granted", "question", "plan", "notices"],
  ...["queue", "gauge", "tools", "find", "history", "history-deleted", "pending-edits", "rewound", "limit"],
  ...["summarised", "budget-asked", "budget-editor", "no-folder"],
];

describe("the panel in German", function () {
  this.timeout(60_000);
  const open = useScene();

  for (const state of states) {
    it(`shows whole words and no English ones at 280 pixels: ${state}`, async () => {
      const panel = await open(state, { width: 280, language: "de" });
      const english = new Set(
        Object.entries(await bundle("de")).flatMap(([word, german]) => (word === german ? [] : [word])),
      );
      const names = await ownNames(panel.page);
      assert.ok(names.length > 5, "the panel names its parts");
      assert.deepEqual(
        names.filter((name) => english.has(name)),
        [],
      );
      assert.deepEqual(await cutOff(panel.page), []);
      assert.deepEqual(panel.problems, []);
    });
  }

  it("writes numbers and prices as Germans do", async () => {
    const panel = await open("gauge", { width: 280, language: "de" });
    assert.equal(await panel.page.getAttribute("html", "lang"), "de");
    const meter = panel.page.getByRole("meter", { name: "Kontextfenster" });
    assert.equal(await meter.getAttribute("aria-valuetext"), "39,2k von 200k Token");
    const usage = panel.page.getByRole("status", { name: "Tokenverbrauch" });
    assert.match((await usage.textContent()) ?? "", /≈0,16\s\$$/);
  });
});

/** The names and the texts of what can be pressed, and of the parts of the panel. */
function ownNames(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const named = [...document.querySelectorAll("[aria-label], [title], [placeholder]")];
    const attributes = named.flatMap((element) =>
      ["aria-label", "title", "placeholder"].flatMap((name) => element.getAttribute(name) ?? []),
    );
    const pressed = [...document.querySelectorAll("button, vscode-button, dt, h2, h3")];
    return [...attributes, ...pressed.map((element) => element.textContent?.trim() ?? "")].filter(
      (name) => name !== "",
    );
  });
}

/** What can be pressed or names a value is never cut off, neither on its own nor by what it is in. */
function cutOff(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const shown = [
      ...document.querySelectorAll<HTMLElement>("vscode-button, dt, dd, .find-count, .fold-head, h2, .hint"),
    ];
    const isCut = (element: HTMLElement) => {
      const { right, width } = element.getBoundingClientRect();
      if (width === 0 || getComputedStyle(element).display === "inline") return false;
      if (element.scrollWidth > element.clientWidth + 1) return true;
      for (let box = element.parentElement; box !== null; box = box.parentElement) {
        const isClipping = getComputedStyle(box).overflowX !== "visible";
        const edge = box.getBoundingClientRect().left + box.clientLeft + box.clientWidth;
        if (isClipping && right > edge + 1) return true;
      }
      return right > window.innerWidth;
    };
    const cut = shown.filter(isCut).map((element) => element.textContent ?? "");
    return document.documentElement.scrollWidth > window.innerWidth ? [...cut, "the page"] : cut;
  });
}
