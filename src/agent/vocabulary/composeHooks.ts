import type { LoopHooks, NextTurn, ToolCallBlock } from "./hooks.ts";
import type { AgentMessage, ToolResult } from "./messages.ts";

type HookName = keyof LoopHooks;

/**
 * Makes one set of hooks of several. Transforms chain; the first block wins and later hooks are not asked; patches of
 * results merge; of `prepareNextTurn` the last field wins; it stops if any says so; message lists are joined; the first
 * key that is not empty wins; of several projections the last wins. A hook that none of them has stays absent.
 */
export function composeHooks(...hooks: LoopHooks[]): LoopHooks {
  const composed: Required<LoopHooks> = {
    convertToLlm: (messages) => having(hooks, "convertToLlm").at(-1)?.convertToLlm(messages) ?? [],
    async transformContext(messages, signal) {
      let current: readonly AgentMessage[] = messages;
      for (const hook of having(hooks, "transformContext")) current = await hook.transformContext(current, signal);
      return [...current];
    },
    async getApiKey(provider) {
      for (const hook of having(hooks, "getApiKey")) {
        const key = await hook.getApiKey(provider);
        if (key) return key;
      }
      return undefined;
    },
    async beforeToolCall(info): Promise<ToolCallBlock | undefined> {
      for (const hook of having(hooks, "beforeToolCall")) {
        const verdict = await hook.beforeToolCall(info);
        if (verdict?.block) return verdict;
      }
      return undefined;
    },
    async afterToolCall(info): Promise<Partial<ToolResult>> {
      let patch: Partial<ToolResult> = {};
      for (const hook of having(hooks, "afterToolCall")) {
        const result = { ...info.result, ...patch };
        const isError = patch.isError ?? info.isError;
        patch = { ...patch, ...(await hook.afterToolCall({ ...info, result, isError })) };
      }
      return patch;
    },
    async prepareNextTurn(turn): Promise<NextTurn> {
      let next: NextTurn = {};
      for (const hook of having(hooks, "prepareNextTurn")) next = { ...next, ...(await hook.prepareNextTurn(turn)) };
      return next;
    },
    async shouldStopAfterTurn(turn) {
      let stop = false;
      for (const hook of having(hooks, "shouldStopAfterTurn")) stop = (await hook.shouldStopAfterTurn(turn)) || stop;
      return stop;
    },
    async beforeFinish(turn) {
      const lists: AgentMessage[] = [];
      for (const hook of having(hooks, "beforeFinish")) lists.push(...((await hook.beforeFinish(turn)) ?? []));
      return lists;
    },
    async getSteeringMessages() {
      const lists: AgentMessage[] = [];
      for (const hook of having(hooks, "getSteeringMessages")) lists.push(...(await hook.getSteeringMessages()));
      return lists;
    },
    async getFollowUpMessages() {
      const lists: AgentMessage[] = [];
      for (const hook of having(hooks, "getFollowUpMessages")) lists.push(...(await hook.getFollowUpMessages()));
      return lists;
    },
  };
  // The keys of `composed` are the names of the hooks; entries() widens them to text.
  const wanted = Object.entries(composed).filter(([name]) => having(hooks, name as HookName).length > 0);
  return Object.fromEntries(wanted);
}

type With<Name extends HookName> = LoopHooks & Required<Pick<LoopHooks, Name>>;

/** Looked up at each call, because a set of hooks may be given one later. */
function having<Name extends HookName>(hooks: readonly LoopHooks[], name: Name): With<Name>[] {
  return hooks.filter((hook): hook is With<Name> => hook[name] !== undefined);
}
