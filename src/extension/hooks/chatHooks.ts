// Past 300 lines: all events share one way to run a hook, and each is a few lines that need the others to be read.
import { t } from "@vscode/l10n";
import { type AgentMeta, type AgentOptions, textOf, type UserMessage, userMessage } from "../../agent/index.ts";
import type { Effect, ExtendedHooks, ToolCallBlock, ToolCallInfo } from "../../agent/vocabulary/hooks.ts";
import type { ToolResult } from "../../agent/vocabulary/messages.ts";
import type { HostEvent, Notice } from "../../protocol/hostEvents.ts";
import type { PermissionMode } from "../../protocol/modes.ts";
import type { AskPermission } from "../approvals/permission.ts";
import { onAbort } from "../common/abort.ts";
import { type HookDefinition, isMatch } from "../customization/hookDefinition.ts";
import { unfoldedTools } from "../mcp/findTools.ts";
import { calledTool } from "../mcp/toolNames.ts";
import { withoutClosings } from "../prompts/contextBlocks.ts";
import type { Commands } from "../terminal/commands.ts";
import { type HookAnswer, type HookEnd, readAnswer } from "./hookAnswer.ts";
import type { HookApproval } from "./hookApproval.ts";
import {
  type HookContext,
  type HookedCall,
  type HookOccasion,
  hookInput,
  matchedNames,
  updatedArguments,
} from "./hookInput.ts";

export interface ChatHooksOptions {
  sessionId: string;
  definitions(): readonly HookDefinition[];
  approval: Pick<HookApproval, "mayRun">;
  askPermission: AskPermission;
  commands: Pick<Commands, "start">;
  /** Where commands run that no agent asked for: "inside" the sandbox, or with the user's rights. */
  sandbox?: { choose(wantsOutside: boolean): Promise<"inside" | "outside" | undefined> };
  folder(path: string | undefined): Promise<{ absolute: string; root: string }>;
  mode(): PermissionMode;
  /** The chat's root agent as far as it is known. */
  rootId(): string;
  emit(event: HostEvent): void;
  showNotice(notice: Notice): void;
}

/** What an agent is made of so that hooks are run for it. */
export type HookParts = Required<Pick<AgentOptions, "middleware" | "effects">> & { hooks: ExtendedHooks };

/** After so many answers that keep an agent from ending, it ends all the same. */
const maxContinued = 8;
const maxPrinted = 64 * 1_024;

interface Outcome {
  hook: HookDefinition;
  answer: HookAnswer;
}

/** Runs the hooks of one chat, for its root agent and for those below. */
export class ChatHooks {
  readonly #options: ChatHooksOptions;
  /** Problems of a message's hooks: shown when its run has begun, which takes earlier notices down. */
  #waiting: Notice[] = [];

  constructor(options: ChatHooksOptions) {
    this.#options = options;
  }

