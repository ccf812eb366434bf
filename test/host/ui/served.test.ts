import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { openBrowser } from "../browser.ts";
import { arborPanel } from "../panel.ts";
import { root } from "../places.ts";
import { workbenchIsDrawn } from "../workbench.ts";

describe("npm start -- --served", () => {
  it("serves Arbor to those alone who have the printed address", async () => {
    const profileDir = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
    const child = spawn(process.execPath, [path.join(root, "scripts/start.mjs"), "--served"], { cwd: root });
    const ended = once(child, "exit");
    try {
      const address = await printedAddress(child);
      const url = new URL(address);
      assert.equal((await fetch(url.origin)).status, 403);
      assert.equal((await fetch(`${url.origin}/?tkn=guessed`)).status, 403);
      const browser = await openBrowser({ profileDir });
      try {
        const page = browser.pages()[0] ?? (await browser.newPage());
        await page.goto(address, { waitUntil: "domcontentloaded" });
        await workbenchIsDrawn(page);
        // The panel opens on its own there.
        await arborPanel(page).composer.waitFor({ timeout: 60_000 });
        assert.doesNotMatch(page.url(), /tkn=/);
      } finally {
        await browser.close();
      }
    } finally {
      child.kill("SIGINT");
      await ended;
      await rm(profileDir, { recursive: true, force: true });
    }
  });
});

function printedAddress(child: ReturnType<typeof spawn>): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    const read = (chunk: Buffer) => {
      output += chunk;
      const address = /^ {2}(http:\S+)$/m.exec(output)?.[1];
      if (address !== undefined) resolve(address);
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("exit", () => reject(new Error(`npm start ended early:\n${output}`)));
  });
}
