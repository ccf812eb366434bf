/** Makes the pictures of the documents that show a state of the panel which no short run comes to. */
import path from "node:path";
import { launchBrowser } from "../support/browser.ts";
import { projectRoot } from "../support/projectRoot.ts";
import { openReplayPage } from "../support/replayPage.ts";
import { openScene } from "../support/scene.ts";
import { fourMinutes, recordingOf } from "./timelineScenes.ts";

const pictures = {
  reports: { scene: "exchange-open", width: 400, height: 620 },
  envelopes: { scene: "envelopes", width: 400, height: 840 },
  compare: { scene: "compare", width: 680, height: 820 },
  steered: { scene: "steered", width: 400, height: 880 },
  timeline: { scene: "timeline", width: 600, height: 640 },
  changes: { scene: "changes", width: 480, height: 800 },
  result: { scene: "report", width: 480, height: 860 },
};

const browser = await launchBrowser();
try {
  for (const [name, { scene, width, height }] of Object.entries(pictures)) {
    const panel = await openScene(browser, scene, { width, height, language: "en" });
    // The pointer would leave a hover behind.
    await panel.page.mouse.move(0, 0);
    for (const theme of ["dark", "light"] as const) {
      await panel.setTheme(theme);
      await panel.drawn();
      const file = path.join(projectRoot, "media/screenshots", `${name}-${theme}.png`);
      await panel.page.screenshot({ path: file, animations: "disabled" });
      console.log(path.relative(projectRoot, file));
    }
    await panel.close();
  }
  for (const theme of ["dark", "light"] as const) {
    const log = recordingOf(fourMinutes());
    const replay = await openReplayPage(browser, log.type === "recording" ? log.entries : [], { theme, height: 640 });
    await replay.page.getByRole("slider").fill("24");
    const file = path.join(projectRoot, "media/screenshots", `replay-${theme}.png`);
    await replay.page.screenshot({ path: file, animations: "disabled" });
    console.log(path.relative(projectRoot, file));
    await replay.close();
  }
} finally {
  await browser.close();
}
