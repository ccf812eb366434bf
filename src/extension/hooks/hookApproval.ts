import { createHash } from "node:crypto";
import type { AgentMeta } from "../../agent/index.ts";
import { commandFiles } from "../approvals/commandVersion.ts";
import type { AskPermission, PermissionAnswer } from "../approvals/permission.ts";
import { SerialQueue } from "../common/serialQueue.ts";
import type { HookDefinition } from "../customization/hookDefinition.ts";

/** Where it is kept what was allowed, for this workspace and this user: the editor's own storage. */
interface HookMemory {
  get(key: string): unknown;
  update(key: string, value: Readonly<Record<string, string>>): PromiseLike<void>;
}

export interface HookApprovalOptions {
  memory: HookMemory;
  isTrusted(): boolean;
}

/** A hook that is about to run. */
export interface HookRequest {
  hook: HookDefinition;
  agent: AgentMeta;
  callId: string;
  /** Absolute: where it runs. */
  folder: string;
  root: string;
  isSandboxed: boolean;
  askPermission: AskPermission;
}

const memoryKey = "arbor.approvedHooks";
const maxRemembered = 500;

/**
 * Whether a hook may run: each is asked for once with its text, and again when that, a script that it names, or where it
 * runs is another one. A no holds for this window.
 */
export class HookApproval {
  readonly #options: HookApprovalOptions;
  readonly #declined = new Set<string>();
  /** One card at a time: several agents at once want the same hook. */
  readonly #questions = new SerialQueue();

  constructor(options: HookApprovalOptions) {
    this.#options = options;
  }

  /** `declined`: the user said no; otherwise it is not known what the user wants. */
  async mayRun(request: HookRequest, signal: AbortSignal): Promise<"yes" | "declined" | "no"> {
    const known = await this.#known(await fingerprintOf(request), idOf(request.hook));
    if (known !== undefined) return known;
    return this.#questions.run(async () => this.#asked(request, signal));
  }

  async #asked(request: HookRequest, signal: AbortSignal): Promise<"yes" | "declined" | "no"> {
    for (;;) {
      const fingerprint = await fingerprintOf(request);
      const id = idOf(request.hook);
      const answered = await this.#known(fingerprint, id);
      if (answered !== undefined) return answered;
      const answer = await this.#ask(request, { fingerprint, isChanged: this.#approved()[id] !== undefined }, signal);
      // An agent that was stopped takes its question with it.
      if (signal.aborted || !this.#options.isTrusted()) return "no";
      if (!answer.allowed) {
        this.#declined.add(fingerprint);
        return "declined";
      }
      // What runs must be what was shown: another version is another question.
      if ((await fingerprintOf(request)) !== fingerprint) continue;
      const others = Object.entries(this.#approved()).filter(([other]) => other !== id);
      await this.#options.memory.update(
        memoryKey,
        Object.fromEntries([...others.slice(-maxRemembered), [id, fingerprint]]),
      );
      return "yes";
    }
  }

  async #known(fingerprint: string, id: string): Promise<"yes" | "declined" | "no" | undefined> {
    if (!this.#options.isTrusted()) return "no";
    if (this.#approved()[id] === fingerprint) return "yes";
    return this.#declined.has(fingerprint) ? "declined" : undefined;
  }

  #ask(
    { hook, agent, callId, isSandboxed, askPermission }: HookRequest,
    { fingerprint, isChanged }: { fingerprint: string; isChanged: boolean },
    signal: AbortSignal,
  ): Promise<PermissionAnswer> {
    const { event, matcher, command, path } = hook;
    return askPermission(
      {
        ...{ kind: "hook", purpose: "run", event, matcher, command, path, isSandboxed, isChanged },
        ...{ version: fingerprint, agent, callId, toolName: event },
      },
      signal,
    );
  }

  #approved(): Readonly<Record<string, string>> {
    const value = this.#options.memory.get(memoryKey);
    if (typeof value !== "object" || value === null) return {};
    return Object.fromEntries(Object.entries(value).filter(([, each]) => typeof each === "string"));
  }
}

/** The same hook, whatever its script says. */
function idOf({ path, event, matcher, command }: HookDefinition): string {
  return createHash("sha256")
    .update(JSON.stringify([path, event, matcher, command]))
    .digest("base64url");
}

async function fingerprintOf({ hook, folder, root, isSandboxed }: HookRequest): Promise<string> {
  const { path, event, matcher, command, timeoutMs, isAsync } = hook;
  const { version } = await commandFiles(withFolder(command), folder, root);
  const all = [path, event, matcher, command, timeoutMs, isAsync, isSandboxed, version];
  return createHash("sha256").update(JSON.stringify(all)).digest("base64url");
}

/** The command with its folder in place of the variables that hold it: relative, whatever characters its path has. */
function withFolder(command: string): string {
  return command.replace(/["']*\$\{?(?:CLAUDE|ARBOR)_PROJECT_DIR\}?["']*/g, ".");
}
