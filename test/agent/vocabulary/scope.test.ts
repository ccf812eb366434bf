import assert from "node:assert/strict";
import type { AgentOptions } from "../../../src/agent/agent/agent.ts";
import { createScope, type ExecutionScope } from "../../../src/agent/vocabulary/scope.ts";
import { recordedAgent, tool } from "../../support/agents.ts";
import { byAgent, call, text } from "../../support/scriptedModel.ts";

/** A tool that notes its scope and then runs a child with the given options. */
function noting(scopes: ExecutionScope[], child?: Partial<AgentOptions>) {
  return tool("note", async (_args, context) => {
    scopes.push(context.scope);
    if (child !== undefined) await context.subAgents.create(child).prompt("go");
    return "ok";
  });
}

describe("the execution scope", () => {
  it("D4: an agent that is run without a scope gets a root scope", async () => {
    const scopes: ExecutionScope[] = [];
    const { agent } = recordedAgent([call("note"), text("ok")], { tools: [noting(scopes)] });
    await agent.prompt("hi");
    const [scope] = scopes;
    assert.ok(scope);
    assert.deepEqual([scope.depth, scope.path], [0, ["main"]]);
    assert.ok(scope.traceId.length > 0 && scope.startedAt > 0);
  });

  it("D5: a root scope has an empty path and depth 0; each child derives one deeper, of the same trace", async () => {
    const root = createScope();
    assert.deepEqual([root.depth, root.path, root.spend], [0, [], 0]);
    const child = root.child("a").child("b");
    assert.deepEqual([child.depth, child.path, child.traceId], [2, ["a", "b"], root.traceId]);
    const scopes: ExecutionScope[] = [];
    const grandchild = { name: "grandchild", systemPrompt: "grandchild", tools: [noting(scopes)] };
    const middle = { name: "child", systemPrompt: "child", tools: [noting(scopes, grandchild)] };
    const ask = [call("note"), text("ok")];
    const { agent } = recordedAgent(byAgent({ main: ask, grandchild: ask, child: ask }), {
      systemPrompt: "main",
      tools: [noting(scopes, middle)],
    });
    await agent.prompt("hi", { scope: root });
    assert.deepEqual(
      scopes.map((scope) => [scope.depth, scope.path.join(">"), scope.traceId === root.traceId]),
      [
        [0, "main", true],
        [1, "main>child", true],
        [2, "main>child>grandchild", true],
      ],
    );
  });

  it("D6: siblings do not see each other's path or depth", () => {
    const root = createScope();
    const first = root.child("a");
    const second = root.child("b");
    assert.deepEqual([root.path, first.path, second.path], [[], ["a"], ["b"]]);
    assert.deepEqual([root.depth, first.depth, second.depth], [0, 1, 1]);
  });

  it("D7: what is spent anywhere in the tree raises the total of all of it at once", async () => {
    const root = createScope();
    const [left, right] = [root.child("a"), root.child("b").child("c")];
    left.charge(0.5);
    right.charge(0.25);
    assert.deepEqual([root.spend, left.spend, right.spend], [0.75, 0.75, 0.75]);
    const scope = createScope();
    const usage = { cost: 1 };
    const { agent } = recordedAgent(
      byAgent({ main: [{ ...call("note"), usage }, text("ok", { usage })], child: [text("ok", { usage })] }),
      { systemPrompt: "main", tools: [noting([], { name: "child", systemPrompt: "child" })] },
    );
    await agent.prompt("hi", { scope });
    assert.equal(scope.spend, 3);
    assert.equal(agent.usage.cost, 3);
  });

  it("D7: what a tool reports to have spent is on the ledger too", async () => {
    const scope = createScope();
    const { agent } = recordedAgent([call("ask"), text("ok")], {
      tools: [
        tool("ask", (_args, context) => {
          context.reportUsage({ cost: 2 });
          return "asked";
        }),
      ],
    });
    await agent.prompt("hi", { scope });
    assert.equal(scope.spend, 2);
  });

  it("D8, D9: a scope is past its limits only above them", () => {
    const scope = createScope({ maxDepth: 1, maxSpend: 2 });
    assert.equal(scope.child("a").check(), undefined);
    assert.equal(scope.child("a").child("b").check(), "depth");
    scope.charge(2);
    assert.equal(scope.check(), undefined);
    scope.charge(0.01);
    assert.equal(scope.check(), "spend");
  });

  it("A child's own limits make the inherited ones stricter, never looser", async () => {
    const scopes: ExecutionScope[] = [];
    const child = { name: "child", systemPrompt: "child", maxDepth: 9, maxSpend: 1, tools: [noting(scopes)] };
    const ask = [call("note"), text("ok")];
    const { agent } = recordedAgent(byAgent({ main: ask, child: ask }), {
      systemPrompt: "main",
      maxDepth: 3,
      maxSpend: 5,
      tools: [noting(scopes, child)],
    });
    await agent.prompt("hi");
    assert.deepEqual(
      scopes.map((scope) => [scope.maxDepth, scope.maxSpend]),
      [
        [3, 5],
        [3, 1],
      ],
    );
  });
});
