import { t } from "@vscode/l10n";
import type { AgentTree, TreeNode } from "../../../agent/types.ts";
import type { HostState } from "../../../protocol/hostState.ts";
import { isTestCommand } from "../../../protocol/runs.ts";
import { agentTitle, statusTexts } from "../../model/agents.ts";
import type { EarlierRun, Run } from "../../model/runs.ts";
import { usageSince } from "../../model/usage.ts";
import { aboutCost, formatDuration, plural, tokensText, totalTokens } from "../../text/format.ts";
import type { WorkOfRun } from "./workOfRun.ts";

/** A command that an agent ran to its end. */
export interface RanCommand {
  callId: string;
  agentId: string;
  agent: string;
  command: string;
  isTest: boolean;
  /** Absent where it was stopped, or a signal ended it. */
  exitCode?: number;
  isSandboxed: boolean;
}

/** What one agent, or all agents with one model, used. */
interface Share {
  name: string;
  model: string;
  tokens: number;
  /** USD */
  cost: number;
  durationMs: number;
}

/** What is known of a run when it has ended. */
export interface RunReport {
  /** Absent of a run that another one has followed. */
  status?: TreeNode["status"];
  /** Why it ended, where that is an error. */
  error?: string;
  commands: RanCommand[];
  agents: Share[];
  /** Where there was more than one. */
  models: Share[];
  /** How many calls went through by whose answer. */
  approvals: { byYou: number; rejected: number; byRule: number; inSandbox: number };
  /** What is left to do, as sentences. */
  open: string[];
}

export type ReportedHost = Pick<
  HostState,
  "answeredCalls" | "allowedCalls" | "approvals" | "pendingEdits" | "plans" | "questions" | "commands"
>;

/** The report of a run: from the events of its agents and of the host. What is open now is not of an earlier run. */
export function reportOfRun(tree: AgentTree, root: TreeNode, run: Run | EarlierRun, host: ReportedHost): RunReport {
  const earlier = "until" in run ? run : undefined;
  const isIn: IsIn = (time) => time >= run.startedAt && time < (earlier?.until ?? Number.POSITIVE_INFINITY);
  const nodes = Object.values(tree.nodes).filter((node) => node === root || isIn(node.startedAt));
  const calls = new Set(nodes.flatMap((node) => callsOf(node, isIn)));
  const commands = nodes.flatMap((node) => commandsOf(node, isIn));
  const agents = sharesOf(root, nodes, run);
  const models = sumByModel(agents);
  const outcomes = Object.entries(host.answeredCalls).flatMap(([id, outcome]) => (calls.has(id) ? outcome : []));
  return {
    ...(earlier === undefined && { status: root.status, ...(root.error && { error: root.error.message }) }),
    ...{ commands, agents, models: models.length > 1 ? models : [] },
    approvals: {
      byYou: outcomes.filter((outcome) => outcome === "accepted" || outcome === "partly").length,
      rejected: outcomes.filter((outcome) => outcome === "rejected").length,
      byRule: Object.keys(host.allowedCalls).filter((id) => calls.has(id)).length,
      inSandbox: commands.filter(({ isSandboxed }) => isSandboxed).length,
    },
    open: earlier === undefined ? openWork(root, nodes, host) : [],
  };
}

/**
 * What the report of a run, and its work, are made of: they stay the same as long as all of these do. A run that another
 * one has followed does not depend on what the root agent does now, nor on agents that were started since.
 */
export function reportInputs(tree: AgentTree, root: TreeNode, run: Run | EarlierRun, host: HostState): unknown[] {
  if (!("until" in run)) return [run, tree, host];
  const nodes = Object.values(tree.nodes).filter((node) => node !== root && node.startedAt < run.until);
  return [run, root.messages[0], host.writtenEdits, host.answeredCalls, host.allowedCalls, ...nodes];
}

/** Whether a time in ms since the epoch is in the run. */
type IsIn = (time: number) => boolean;

function callsOf({ messages }: TreeNode, isIn: IsIn): string[] {
  return messages.flatMap((message) =>
    message.role === "toolResult" && isIn(message.timestamp) ? message.callId : [],
  );
}

function commandsOf({ meta, messages, tools }: TreeNode, isIn: IsIn): RanCommand[] {
  return messages.flatMap((message): RanCommand[] => {
    if (message.role !== "toolResult" || !isIn(message.timestamp)) return [];
    const { details, callId } = message;
    if (typeof details !== "object" || details === null || !("cause" in details)) return [];
    const text = "command" in details ? details.command : argumentOf(tools, callId);
    if (typeof text !== "string") return [];
    return [
      {
        ...{ callId, agentId: meta.id, agent: agentTitle(meta), command: text, isTest: isTestCommand(text) },
        ...("exitCode" in details && typeof details.exitCode === "number" && { exitCode: details.exitCode }),
        isSandboxed: "sandboxed" in details && details.sandboxed === true,
      },
    ];
  });
}

function argumentOf(tools: TreeNode["tools"], callId: string): unknown {
  const args = Object.hasOwn(tools, callId) ? tools[callId]?.args : undefined;
  return typeof args === "object" && args !== null && "command" in args ? args.command : undefined;
}

