import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import path from "node:path";
import { readProcesses } from "../../../src/extension/terminal/processTable.ts";
import { describeReal, installedPackage, packageFolder } from "../../support/installedPackage.ts";
import { root } from "../places.ts";
import { ask, seeThrough } from "../run.ts";
import { turn } from "./scripted.ts";
import { useSession } from "./wire/session.ts";

const [name, version] = ["@modelcontextprotocol/server-everything", "2026.8.31"] as const;
const node = path.join(root, "node_modules/node/bin/node");
const mark = randomUUID();

describeReal("An MCP server of the registry, in an editor", () => {
  before(async function () {
    this.timeout(300_000);
    await installedPackage(name, version);
  });
  const session = useSession("anthropic", undefined, {
    "arbor.mcp.servers": {
      every: {
        ...{ command: node, args: [path.join(packageFolder(name, version), "dist", "index.js")] },
        env: { ARBOR_TEST_MARK: mark },
      },
    },
  });
  const every = (tool: string, args: object = {}) => ({ tool: `every__${tool}`, arguments: args });
  const sent = async () => JSON.stringify((await session().fake.requests()).at(-1)?.body);
  const long = every("trigger-long-running-operation", { duration: 60, steps: 60 });

  it("is asked about with its name and arguments, and answers", async () => {
    const { fake, panel } = session();
    await fake.script(
      turn("Echo", 0, [every("echo", { message: "hi there" })]),
      turn("Echo", 1, [{ text: "It echoed." }]),
    );
    await ask(panel, "Echo");
    const card = panel.approvals.first();
    await card.getByText("hi there").first().waitFor();
    await card.getByText(/every/).first().waitFor();
    assert.deepEqual(await seeThrough(panel, "all"), { ok: true });
    assert.match(await sent(), /Echo: hi there/);
  });

  it("asks the user for a value in the middle of a call, who may decline", async () => {
    const { fake, panel } = session();
    await fake.script(
      turn("Elicit", 0, [every("trigger-elicitation-request")]),
      turn("Elicit", 1, [{ text: "It knows." }]),
    );
    await ask(panel, "Elicit");
    await panel.approvals.first().getByRole("button", { name: "Allow", exact: true }).click();
    const first = panel.frame.getByRole("group", { name: /^Question: MCP server every.*legal name/ });
    await first.getByText("main asks").waitFor();
    await first.getByRole("button", { name: "You decide", exact: true }).click();
    await panel.conversation.getByText("It knows.").waitFor();
    assert.match(await sent(), /declin/i);
  });

  it("is canceled by a stop, fails a call in which it is killed, and is started again by the next one", async () => {
    const { fake, panel } = session();
    await panel.button("New chat").click();
    await fake.script(
      turn("Wait", 0, [long]),
      turn("Wait on", 0, [long]),
      turn("Wait on", 1, [every("echo", { message: "again" })]),
      turn("Wait on", 2, [{ text: "It is back." }]),
    );
    await ask(panel, "Wait");
    await panel.approvals.first().getByRole("button", { name: "Allow", exact: true }).click();
    await panel.tree
      .getByText(/\d+(?:%| of 60|\/60)/)
      .or(panel.tree.getByText(/long.running/i))
      .first()
      .waitFor();
    await panel.button("Stop").first().click();
    await panel.button("Stop").first().waitFor({ state: "detached" });
    await ask(panel, "Wait on");
    await panel.approvals.first().getByRole("button", { name: "Allow", exact: true }).click();
    await panel.approvals.first().waitFor({ state: "detached" });
    const own = () => readProcesses().filter((row) => row.hasInEnvironment(mark));
    const [server] = own();
    process.kill(server?.pid ?? assert.fail("no server"), "SIGKILL");
    assert.deepEqual(await seeThrough(panel, "all"), { ok: true });
    const all = await sent();
    assert.match(all, /ended during the call/);
    assert.match(all, /Echo: again/);
    assert.equal(own().length, 1);
  });
});
