import { t } from "@vscode/l10n";
import { visibleLine } from "../approvals/requestText.ts";
import { SerialQueue } from "../common/serialQueue.ts";
import { fingerprintOf, launchText, type ServerDefinition, type StdioLaunch } from "./configuration.ts";
import { openedPaths, reachableHosts } from "./serverSandbox.ts";

/** What the user allowed to be started, by server id; persisted for this workspace on this machine. */
interface ApprovalMemory {
  read(): Readonly<Record<string, string>>;
  write(approved: Readonly<Record<string, string>>): Promise<void>;
}

/** Where a server on this machine runs. */
export type ServerPlace = "sandbox" | "outside";

interface StartAnswer {
  label: string;
  /** Absent for a server on the web. */
  place?: ServerPlace;
}

export interface ApprovalQuestion {
  message: string;
  /** All of what is run or reached. */
  detail: string;
  /** Any but these is a no. */
  answers: readonly StartAnswer[];
}

export interface ServerApprovalOptions {
  memory: ApprovalMemory;
  isTrusted(): boolean;
  /** Why no server can run in the sandbox here, as a sentence for people; undefined where it can. */
  sandboxProblem(): Promise<string | undefined>;
  /** What is meant for the sandbox never runs outside. */
  isSandboxRequired(): boolean;
  /** Asks the user; undefined for a no. */
  confirm(question: ApprovalQuestion): Promise<StartAnswer | undefined>;
}

/**
 * Whether a server may be started, and where. Those of the user's settings may. One that a workspace brings is asked for
 * once, with its whole command line, and again after any change of it; so is one that is meant for the sandbox where that
 * does not work. In Restricted Mode none may, and nothing is asked.
 */
export class ServerApproval {
  readonly #options: ServerApprovalOptions;
  /** Fingerprints that were answered with no in this window: not asked again unless the user wants to start it. */
  readonly #declined = new Set<string>();
  readonly #questions = new SerialQueue();
  /** Why there is no sandbox, if there is none; empty before anybody looked. */
  #problem: string | undefined = "";

  constructor(options: ServerApprovalOptions) {
    this.#options = options;
  }

  /** Finds out whether the sandbox works now. */
  async lookForSandbox(): Promise<void> {
    this.#problem = await this.#options.sandboxProblem();
  }

  isApproved(definition: ServerDefinition): boolean {
    if (!this.#options.isTrusted()) return false;
    // What is meant for the sandbox is outside by an answer alone.
    if (this.placeOf(definition) === "sandbox" && this.#problem !== undefined) return false;
    return definition.source.kind === "user" || this.#answer(definition) !== undefined;
  }

  /** Where it runs when it is started now; undefined for one on the web. */
  placeOf(definition: ServerDefinition): ServerPlace | undefined {
    if (definition.launch.type === "http") return undefined;
    const own = isMeantForSandbox(definition) ? "sandbox" : "outside";
    const chosen = this.#answer(definition)?.place ?? own;
    return own === "sandbox" && this.#options.isSandboxRequired() ? "sandbox" : chosen;
  }

  /** Why one on this machine does not run in the sandbox, for people; undefined where it does. */
  outsideReason(definition: ServerDefinition): string | undefined {
    if (this.placeOf(definition) === "sandbox") return this.#problem;
    if (!isMeantForSandbox(definition)) return t("sandboxEnabled is not set");
    return this.#problem ?? t("by your choice");
  }

  /** Why it can't be started at all, as a sentence for people. */
  refusal(definition: ServerDefinition): string | undefined {
    return this.placeOf(definition) === "sandbox" && this.otherPlace(definition) === undefined
      ? this.#problem
      : undefined;
  }

  /** Where else it could run, if the user wants it to. */
  otherPlace(definition: ServerDefinition): ServerPlace | undefined {
    const place = this.placeOf(definition);
    if (place === "outside") return this.#problem === undefined ? "sandbox" : undefined;
    const isFixed = isMeantForSandbox(definition) && this.#options.isSandboxRequired();
    return place === undefined || isFixed ? undefined : "outside";
  }

  /** `again`: ask also where the answer was no before, because the user has just asked for it; `place`: for it to run there. */
  async mayStart(
    definition: ServerDefinition,
    { again = false, place }: { again?: boolean; place?: ServerPlace } = {},
  ): Promise<boolean> {
    // One question at a time: each is about one command line.
    return this.#questions.run(async () => {
      if (place === undefined && this.isApproved(definition)) return true;
      if (!this.#options.isTrusted()) return false;
      if (definition.launch.type === "stdio") await this.lookForSandbox();
      if (place === undefined && this.isApproved(definition)) return true;
      const fingerprint = fingerprintOf(definition);
      if (this.#declined.has(fingerprint) && !again) return false;
      const question = this.#questionFor(definition, place);
      const answer = question.answers.length > 0 ? await this.#options.confirm(question) : undefined;
      // Trust may have been withdrawn while the question was shown.
      if (answer === undefined || !this.#options.isTrusted()) {
        this.#declined.add(fingerprint);
        return false;
      }
      const remembered = answer.place === undefined ? fingerprint : `${fingerprint} ${answer.place}`;
      await this.#options.memory.write({ ...this.#options.memory.read(), [definition.id]: remembered });
      return true;
    });
  }

  /** What the user answered about this very definition. */
  #answer(definition: ServerDefinition): { place: ServerPlace | undefined } | undefined {
    const [fingerprint, place] = this.#remembered(definition)?.split(" ") ?? [];
    if (fingerprint !== fingerprintOf(definition)) return undefined;
    return { place: place === "sandbox" || place === "outside" ? place : undefined };
  }

  #remembered({ id }: ServerDefinition): string | undefined {
    const approved = this.#options.memory.read();
    return Object.hasOwn(approved, id) ? approved[id] : undefined;
  }

