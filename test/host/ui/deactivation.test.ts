import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import path from "node:path";
import { commandMarkVariable } from "../../../src/extension/terminal/environment.ts";
import { readProcesses } from "../../../src/extension/terminal/processTable.ts";
import { eventually } from "../eventually.ts";
import { root } from "../places.ts";
import { ask, seeThrough } from "../run.ts";
import { useSession } from "./wire/session.ts";

const node = path.join(root, "node_modules/node/bin/node");
const [agentMark, serverMark] = [randomUUID(), randomUUID()];

describe("Arbor that is deactivated while others work for it", () => {
  const session = useSession(
    "anthropic",
    undefined,
    {
      "arbor.model": "foreign/Tester",
      "arbor.foreignAgents": {
        Tester: {
          ...{ command: node, args: [path.join(root, "test/support/acpAgent.ts")] },
          env: ["ARBOR_TEST_MARK"],
        },
      },
      "arbor.mcp.servers": {
        regular: {
          ...{ command: node, args: [path.join(root, "test/extension/mcp/support/regularServer.ts")] },
          env: { ARBOR_TEST_MARK: serverMark },
        },
      },
    },
    async () => ({ ARBOR_TEST_MARK: agentMark }),
  );
  // The editor's own processes have the first one, too.
  const started = (mark: string) =>
    readProcesses().filter((row) => row.hasInEnvironment(mark) && row.hasInEnvironment(`${commandMarkVariable}=`));

  it("leaves none of their processes, also none that made itself independent", async () => {
    const { panel, editor } = session();
    await ask(panel, "fork");
    assert.deepEqual(await seeThrough(panel, "all"), { ok: true });
    await ask(panel, "slow");
    await panel.conversation.getByText(/word3/).first().waitFor();
    const pids = () => [...started(agentMark), ...started(serverMark)].map(({ pid }) => pid);
    const before = pids();
    assert.ok(before.length >= 3, "the agent, what it left behind, and the server");
    await editor.reload();
    await eventually(async () =>
      assert.deepEqual(
        before.filter((pid) => pids().includes(pid)),
        [],
      ),
    );
  });
});
