import { mkdir } from "node:fs/promises";
import path from "node:path";
import type { Editor } from "../editor.ts";
import { root } from "../places.ts";

const folder = path.join(root, "out/failures");

/** Keeps a picture of the editor as it was when a test failed. */
export function pictureFailures(editor: () => Editor | undefined): void {
  afterEach(async function picture() {
    const test = this.currentTest;
    if (test?.state !== "failed") return;
    await mkdir(folder, { recursive: true });
    const file = path.join(folder, `${test.fullTitle().replace(/[^\w]+/g, "-")}.png`);
    await editor()?.screenshot(file);
    console.log(`Picture of the failure: ${file}`);
  });
}
