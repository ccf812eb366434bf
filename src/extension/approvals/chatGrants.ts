import type { GrantScope } from "../../protocol/grants.ts";
import type { HostEvent } from "../../protocol/hostEvents.ts";
import { type Grant, type GrantableRequest, grantOf, isGranted } from "./grants.ts";
import { isSensitivePath } from "./sensitive.ts";

export interface ChatGrantsOptions {
  emit(event: HostEvent): void;
  newId(): string;
}

/** What the user allowed in one chat without being asked again. It ends with the chat and is never kept on disk. */
export class ChatGrants {
  readonly #options: ChatGrantsOptions;
  #grants: readonly Grant[] = [];

  constructor(options: ChatGrantsOptions) {
    this.#options = options;
  }

  /** Allows what all of them ask for alike, as far as the scope reaches. False for a scope that was not on offer. */
  add(asks: readonly { request: GrantableRequest; agentPath: readonly string[] }[], scope: GrantScope): boolean {
    // What holds for more than an agent is the same for all who asked.
    const granted = (scope === "agent" ? asks : asks.slice(0, 1)).map(({ request, agentPath }) =>
      grantOf(request, scope, { id: this.#options.newId(), agentPath }),
    );
    const grants = granted.filter((grant) => grant !== undefined);
    if (grants.length === 0) return false;
    this.#grants = [...this.#grants, ...grants];
    this.#emitGrants();
    return true;
  }

  /** Asked again from now on. */
  remove(grantId: string): void {
    this.#grants = this.#grants.filter(({ id }) => id !== grantId);
    // Also when nothing is removed: a panel that shows what is gone learns so.
    this.#emitGrants();
  }

  /** Commands that files decide about are asked for again once an agent has changed one of those. */
  lapseCommands(changedPaths: readonly string[]): void {
    const left = this.#grants.filter((grant) => !changedPaths.some((path) => decidesAbout(path, grant)));
    if (left.length === this.#grants.length) return;
    this.#grants = left;
    this.#emitGrants();
  }

  covers(request: GrantableRequest, lineage: readonly string[]): boolean {
    return this.#find(request, lineage) !== undefined;
  }

  /** Lets a call through if it may, and emits that. */
  letThrough(callId: string, request: GrantableRequest, lineage: readonly string[]): boolean {
    const grant = this.#find(request, lineage);
    if (grant === undefined) return false;
    this.#options.emit({ type: "call_allowed", callId, grant: grant.shown });
    return true;
  }

  #find(request: GrantableRequest, lineage: readonly string[]): Grant | undefined {
    return this.#grants.find((grant) => isGranted(grant, request, lineage));
  }

  #emitGrants(): void {
    this.#options.emit({ type: "grants_changed", grants: this.#grants.map(({ shown }) => shown) });
  }
}

/** The file decides what commands run, or it is named in this one. */
function decidesAbout(path: string, { allowed }: Grant): boolean {
  if (allowed.kind !== "command") return false;
  return isSensitivePath(path) || allowed.command.includes(path.slice(path.lastIndexOf("/") + 1));
}
