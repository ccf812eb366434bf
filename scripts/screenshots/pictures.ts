/** Makes the pictures of the documents, of the walkthrough and of the readme's tour, of a real run in a real editor. */
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { type Editor, openEditor } from "../../test/host/editor.ts";
import { runCommandAndChoose } from "../../test/host/palette.ts";
import { root, sampleWorkspace } from "../../test/host/places.ts";
import { ask } from "../../test/host/run.ts";
import { startFakeProvider } from "../../test/support/fakeProvider/startFakeProvider.ts";
import { animate } from "./apng.ts";
import { editedFile, question, steered, story } from "./story.ts";

const media = path.join(root, "media");
const themes = ["dark", "light"] as const;
const panelWidthPx = 360;
const viewport = { width: 1180, height: 740 };

function settings(providerUrl: string) {
  const model = {
    id: "large",
    name: "Example Large",
    contextWindow: 64_000,
    price: { input: 3, output: 15, cacheRead: 0.3 },
  };
  return {
    "arbor.providers": {
      example: { type: "anthropic", baseUrl: providerUrl, apiKeyEnv: "ARBOR_EXAMPLE_KEY", models: [model] },
    },
  };
}

/** One picture per theme of what is shown now, below media. */
async function picture(editor: Editor, name: string, part: "panel" | "window"): Promise<void> {
  for (const theme of themes) {
    await editor.setTheme(theme);
    // The pointer would leave a hover behind.
    await editor.page.mouse.move(0, 0);
    const file = path.join(media, `${name}-${theme}.png`);
    if (part === "window") await editor.screenshot(file);
    else await editor.page.locator(".part.auxiliarybar").screenshot({ path: file, animations: "disabled" });
    console.log(path.relative(root, file));
  }
}

const framesOfTour: { png: Buffer; ms: number }[] = [];

/** One more picture of the tour, as the window is now. */
async function frame(editor: Editor, ms: number): Promise<void> {
  await editor.page.mouse.move(0, 0);
  framesOfTour.push({ png: await editor.page.screenshot({ animations: "disabled" }), ms });
}

async function makePictures(editor: Editor, fake: Awaited<ReturnType<typeof startFakeProvider>>): Promise<void> {
  const { panel, page } = editor;
  await editor.openFile(path.basename(editedFile));
  await editor.runCommand("View: Toggle Primary Side Bar Visibility");
  await editor.setPanelWidth(panelWidthPx);
  await panel.button("Set up").waitFor();
  await picture(editor, "walkthrough/connect", "panel");

  await runCommandAndChoose(page, "Arbor: Select Model", "Example Large");
  await panel.button("Set up").waitFor({ state: "detached" });
  await picture(editor, "screenshots/idle", "panel");
  await editor.setTheme("dark");
  await panel.composer.fill(question);
  await frame(editor, 2_000);

  await fake.script(...story);
  await panel.composer.fill("");
  await ask(panel, question);
  await fake.reached("looking", 2);
  await panel.rows.nth(3).waitFor();
  await picture(editor, "screenshots/running", "panel");
  await picture(editor, "walkthrough/see", "panel");
  await editor.setTheme("dark");
  await frame(editor, 2_500);

  const child = panel.rows.nth(2);
  await child.click();
  await child.getByRole("button", { name: /^Message / }).click();
  await page.keyboard.type(steered);
  await picture(editor, "walkthrough/steer", "panel");
  await editor.setTheme("dark");
  await frame(editor, 2_500);
  await panel.button("Cancel").click();
  await panel.rows.first().click();

  await fake.release("looking");
  await panel.approvals.first().waitFor();
  // The editor shows them when it is idle.
  await page.locator(".codelens-decoration").filter({ hasText: "Accept" }).nth(2).waitFor();
  await picture(editor, "screenshots/approval", "panel");
  await picture(editor, "walkthrough/review", "panel");
  await picture(editor, "screenshots/review", "window");
  await editor.setTheme("dark");
  await frame(editor, 3_000);

  await panel.approvals.getByRole("button", { name: "Accept", exact: true }).first().click();
  await panel.approvals.first().waitFor({ state: "detached" });
  await panel.conversation.getByText("Grouped").waitFor();
  await frame(editor, 2_500);

  // So that the details are not cut.
  await page.setViewportSize({ ...viewport, height: 900 });
  await panel.rows.first().focus();
  await page.keyboard.press("Alt+Enter");
  await panel.button("Undo this branch's changes").click();
  await page.locator(".monaco-dialog-box").getByRole("button", { name: "Undo changes" }).click();
  await panel.frame.getByRole("note", { name: "Rewind" }).waitFor();
  await picture(editor, "screenshots/branch", "panel");
  const tour = animate(framesOfTour);
  await writeFile(path.join(media, "tour.png"), tour);
  console.log(`media/tour.png ${tour.length} bytes`);
}

const home = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
const workspace = path.join(home, "corner-shop");
const fake = await startFakeProvider();
try {
  for (const folder of ["screenshots", "walkthrough"]) await mkdir(path.join(media, folder), { recursive: true });
  await cp(sampleWorkspace, workspace, { recursive: true });
  const editor = await openEditor({
    workspace,
    settings: settings(fake.url),
    env: { ARBOR_EXAMPLE_KEY: "no-secret" },
    ...{ viewport, width: panelWidthPx },
    // As users have it: a window that develops an extension says so in its title.
    isInstalled: true,
  });
  try {
    await makePictures(editor, fake);
  } finally {
    await editor.close();
  }
} finally {
  await fake.stop();
  await rm(home, { recursive: true, force: true });
}
