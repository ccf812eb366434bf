import fc from "fast-check";
import * as z from "zod";
import type { Agent } from "../../src/agent/agent/agent.ts";
import { FatalToolError } from "../../src/agent/vocabulary/errors.ts";
import { type AgentTool, defineTool, type ToolContext, type ToolResult } from "../../src/agent/vocabulary/tools.ts";
import type { RecordedRequest, Reply } from "./scriptedModel.ts";

/** What one tool call of a random run does. */
export interface CallPlan {
  does:
    | "works"
    | "waits"
    | "throws"
    | "reports"
    | "isUnknown"
    | "isInvalid"
    | "terminates"
    | "isFatal"
    | "ignoresAbort"
    | "completes";
  child?: AgentPlan;
  /** The child is left running when the tool returns. */
  leavesChild?: boolean;
}

/** What one answer of a random run is. */
export interface TurnPlan {
  how: "answers" | "fails" | "breaks" | "isCut" | "isUnfinished" | "isBulk";
  calls: CallPlan[];
  cost: number;
}

export interface AgentPlan {
  turns: TurnPlan[];
  sequential: boolean;
}

/** What happens to the root from outside, each at the given count of events. */
export interface Disturbance {
  abortAt?: number;
  steerAt?: number;
  followUpAt?: number;
}

const behaviours: CallPlan["does"][] = [
  ...Array<CallPlan["does"]>(8).fill("works"),
  "waits",
  "throws",
  "reports",
  "isUnknown",
  "isInvalid",
  "terminates",
  "isFatal",
  "ignoresAbort",
  "completes",
];
/** Mostly what goes on, so that runs get somewhere. */
const kinds: TurnPlan["how"][] = [
  ...Array<TurnPlan["how"]>(12).fill("answers"),
  "fails",
  "breaks",
  "isCut",
  "isUnfinished",
  "isBulk",
];

/** Agents nested up to `depth` levels deep. */
export function agentPlan(depth: number): fc.Arbitrary<AgentPlan> {
  const does = fc.constantFrom(...behaviours);
  const plain: fc.Arbitrary<CallPlan> = fc.record({ does });
  const nested = () => fc.record({ does, child: agentPlan(depth - 1), leavesChild: fc.boolean() });
  const call = depth === 0 ? plain : fc.oneof({ weight: 2, arbitrary: plain }, { weight: 1, arbitrary: nested() });
  const turn: fc.Arbitrary<TurnPlan> = fc.record({
    how: fc.constantFrom(...kinds),
    calls: fc.array(call, { maxLength: 3, size: "max" }),
    cost: fc.integer({ min: 0, max: 8 }),
  });
  return fc.record({ turns: fc.array(turn, { minLength: 1, maxLength: 4, size: "max" }), sequential: fc.boolean() });
}

export const disturbance: fc.Arbitrary<Disturbance> = fc.record(
  { abortAt: fc.nat(150), steerAt: fc.nat(150), followUpAt: fc.nat(150) },
  { requiredKeys: [] },
);

/** Plays plans: the reply that an agent's plan has next, and the tool that its calls run. */
export class PlanPlayer {
  /** Every sub-agent that was created. */
  readonly children: Agent[] = [];
  readonly #plans = new Map<string, { plan: AgentPlan; next: number }>();

  /** The system prompt by which a request finds its plan. */
  register(plan: AgentPlan): string {
    const key = `plan ${this.#plans.size}`;
    this.#plans.set(key, { plan, next: 0 });
    return key;
  }

  reply(request: RecordedRequest): Reply {
    const known = this.#plans.get(request.systemPrompt);
    if (known === undefined) throw new Error(`No plan for ${request.systemPrompt}`);
    const turn = known.plan.turns[known.next];
    known.next += 1;
    return turn === undefined ? { text: "end" } : replyOf(turn, this.#calls(turn));
  }

  get tool(): AgentTool {
    return defineTool({
      name: "act",
      description: "Does what the plan says.",
      schema: z.object({ plan: z.string() }),
      execute: (args, context) => this.#act(JSON.parse(args.plan), context),
    });
  }

  #calls(turn: TurnPlan): { name: string; args: unknown }[] {
    return turn.calls.map((call) => {
      if (call.does === "isUnknown") return { name: "ghost", args: {} };
      return { name: "act", args: call.does === "isInvalid" ? { plan: 1 } : { plan: JSON.stringify(call) } };
    });
  }

  async #act(call: CallPlan, context: ToolContext): Promise<ToolResult> {
    if (call.child !== undefined) await this.#runChild(call.child, call.leavesChild === true, context);
    switch (call.does) {
      case "waits":
        await new Promise(setImmediate);
        return { content: "waited" };
      case "throws":
        throw new Error("broke");
      case "isFatal":
        throw new FatalToolError("fatal");
      case "reports":
        context.update({ content: "half", details: { undefined: undefined, date: new Date(0) } });
        context.output("line\n");
        context.reportUsage({ input: 1, cost: 2 });
        return { content: "reported", details: { f: () => 1, n: Number.NaN } };
      case "terminates":
        return { content: "enough", terminate: true };
      case "completes":
        return { content: "complete", control: { type: "complete", value: { at: new Date(0) } } };
      case "ignoresAbort":
        await new Promise(setImmediate);
        await new Promise(setImmediate);
        return { content: "did not listen" };
      default:
        return { content: "ok" };
    }
  }

  async #runChild(plan: AgentPlan, isLeft: boolean, context: ToolContext): Promise<void> {
    const child = context.subAgents.create({
      name: "child",
      systemPrompt: this.register(plan),
      tools: [this.tool],
      toolExecution: plan.sequential ? "sequential" : "parallel",
    });
    this.children.push(child);
    const run = child.send("go").result;
    if (!isLeft) await run;
  }
}

function replyOf({ how, cost }: TurnPlan, calls: { name: string; args: unknown }[]): Reply {
  const usage = { input: 10, output: 1, cost };
  const reply: Reply = calls.length === 0 ? { text: "done", usage } : { text: "working", calls, usage };
  switch (how) {
    case "answers":
      return reply;
    case "fails":
      return { ...reply, error: "overloaded" };
    case "breaks":
      return { ...reply, throws: new Error("reset") };
    case "isCut":
      return { ...reply, stopReason: "length" };
    case "isUnfinished":
      return { ...reply, unfinished: true };
    case "isBulk":
      return { ...reply, bulk: true };
  }
}
