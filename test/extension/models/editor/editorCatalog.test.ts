import assert from "node:assert/strict";
import { describeModel } from "../../../../src/extension/models/catalog.ts";
import {
  EditorModelList,
  editorModelFacts,
  editorModelId,
  findEditorModel,
} from "../../../../src/extension/models/editor/editorModelList.ts";
import { editorModel } from "../../../support/scriptedEditorModel.ts";
import { settingsFrom } from "../../../support/settings.ts";

describe("models of the editor", () => {
  it("are named by vendor and id, without blanks", () => {
    assert.equal(editorModelId({ vendor: "copilot", id: "gpt-5" }), "copilot/gpt-5");
    assert.equal(editorModelId({ vendor: "acme", id: "My Model 100%" }), "acme/My%20Model%20100%25");
  });

  it("are found by id before family", () => {
    const models = [editorModel({ id: "a", family: "b" }), editorModel({ id: "b", family: "c" })];
    assert.equal(findEditorModel("acme/b", models)?.id, "b");
    assert.equal(findEditorModel("acme/c", models)?.id, "b");
    assert.equal(findEditorModel("other/b", models), undefined);
  });

  it("have their size and what they take, and neither a price nor what the editor does not know", () => {
    const facts = editorModelFacts([
      editorModel({ maxInputTokens: 128_000, images: true, tools: true }),
      editorModel({ id: "m2", name: "", maxInputTokens: 0 }),
    ]);
    assert.deepEqual(facts, [
      {
        id: "acme/m1",
        alias: "acme/m",
        name: "Model One (acme)",
        contextWindow: 128_000,
        thinkingLevels: ["off"],
        images: true,
        tools: true,
      },
      { id: "acme/m2", alias: "acme/m", name: "m (acme)", thinkingLevels: ["off"] },
    ]);
  });

  it("are described by their family's name, too", () => {
    const reported = () => editorModelFacts([editorModel({ maxInputTokens: 5 })]);
    assert.equal(describeModel("vscode/acme/m", settingsFrom(), reported).contextWindow, 5);
    assert.equal(describeModel("vscode/acme/gone", settingsFrom(), reported).contextWindow, undefined);
  });

  it("are listed when somebody asks, and then kept up to date", async () => {
    let models = [editorModel()];
    let listings = 0;
    let changes = 0;
    const listed = new EditorModelList(
      async () => {
        listings += 1;
        return models;
      },
      () => {
        changes += 1;
      },
    );
    await listed.changed();
    assert.equal(listings, 0, "nobody has asked");
    assert.equal(listed.facts, undefined);
    await listed.refresh();
    await listed.changed();
    assert.equal(changes, 1, "nothing new");
    models = [];
    await listed.changed();
    assert.deepEqual(listed.facts, []);
    assert.equal(changes, 2);
  });
});
