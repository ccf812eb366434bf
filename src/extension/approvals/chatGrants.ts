import type { GrantScope } from "../../protocol/grants.ts";
import type { HostEvent } from "../../protocol/hostEvents.ts";
import { CommandTrust } from "./commandTrust.ts";
import { type Grant, type GrantableRequest, grantOf, isGranted, offersFor } from "./grants.ts";
import type { SandboxGrant } from "./sandboxGrant.ts";

export interface ChatGrantsOptions {
  emit(event: HostEvent): void;
  newId(): string;
}

/** What the user allowed in one chat without being asked again. It ends with the chat and is never kept on disk. */
export class ChatGrants {
  readonly #options: ChatGrantsOptions;
  #grants: readonly Grant[] = [];
  #shared: SandboxGrant | undefined;
  #trust = new CommandTrust();

  constructor(options: ChatGrantsOptions) {
    this.#options = options;
  }

  /** What is allowed in all chats of the workspace counts here too, and can be given and removed here. */
  share({ sandbox, trust }: { sandbox?: SandboxGrant; trust?: CommandTrust }): void {
    this.#shared = sandbox;
    this.#trust = trust ?? this.#trust;
  }

  /** Which commands are still what was allowed. */
  get trust(): CommandTrust {
    return this.#trust;
  }

  /** Allows what all of them ask for alike, as far as the scope reaches. False for a scope that was not on offer. */
  add(asks: readonly { request: GrantableRequest; agentPath: readonly string[] }[], scope: GrantScope): boolean {
    if (scope === "workspace") return this.#allowInWorkspace(asks);
    // What holds for more than an agent is the same for all who asked.
    const granted = (scope === "agent" ? asks : asks.slice(0, 1)).map(({ request, agentPath }) =>
      grantOf(request, scope, { id: this.#options.newId(), agentPath, givenAt: this.#trust.now }),
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
    if (grantId === this.#shared?.shown.id) this.#shared.revoke();
    // Also when nothing is removed: a panel that shows what is gone learns so.
    this.#emitGrants();
  }

  /** Commands that files decide about are asked for again once an agent has changed one of those. */
  lapseCommands(changedPaths: readonly string[]): void {
    this.#trust.addChanges(changedPaths);
    const left = this.#grants.filter((grant) => this.#isCurrent(grant));
    if (left.length === this.#grants.length) return;
    this.#grants = left;
    this.#emitGrants();
  }

  covers(request: GrantableRequest, lineage: readonly string[]): boolean {
    return this.#find(request, lineage) !== undefined || this.#shared?.covers(request) === true;
  }

  /** Lets a call through if it may, and emits that. */
  letThrough(callId: string, request: GrantableRequest, lineage: readonly string[]): boolean {
    const shared = this.#shared?.covers(request) ? this.#shared : undefined;
    const grant = this.#find(request, lineage) ?? shared;
    if (grant === undefined) return false;
    // It may have been given in another chat: here it is listed when it is first used.
    if (grant === shared) this.#emitGrants();
    this.#options.emit({ type: "call_allowed", callId, grant: grant.shown });
    return true;
  }

  #allowInWorkspace(asks: readonly { request: GrantableRequest }[]): boolean {
    const isOffered = asks.every(({ request }) => offersFor(request).some(({ scope }) => scope === "workspace"));
    if (this.#shared === undefined || !isOffered) return false;
    this.#shared.allow();
    this.#emitGrants();
    return true;
  }

  #find(request: GrantableRequest, lineage: readonly string[]): Grant | undefined {
    return this.#grants.find((grant) => isGranted(grant, request, lineage) && this.#isCurrent(grant));
  }

  #isCurrent({ allowed, givenAt }: Grant): boolean {
    return allowed.kind !== "command" || !this.#trust.hasChangedSince(givenAt, allowed);
  }

  #emitGrants(): void {
    const shared = this.#shared?.isAllowed ? [this.#shared.shown] : [];
    this.#options.emit({ type: "grants_changed", grants: [...this.#grants.map(({ shown }) => shown), ...shared] });
  }
}