  /** Before a message of the user's goes to an agent: what is to be sent, or why not. */
  async submit(message: UserMessage, signal: AbortSignal): Promise<{ message: UserMessage } | { blocked: string }> {
    const agent: AgentMeta = { id: this.#options.rootId(), name: "main", prefix: "", depth: 0 };
    const [words] = message.content;
    const prompt = words?.type === "text" ? words.text : "";
    const outcomes = await this.#run({ event: "UserPromptSubmit", prompt }, agent, signal);
    const blocked = blockOf(outcomes);
    if (blocked !== undefined) return { blocked: blocked.reason };
    const context = contextOf(outcomes);
    if (context === undefined) return { message };
    return { message: { ...message, content: [...message.content, { type: "text", text: context }] } };
  }

  /** For one agent: made for each, since each has its own course. */
  parts(): HookParts {
    let meta: AgentMeta | undefined;
    let continued = 0;
    let context: string | undefined;
    const effect: Effect = {
      name: "hooks",
      before: ({ iteration, transcript }) => {
        if (iteration > 0 || context === undefined) return;
        transcript.append(userMessage(context));
        context = undefined;
      },
    };
    return {
      effects: [effect],
      middleware: [
        (next, agent) => async (signal) => {
          meta = agent;
          continued = 0;
          for (const notice of this.#waiting.splice(0)) this.#options.showNotice(notice);
          if (agent.depth > 0) {
            context = contextOf(await this.#run({ event: "SubagentStart" }, agent, signal));
          }
          return next(signal);
        },
      ],
      hooks: {
        ...this.#toolHooks(),
        beforeFinish: async ({ message, signal }) => {
          if (meta === undefined || continued >= maxContinued) return [];
          const event = meta.depth > 0 ? "SubagentStop" : "Stop";
          const occasion = { event, isActive: continued > 0, lastMessage: textOf(message) } as const;
          const blocked = blockOf(await this.#run(occasion, meta, signal));
          if (blocked === undefined || blocked.ends) return [];
          continued += 1;
          return [userMessage(feedback(event, blocked.reason))];
        },
      },
    };
  }

  #toolHooks(): Pick<ExtendedHooks, "reviseCall" | "afterToolCall"> {
    /** By call: what its hooks made of it, for its result. */
    const revised = new Map<string, string[]>();
    return {
      reviseCall: async (info) => {
        const { call, agent, signal } = info;
        // A call before this one may have had its id, and not been run.
        revised.delete(call.id);
        const hooked = hookedCall(info);
        const { tool, args } = hooked;
        const occasion = { event: "PreToolUse", ...hooked } as const;
        const outcomes = await this.#run(occasion, agent, signal);
        const blocked = blockOf(outcomes);
        if (blocked !== undefined) return refusal(tool, blocked);
        const asks = outcomes.map(({ answer }) => answer).find((answer) => answer.type === "asks");
        const updated = argumentsOf(outcomes);
        const revisedArgs = updated && updatedArguments(tool, args, updated, await this.#folder());
        if (asks !== undefined) {
          const wanted = JSON.stringify(revisedArgs ?? args, undefined, 1);
          const answer = await this.#askUser({ agent, call: hooked, text: wanted, reason: asks.reason }, signal);
          if (!answer.allowed) {
            const why = answer.reason === undefined ? "" : `: ${answer.reason}`;
            return { block: true, reason: `The user, whom a hook had asked, does not want this call${why}.` };
          }
        }
        const context = contextOf(outcomes);
        const notes = [
          ...(revisedArgs === undefined ? [] : [changedNote(revisedArgs)]),
          ...(context === undefined ? [] : [context]),
        ];
        if (notes.length > 0) revised.set(call.id, notes);
        if (revisedArgs === undefined) return undefined;
        return { args: hooked.isFolded === true ? { name: tool, arguments: revisedArgs } : revisedArgs };
      },
      afterToolCall: async (info) => {
        const { call, agent, signal, result, isError } = info;
        const notes = revised.get(call.id) ?? [];
        revised.delete(call.id);
        if (isError) return notes.length === 0 ? undefined : { content: withText(result.content, notes) };
        const answered = { ...hookedCall(info), result: plainText(result.content) };
        const occasion = { event: "PostToolUse", ...answered } as const;
        const outcomes = await this.#run(occasion, agent, signal);
        const blocked = blockOf(outcomes);
        const replaced = outcomes.flatMap(({ answer }) => ("result" in answer ? (answer.result ?? []) : [])).at(-1);
        const context = contextOf(outcomes);
        const added = [
          ...notes,
          ...(blocked === undefined ? [] : [feedback("PostToolUse", blocked.reason)]),
          ...(context === undefined ? [] : [context]),
        ];
        if (added.length === 0 && replaced === undefined) return undefined;
        return {
          content: withText(replaced ?? result.content, added),
          ...(blocked?.ends === true && { terminate: true }),
        };
      },
    };
  }

  async #folder(): Promise<string> {
    return (await this.#options.folder(undefined)).absolute;
  }

  #askUser(
    o: { agent: AgentMeta; call: HookedCall; text: string; reason: string },
    signal: AbortSignal,
  ): ReturnType<AskPermission> {
    return this.#options.askPermission(
      {
        ...{ kind: "hook", purpose: "call", event: "PreToolUse", matcher: "", path: "", version: "" },
        ...{ command: `${o.call.tool} ${o.text}`, reason: o.reason, isSandboxed: false, isChanged: false },
        ...{ agent: o.agent, callId: o.call.callId, toolName: o.call.tool },
      },
      signal,
    );
  }

  /** All that are meant, at once; in the order of their files. The same command runs once, from the first file that may. */
  async #run(occasion: HookOccasion, agent: AgentMeta, signal: AbortSignal): Promise<Outcome[]> {
    const names = matchedNames(occasion, { agent });
    const meant = this.#options
      .definitions()
      .filter((hook) => hook.event === occasion.event && (names === undefined || isMatch(hook, names)));
    if (meant.length === 0) return [];
    const keyOf = ({ command, names, isAsync, timeoutMs }: HookDefinition) =>
      JSON.stringify([command, names, isAsync, timeoutMs]);
    const outcomes = await Promise.all(
      [...Map.groupBy(meant, keyOf).values()].map(async (same) => {
        for (const hook of same) {
          const outcome = await this.#runOne(hook, occasion, agent, signal);
          if (outcome !== "not allowed") return outcome;
        }
        return undefined;
      }),
    );
    signal.throwIfAborted();
    return outcomes.flatMap((outcome) => outcome ?? []);
  }

  async #runOne(
    hook: HookDefinition,
    occasion: HookOccasion,
    agent: AgentMeta,
    signal: AbortSignal,
  ): Promise<Outcome | "not allowed" | undefined> {
    const callId = "callId" in occasion ? occasion.callId : "";
    const startedAt = performance.now();
    const report = (outcome: Reported, text?: string) =>
      this.#options.emit({
        ...{ type: "hook_ran", event: hook.event, outcome, command: hook.command.slice(0, maxShownCommand) },
        ...(agent.depth > 0 && { agentId: agent.id }),
        ...(callId !== "" && { callId }),
        ...(text !== undefined && text !== "" && { text: text.slice(0, maxShownText) }),
        durationMs: Math.round(performance.now() - startedAt),
      });
    try {
      const folder = await this.#options.folder(undefined);
      const isSandboxed = (await this.#options.sandbox?.choose(false)) === "inside";
      const { askPermission } = this.#options;
      const request = { hook, agent, callId, folder: folder.absolute, root: folder.root, isSandboxed, askPermission };
      const may = await this.#options.approval.mayRun(request, signal);
      if (may !== "yes") {
        if (may === "declined") report("declined");
        return "not allowed";
      }
      const context = {
        agent,
        sessionId: this.#options.sessionId,
        folder: folder.absolute,
        mode: this.#options.mode(),
      };
      const running = this.#end(hook, { occasion, agent, callId, isSandboxed, context }, signal);
      if (hook.isAsync) {
        void running.then(
          () => report("ran"),
          (error: unknown) => report("failed", String(error)),
        );
        return undefined;
      }
      const answer = readAnswer(hook.event, await running);
      if (signal.aborted) return undefined;
      report(...reportedOf(answer));
      if (answer.type === "failed") this.#warn(hook, occasion, answer.problem);
      else if (answer.message !== undefined) this.#notify(occasion, "info", hook, answer.message);
      return { hook, answer };
    } catch (error) {
      if (signal.aborted) return undefined;
      // A hook that can't be started is one that failed: the agent's work goes on.
      const problem = error instanceof Error ? error.message : String(error);
      report("failed", problem);
      this.#warn(hook, occasion, problem);
      return undefined;
    }
  }

  async #end(
    hook: HookDefinition,
    o: { occasion: HookOccasion; agent: AgentMeta; callId: string; isSandboxed: boolean; context: HookContext },
    signal: AbortSignal,
  ): Promise<HookEnd> {
    const { folder } = o.context;
    const command = await this.#options.commands.start({
      command: hook.command,
      folder,
      agentId: o.agent.id,
      callId: `hook ${o.callId}`,
      timeoutMs: hook.timeoutMs,
      isSandboxed: o.isSandboxed,
      isHook: true,
      input: `${hookInput(o.occasion, hook.names, o.context)}\n`,
      variables: { CLAUDE_PROJECT_DIR: folder, ARBOR_PROJECT_DIR: folder },
    });
    let isFlood = false;
    const watch = () => {
      if (isFlood || command.output.length + command.errors.length <= maxPrinted) return;
      isFlood = true;
      void command.stop("stopped");
    };
    const followed = [command.output.follow(watch), command.errors.follow(watch)];
    watch();
    const listening = onAbort(signal, () => void command.stop("stopped"));
    try {
      const { cause, exitCode } = await command.ended;
      const output = command.output.tail(maxPrinted);
      const errors = command.errors.tail(maxPrinted);
      return { exitCode, cause: isFlood ? "flood" : cause === "user" ? "stopped" : cause, output, errors };
    } finally {
      for (const unfollow of followed) unfollow();
      listening.dispose();
    }
  }

  #warn(hook: HookDefinition, occasion: HookOccasion, problem: string): void {
    const text = t("A hook at {0} failed, and the work went on: {1}", hook.event, problem);
    this.#notify(occasion, "warning", hook, text);
  }

  #notify(occasion: HookOccasion, level: Notice["level"], hook: HookDefinition, problem: string): void {
    const id = `hook ${hook.event} ${hook.command}`.slice(0, maxShownCommand);
    const text = `${problem} (${hook.path}: ${hook.command.slice(0, maxShownName)})`;
    const notice: Notice = { id, level, text, actions: [] };
    if (occasion.event === "UserPromptSubmit") this.#waiting.push(notice);
    else this.#options.showNotice(notice);
  }
}

