import type { CustomAgent } from "./agentFile.ts";
import type { CustomPrompt, CustomSkill } from "./customCommands.ts";
import type { Mistake, PositionRange } from "./frontMatter.ts";
import type { HookDefinition } from "./hookDefinition.ts";

/** A mistake at its position in a file, as editors show it. */
export interface CustomProblem extends Omit<Mistake, "span" | "fix"> {
  path: string;
  range: PositionRange;
  fix?: { title: string; range: PositionRange; text: string };
}

/** Everything that files of the workspace and of the user add. */
export interface Custom {
  agents: readonly CustomAgent[];
  skills: readonly CustomSkill[];
  prompts: readonly CustomPrompt[];
  hooks: readonly HookDefinition[];
  problems: readonly CustomProblem[];
}

export const nothingCustom: Custom = { agents: [], skills: [], prompts: [], hooks: [], problems: [] };

export interface CustomizationDependencies {
  /** In an untrusted workspace its files say nothing, and neither do the user's: there are no tools for them. */
  isTrusted(): boolean;
  load(): Promise<Custom>;
  /** Called with what there is now, when it was read again. */
  onChange(custom: Custom): void;
  reportFailure(error: unknown): void;
}

/** After a change of a file no other is waited for longer than this: programs often write several. */
const settleMs = 200;

/** What custom files say, as they were read last. */
export class Customization {
  readonly #dependencies: CustomizationDependencies;
  #current = nothingCustom;
  #loading: Promise<void> | undefined;
  /** Counted up with each change, so that what was being read meanwhile is read again. */
  #changes = 1;
  #loadedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(dependencies: CustomizationDependencies) {
    this.#dependencies = dependencies;
  }

  get current(): Custom {
    return this.#dependencies.isTrusted() ? this.#current : nothingCustom;
  }

  /** Reads what changed since it was read last. Where that fails, what was there stays. */
  async ready(): Promise<void> {
    while (this.#loadedAt < this.#changes) {
      this.#loading ??= this.#load().finally(() => {
        this.#loading = undefined;
      });
      await this.#loading;
    }
  }

  /** A file, a setting or the trust in the workspace changed: read again soon, or as soon as somebody needs it. */
  changed(): void {
    this.#changes += 1;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.ready(), settleMs);
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }

  async #load(): Promise<void> {
    const at = this.#changes;
    try {
      this.#current = this.#dependencies.isTrusted() ? await this.#dependencies.load() : nothingCustom;
      this.#dependencies.onChange(this.#current);
    } catch (error) {
      this.#dependencies.reportFailure(error);
    }
    this.#loadedAt = at;
  }
}
