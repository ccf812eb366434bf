/** Makes the pictures of media/screenshots: the panel at 320 px, and the review in the file's own editor. */
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { type Editor, openEditor } from "../../test/host/editor.ts";
import { root, sampleWorkspace } from "../../test/host/places.ts";
import { ask } from "../../test/host/run.ts";
import { startFakeProvider } from "../../test/support/fakeProvider/startFakeProvider.ts";
import { editedFile, question, story } from "./story.ts";

const folder = path.join(root, "media/screenshots");
const themes = ["dark", "light"] as const;
const panelWidthPx = 320;

function settings(providerUrl: string) {
  const model = {
    id: "large",
    name: "Example Large",
    contextWindow: 64_000,
    price: { input: 3, output: 15, cacheRead: 0.3 },
  };
  return {
    "arbor.model": "example/large",
    "arbor.providers": {
      example: { type: "anthropic", baseUrl: providerUrl, apiKeyEnv: "ARBOR_EXAMPLE_KEY", models: [model] },
    },
  };
}

/** One picture per theme of what is shown now. */
async function picture(editor: Editor, name: string, part: "panel" | "window"): Promise<void> {
  for (const theme of themes) {
    await editor.setTheme(theme);
    // The pointer would leave a hover behind.
    await editor.page.mouse.move(0, 0);
    const file = path.join(folder, `${name}-${theme}.png`);
    if (part === "window") await editor.screenshot(file);
    else await editor.page.locator(".part.auxiliarybar").screenshot({ path: file, animations: "disabled" });
    console.log(path.relative(root, file));
  }
}

async function makePictures(editor: Editor, fake: Awaited<ReturnType<typeof startFakeProvider>>): Promise<void> {
  const { panel } = editor;
  await editor.openFile(path.basename(editedFile));
  await editor.runCommand("View: Toggle Primary Side Bar Visibility");
  await editor.setPanelWidth(panelWidthPx);
  await picture(editor, "idle", "panel");

  await fake.script(...story);
  await ask(panel, question);
  await fake.reached("looking", 2);
  await panel.rows.nth(3).waitFor();
  await picture(editor, "running", "panel");

  await fake.release("looking");
  await panel.approvals.first().waitFor();
  await picture(editor, "approval", "panel");
  await picture(editor, "review", "window");
}

const home = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
const workspace = path.join(home, "corner-shop");
const fake = await startFakeProvider();
try {
  await mkdir(folder, { recursive: true });
  await cp(sampleWorkspace, workspace, { recursive: true });
  const editor = await openEditor({
    workspace,
    settings: settings(fake.url),
    env: { ARBOR_EXAMPLE_KEY: "no-secret" },
    viewport: { width: 1280, height: 800 },
    width: panelWidthPx,
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
