import { t } from "@vscode/l10n";
import { SerialQueue } from "../common/serialQueue.ts";
import { fingerprintOf, launchText, type ServerDefinition } from "./configuration.ts";

/** What the user allowed to be started, by server id; persisted for this workspace on this machine. */
interface ApprovalMemory {
  read(): Readonly<Record<string, string>>;
  write(approved: Readonly<Record<string, string>>): Promise<void>;
}

export interface ApprovalQuestion {
  message: string;
  /** All of what is run or reached. */
  detail: string;
}

export interface ServerApprovalOptions {
  memory: ApprovalMemory;
  isTrusted(): boolean;
  /** Asks the user; false for every answer but a clear yes. */
  confirm(question: ApprovalQuestion): Promise<boolean>;
}

/**
 * Whether a server may be started. Those of the user's settings may. One that a workspace brings is asked for once, with
 * its whole command line, and again after any change of it. In Restricted Mode none may, and nothing is asked.
 */
export class ServerApproval {
  readonly #options: ServerApprovalOptions;
  /** Fingerprints that were answered with no in this window: not asked again unless the user wants to start it. */
  readonly #declined = new Set<string>();
  readonly #questions = new SerialQueue();

  constructor(options: ServerApprovalOptions) {
    this.#options = options;
  }

  isApproved(definition: ServerDefinition): boolean {
    if (!this.#options.isTrusted()) return false;
    return definition.source.kind === "user" || this.#remembered(definition) === fingerprintOf(definition);
  }

  /** `again`: ask also where the answer was no before, because the user has just asked for it. */
  async mayStart(definition: ServerDefinition, { again = false } = {}): Promise<boolean> {
    // One question at a time: each is about one command line.
    return this.#questions.run(async () => {
      if (this.isApproved(definition)) return true;
      if (!this.#options.isTrusted()) return false;
      const fingerprint = fingerprintOf(definition);
      if (this.#declined.has(fingerprint) && !again) return false;
      const isAllowed = await this.#options.confirm(
        questionFor(definition, this.#remembered(definition) !== undefined),
      );
      // Trust may have been withdrawn while the question was shown.
      if (!isAllowed || !this.#options.isTrusted()) {
        this.#declined.add(fingerprint);
        return false;
      }
      await this.#options.memory.write({ ...this.#options.memory.read(), [definition.id]: fingerprint });
      return true;
    });
  }

  #remembered({ id }: ServerDefinition): string | undefined {
    const approved = this.#options.memory.read();
    return Object.hasOwn(approved, id) ? approved[id] : undefined;
  }
}

function questionFor(definition: ServerDefinition, isChanged: boolean): ApprovalQuestion {
  const { name, source, launch } = definition;
  const message = isChanged
    ? t("The MCP server {0} in {1} has changed. Start it?", name, source.name)
    : t("Start the MCP server {0}, which {1} defines?", name, source.name);
  const what =
    launch.type === "http"
      ? t("Agents can call its tools once you allow each. Arbor connects to:")
      : t("It runs on this machine with your rights. Arbor runs:");
  return { message, detail: `${what}\n\n${launchText(definition)}` };
}
