import { createHash } from "node:crypto";
import { mkdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { t } from "@vscode/l10n";
import type { StartingTask } from "../../agent/toolkits/delegation.ts";
import type { AgentMeta, ToolResult } from "../../agent/types.ts";
import { clipHunks } from "../../protocol/fileEdits.ts";
import type { ComparedRun, Comparison } from "../../protocol/hostEvents.ts";
import { isTestCommand } from "../../protocol/runs.ts";
import { diffLines, wholeFile } from "../changes/model/diffLines.ts";
import { writeWhole } from "../common/atomicFile.ts";
import { UserError } from "../common/userError.ts";
import type { NamedCommand } from "../terminal/commands.ts";
import type { ToolDependencies } from "../tools/index.ts";
import { orRefusal } from "../tools/refusal.ts";
import { decodeText, isBinary } from "../workspace/documents/encoding.ts";
import { type IsolatingChat, inWorktree, propose } from "./isolatedAgents.ts";
import { parseChanges, storedChanges } from "./storedChanges.ts";
import type { FileDifference, WorktreeFile } from "./worktreeFiles.ts";
import type { Worktrees } from "./worktrees.ts";

export interface ComparisonOptions {
  storage: string;
}

type TaskEnd = Awaited<ReturnType<StartingTask["run"]>>;
/** What of a chat its comparisons are in. */
type ComparingChat = Pick<IsolatingChat, "comparisons" | "emit">;

const maxAnswer = 20_000;
const maxFiles = 200;
const maxCommand = 200;

/** Runs of one task, each in a worktree. What they changed is stored until the user has chosen. */
export class Comparisons {
  readonly #storage: string;

  constructor({ storage }: ComparisonOptions) {
    this.#storage = join(storage, "compared");
  }

  /** One of the runs. One that had ended when the editor was closed does not run again. */
  async run(worktrees: Worktrees, folder: string, task: StartingTask, chat: IsolatingChat): Promise<TaskEnd> {
    const { callId } = task.context;
    const known = comparisonOf(chat, callId)?.runs[task.index];
    if (known === undefined || known.state === "done") return { result: waiting() };
    const model = known.model === undefined ? undefined : chat.modelNamed(known.model);
    if (known.model !== undefined && model === undefined) {
      this.#change(chat, callId, task.index, { state: "failed", answer: t("There is no model {0} now.", known.model) });
      return { result: waiting() };
    }
    let end: TaskEnd | undefined;
    const startedAt = Date.now();
    const result = await orRefusal(async () => {
      const began = (agentId: string) => this.#change(chat, callId, task.index, { agentId });
      const watched: StartingTask = {
        ...task,
        run: (o) =>
          task.run({
            ...o,
            // Its report is for the user, who may be the only one to wait for it: it is not held for those of others.
            ...(o?.registry && { registry: { ...o.registry, watch: {} } }),
            onCreated: (child) => {
              o?.onCreated?.(child);
              began(child.meta.id);
            },
          }),
      };
      let tests: ComparedRun["tests"];
      const onStart = ({ command, ended }: NamedCommand) => {
        if (!isTestCommand(command)) return;
        void ended.then(({ exitCode }) => {
          tests = { command: command.slice(0, maxCommand), ...(exitCode !== null && { exitCode }) };
        });
      };
      const commandsIn: IsolatingChat["commandsIn"] = (other) => chat.commandsIn({ ...other, onStart });
      const ran = await inWorktree(worktrees, folder, watched, {
        chat: { ...chat, commandsIn },
        ...(model && { model }),
      });
      const usage = ran.end.run?.usage;
      // The user may have closed the comparison meanwhile.
      if (comparisonOf(chat, callId)?.isClosed !== true) await this.#store(callId, task.index, ran.changes.inside);
      end = ran.end;
      const { inside } = ran.changes;
      const files = inside.slice(0, maxFiles).map(comparedFile);
      const isDone = end.result.isError !== true;
      this.#change(chat, callId, task.index, {
        ...{ state: isDone ? "done" : "failed", files, answer: textOf(end.result).slice(0, maxAnswer) },
        ...(inside.length > files.length && { fileCount: inside.length }),
        ...{ durationMs: Date.now() - startedAt, ...(tests && { tests }) },
        ...(usage && { tokens: usage.input + usage.output + usage.cacheRead + usage.cacheWrite, cost: usage.cost }),
      });
      await ran.settle();
      return end.result;
    });
    if (end === undefined) this.#change(chat, callId, task.index, { state: "failed", answer: textOf(result) });
    return { ...end, result: waiting() };
  }

  /**
   * Proposes what a run changed on the user's files. Gives what became of it, for the agent that delegated. Throws a
   * `UserError` where nothing of it was written: then the run is not used.
   */
  async use(
    chat: ComparingChat,
    { comparisonId, index }: { comparisonId: string; index: number },
    { tools, agent, signal }: { tools: ToolDependencies; agent: AgentMeta; signal: AbortSignal },
  ): Promise<string> {
    const text = await readFile(this.#file(comparisonId, index), "utf8").catch(() => undefined);
    if (text === undefined) throw new UserError(t("What this run changed is not stored any more."));
    const callId = `${comparisonId}:${index}`;
    const taken = await propose(
      { inside: parseChanges(text), above: [], repositories: [] },
      { agent, callId, context: { signal }, tools },
    );
    if (!taken.isWritten) throw notTaken(taken);
    this.#change(chat, comparisonId, index, { isUsed: true });
    return taken.report;
  }

  /** Nothing of a comparison is stored any more. */
  async close(chat: ComparingChat, comparisonId: string): Promise<void> {
    const comparison = comparisonOf(chat, comparisonId);
    if (comparison === undefined) return;
    // First: a run that ends meanwhile stores nothing.
    chat.emit({ type: "comparison_changed", comparison: { ...comparison, isClosed: true } });
    for (const index of comparison.runs.keys()) await rm(this.#file(comparisonId, index), { force: true });
  }

  #file(comparisonId: string, index: number): string {
    const name = createHash("sha256").update(`${comparisonId} ${index}`).digest("hex").slice(0, 32);
    return join(this.#storage, `${name}.json`);
  }

  async #store(comparisonId: string, index: number, changes: readonly FileDifference[]): Promise<void> {
    const file = this.#file(comparisonId, index);
    try {
      await mkdir(dirname(file), { recursive: true });
      await writeWhole(file, storedChanges(changes));
    } catch (error) {
      throw new UserError(t("The change of this run could not be stored: {0}", String(error)));
    }
  }

  #change(chat: ComparingChat, id: string, index: number, changed: Partial<ComparedRun>): void {
    const comparison = comparisonOf(chat, id);
    if (comparison === undefined) return;
    const runs = comparison.runs.map((run, at) => (at === index ? { ...run, ...changed } : run));
    chat.emit({ type: "comparison_changed", comparison: { ...comparison, runs } });
  }
}

