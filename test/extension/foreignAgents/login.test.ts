import assert from "node:assert/strict";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chooseProgramOption } from "../../../src/extension/foreignAgents/chooseOption.ts";
import { commandText, logIn, type TerminalLogin, terminalLogin } from "../../../src/extension/foreignAgents/login.ts";
import { offeredLogins } from "../../../src/extension/foreignAgents/programOffers.ts";
import { initializeResultSchema } from "../../../src/extension/foreignAgents/protocol.ts";
import { scriptedPrompts } from "../../support/scriptedPrompts.ts";
import { arrangeDelegations } from "./delegations.ts";

const agentFile = join(import.meta.dirname, "../../support/acpAgent.ts");

describe("the login of an agent of another program", function () {
  this.timeout(20_000);

  /** One that works once it is logged in. */
  async function needy() {
    const store = join(await mkdtemp(join(tmpdir(), "arbor-acp-")), "sessions.json");
    const args = [agentFile, "--auth", `--store=${store}`];
    const definition = { name: "Tester", command: process.execPath, args, env: [], guarded: false };
    const arranged = arrangeDelegations([], { setting: { Tester: definition } });
    const terminals: TerminalLogin[] = [];
    const confirmed: string[] = [];
    const choose = async (answers: string[], exitCode: number | undefined = 0) => {
      const prompts = scriptedPrompts(...answers);
      await chooseProgramOption({
        ...{ prompts, catalog: arranged.catalog, programs: ["Tester"], current: undefined },
        commandOf: (_program, login) => terminalLogin(definition, login)?.args.join(" "),
        logIn: async (_program, login) =>
          logIn(login, {
            ...{ prompts, catalog: arranged.catalog, definition, cwd: tmpdir(), environment: process.env },
            async confirm({ detail }) {
              confirmed.push(detail);
              return exitCode !== 2;
            },
            async runInTerminal(run) {
              terminals.push(run);
              return exitCode;
            },
          }),
      });
      return prompts;
    };
    return { ...arranged, choose, terminals, confirmed, definition };
  }

  it("is offered once it has said that it needs one, and is the program's own", async () => {
    const { worker, catalog, choose } = await needy();
    const agent = worker();
    await assert.rejects(agent.prompt("say hi"), /Tester needs you to log in first: Authentication required/);
    assert.ok(catalog.of("Tester").needsLogin);
    // What is one choice is not asked.
    const { offered, told } = await choose(["Its own"]);
    // Variables are for the setting to name.
    assert.deepEqual(offered, [["Its own", "In a terminal"]]);
    assert.deepEqual(told, ["Tester is logged in."]);
    assert.ok(!catalog.of("Tester").needsLogin);
    assert.equal((await agent.prompt("say hi")).reason, "done");
  });

  it("may be one in a terminal, with the arguments that the program names", async () => {
    const { worker, catalog, choose, terminals, confirmed, definition } = await needy();
    await assert.rejects(worker().prompt("say hi"));
    await choose(["In a terminal"], 2);
    assert.deepEqual(terminals, [], "the user said no");
    assert.match(confirmed[0] ?? "", /acpAgent\.ts --auth --store=\S+ --login$/);
    assert.deepEqual((await choose(["In a terminal"], 1)).told, []);
    assert.ok(catalog.of("Tester").needsLogin, "it was given up");
    assert.deepEqual((await choose(["In a terminal"])).told, ["Tester is logged in."]);
    const { command, args } = definition;
    const run = { name: "In a terminal", command, args: [...args, "--login"], env: {} };
    assert.deepEqual(terminals, [run, run]);
  });

  it("that fails says why", async () => {
    const { worker, choose } = await needy();
    await assert.rejects(worker().prompt("say hi"));
    const prompts = await choose([]);
    assert.deepEqual(prompts.told, []);
    const { catalog, definition } = await needy();
    await logIn(
      { id: "wrong", name: "Wrong" },
      {
        ...{ prompts, catalog, definition, cwd: tmpdir(), environment: process.env },
        confirm: async () => true,
        runInTerminal: () => Promise.reject(new Error("never")),
      },
    );
    assert.deepEqual(prompts.told, ["Tester could not log in: wrong password"]);
  });

  it("is shown whole before it runs, with its variables and with nothing hidden", () => {
    const env = { LD_PRELOAD: "/tmp/evil.so" };
    assert.equal(
      commandText({ name: "x", command: "prog", args: ["log in", "a\u202eb"], env }),
      'prog "log in" "a⟨U+202E⟩b"\nLD_PRELOAD=/tmp/evil.so',
    );
  });

  it("has no more than a program says of itself that makes sense", () => {
    const authMethods = [
      { id: "a", type: "terminal", args: "no list", env: { A: 1 } },
      { id: "b".repeat(600) },
      { id: "c", name: "C\u202e", _meta: { "terminal-auth": { command: "prog", args: ["login"], label: "x" } } },
      { id: "d", _meta: { "terminal-auth": { command: "" } } },
      "nothing",
    ];
    const { data } = initializeResultSchema.safeParse({ protocolVersion: 1, authMethods });
    const logins = offeredLogins(data?.authMethods ?? []);
    assert.deepEqual(
      logins.map(({ id, terminal }) => [id, terminal]),
      [
        ["a", { args: [], env: {} }],
        ["c", { command: "prog", args: ["login"], env: {} }],
        ["d", undefined],
      ],
    );
    assert.ok(!logins[1]?.name.includes("\u202e"));
  });
});
