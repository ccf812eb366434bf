/** Makes the pictures of the documents that show a state of the panel which no short run comes to. */
import path from "node:path";
import { root } from "../../test/host/places.ts";
import { launchBrowser } from "../../test/webview/support/browser.ts";
import { openScene } from "../../test/webview/support/scene.ts";

const pictures = { reports: "exchange-open", envelopes: "envelopes" };

const browser = await launchBrowser();
try {
  for (const [name, scene] of Object.entries(pictures)) {
    const panel = await openScene(browser, scene, { width: 400, height: 620, language: "en" });
    for (const theme of ["dark", "light"] as const) {
      await panel.setTheme(theme);
      await panel.drawn();
      const file = path.join(root, "media/screenshots", `${name}-${theme}.png`);
      await panel.page.screenshot({ path: file, animations: "disabled" });
      console.log(path.relative(root, file));
    }
    await panel.close();
  }
} finally {
  await browser.close();
}
