// Long because what a program may ask of the editor is answered by the same parts of one chat.
import { randomUUID } from "node:crypto";
import { t } from "@vscode/l10n";
import type { AgentMeta } from "../../agent/types.ts";
import { AgentError, errorText } from "../../agent/vocabulary/errors.ts";
import { createScope } from "../../agent/vocabulary/scope.ts";
import type { ToolContext } from "../../agent/vocabulary/tools.ts";
import { commandFiles } from "../approvals/commandVersion.ts";
import type { PermissionRequest } from "../approvals/permission.ts";
import { visibleLine } from "../approvals/requestText.ts";
import type { ProposedChange, ReviewOutcome } from "../changes/model/change.ts";
import type { NotCovered } from "../changes/rewind/commandChanges.ts";
import { UserError } from "../common/userError.ts";
import type { CommandDependencies } from "../tools/dependencies.ts";
import { reviewedInTurn } from "../tools/reviewedEdit.ts";
import { keepLineEnds, majorityLineEnd } from "../tools/text/keepLineEnds.ts";
import { normalizeLineEnds, withoutByteOrderMark } from "../tools/text/normalizedText.ts";
import { RefusedRequest } from "./connection.ts";
import type { ForeignAgentDefinition } from "./definitions.ts";
import type { ForeignChat, ForeignChatParts } from "./foreignOffers.ts";
import type { ForeignSessionOptions } from "./foreignSession.ts";
import type { ProgramCatalog } from "./programOffers.ts";
import { isTakenWhole, partReport, proposedEdits } from "./proposedEdits.ts";
import { errorCodes } from "./protocol.ts";
import type { PermitAnswer } from "./sessionRequests.ts";
import { argumentsOf, changeText, type ForeignCall } from "./toolCalls.ts";

/** What an agent wrote directly to the disk, to be kept or undone by the user. */
export interface DirectWrites {
  /** Gives the files of which nothing can be kept or undone. */
  adopt(
    author: { agentIds: readonly string[]; agentPath: readonly string[] },
    changes: NonNullable<NotCovered["found"]>,
    known?: NotCovered["known"],
  ): Promise<readonly string[]>;
  lineage(agentId: string): readonly string[];
}

export interface ForeignHostParts extends Pick<ForeignChatParts, "tools" | "commands" | "usedUp" | "permissionMode"> {
  definition: ForeignAgentDefinition;
  /** Where it works. */
  folder: Awaited<ReturnType<CommandDependencies["folder"]>>;
  chat: Pick<ForeignChat, "emit">;
  writes: DirectWrites;
  catalog: Pick<ProgramCatalog, "of" | "change">;
  unsavedFiles(): readonly string[];
  warn(message: string): void;
}

