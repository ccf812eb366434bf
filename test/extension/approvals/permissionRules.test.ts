import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentMeta } from "../../../src/agent/types.ts";
import { ChatGrants } from "../../../src/extension/approvals/chatGrants.ts";
import { CommandTrust } from "../../../src/extension/approvals/commandTrust.ts";
import type { EditRequest } from "../../../src/extension/approvals/grants.ts";
import type { CommandPermission, FetchPermission, McpPermission } from "../../../src/extension/approvals/permission.ts";
import { PermissionQueue } from "../../../src/extension/approvals/permissionQueue.ts";
import { judgeRequest, type PermissionRules, rulesToOffer } from "../../../src/extension/approvals/permissionRules.ts";
import type { HostEvent } from "../../../src/protocol/hostEvents.ts";
import { emptyHostState, reduceHost } from "../../../src/protocol/hostState.ts";

const agent: AgentMeta = { id: "main", name: "main", depth: 0, prefix: "" };
const asker = { agent, callId: "call" };
const contextOf = (rules: Partial<PermissionRules>) => ({
  rules: { allow: [], ask: [], deny: [], ...rules },
  roots: ["/work/shop"],
  shell: "bash" as const,
});
const command = (text: string): CommandPermission => ({
  ...{ kind: "command", command: text, cwd: ".", folder: "/work/shop", toolName: "run_command" },
  ...asker,
});
const fetching = (url: string, more: Partial<FetchPermission> = {}): FetchPermission => ({
  ...{ kind: "fetch", url, host: new URL(url).host, isPrivate: false, concerns: [], toolName: "fetch_url" },
  ...asker,
  ...more,
});
const calling = (server: string, tool: string, more: Partial<McpPermission> = {}): McpPermission => ({
  ...{ kind: "mcp", purpose: "call", server, tool, arguments: "{}", description: "", version: "1", isChanged: false },
  ...{ claims: { readsOnly: false, destroys: false, reachesOut: false }, toolName: `${server}__${tool}` },
  ...asker,
  ...more,
});
const edit = (paths: string[], isSensitive = false): EditRequest => ({ kind: "edit", agent, paths, isSensitive });

