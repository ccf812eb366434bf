import type { ModelFacts } from "../facts.ts";
import { editorModelFacts } from "./editorCatalog.ts";
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

  /** Undefined as long as nobody has asked. */
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

  /** The editor has other models now. Who never asked is not told either. */
  async changed(): Promise<void> {
    if (this.#facts !== undefined) await this.refresh();
  }
}