function comparisonOf(chat: ComparingChat, id: string): Comparison | undefined {
  return chat.comparisons().find((comparison) => comparison.id === id);
}

/** So many of the files that can't be proposed are named. */
const maxNamed = 5;

function notTaken({ report, isProposed, left }: Awaited<ReturnType<typeof propose>>): UserError {
  if (isProposed) {
    return new UserError(
      t("Nothing of what this run changed was written. To see its edits once more, choose Use this one."),
      report,
    );
  }
  if (left.length === 0) return new UserError(t("Your files already hold all that this run changed."), report);
  const named = left.slice(0, maxNamed).join(", ") + (left.length > maxNamed ? ", …" : "");
  return new UserError(
    t(
      "Nothing that this run changed can be proposed: {0}. Binary files, a file mode alone and files that agents may not write are left out: change them by hand.",
      named,
    ),
    report,
  );
}

/** The run of the agent that delegated ends here: the user decides what comes of it. */
function waiting(): ToolResult {
  const content = "The run has ended. The user compares it with others; nothing of it is in the workspace.";
  return { content, control: { type: "return_to_user", value: "" } };
}

function comparedFile({ path, before, after }: FileDifference): NonNullable<ComparedRun["files"]>[number] {
  const [old, now] = [shownText(before), shownText(after)];
  const change = before === undefined ? "add" : after === undefined ? "delete" : "update";
  if (old === undefined || now === undefined) return { path, change, added: 0, removed: 0, hunks: [] };
  const hunks = change === "update" ? diffLines(old, now) : [wholeFile(old, now)];
  const shown = clipHunks(hunks.map(({ oldStart: line, oldLines, newLines }) => ({ line, oldLines, newLines })));
  return {
    ...{ path, change },
    added: hunks.reduce((sum, { newLines }) => sum + newLines.length, 0),
    removed: hunks.reduce((sum, { oldLines }) => sum + oldLines.length, 0),
    hunks: (shown.hunks ?? []).map(({ line, oldLines, newLines }) => ({
      ...{ line, oldLines: [...oldLines], newLines: [...newLines] },
    })),
  };
}

/** Empty where there is no file; undefined for what is no text. */
function shownText(file: WorktreeFile | undefined): string | undefined {
  if (file === undefined) return "";
  return file.isLink || isBinary(file.bytes) ? undefined : decodeText(file.bytes)?.text;
}

function textOf({ content }: ToolResult): string {
  return typeof content === "string" ? content : JSON.stringify(content);
}
