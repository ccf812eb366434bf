import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { openEditor } from "../../host/editor.ts";
import { eventually } from "../../host/eventually.ts";
import type { ArborPanel } from "../../host/panel.ts";
import { sampleWorkspace } from "../../host/places.ts";
import { fakeModelSettings, keyEnvironment } from "../../host/ui/fakeModel.ts";
import { editStep, readStep } from "../../host/ui/scripted.ts";
import { startFakeProvider } from "../../support/fakeProvider/startFakeProvider.ts";
import { median } from "../report.ts";

/** Milliseconds by the clock, each the median of the edits of one window. */
export interface EditWaits {
  /** From the click on Accept to the request with the edit's result. */
  nextRequest: number;
  /** Of that, from the editor's announcement of the save to its word that the file is saved. */
  saving: number;
  /** What is left of each edit without its own save. */
  besideSaving: number;
}

/** A file on which no language server reports: after the first edit nothing waits for diagnostics. */
const file = "docs/discounts.md";
const edits = 9;
const countBefore = (edit: number) => `from ${5 + edit} pieces`;
/** One who accepts an edit has looked at it. */
const lookingMs = 700;

/** Opens a window with fresh user data, has a model propose edits one after the other and accepts each. */
export async function timeApprovedEdits(): Promise<EditWaits> {
  const home = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
  const workspace = path.join(home, "corner-shop");
  await cp(sampleWorkspace, workspace, { recursive: true });
  const fake = await startFakeProvider();
  const settings = fakeModelSettings(fake, "anthropic");
  const editor = await openEditor({
    ...{ workspace, settings, env: keyEnvironment, width: 480, builtIns: "few" },
    otherExtensions: [await writeSaveClock(home)],
  });
  try {
    const { panel } = editor;
    const propose = Array.from({ length: edits }, (_, edit) => ({
      steps: [editStep(file, [countBefore(edit), countBefore(edit + 1)])],
    }));
    await fake.script({ steps: [readStep(file)] }, ...propose, { steps: [{ text: "Done." }] });
    await panel.composer.click();
    await panel.composer.pressSequentially("Raise the quantities.");
    await panel.composer.press("Enter");
    const clicks: number[] = [];
    for (let edit = 0; edit < edits; edit++) clicks.push(await acceptOne(panel, edit));
    const requests = await fake.requestCount(edits + 2);
    await fake.settled(edits + 1);
    const saves = await eventually(() => savesIn(home));
    if (!(await readFile(path.join(workspace, file), "utf8")).includes(countBefore(edits)))
      throw new Error("An edit was not written.");
    // The first one also waits for a report of diagnostics, which does not come.
    const waits = clicks.slice(1).map((clickedAt, before) => {
      const edit = before + 1;
      const [save, request] = [saves[edit], requests[edit + 2]];
      if (save === undefined || request === undefined) throw new Error(`Nothing came of edit ${edit}.`);
      const [nextRequest, saving] = [request.at - clickedAt, save.savedAt - save.announcedAt];
      return { nextRequest, saving, besideSaving: nextRequest - saving };
    });
    const middle = (name: keyof EditWaits) => median(waits.map((wait) => wait[name]));
    return { nextRequest: middle("nextRequest"), saving: middle("saving"), besideSaving: middle("besideSaving") };
  } finally {
    await editor.close();
    await fake.stop();
    await rm(home, { recursive: true, force: true });
  }
}

/** Clicks once the card has been looked at; gives when, by the machine's clock. */
async function acceptOne(panel: ArborPanel, edit: number): Promise<number> {
  const card = panel.approval("edit_file").filter({ hasText: countBefore(edit + 1) });
  const accept = card.getByRole("button", { name: "Accept", exact: true });
  await accept.waitFor();
  await new Promise((resolve) => setTimeout(resolve, lookingMs));
  await accept.evaluate(noteClick);
  await accept.click();
  return panel.composer.evaluate("clickedAt");
}

/** Runs in the panel. */
const noteClick = `globalThis.clickedAt = undefined;
addEventListener("click", ({ timeStamp }) => { clickedAt = performance.timeOrigin + timeStamp; }, {
  once: true,
  capture: true,
});`;

interface Save {
  announcedAt: number;
  savedAt: number;
}

const clockFolder = (home: string) => path.join(home, "save-clock");
const savesFile = "saves.json";

/** An extension that notes the editor's own events of saving, by the machine's clock. */
async function writeSaveClock(home: string): Promise<string> {
  const folder = clockFolder(home);
  await mkdir(folder);
  const manifest = {
    ...{ name: "save-clock", publisher: "acme", version: "1.0.0", engines: { vscode: "^1.106.0" } },
    ...{ main: "./extension.cjs", activationEvents: ["*"] },
  };
  await writeFile(path.join(folder, "package.json"), JSON.stringify(manifest));
  await writeFile(path.join(folder, "extension.cjs"), saveClock);
  return folder;
}

const saveClock = `const fs = require("node:fs");
const path = require("node:path");
const { workspace } = require("vscode");
const now = () => performance.timeOrigin + performance.now();
const saves = [];
exports.activate = () => {
  let announcedAt;
  workspace.onWillSaveTextDocument(() => { announcedAt = now(); });
  workspace.onDidSaveTextDocument(() => {
    saves.push({ announcedAt, savedAt: now() });
    setTimeout(() => fs.writeFileSync(path.join(__dirname, "${savesFile}"), JSON.stringify(saves)), 300);
  });
};
`;

/** Of all edits: the last one's is noted a moment after the editor has announced it. */
async function savesIn(home: string): Promise<Save[]> {
  const saves: Save[] = JSON.parse(await readFile(path.join(clockFolder(home), savesFile), "utf8"));
  if (saves.length !== edits) throw new Error(`${saves.length} saves of ${edits} edits.`);
  return saves;
}
