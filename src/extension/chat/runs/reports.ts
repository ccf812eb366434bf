import { randomUUID } from "node:crypto";
import { t } from "@vscode/l10n";
import type { ChildRunOptions } from "../../../agent/delegation/runChild.ts";
import { type Agent, type AgentEvent, type AgentMessage, textOf, userMessage } from "../../../agent/index.ts";
import type { HostEvent } from "../../../protocol/hostEvents.ts";
import { onAbort } from "../../common/abort.ts";
import { UserError } from "../../common/userError.ts";
import type { ReportFlag } from "./reportFlags.ts";

export interface ReportsOptions {
  root(): Agent | undefined;
  emit(event: HostEvent): void;
  /** Aborted by the next stop of the whole run. */
  nextStop(): AbortSignal | undefined;
  /** Whether the user sees the chat: a report with a flag then waits a moment for them. */
  isWatched(): boolean;
  /** Calls back later, unless what it returns is called. */
  later(run: () => void, delayMs: number): () => void;
}

/** So long a flagged report waits for the user, where its parent waits for nothing else. */
const flaggedHoldMs = 10_000;

/** Loaded with the first report. */
const flags = () => import("./reportFlags.ts");

interface Held {
  parentId: string;
  callId: string;
  flag: ReportFlag | undefined;
  answer(answer: string | undefined): void;
  /** Ends the wait for the user. */
  cancel?: () => void;
}

interface AtWork {
  parentId: string | undefined;
  callId: string | undefined;
}

/**
 * What sub-agents report. A report that is empty, cut or only points elsewhere is flagged before its parent goes on, and
 * each can be asked for again: as long as the parent waits for others the new one takes its place, and later it comes as
 * a note.
 */
export class Reports {
  readonly #options: ReportsOptions;
  /** By agent id: its parent has not got the report. */
  readonly #held = new Map<string, Held>();
  readonly #flags = new Map<string, ReportFlag>();
  readonly #running = new Map<string, AtWork>();
  /** By the id of the agent: its calls under way. */
  readonly #calls = new Map<string, Set<string>>();
  readonly #closing = new AbortController();

  constructor(options: ReportsOptions) {
    this.#options = options;
  }

  observe(event: AgentEvent): void {
    const { id, parentId, toolCallId: callId } = event.agent;
    if (event.type === "agent_start") {
      this.#running.set(id, { parentId, callId });
      this.#calls.delete(id);
    } else if (event.type === "agent_end") this.#running.delete(id);
    else if (event.type === "tool_execution_start")
      this.#calls.set(id, (this.#calls.get(id) ?? new Set()).add(event.callId));
    else if (event.type === "tool_execution_end") this.#calls.get(id)?.delete(event.callId);
    else return;
    if (event.type === "agent_end" && parentId !== undefined) this.#release(parentId);
    if (event.type === "tool_execution_end") this.#release(id);
  }

  /** Holds a report until its parent waits for nothing else. */
  readonly onReport: NonNullable<ChildRunOptions["onReport"]> = async ({ child, run, result, context, signal }) => {
    const { flagNote, reportFlag } = await flags();
    const agentId = child.id;
    const { finalMessage, reason } = run;
    const text = typeof result.content === "string" ? result.content : "";
    const flag = reportFlag({ text, reason, stopReason: finalMessage?.stopReason });
    const asked = await new Promise<string | undefined>((resolve) => {
      let listening: { dispose(): void } | undefined;
      const answer = (text: string | undefined) => {
        listening?.dispose();
        this.#held.get(agentId)?.cancel?.();
        this.#held.delete(agentId);
        resolve(text);
      };
      this.#held.set(agentId, { parentId: context.agent.id, callId: context.callId, flag, answer });
      this.#check(agentId, flag, true);
      listening = onAbort(signal, () => answer(undefined));
      this.#release(context.agent.id);
    });
    if (asked !== undefined) return { followUp: userMessage(asked) };
    this.#check(agentId, flag, false);
    if (flag === undefined || reason === "limit") return { result };
    return { result: { ...result, content: `${text}\n\n${flagNote(flag)}`.trim() } };
  };