describe("rules of the settings", () => {
  const verdictOf = async (request: Parameters<typeof judgeRequest>[0], rules: Partial<PermissionRules>) =>
    (await judgeRequest(request, contextOf(rules)))?.verdict;

  it("decide about commands together with what is allowed anyway", async () => {
    assert.equal(await verdictOf(command("git status"), {}), "allow");
    assert.equal(await verdictOf(command("npm test"), {}), "ask");
    assert.equal(await verdictOf(command("npm test"), { allow: ["run_command(npm test)"] }), "allow");
    assert.equal(await verdictOf(command("npm test && rm x"), { allow: ["run_command(npm test)"] }), "ask");
    assert.equal(await verdictOf(command("git status"), { deny: ["run_command(git *)"] }), "deny");
    assert.equal(await verdictOf(command("git status"), { ask: ["run_command(git *)"] }), "ask");
  });

  it("ask before a command reads what an isolated agent has, but for that agent's own", async () => {
    const base = await realpath(await mkdtemp(join(tmpdir(), "arbor-rules-")));
    const [shop, worktrees] = [join(base, "shop"), join(base, "storage/worktrees")];
    const [own, other] = ["arbor-1/arbor-1", "arbor-2/arbor-2"].map((name) => join(worktrees, name));
    for (const folder of [shop, own ?? "", other ?? ""]) {
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, "a.ts"), "a\n");
    }
    const context = { ...contextOf({}), roots: [shop], worktrees };
    const verdictIn = async (folder = "", text = "") =>
      (await judgeRequest({ ...command(text), folder }, context))?.verdict;
    assert.equal(await verdictIn(shop, "cat a.ts"), "allow");
    assert.equal(await verdictIn(shop, `cat ${own}/a.ts`), "ask");
    assert.equal(await verdictIn(own, "cat a.ts"), "allow");
    assert.equal(await verdictIn(own, `cat ${shop}/a.ts`), "allow");
    assert.equal(await verdictIn(own, `cat ${other}/a.ts`), "ask");
    assert.equal(await verdictIn(own, `cat ${worktrees}/arbor-1/../arbor-2/arbor-2/a.ts`), "ask");
    await rm(base, { recursive: true });
  });

  it("decide about edits by all of their paths, and never allow a sensitive one", async () => {
    const rules = { allow: ["edit_file(src/**)"], deny: ["edit_file(vendor/**)"], ask: ["edit_file(src/api/*)"] };
    assert.equal(await verdictOf(edit(["src/a/b.ts"]), rules), "allow");
    assert.equal(await verdictOf(edit(["src/a.ts", "docs/a.md"]), rules), undefined);
    assert.equal(await verdictOf(edit(["src/a.ts", "vendor/a.js"]), rules), "deny");
    assert.equal(await verdictOf(edit(["VENDOR/a.js"]), rules), "deny");
    assert.equal(await verdictOf(edit(["src/api/a.ts"]), rules), "ask");
    assert.equal(await verdictOf(edit(["src/.env"], true), rules), undefined);
    assert.equal(await verdictOf(edit(["src/../../x"]), rules), undefined);
  });

  it("85 allow a host by https alone and where nothing about it is odd, and deny it always", async () => {
    const rules = { allow: ["fetch_url(*.example.org)", "fetch_url(docs.test)"], deny: ["fetch_url(bad.example.org)"] };
    assert.equal(await verdictOf(fetching("https://a.example.org/x"), rules), "allow");
    assert.equal(await verdictOf(fetching("http://a.example.org/x"), rules), undefined);
    assert.equal(await verdictOf(fetching("https://example.org.evil.test/"), rules), undefined);
    assert.equal(await verdictOf(fetching("https://docs.test/", { isPrivate: true }), rules), undefined);
    assert.equal(await verdictOf(fetching("https://docs.test/", { concerns: ["odd"] }), rules), undefined);
    assert.equal(await verdictOf(fetching("http://bad.example.org/"), rules), "deny");
  });

  it("decide about tools of other programs by their server and name", async () => {
    const rules = { allow: ["mcp(github:get_*)"], deny: ["mcp(*:delete_*)"] };
    assert.equal(await verdictOf(calling("github", "get_issue"), rules), "allow");
    assert.equal(await verdictOf(calling("github", "delete_issue"), rules), "deny");
    assert.equal(await verdictOf(calling("gitlab", "get_issue"), rules), undefined);
  });

  it("never allow what a server asks of the model, nor a tool that says something new", async () => {
    const rules = { allow: ["mcp(github:get_*)"], deny: ["mcp(spy:*)"] };
    assert.equal(await verdictOf(calling("github", "get_issue", { purpose: "sampling" }), rules), undefined);
    assert.equal(await verdictOf(calling("github", "get_issue", { isChanged: true }), rules), undefined);
    assert.equal(await verdictOf(calling("spy", "ask", { purpose: "sampling" }), rules), "deny");
  });

  it("40 stop a glob that would take for ever, and count it as asking", async () => {
    const slow = `edit_file(${"{a,b}".repeat(20)})`;
    const startedAt = performance.now();
    assert.equal(await verdictOf(edit(["src/a.ts"]), { deny: [slow] }), "deny");
    assert.equal(await verdictOf(edit(["src/a.ts"]), { allow: [slow] }), undefined);
    const stars = `edit_file(${"*a".repeat(12)}*b)`;
    assert.equal(await verdictOf(edit([`${"a".repeat(200)}.ts`]), { allow: [stars] }), undefined);
    assert.ok(performance.now() - startedAt < 2_000);
  });

  it("are offered only where they would allow the very thing", async () => {
    assert.deepEqual(await rulesToOffer(command("npm run 'my test'"), contextOf({})), [
      "run_command(npm run 'my test')",
    ]);
    assert.deepEqual(await rulesToOffer(command("npm ci && npm test"), contextOf({})), [
      "run_command(npm ci)",
      "run_command(npm test)",
    ]);
    assert.deepEqual(await rulesToOffer(command("npm test > out.txt"), contextOf({})), []);
    assert.deepEqual(await rulesToOffer({ ...command("npm ci"), sandbox: "inside" }, contextOf({})), []);
    assert.deepEqual(await rulesToOffer(command("sudo npm ci"), contextOf({})), []);
    assert.deepEqual(await rulesToOffer(command("find . -delete"), contextOf({})), []);
    assert.deepEqual(await rulesToOffer(fetching("https://a.test/x"), contextOf({})), ["fetch_url(a.test)"]);
    assert.deepEqual(await rulesToOffer(fetching("http://a.test/x"), contextOf({})), []);
    assert.deepEqual(await rulesToOffer(calling("shop", "buy"), contextOf({})), ["mcp(shop:buy)"]);
    assert.deepEqual(await rulesToOffer(calling("*", "buy"), contextOf({})), []);
    assert.deepEqual(await rulesToOffer(calling("shop", "buy", { purpose: "sampling" }), contextOf({})), []);
    // A wildcard in the command is none in the rule.
    const [rule = ""] = await rulesToOffer(command("npm test *.ts"), contextOf({}));
    assert.equal(await verdictOf(command("npm test x.ts"), { allow: [rule] }), "ask");
    assert.equal(await verdictOf(command("npm test *.ts"), { allow: [rule] }), "allow");
  });
});

