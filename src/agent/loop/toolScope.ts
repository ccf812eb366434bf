import { findNodeModule } from "../vocabulary/platform.ts";
import type { AgentNode } from "./agentNode.ts";

/** The call that some code runs in. */
interface ToolScope {
  node: AgentNode;
  isOpen: boolean;
}

/** Follows a tool through whatever it waits for. There is none outside Node. */
const hooks = findNodeModule("async_hooks");
const storage = hooks === undefined ? undefined : new hooks.AsyncLocalStorage<ToolScope>();

/** Runs a tool of an agent; `close` is called once it has settled. */
export function openToolScope(node: AgentNode): { run<T>(tool: () => T): T; close(): void } {
  const scope: ToolScope = { node, isOpen: true };
  return {
    run: (tool) => (storage === undefined ? tool() : storage.run(scope, tool)),
    close() {
      scope.isOpen = false;
    },
  };
}

/** Whether this runs in an open tool call of the agent: then its run can't end before this code does. */
export function isInToolOf(node: AgentNode): boolean {
  const scope = storage?.getStore();
  return scope?.isOpen === true && scope.node === node;
}
