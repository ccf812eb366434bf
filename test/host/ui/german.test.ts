import assert from "node:assert/strict";
import { cp, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Editor } from "../editor.ts";
import { root, sampleWorkspace } from "../places.ts";
import { openSharedEditor } from "../sharedEditor.ts";
import { pictureFailures } from "./pictureFailures.ts";

/** Whose words an import of the editor's means, it knows by the real path of the file: links would lead away. */
async function copyExtension(): Promise<string> {
  const copy = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
  for (const part of ["dist", "l10n", "media", "package.json", "package.nls.json", "package.nls.de.json"]) {
    await cp(path.join(root, part), path.join(copy, part), {
      recursive: true,
      filter: (file) => !file.endsWith(".map"),
    });
  }
  return copy;
}

describe("Arbor in a German editor", () => {
  let editor: Editor;
  let extension: string;
  pictureFailures(() => editor);

  before(async () => {
    extension = await copyExtension();
    editor = await openSharedEditor({
      extension,
      workspace: sampleWorkspace,
      language: "de",
      settings: { "arbor.model": "demo/demo" },
    });
  });
  after(async () => {
    await editor.close();
    await rm(extension, { recursive: true, force: true });
  });

  it("names its commands and its panel in German", async () => {
    const { frame } = editor.panel;
    await editor.runCommand("Arbor: Agentenbaum fokussieren");
    await frame.getByRole("textbox", { name: "Agent fragen" }).waitFor({ timeout: 30_000 });
    await frame.getByRole("heading", { name: "Woran sollen wir arbeiten?" }).waitFor();
    assert.equal(await frame.locator("html").getAttribute("lang"), "de");
  });

  it("shows the agents' work in German", async () => {
    const { frame } = editor.panel;
    await frame.getByRole("textbox", { name: "Agent fragen" }).fill("Where is the price computed?");
    await frame.getByRole("button", { name: "Senden", exact: true }).click();
    const conversation = frame.getByRole("log", { name: "Unterhaltung" });
    await conversation.getByRole("article", { name: "Sie", exact: true }).waitFor();
    // Labels of tools come from the extension's side.
    const explorer = frame.getByRole("tree", { name: "Agenten" }).getByRole("treeitem", { name: /(?:^|, )explore\b/ });
    await explorer.first().click({ timeout: 30_000 });
    await conversation
      .getByRole("group", { name: /^(?:Text suchen|Datei lesen) / })
      .first()
      .waitFor();
    await frame
      .getByRole("status", { name: "Tokenverbrauch" })
      .getByText(/^Ein .+ · Aus .+ · kein Preis$/)
      .waitFor();
  });
});
