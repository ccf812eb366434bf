import { mkdir } from "node:fs/promises";
import path from "node:path";
import type { Page } from "playwright-core";
import type { Editor } from "../editor.ts";
import { root } from "../places.ts";

const folder = path.join(root, "out/failures");

/** Keeps a picture of the editor as it was when a test failed. */
export function pictureFailures(editor: () => Editor | undefined): void {
  afterEach(async function picture() {
    const test = this.currentTest;
    if (test?.state !== "failed") return;
    const opened = editor();
    if (opened !== undefined) await takePicture(opened.page, test.fullTitle());
  });
}

export async function takePicture(page: Page, title: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, `${title.replace(/[^\w]+/g, "-")}.png`);
  await page.screenshot({ path: file, animations: "disabled" });
  console.log(`Picture of the failure: ${file}`);
}