describe("the queue of permissions with rules", () => {
  function arrange(rules: Partial<PermissionRules> = {}) {
    const events: HostEvent[] = [];
    const written: string[] = [];
    let ids = 0;
    const queue = new PermissionQueue({
      newId: () => `question-${++ids}`,
      agentPath: () => ["main"],
      lineage: () => ["main"],
      rules: {
        judge: (request) => judgeRequest(request, contextOf(rules)),
        offer: (request) => rulesToOffer(request, contextOf(rules)),
        add: async (added) => void written.push(...added),
      },
    });
    const emit = (event: HostEvent) => void events.push(event);
    const chat = { id: "chat", emit, grants: new ChatGrants({ emit, newId: () => "grant" }) };
    const ask = (text: string) => queue.askFor(chat)(command(text), new AbortController().signal);
    const askSandboxed = (text: string) =>
      queue.askFor(chat, () => true)({ ...command(text), sandbox: "inside" }, new AbortController().signal);
    const open = () => events.reduce(reduceHost, emptyHostState()).approvals;
    const opened = async () => {
      while (open().length === 0) await new Promise((resolve) => setImmediate(resolve));
      return open()[0];
    };
    const askAgain = (request: Partial<CommandPermission>) =>
      queue.askFor(chat)({ ...command("npm test"), ...request }, new AbortController().signal);
    return { queue, chat, ask, askAgain, askSandboxed, opened, open, events, written };
  }

  it("asks nothing for what a rule allows, and says which", async () => {
    const { ask, events } = arrange({ allow: ["run_command(npm test)"] });
    assert.deepEqual(await ask("npm test"), { allowed: true });
    assert.deepEqual(events, [
      {
        type: "call_allowed",
        callId: "call",
        grant: { id: "run_command(npm test)", kind: "command", scope: "rule", text: "run_command(npm test)" },
      },
    ]);
  });

  for (const path of ["package.json", "scripts/test.mjs", "shop/scripts/test.mjs", ".vscode/settings.json"]) {
    it(`asks for what a rule allows once an agent has changed ${path}, until the user has allowed it`, async () => {
      const { askAgain, chat, opened, open, queue } = arrange({ allow: ["run_command(npm test)"] });
      const runs = ["/work/shop/package.json", "/work/shop/scripts/test.mjs"];
      assert.deepEqual(await askAgain({ runs, version: "one" }), { allowed: true });
      chat.grants.lapseCommands(["src/a.ts", "docs/test.md"]);
      assert.deepEqual(await askAgain({ runs, version: "one" }), { allowed: true });
      chat.grants.lapseCommands([path]);
      const answer = askAgain({ runs, version: "one" });
      assert.match((await opened())?.request?.detail ?? "", /an agent changed a file that decides what it runs/);
      queue.decide("question-1", "accepted");
      assert.deepEqual(await answer, { allowed: true });
      assert.deepEqual(await askAgain({ runs, version: "one" }), { allowed: true });
      assert.deepEqual(open(), []);
    });
  }

  it("asks for what a rule allows when a file that it runs has become another one", async () => {
    const { askAgain, opened, queue } = arrange({ allow: ["run_command(npm test)"] });
    assert.deepEqual(await askAgain({ version: "one" }), { allowed: true });
    const answer = askAgain({ version: "two" });
    await opened();
    queue.decide("question-1", "rejected");
    assert.deepEqual(await answer, { allowed: false });
    void askAgain({ version: "two" });
    await opened();
    assert.equal(queue.has("question-2"), true);
  });

  it("asks for it too when the agents of another chat have changed it, but not in the sandbox", async () => {
    const { askAgain, chat, opened } = arrange({ allow: ["run_command(npm test)"] });
    const trust = new CommandTrust();
    chat.grants.share({ trust });
    const other = new ChatGrants({ emit: () => {}, newId: () => "grant" });
    other.share({ trust });
    other.lapseCommands(["package.json"]);
    assert.deepEqual(await askAgain({ sandbox: "inside" }), { allowed: true });
    void askAgain({ version: "one" });
    assert.notEqual(await opened(), undefined);
  });

  it("lets programs that only read run on, whatever an agent changed", async () => {
    const { ask, chat } = arrange();
    chat.grants.lapseCommands(["package.json"]);
    assert.deepEqual(await ask("cat package.json"), { allowed: true });
  });

  it("refuses what a rule denies with a reason, and shows no question", async () => {
    const { ask, events } = arrange({ deny: ["run_command(npm *)"] });
    const answer = await ask("npm test");
    assert.deepEqual(answer, {
      allowed: false,
      reason: "The rule npm * denies npm test.",
      isRule: true,
    });
    assert.deepEqual(events, []);
  });

  it("80 refuses a sub-agent what a rule denies, whatever its parents were allowed", async () => {
    const { askAgain, ask, queue, opened } = arrange({ deny: ["run_command(npm publish *)"] });
    const answer = ask("npm test");
    await opened();
    queue.decide("question-1", "accepted", { scope: "session" });
    await answer;
    const child: AgentMeta = { id: "deep", name: "deep", parentId: "main", depth: 2, prefix: "deep" };
    for (const command of ["npm publish --tag x", "npm test && npm publish", "cd . ; npm publish"])
      assert.equal((await askAgain({ agent: child, command })).allowed, false, command);
    assert.equal(queue.has("question-2"), false);
  });

  it("asks where a rule asks, whatever was allowed before, and offers no wider answer", async () => {
    const { ask, opened, queue } = arrange({ ask: ["run_command(npm *)"] });
    void ask("npm test");
    assert.equal((await opened())?.scopes, undefined);
    queue.decide("question-1", "accepted", { scope: "session" });
    void ask("npm test");
    await opened();
    assert.equal(queue.has("question-2"), true);
  });

  it("lets run what needs no question in the sandbox, but not what a rule denies or asks for", async () => {
    const { askSandboxed, opened, events } = arrange({
      deny: ["run_command(npm publish)"],
      ask: ["run_command(make *)"],
    });
    assert.deepEqual(await askSandboxed("npm test"), { allowed: true });
    assert.deepEqual(events, []);
    assert.equal((await askSandboxed("npm publish")).allowed, false);
    void askSandboxed("make all");
    assert.equal((await opened())?.request?.text, "make all");
  });

  it("47 writes the very rule that the card shows", async () => {
    const { ask, opened, queue, written } = arrange();
    const answer = ask("npm test");
    const approval = await opened();
    assert.deepEqual(approval?.scopes?.at(-1), { scope: "rule", pattern: "run_command(npm test)" });
    queue.decide("question-1", "accepted", { scope: "rule" });
    assert.deepEqual(await answer, { allowed: true });
    assert.deepEqual(written, ["run_command(npm test)"]);
  });

  it("writes no rule that was not on offer", async () => {
    const { ask, opened, queue, written } = arrange();
    void ask("npm test > out.txt");
    assert.equal(
      (await opened())?.scopes?.some(({ scope }) => scope === "rule"),
      false,
    );
    queue.decide("question-1", "accepted", { scope: "rule" });
    assert.deepEqual(written, []);
  });
});
