import type { ModelFacts } from "../facts.ts";
import type { EditorModel, ListEditorModels } from "./editorModel.ts";

/** What the editor said of its models when somebody last wanted to know. */
export class EditorModelList {
  readonly #list: ListEditorModels;
  readonly #onChange: () => void;
  #facts: ModelFacts[] | undefined;

  constructor(list: ListEditorModels, onChange: () => void) {
    this.#list = list;
    this.#onChange = onChange;
  }

  /** Undefined as long as it was not asked for. */
  get facts(): readonly ModelFacts[] | undefined {
    return this.#facts;
  }

  async refresh(): Promise<EditorModel[]> {
    const models = await this.#list();
    const facts = editorModelFacts(models);
    if (JSON.stringify(facts) !== JSON.stringify(this.#facts)) {
      this.#facts = facts;
      this.#onChange();
    }
    return models;
  }

  /** The editor has other models now. Without a request for it there is nothing to report. */
  async changed(): Promise<void> {
    if (this.#facts !== undefined) await this.refresh();
  }
}

/** The id of a model in Arbor's names, `vscode/<vendor>/<id>`; a name can have no blanks. */
export function editorModelId({ vendor, id }: Pick<EditorModel, "vendor" | "id">): string {
  return `${vendor}/${id}`.replace(/[\s%]/g, (character) => encodeURIComponent(character));
}

/** The model of an id, which may name its family instead: the first of that family counts. */
export function findEditorModel(id: string, models: readonly EditorModel[]): EditorModel | undefined {
  const ofFamily = ({ vendor, family }: EditorModel) => editorModelId({ vendor, id: family });
  return models.find((model) => editorModelId(model) === id) ?? models.find((model) => ofFamily(model) === id);
}

/** What the editor says of its models: without prices, and without how much they think. */
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