  #questionFor(definition: ServerDefinition, wanted: ServerPlace | undefined): ApprovalQuestion {
    const { name, source, launch } = definition;
    const known = this.#remembered(definition);
    const isChanged = known !== undefined && this.#answer(definition) === undefined;
    const asks = isChanged
      ? t("The MCP server {0} in {1} has changed. Start it?", name, source.name)
      : t("Start the MCP server {0}, which {1} defines?", name, source.name);
    const question = (message: string, what: string, answers: readonly StartAnswer[]) => ({
      ...{ message, answers },
      detail: `${what}\n\n${launchText(definition)}`,
    });
    if (launch.type === "http") {
      const what = t("Agents can call its tools once you allow each. Arbor connects to:");
      return question(asks, what, [{ label: t("Start") }]);
    }
    const isMeant = isMeantForSandbox(definition);
    const inSandbox = this.#problem === undefined && wanted !== "outside";
    const mayLeave = !isMeant || !(inSandbox || this.#options.isSandboxRequired());
    const places: ServerPlace[] = [
      ...(inSandbox ? ["sandbox" as const] : []),
      ...(mayLeave && wanted !== "sandbox" ? ["outside" as const] : []),
    ];
    const answers = places.map((place) => ({ place, label: places.length === 1 ? t("Start") : labelOf(place) }));
    const what = placesText(places, launch);
    if (inSandbox || this.placeOf(definition) !== "sandbox") return question(asks, what, answers);
    const leaves = t("Start the MCP server {0} outside the sandbox that it is meant for?", name);
    return question(leaves, this.#problem === undefined ? what : `${this.#problem} ${what}`, answers);
  }
}

function isMeantForSandbox({ launch }: ServerDefinition): boolean {
  return launch.type === "stdio" && launch.sandboxEnabled === true;
}

function labelOf(place: ServerPlace): string {
  return place === "sandbox" ? t("Start in Sandbox") : t("Start Outside");
}

/** What it may do in each of them, as sentences. */
function placesText(places: readonly ServerPlace[], launch: StdioLaunch): string {
  const runs = t("Arbor runs:");
  if (!places.includes("sandbox")) return `${t("It runs on this machine with your rights.")} ${runs}`;
  const isEither = places.includes("outside");
  const hosts = shown(reachableHosts(launch).map((host) => (host === "*" ? t("every public host") : host)));
  const reach = hosts === "" ? t("no host") : hosts;
  const opened = openedPaths(launch);
  const [change, read] = [shown(opened.change), shown(opened.read)];
  return [
    isEither
      ? t(
          "In the sandbox it can change files of the workspace only, sees no keys or passwords, and reaches {0}.",
          reach,
        )
      : t(
          "It runs in the sandbox, where it can change files of the workspace only, sees no keys or passwords, and reaches {0}.",
          reach,
        ),
    ...(change === "" ? [] : [t("Its definition also lets it change {0}.", change)]),
    ...(read === "" ? [] : [t("Its definition also lets it read {0}.", read)]),
    ...(change + read === "" ? [] : [t("Keys in folders below these are not hidden.")]),
    ...(isEither ? [t("Outside it has your rights.")] : []),
    runs,
  ].join(" ");
}

function shown(names: readonly string[]): string {
  return visibleLine(names.join(", "), 500);
}