  /** Asks a sub-agent that has reported for more, in the context it has. Without a text: for what its report lacks. */
  async askAgain(agentId: string, text = ""): Promise<void> {
    const { followUpText } = await flags();
    const words = text.trim() === "" ? followUpText(this.#flags.get(agentId)) : text.trim();
    const root = this.#options.root();
    const child = root?.find(agentId) ?? root?.reopen(agentId, this.#closing.signal);
    if (root === undefined || child === undefined || child === root) {
      throw new UserError(
        t(
          "This agent's context ended with its run. Retry gives its task to a new agent that starts from the beginning.",
        ),
      );
    }
    const { name: to = "agent", parentId = root.id, toolCallId: callId } = child.meta;
    const steered = { messageId: randomUUID(), agentId, to, text: words, parentId };
    this.#options.emit({ type: "agent_steered", ...steered, ...(callId !== undefined && { callId }) });
    const held = this.#held.get(agentId);
    if (held !== undefined) return held.answer(words);
    if (child.status !== "idle") return void child.steer(words);
    await this.#askLate(root, child, words);
  }

  dispose(): void {
    this.#closing.abort();
    for (const { cancel } of this.#held.values()) cancel?.();
  }

  /** The parent has gone on: what comes now is news to it. */
  async #askLate(root: Agent, child: Agent, words: string): Promise<void> {
    const stop = this.#options.nextStop();
    const { finalMessage, error, reason } = await child.send(userMessage(words), stop && { signal: stop }).result;
    const text = finalMessage === undefined ? "" : textOf(finalMessage);
    const { reportFlag } = await flags();
    const flag = error === undefined ? reportFlag({ text, reason, stopReason: finalMessage?.stopReason }) : undefined;
    if (reason === "aborted") return;
    const report = error === undefined ? text : `It failed: ${error.message}`;
    this.#setFlag(child.id, flag);
    const { id: agentId, name = "agent" } = child.meta;
    this.#options.emit({ type: "report_checked", agentId, ...(flag !== undefined && { flag }), late: report });
    const note: AgentMessage = {
      role: "agentResponse",
      id: randomUUID(),
      from: { id: child.id, name },
      text: `After ${name} had reported, the user asked it again: ${words}\nIts new report:\n${report}`,
      timestamp: Date.now(),
    };
    for (let parent = child.parent; parent !== undefined; parent = parent.parent) {
      // One that was reopened works in place of the parent that the agent had.
      const above = root.find(parent.id) ?? parent;
      if (above.status === "idle") continue;
      above.steer(note);
      return;
    }
    root.addMessage(note);
  }

  #check(agentId: string, flag: ReportFlag | undefined, isHeld: boolean): void {
    const before = this.#flags.get(agentId);
    this.#setFlag(agentId, flag);
    // A report like any other is worth no entry of the log.
    if (flag === undefined && before === undefined) return;
    const held = isHeld && flag !== undefined && { isHeld: true as const };
    this.#options.emit({ type: "report_checked", agentId, ...(flag !== undefined && { flag }), ...held });
  }

  #setFlag(agentId: string, flag: ReportFlag | undefined): void {
    if (flag === undefined) this.#flags.delete(agentId);
    else this.#flags.set(agentId, flag);
  }

  /** Lets the parent go on, where it waits for nothing but these reports. */
  #release(parentId: string): void {
    if (this.#isBusy(parentId)) return;
    for (const held of [...this.#held.values()].filter((each) => each.parentId === parentId)) {
      const waits = held.flag !== undefined && held.flag !== "cut" && this.#options.isWatched();
      if (!waits) held.answer(undefined);
      else held.cancel ??= this.#options.later(() => held.answer(undefined), flaggedHoldMs);
    }
  }

  /** Another of its sub-agents works, or a tool that has none. */
  #isBusy(parentId: string): boolean {
    const working = [...this.#running.values()].filter((each) => each.parentId === parentId);
    if (working.length > 0) return true;
    const delegating = new Set([...this.#held.values()].map(({ callId }) => callId));
    return [...(this.#calls.get(parentId) ?? [])].some((callId) => !delegating.has(callId));
  }
}
