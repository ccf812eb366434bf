import type * as vscode from "vscode";
import { onDidChangeSettings, readSettings } from "./readSettings.ts";
import { type ArborSettings, describeSettingProblem, parseSettings } from "./settings.ts";

/** The settings as they are now. A value that makes no sense is told once, not with every change of another one. */
export class LiveSettings {
  readonly #tell: (problem: string) => void;
  readonly #subscription: vscode.Disposable;
  #current: ArborSettings;
  #told = new Set<string>();

  constructor(tell: (problem: string) => void, onChange: () => void) {
    this.#tell = tell;
    this.#current = this.#read();
    this.#subscription = onDidChangeSettings(() => {
      this.#current = this.#read();
      onChange();
    });
  }

  get current(): ArborSettings {
    return this.#current;
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  #read(): ArborSettings {
    const { settings, problems } = parseSettings(readSettings());
    const sentences = problems.map(describeSettingProblem);
    for (const sentence of sentences) if (!this.#told.has(sentence)) this.#tell(sentence);
    this.#told = new Set(sentences);
    return settings;
  }
}
