import type { ModelFacts } from "../facts.ts";
import type { EditorModel } from "./editorModel.ts";

/** The id of a model in Arbor's names, `vscode/<vendor>/<id>`; blanks could not stand in a name. */
export function editorModelId({ vendor, id }: Pick<EditorModel, "vendor" | "id">): string {
  return `${vendor}/${id}`.replace(/[\s%]/g, (character) => encodeURIComponent(character));
}

/** The model of an id, which may name its family instead: the first of that family counts. */
export function findEditorModel(id: string, models: readonly EditorModel[]): EditorModel | undefined {
  const ofFamily = ({ vendor, family }: EditorModel) => editorModelId({ vendor, id: family });
  return models.find((model) => editorModelId(model) === id) ?? models.find((model) => ofFamily(model) === id);
}

/** What the editor tells of its models. It has no prices, and no say in how much they think. */
export function editorModelFacts(models: readonly EditorModel[]): ModelFacts[] {
  return models.map((model) => ({
    id: editorModelId(model),
    alias: editorModelId({ ...model, id: model.family }),
    name: `${model.name || model.family} (${model.vendor})`,
    ...(isCount(model.maxInputTokens) ? { contextWindow: model.maxInputTokens } : {}),
    thinkingLevels: ["off"],
    ...(model.images === undefined ? {} : { images: model.images }),
    ...(model.tools === undefined ? {} : { tools: model.tools }),
  }));
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}
