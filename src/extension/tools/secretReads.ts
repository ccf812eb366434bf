import type { ToolContext } from "../../agent/vocabulary/tools.ts";
import type { SecretFile } from "../approvals/editSensitivity.ts";
import type { AskPermission, PermissionAnswer, ReadPermission } from "../approvals/permission.ts";
import { isSecretPath } from "../approvals/sensitive.ts";
import { ToolError } from "../common/userError.ts";
import type { FileContent, FileDiagnostic, TextMatch, TextSearch } from "../workspace/workspace.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { declinedText } from "./refusal.ts";

/** What reading is judged by. */
export interface SecretReadRules {
  /** What makes the reading of a file a question; undefined where it is none. */
  secretFileAt(path: string): Promise<SecretFile | undefined>;
  /** The user has allowed it, so that it need not be asked. */
  isGranted(request: ReadPermission): boolean;
  askPermission: AskPermission;
}

/** Where there is no user to ask, no file with secrets is read. */
const noUser: SecretReadRules = {
  secretFileAt: async (path) => (isSecretPath(path) ? {} : undefined),
  isGranted: () => false,
  askPermission: async () => ({ allowed: false, reason: "there is no user to ask" }),
};

type Caller = Pick<ToolContext, "agent" | "callId">;

/**
 * What agents see of files that hold keys or passwords: nothing before the user has allowed it, whatever tool it would
 * come through. An answer holds for one call, unless the user allows more.
 */
export class SecretReads {
  readonly #rules: SecretReadRules;
  readonly #answers = new WeakMap<Caller, Map<string, Promise<PermissionAnswer>>>();

  constructor(rules: SecretReadRules = noUser) {
    this.#rules = rules;
  }

  /** Whether the text of a file may be shown to the caller as it is, without another question. */
  async isOpen(path: string, caller: Caller): Promise<boolean> {
    const secret = await this.#rules.secretFileAt(path);
    return secret === undefined || this.#isAllowed(path, secret, caller);
  }

  /** Asks where it has to be asked. Throws a `ToolError` when the user says no. */
  async allow(path: string, toolName: string, context: Caller & Pick<ToolContext, "signal">): Promise<void> {
    const secret = await this.#rules.secretFileAt(path);
    if (secret === undefined) return;
    const answers = this.#answers.get(context) ?? new Map<string, Promise<PermissionAnswer>>();
    this.#answers.set(context, answers);
    const key = keyOf(path, secret);
    const asked =
      answers.get(key) ?? this.#rules.askPermission(requestOf(path, secret, context, toolName), context.signal);
    answers.set(key, asked);
    const answer = await asked;
    context.signal.throwIfAborted();
    if (!answer.allowed) throw new ToolError(`${path}: ${declinedText("read", answer)}`);
  }

  /**
   * Whether what was read may be shown, by where it was: a command that runs may have turned the path into a link since it
   * was judged.
   */
  async mayShow(path: string, { leadsTo }: FileContent, caller: Caller): Promise<boolean> {
    if (leadsTo === undefined || !isSecretPath(leadsTo)) return true;
    return this.#isAllowed(path, { leadsTo }, caller);
  }

  async #isAllowed(path: string, secret: SecretFile, caller: Caller): Promise<boolean> {
    if (this.#rules.isGranted(requestOf(path, secret, caller, ""))) return true;
    return (await this.#answers.get(caller)?.get(keyOf(path, secret)))?.allowed === true;
  }
}

function keyOf(path: string, { leadsTo }: SecretFile): string {
  return JSON.stringify([path, leadsTo]);
}

function requestOf(path: string, secret: SecretFile, { agent, callId }: Caller, toolName: string): ReadPermission {
  return { kind: "read", path, ...secret, agent, callId, toolName };
}

export interface Reading {
  toolName: string;
  context: ToolContext;
}

type Readers = Pick<ToolDependencies, "workspace" | "reads" | "secrets">;

/** The file as it is, once the caller may see it. */
export async function readAllowed(
  { workspace, secrets = new SecretReads() }: Readers,
  path: string,
  { toolName, context }: Reading,
): Promise<FileContent> {
  await secrets.allow(path, toolName, context);
  const content = await workspace.read(path, context.signal);
  if (await secrets.mayShow(path, content, context)) return content;
  throw new ToolError(`${path} is a link to another file than the one that was asked for. It was not read. Try again.`);
}

/** As `readAllowed`, for an edit: what the agent has seen in this very version is no secret to it. */
export async function readForEdit(dependencies: Readers, path: string, reading: Reading): Promise<FileContent> {
  const { agent, signal } = reading.context;
  const content = await dependencies.workspace.read(path, signal);
  const isSeen = content.kind === "text" && dependencies.reads.seen(agent.id, path)?.version === content.version;
  return isSeen ? content : readAllowed(dependencies, path, reading);
}

/** Matches in files that the caller may see, up to the limit; those in others do not count. */
export async function* searchAllowed(
  { workspace, secrets = new SecretReads() }: Pick<Readers, "workspace" | "secrets">,
  search: TextSearch,
  context: ToolContext,
): AsyncGenerator<TextMatch> {
  let left = search.limit;
  let [path, isOpen] = ["", true];
  for await (const match of workspace.searchText({ ...search, limit: Number.POSITIVE_INFINITY }, context.signal)) {
    if (match.path !== path) [path, isOpen] = [match.path, await secrets.isOpen(match.path, context)];
    if (!isOpen) continue;
    if (match.isMatch && left-- <= 0) return;
    yield match;
    if (left === 0 && search.contextLines === 0) return;
  }
}

/** Diagnostics may quote what they are about. Gives those that may be shown, and the files of the others. */
export async function allowedDiagnostics(
  { secrets = new SecretReads() }: Pick<Readers, "secrets">,
  list: readonly FileDiagnostic[],
  context: Caller,
): Promise<{ shown: FileDiagnostic[]; left: string[] }> {
  const open = new Map<string, boolean>();
  for (const { path } of list) if (!open.has(path)) open.set(path, await secrets.isOpen(path, context));
  return {
    shown: list.filter(({ path }) => open.get(path) === true),
    left: [...open].filter(([, isOpen]) => !isOpen).map(([path]) => path),
  };
}