/** Of the root agent: what the run used beyond its sub-agents, since its own count goes on from run to run. */
function sharesOf(root: TreeNode, nodes: readonly TreeNode[], run: Run | EarlierRun): Share[] {
  const below = nodes.filter((node) => node !== root);
  const all = usageSince("until" in run ? run.total : root.total, run.before);
  const shares = below.map(
    ({ meta, own, startedAt, endedAt = startedAt, earlierMs = 0 }): Share => ({
      ...{ name: agentTitle(meta), model: meta.model ?? "", tokens: totalTokens(own), cost: own.cost },
      durationMs: endedAt - startedAt + earlierMs,
    }),
  );
  const { startedAt, endedAt = startedAt, earlierMs = 0 } = root;
  const own: Share = {
    ...{ name: agentTitle(root.meta), model: root.meta.model ?? "" },
    tokens: Math.max(0, totalTokens(all) - shares.reduce((sum, { tokens }) => sum + tokens, 0)),
    cost: Math.max(0, all.cost - shares.reduce((sum, { cost }) => sum + cost, 0)),
    durationMs: "until" in run ? run.elapsedMs : endedAt - startedAt + earlierMs,
  };
  return [own, ...shares];
}

function sumByModel(agents: readonly Share[]): Share[] {
  return [...Map.groupBy(agents, ({ model }) => model)].map(([model, shares]) => ({
    ...{ name: plural(shares.length, t("{0} agent", shares.length), t("{0} agents", shares.length)), model },
    tokens: shares.reduce((sum, { tokens }) => sum + tokens, 0),
    cost: shares.reduce((sum, { cost }) => sum + cost, 0),
    durationMs: shares.reduce((sum, { durationMs }) => sum + durationMs, 0),
  }));
}

function openWork(root: TreeNode, nodes: readonly TreeNode[], host: ReportedHost): string[] {
  const hunks = host.pendingEdits.reduce((sum, file) => sum + file.hunks, 0);
  const waiting = host.approvals.length + host.questions.length;
  const running = host.commands.filter(({ chatTitle }) => chatTitle === undefined).length;
  const plan = host.plans[root.meta.id]?.filter(({ status }) => status !== "completed") ?? [];
  const failed = nodes.filter((node) => node !== root && node.status !== "done" && node.status !== "running");
  return [
    ...(hunks > 0 ? [plural(hunks, t("1 edit to keep or undo"), t("{0} edits to keep or undo", hunks))] : []),
    ...(waiting > 0 ? [plural(waiting, t("1 request waits for you"), t("{0} requests wait for you", waiting))] : []),
    ...(running > 0 ? [plural(running, t("1 command still runs"), t("{0} commands still run", running))] : []),
    ...failed.map((node) => `${agentTitle(node.meta)}: ${statusTexts[node.status]}`),
    ...plan.map(({ text }) => t("Planned: {0}", text)),
  ];
}

/** `exit 0`, or that it did not come to one. */
export function exitText({ exitCode }: RanCommand): string {
  return exitCode === undefined ? t("stopped") : t("exit {0}", exitCode);
}

export function shareText({ model, tokens, cost, durationMs }: Share): string {
  const figures = [model, tokensText(tokens), aboutCost(cost) ?? "", formatDuration(durationMs)];
  return figures.filter((part) => part !== "").join(" · ");
}

/** Who let calls through; empty where none had to be asked about. */
export function approvalText({ byYou, rejected, byRule, inSandbox }: RunReport["approvals"]): string {
  return [
    byYou > 0 ? t("{0} by you", byYou) : "",
    rejected > 0 ? t("{0} rejected", rejected) : "",
    byRule > 0 ? t("{0} by rule", byRule) : "",
    inSandbox > 0 ? t("{0} in the sandbox", inSandbox) : "",
  ]
    .filter((part) => part !== "")
    .join(" · ");
}

/** The report as Markdown. */
export function reportMarkdown(title: string, work: WorkOfRun, report: RunReport): string {
  const { status, error, commands, agents, models, approvals, open } = report;
  const section = (name: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ["", `### ${name}`, "", ...lines.map((line) => `- ${line}`)];
  const reason = error === undefined ? "" : ` (${error})`;
  const outcome = status === undefined ? [] : [`${t("Outcome")}: ${statusTexts[status]}${reason}`];
  const answered = approvalText(approvals);
  return `${[
    `## ${title}`,
    "",
    ...outcome,
    ...section(
      t("Files"),
      work.files.map(
        ({ path, movedTo, added, removed, agents: authors }) =>
          `${inCode(movedTo ?? path)} +${added} −${removed} (${authors.map((author) => author.title).join(", ")})`,
      ),
    ),
    ...section(
      t("Commands and tests"),
      commands.map((command) => `${exitText(command)}: ${inCode(command.command)} (${command.agent})`),
    ),
    ...section(
      t("Agents"),
      [...agents, ...models].map((share) => `${share.name}: ${shareText(share)}`),
    ),
    ...section(t("Approvals"), answered === "" ? [] : [answered]),
    ...section(t("Open"), open),
  ].join("\n")}\n`;
}

/** As code, whatever backticks are in it. */
function inCode(text: string): string {
  const line = text.replace(/\s*\n\s*/g, " ");
  const fence = "`".repeat(Math.max(0, ...(line.match(/`+/g) ?? []).map(({ length }) => length)) + 1);
  return line.includes("`") ? `${fence} ${line} ${fence}` : `\`${line}\``;
}
