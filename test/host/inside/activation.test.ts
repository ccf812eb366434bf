import assert from "node:assert/strict";
import * as vscode from "vscode";
import { settingsWrites, writePermissionMode } from "../../../src/extension/settings/liveSettings.ts";

function arbor() {
  const extension = vscode.extensions.getExtension("arbor.arbor-agent");
  assert.ok(extension, "the editor knows the extension");
  return extension;
}

const declared = (): { commands: { command: string }[] } => arbor().packageJSON.contributes;

describe("activation", () => {
  before(() => arbor().activate());

  it("succeeds in a real extension host", () => {
    assert.equal(arbor().isActive, true);
  });

  it("registers every command that the package declares", async () => {
    const registered = new Set(await vscode.commands.getCommands(true));
    const missing = declared().commands.filter(({ command }) => !registered.has(command));
    assert.deepEqual(missing, []);
  });

  it("starts with the documented defaults", () => {
    const settings = vscode.workspace.getConfiguration("arbor");
    assert.equal(settings.get("model"), "demo/demo");
    assert.equal(settings.get("edits.review"), "before");
    assert.equal(settings.get("limits.maxDepth"), 3);
  });
});

describe("a mode that is chosen", () => {
  const mode = () => vscode.workspace.getConfiguration("arbor").get("permissions.mode");

  after(() => writePermissionMode("ask"));

  it("is waited for until the settings have it, and no longer", async () => {
    assert.equal(settingsWrites(), undefined);
    const written = writePermissionMode("plan");
    const waited = settingsWrites();
    assert.notEqual(waited, undefined);
    await waited;
    assert.equal(mode(), "plan");
    await written;
    assert.equal(settingsWrites(), undefined);
  });
});