const maxShownCommand = 300;
const maxShownText = 2_000;
const maxShownName = 80;

type Reported = Extract<HostEvent, { type: "hook_ran" }>["outcome"];

function reportedOf(answer: HookAnswer): [Reported, string?] {
  switch (answer.type) {
    case "blocked":
      return ["blocked", answer.reason];
    case "failed":
      return ["failed", answer.problem];
    case "asks":
      return ["asked", answer.reason];
    case "ran":
      if (answer.args !== undefined) return ["changed", JSON.stringify(answer.args)];
      if (answer.result !== undefined) return ["changed", answer.result];
      return answer.context === undefined ? ["ran"] : ["added", answer.context];
    default:
      answer satisfies never;
      return ["ran"];
  }
}

function hookedCall({ call, args, context }: ToolCallInfo): HookedCall {
  const { name: tool, args: own, isFolded } = calledTool(call.name, args);
  const origin = unfoldedTools(context.tools).find(({ name }) => name === tool)?.origin;
  return { tool, args: own, callId: call.id, isFolded, ...(origin && { origin }) };
}

function blockOf(outcomes: readonly Outcome[]): { reason: string; ends?: true } | undefined {
  for (const { answer } of outcomes) if (answer.type === "blocked") return answer;
  return undefined;
}

function argumentsOf(outcomes: readonly Outcome[]): Record<string, unknown> | undefined {
  return outcomes
    .map(({ answer }) => ("args" in answer ? answer.args : undefined))
    .findLast((args) => args !== undefined);
}

function contextOf(outcomes: readonly Outcome[]): string | undefined {
  const texts = outcomes.flatMap(({ answer }) => ("context" in answer ? (answer.context ?? []) : []));
  if (texts.length === 0) return undefined;
  return texts.map((text) => `<hook_context>\n${withoutClosings(text)}\n</hook_context>`).join("\n");
}

function refusal(tool: string, { reason, ends }: { reason: string; ends?: true }): ToolCallBlock {
  const text = `A hook of the user's blocked ${tool}: ${reason}`;
  return { block: true, reason: text, ...(ends === true && { terminate: true }) };
}

function feedback(event: string, reason: string): string {
  return `<hook_feedback event=${JSON.stringify(event)}>\n${withoutClosings(reason)}\n</hook_feedback>`;
}

function changedNote(args: Record<string, unknown>): string {
  return `A hook of the user's changed the arguments of this call to ${JSON.stringify(args)}`;
}

function withText(content: ToolResult["content"], texts: readonly string[]): ToolResult["content"] {
  if (texts.length === 0) return content;
  const text = texts.join("\n\n");
  return typeof content === "string" ? `${content}\n\n${text}` : [...content, { type: "text", text }];
}

function plainText(content: ToolResult["content"]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}