/** The editor as an agent of another program meets it: its questions are ours, and what it writes is reviewed. */
export function createForeignHost(parts: ForeignHostParts): ForeignSessionOptions["host"] {
  const { definition, chat, tools, commands, writes, usedUp, unsavedFiles, warn } = parts;
  let hasNamedLimit = false;
  // Between its turns a program runs on; what is known to ask is not asked about what others have changed.
  let mayWriteUnseen = false;
  let workedBefore = false;
  return {
    ...{ usedUp, unsavedFiles },
    async askPermission(agent, call, signal) {
      const changes =
        call.kind === "edit" && parts.permissionMode() !== "plan"
          ? await proposedEdits(call, tools.workspace, signal)
          : undefined;
      if (changes !== undefined) return reviewEdit(parts, agent, { call, changes }, signal);
      const answer = await commands.askPermission(await permissionFor(agent, call, parts), signal);
      if (answer.allowed || answer.reason === undefined || answer.reason === "") return answer;
      return { allowed: false, note: `The user did not allow ${call.label || call.toolName}: ${answer.reason}` };
    },
    async readFile(agent, { path, line = 1, limit }, signal) {
      return refusedAs(errorCodes.notFound, async () => {
        const content = await tools.workspace.read(tools.workspace.canonicalPath(path), signal);
        if (content.kind !== "text") throw new RefusedRequest(errorCodes.notFound, `${path} is no text.`);
        const isOpen = (await tools.secrets?.isOpen(path, contextOf(agent, randomUUID(), signal))) ?? true;
        if (!isOpen) throw new RefusedRequest(errorCodes.notFound, `The user does not let ${path} be read.`);
        if (line === 1 && limit === undefined) return content.text;
        const lines = content.text.split(/(?<=\n)/);
        return lines.slice(line - 1, limit === undefined ? undefined : line - 1 + limit).join("");
      });
    },
    async writeFile(agent, { path, content, callId }, signal) {
      await refusedAs(-32_000, () => write(parts, agent, { path, content, callId }, signal));
    },
    onFacts(agentId, facts) {
      if (facts.supervision === "unsupervised") mayWriteUnseen = true;
      chat.emit({
        type: "foreign_agent",
        agentId,
        program: definition.name,
        ...facts,
        reported: { ...facts.reported },
      });
    },
    onOffers: (offers) => void parts.catalog.change(definition.name, offers).catch((error) => warn(String(error))),
    chosenOptions: () => parts.catalog.of(definition.name).chosen,
    onPlan: (agentId, items) => chat.emit({ type: "plan_changed", agentId, items }),
    async watchChanges(agent) {
      const { meta } = agent;
      const { name } = definition;
      const hasWorked = mayWriteUnseen && workedBefore;
      workedBefore = true;
      const author = { agentIds: [...writes.lineage(meta.id)], agentPath: [...tools.agentPath(meta.id)] };
      const end = await commands.changes?.begin(meta.id, async ({ found, others }) => {
        if (!hasWorked) return;
        const somebody = t("{0} or something else, between two turns", name);
        const notAdopted = await writes.adopt({ ...author, agentPath: author.agentPath.with(-1, somebody) }, found);
        const named = [...others, ...notAdopted];
        const offered = [...found.keys()].filter((path) => !notAdopted.includes(path));
        for (const message of earlierText(name, { offered, named })) agent.emit({ type: "warning", message });
      });
      return async () => {
        const changes = await end?.();
        if (changes === undefined) return;
        const { paths: lost, isPartial, found, known, byEditor } = changes;
        const notAdopted = found === undefined ? [] : await writes.adopt(author, found, known);
        // An edit that was reviewed, or another agent's, unless something else has changed the file as well.
        const others = notAdopted.filter((path) => byEditor?.has(path) !== true || known?.get(path)?.isAll === false);
        const unseen = { lost, others, isPartial: isPartial && !hasNamedLimit };
        hasNamedLimit ||= isPartial;
        for (const message of unseenText(name, unseen)) agent.emit({ type: "warning", message });
      };
    },
  };
}

/** What changed between two of its turns: what waits to be kept or undone, and what is only named. */
function earlierText(name: string, { offered, named }: Record<"offered" | "named", readonly string[]>): string[] {
  const texts: (string | false)[] = [
    offered.length > 0 &&
      t(
        "Between two turns of {0}, files were changed outside the editor, by it or by something else. You can keep or undo these changes: {1}",
        name,
        listed(offered),
      ),
    named.length > 0 &&
      t(
        "Between two turns of {0}, files were changed outside the editor, by it or by something else: {1}",
        name,
        listed(named),
      ),
  ];
  return texts.filter((text) => text !== false);
}

/** Paths of changes, and whether there may be more. */
interface Unseen {
  others: readonly string[];
  lost: readonly string[];
  isPartial: boolean;
}

/** What of its writes is in no review, for the user. */
function unseenText(name: string, { others, lost, isPartial }: Unseen): string[] {
  const texts: (string | false)[] = [
    others.length > 0 &&
      t("{0} also changed files that can't be kept or undone one by one, but by a rewind: {1}", name, listed(others)),
    lost.length > 0 &&
      t(
        "{0} changed files whose earlier content is not known, so that no rewind restores them: {1}",
        name,
        listed(lost),
      ),
    isPartial &&
      t(
        "The workspace has more files than Arbor compares, so that {0} may have changed files that are not shown.",
        name,
      ),
  ];
  return texts.filter((text) => text !== false);
}

const maxListed = 10;

function listed(paths: readonly string[]): string {
  const shown = paths.slice(0, maxListed).map((path) => visibleLine(path, 200));
  const more = paths.length - shown.length;
  return [...shown, ...(more > 0 ? [t("{0} more", more)] : [])].join(", ");
}

/** By hunk. Where it is not taken as it is, what is taken is written here, and the program learns by a message what became of it. */
async function reviewEdit(
  { tools }: ForeignHostParts,
  agent: AgentMeta,
  { call, changes }: { call: ForeignCall; changes: readonly ProposedChange[] },
  signal: AbortSignal,
): Promise<PermitAnswer> {
  const { callId, toolName } = call;
  const proposal = {
    callId,
    toolName,
    agent,
    agentPath: tools.agentPath(agent.id),
    changes,
    writesItself: true,
  } as const;
  try {
    const outcome = await tools.review.review(proposal, signal);
    if (isTakenWhole(outcome)) return { allowed: true };
    const note = partReport(
      changes,
      outcome,
      await hiddenIn(tools, { changes, outcome }, contextOf(agent, callId, signal)),
    );
    return { allowed: false, ...(note !== undefined && { note }) };
  } catch (error) {
    // A rule of the settings forbids it.
    if (error instanceof UserError && !signal.aborted) return { allowed: false, note: error.forModel };
    throw error;
  }
}

