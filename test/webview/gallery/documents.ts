/** Makes the pictures of the documents that show a state of the panel which takes long to reach in an editor. */
import path from "node:path";
import { launchBrowser } from "../support/browser.ts";
import { projectRoot as root } from "../support/projectRoot.ts";
import { openScene } from "../support/scene.ts";

const browser = await launchBrowser();
try {
  const panel = await openScene(browser, "compare", { width: 600, height: 640 });
  for (const theme of ["dark", "light"] as const) {
    await panel.setTheme(theme);
    await panel.drawn();
    const file = path.join(root, "media/screenshots", `compare-${theme}.png`);
    await panel.page.screenshot({ path: file, animations: "disabled" });
    console.log(path.relative(root, file));
  }
  await panel.close();
} finally {
  await browser.close();
}
