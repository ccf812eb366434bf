import assert from "node:assert/strict";
import { scenes } from "../gallery/scenes.ts";
import { useScene } from "../support/useScene.ts";

/** What is left of a panel of 280 × 720. */
const half = { width: 140, height: 360 };

/** Runs in the page: the controls that can't be brought to where they can be seen and clicked. */
function unreachable(): string[] {
  const controls = document.querySelectorAll<HTMLElement>(
    "#root :is(button, input, vscode-button, vscode-dropdown, vscode-text-area, vscode-text-field):not([disabled])",
  );
  // They float, and go away when what is below is wanted.
  const overlays = ".jump, .find-bar, .completions, .picture-viewer, .history-actions, .message-actions, vscode-option";
  // What lies under a dialog is reached when that is closed.
  const dialog = document.querySelector("[role=dialog]");
  const found: string[] = [];
  for (const control of dialog?.querySelectorAll<HTMLElement>("button, input, vscode-button") ?? controls) {
    if (!control.checkVisibility({ visibilityProperty: true })) continue;
    control.focus({ preventScroll: true });
    control.scrollIntoView({ block: "nearest", inline: "nearest" });
    // What clips can be moved by a script, not by a hand.
    for (let around = control.parentElement; around !== null; around = around.parentElement) {
      if (!["visible", "hidden", "clip"].includes(getComputedStyle(around).overflowX)) continue;
      around.scrollLeft = 0;
    }
    const { left, right, top, bottom, width, height } = control.getBoundingClientRect();
    const name = control.getAttribute("aria-label") ?? control.textContent?.trim() ?? control.localName;
    const said = `${control.localName} "${name}"`;
    if (width < 8 || height < 8) found.push(`${said} has no room`);
    else if (left < -1 || right > innerWidth + 1)
      found.push(`${said} ends at ${Math.round(left)}–${Math.round(right)}`);
    else if (top < -1 || (bottom > innerHeight + 1 && height < innerHeight)) found.push(`${said} stays out of view`);
    else {
      const hit = document.elementFromPoint((left + right) / 2, (Math.max(0, top) + Math.min(innerHeight, bottom)) / 2);
      const isOverlay = hit?.closest(overlays) !== null;
      if (hit === null || !(isOverlay || control.contains(hit) || hit.contains(control))) {
        found.push(`${said} is covered by ${hit?.className}`);
      }
    }
  }
  return found;
}

describe("the panel at 200 % zoom", function () {
  this.timeout(120_000);
  const open = useScene();

  for (const name of Object.keys(scenes)) {
    it(`leaves every control of ${name} within reach`, async () => {
      const { page } = await open(name, half);
      assert.deepEqual(await page.evaluate(unreachable), []);
    });
  }
});