/** The files in which the user has put something that the agent may not read. */
async function hiddenIn(
  { secrets }: ForeignHostParts["tools"],
  { changes, outcome }: { changes: readonly ProposedChange[]; outcome: ReviewOutcome },
  context: ToolContext,
): Promise<Set<string>> {
  const hidden = new Set<string>();
  for (const { path, after } of changes) {
    const text = outcome.files.find((file) => file.path === path)?.text;
    if (text === undefined || text === after) continue;
    if ((await secrets?.isOpen(path, context)) === false) hidden.add(path);
  }
  return hidden;
}

/** The whole text of a file, as the user wants it: what was rejected of it is the agent's to know. */
async function write(
  { tools }: ForeignHostParts,
  agent: AgentMeta,
  { path: asked, content, callId }: { path: string; content: string; callId: string },
  signal: AbortSignal,
): Promise<void> {
  const { workspace } = tools;
  const path = workspace.canonicalPath(asked);
  const changes = async (): Promise<ProposedChange[]> => {
    const wanted = withoutByteOrderMark(content).text;
    if ((await workspace.stat(path)) === undefined) return [{ path, after: wanted }];
    const current = await workspace.read(path, signal);
    if (current.kind !== "text") throw new RefusedRequest(-32_000, `${asked} is no text.`);
    const lineEnd = majorityLineEnd(current.text) ?? "\n";
    return [{ path, before: current.text, after: keepLineEnds(current.text, normalizeLineEnds(wanted), lineEnd) }];
  };
  const [change] = await changes();
  // Some write to the disk directly and report it afterwards.
  if (change === undefined || change.before === change.after) return;
  const context = contextOf(agent, callId === "" ? randomUUID() : callId, signal);
  const result = await reviewedInTurn(tools, { toolName: "write_file", paths: [path], changes }, context);
  const text = await workspace.read(path, signal).catch(() => undefined);
  if (text?.kind === "text" && text.text === change.after) return;
  throw new RefusedRequest(-32_000, result.content);
}

/** A command is judged by the rules for commands, where all that is known of it is its text. */
async function permissionFor(
  agent: AgentMeta,
  call: ForeignCall,
  { definition, folder }: ForeignHostParts,
): Promise<PermissionRequest> {
  const asker = { agent, callId: call.callId, toolName: call.toolName };
  const command = call.kind === "execute" ? plainCommand(call.args, folder.absolute) : undefined;
  if (command !== undefined) {
    const { version, files: runs } = await commandFiles(command, folder.absolute, folder.root);
    return { kind: "command", ...asker, command, cwd: folder.path, folder: folder.absolute, version, runs };
  }
  const changes = changeText(call);
  const isEdit = call.kind === "edit" && changes !== "";
  const args = argumentsOf(call);
  const details = isEdit ? changes : JSON.stringify(args) === "{}" ? "" : JSON.stringify(args, undefined, 2);
  return {
    ...{ kind: "foreign", ...asker, program: definition.name, title: call.label || call.toolName },
    ...{ details: details.slice(0, 20_000), isEdit },
  };
}

/** Undefined where something else than a description comes with it, like another folder to run it in. */
function plainCommand(args: unknown, folder: string): string | undefined {
  if (typeof args !== "object" || args === null || !("command" in args)) return undefined;
  const isPlain = Object.entries(args).every(
    ([key, value]) => ["command", "description", "timeout"].includes(key) || (key === "cwd" && value === folder),
  );
  const { command } = args;
  return isPlain && typeof command === "string" && command.trim() !== "" ? command : undefined;
}

/** What the review of an edit knows of the call that it is for. */
function contextOf(agent: AgentMeta, callId: string, signal: AbortSignal): ToolContext {
  return {
    ...{ signal, callId, agent, depth: agent.depth, tools: [], scope: createScope() },
    subAgents: {
      create() {
        throw new AgentError("scope_closed", "Nothing is created here.");
      },
    },
    update: () => {},
    output: () => {},
    reportUsage: () => {},
  };
}

/** What is refused is the agent's to know, in words that were written for models. */
async function refusedAs<Result>(code: number, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RefusedRequest) throw error;
    throw new RefusedRequest(code, error instanceof UserError ? error.forModel : errorText(error));
  }
}
