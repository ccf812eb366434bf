import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentMessage, Model } from "../../../src/agent/index.ts";
import type { StartingTask } from "../../../src/agent/toolkits/delegation.ts";
import type { ToolContext } from "../../../src/agent/vocabulary/tools.ts";
import { closeComparison, runAgain, useRun } from "../../../src/extension/chat/agents/compareRuns.ts";
import { isolatingChat } from "../../../src/extension/chat/agents/delegationParts.ts";
import { ownIdentity } from "../../../src/extension/common/processIdentity.ts";
import { UserError } from "../../../src/extension/common/userError.ts";
import { Isolation } from "../../../src/extension/isolation/isolation.ts";
import { parseChanges } from "../../../src/extension/isolation/storedChanges.ts";
import type { ModelAccess } from "../../../src/extension/models/modelAccess.ts";
import { headlessChat } from "../../evals/harness/headlessChat.ts";
import type { UserScript } from "../../evals/harness/scriptedUser.ts";
import { user } from "../../support/events.ts";
import { type RecordedRequest, type Reply, scriptedModel, text } from "../../support/scriptedModel.ts";
import { settingsFrom } from "../../support/settings.ts";
import { type UserRepository, userRepository } from "./userRepository.ts";

const call = (name: string, args: unknown): Reply => ({ calls: [{ name, args }] });
const edit = (path: string, old_text: string, new_text: string) =>
  call("edit_file", { path, edits: [{ old_text, new_text }] });
const task = { agent: "edit", title: "Change it", task: "Change a.ts", context: "", isolation: "worktree" };

describe("an isolated agent", () => {
  let repository: UserRepository;
  let close: (() => Promise<void>) | undefined;
  beforeEach(async () => {
    repository = await userRepository();
  });
  afterEach(async () => {
    await close?.();
    close = undefined;
    await repository.remove();
  });

  /** A chat of the product on the repository; `main` and `isolated` are what the agents say, in turn. */
  function open(scripts: { main: Reply[]; isolated: Reply[][] }, script: UserScript = {}, settings = {}) {
    const { folder, storage } = repository;
    const isolated = new Map<string, Reply[]>();
    const seen: RecordedRequest[] = [];
    const scripted = scriptedModel((request) => {
      const isIsolated = request.systemPrompt?.includes("a git worktree of your own") === true;
      if (!isIsolated) return scripts.main.shift() ?? text("Done.");
      seen.push(request);
      const id = request.messages[0]?.id ?? "";
      const replies = isolated.get(id) ?? scripts.isolated.shift() ?? [];
      isolated.set(id, replies);
      return replies.shift() ?? text("Ended.");
    });
    const models = {
      streamFn: scripted.streamFn,
      mainModel: () => scripted.model,
      subAgentModel: () => undefined,
      named: (name: string) => (name === "none/none" ? undefined : scripted.model),
      usesPatches: () => false,
      describe: (model: Model) => ({ name: model.id, thinkingLevels: [] }),
    } as unknown as ModelAccess;
    const worktrees = join(storage, "worktrees");
    const isolation = new Isolation({
      ...{ storage: worktrees, owner: ownIdentity, folder: () => folder },
      ignoredFiles: () => ({}),
    });
    const chat = headlessChat({
      ...{ folder, name: "project", storage, models, openFiles: [], user: script, isolation },
      settings: settingsFrom({ "arbor.commands.sandbox": "off", ...settings }),
      onEvent: () => {},
      onError: (error) => assert.fail(String(error)),
    });
    close = () => chat.close();
    const left = async () => (await readdir(worktrees)).filter((name) => name.startsWith("arbor-"));
    const storedChanges = () => readdir(join(worktrees, "cutOff")).catch(() => []);
    return { ...chat, isolation, left, storedChanges, requests: scripted.requests, seen };
  }
  const textOf = (path: string) => readFile(join(repository.folder, path), "utf8");
  const lastResult = (messages: readonly AgentMessage[]) =>
    JSON.stringify(messages.findLast(({ role }) => role === "toolResult"));

  it("changes nothing of the user's until its change is accepted, hunk by hunk, as one proposal", async () => {
    const before = await repository.everything();
    let during: unknown;
    const {
      chat,
      user: answers,
      requests,
      seen,
      left,
    } = open({
      main: [call("delegate_to_agent", task), text("Good.")],
      isolated: [
        [
          call("read_file", { path: "src/a.ts" }),
          edit("src/a.ts", "changed\n", "changed by the agent\n"),
          edit("src/a.ts", "line 15\n", "line fifteen\n"),
          call("write_file", { path: "src/made.ts", content: "made\n" }),
          call("run_command", { command: "cat src/made.ts src/new.ts && pwd" }),
          text("I changed it."),
        ],
      ],
    });
    chat.log.onAppend((entry) => {
      if ("host" in entry && entry.host.type === "approval_requested" && entry.host.approval.files.length > 0) {
        during ??= repository.everything();
      }
    });
    await chat.send(user("u1", "Have it changed"), "queue");
    assert.deepEqual(await during, before);
    const edits = answers.approvals.filter(({ kind }) => kind === "edit");
    assert.deepEqual(
      edits.map((asked) => asked.text),
      ["src/a.ts src/made.ts"],
    );
    const printed = JSON.stringify(seen.at(-1)?.messages);
    assert.match(printed, /made\\nnew\\n/);
    assert.match(printed, /worktrees\/arbor-/);
    assert.equal(await textOf("src/made.ts"), "made\n");
    assert.match(await textOf("src/a.ts"), /^changed by the agent\n.*line fifteen\n/s);
    const [isolated = ""] = chat.host.isolated;
    const [written] = chat.host.writtenEdits;
    assert.deepEqual([written?.agentId, written?.agentPath], [isolated, ["main", "edit"]]);
    const now = await repository.everything();
    assert.deepEqual({ ...now, "src/a.ts": "", "src/made.ts": "" }, { ...before, "src/a.ts": "", "src/made.ts": "" });
    const { tools = [], systemPrompt = "" } = seen[0] ?? {};
    assert.ok(!tools.some(({ name }) => name === "get_diagnostics" || name === "rename_symbol"));
    assert.match(systemPrompt, /find problems by running builds and tests/);
    assert.match(lastResult(requests.at(-1)?.messages ?? []), /I changed it\..*change_of_the_isolated_agent/s);
    assert.deepEqual(await left(), []);
  });

  it("has its change merged with what the user typed meanwhile, and asks in every mode where both changed a line", async () => {
    const settings = { "arbor.permissions.mode": "auto-edit" };
    const change = (old: string, now: string) => [
      ...[call("read_file", { path: "src/a.ts" }), edit("src/a.ts", old, now)],
      call("run_command", { command: "true" }),
    ];
    const typing = (from: string, to: string) => async () => {
      await writeFile(join(repository.folder, "src/a.ts"), (await textOf("src/a.ts")).replace(from, to));
    };
    let type = typing("line 3\n", "line 3, typed\n");
    const script: UserScript = {};
    const {
      chat,
      user: answers,
      requests,
    } = open(
      {
        main: [
          ...[call("delegate_to_agent", task), text("Good.")],
          ...[call("delegate_to_agent", { ...task, title: "Again" }), text("Good.")],
        ],
        isolated: [change("line 15\n", "line fifteen\n"), change("line 5\n", "line five\n")],
      },
      script,
      settings,
    );
    // The agent's command is where the user types.
    script.command = () => "accept";
    chat.log.onAppend((entry) => {
      if ("host" in entry && entry.host.type === "approval_requested" && entry.host.approval.request !== undefined) {
        typed = type();
      }
    });
    let typed = Promise.resolve();
    await chat.send(user("u1", "Have it changed"), "queue");
    await typed;
    assert.match(await textOf("src/a.ts"), /line 3, typed\n.*line fifteen\n/s);
    assert.deepEqual(answers.approvals.filter(({ kind }) => kind === "edit").length, 0);
    type = typing("line 5\n", "line 5, typed\n");
    script.edit = () => ({ reject: "Mine" });
    await chat.send(user("u2", "Once more"), "queue");
    assert.deepEqual(answers.approvals.filter(({ kind }) => kind === "edit").length, 1);
    assert.match(await textOf("src/a.ts"), /line 5, typed\n/);
    assert.match(lastResult(requests.at(-1)?.messages ?? []), /same lines were changed in the workspace in src\/a\.ts/);
  });

  it("has what may be written proposed where a rule denies one of its files, which is named with the rule", async () => {
    const settings = { "arbor.permissions.deny": ["edit_file(src/locked/**)"] };
    const script: UserScript = {};
    const {
      chat,
      user: answers,
      requests,
    } = open(
      {
        main: [
          ...[call("delegate_to_agent", task), text("Good.")],
          ...[call("delegate_to_agent", { ...task, title: "Again" }), text("Good.")],
        ],
        isolated: [
          [
            ...[call("read_file", { path: "src/a.ts" }), edit("src/a.ts", "line 15\n", "line fifteen\n")],
            call("write_file", { path: "src/locked/x.ts", content: "x\n" }),
          ],
          [call("write_file", { path: "src/locked/y.ts", content: "y\n" })],
        ],
      },
      script,
      settings,
    );
    await chat.send(user("u1", "Have it changed"), "queue");
    const proposed = () => answers.approvals.filter(({ kind }) => kind === "edit").map((asked) => asked.text);
    assert.deepEqual(proposed(), ["src/a.ts"]);
    assert.match(await textOf("src/a.ts"), /line fifteen\n/);
    const named = (path: string) =>
      new RegExp(`${path} was changed too, but is not taken over: .*edit_file\\(src/locked/\\*\\*\\)`);
    assert.match(lastResult(requests.at(-1)?.messages ?? []), named("src/locked/x.ts"));
    await chat.send(user("u2", "Once more"), "queue");
    assert.deepEqual(proposed(), ["src/a.ts"]);
    assert.match(lastResult(requests.at(-1)?.messages ?? []), /Nothing was proposed/);
    assert.match(lastResult(requests.at(-1)?.messages ?? []), named("src/locked/y.ts"));
    await assert.rejects(stat(join(repository.folder, "src/locked")), /ENOENT/);
  });

  it("has its change asked for where a file of it can't be written unasked", async () => {
    const inTheWay = join(repository.folder, "src/z");
    const { chat, requests } = open(
      {
        main: [call("delegate_to_agent", task), text("Good.")],
        isolated: [
          [
            ...[call("read_file", { path: "src/a.ts" }), edit("src/a.ts", "line 15\n", "line fifteen\n")],
            ...[call("write_file", { path: "src/z/x.ts", content: "x\n" }), call("run_command", { command: "true" })],
          ],
        ],
      },
      {
        // Meanwhile the user makes a file where the agent has a folder, and takes it away once that is said.
        command: () => {
          writeFileSync(inTheWay, "mine\n");
          return "accept";
        },
        edit: () => {
          rmSync(inTheWay);
          return "accept";
        },
      },
      { "arbor.permissions.mode": "auto-edit" },
    );
    const asked: { paths: string[]; why: string; scopes: unknown; text: Promise<string> }[] = [];
    chat.log.onAppend((entry) => {
      if (!("host" in entry) || entry.host.type !== "approval_requested") return;
      const { request, files, why, scopes } = entry.host.approval;
      const paths = files.map(({ path }) => path);
      if (request === undefined) asked.push({ paths, why: why?.join() ?? "", scopes, text: textOf("src/a.ts") });
    });
    await chat.send(user("u1", "Have it changed"), "queue");
    assert.deepEqual(
      asked.map(({ paths, scopes }) => [paths, scopes]),
      [[["src/a.ts", "src/z/x.ts"], undefined]],
    );
    assert.match(asked[0]?.why ?? "", /^Always asked for: writing it failed\. \S/);
    assert.doesNotMatch((await asked[0]?.text) ?? "", /fifteen/);
    assert.match(await textOf("src/a.ts"), /line fifteen\n/);
    assert.equal(await textOf("src/z/x.ts"), "x\n");
    assert.match(lastResult(requests.at(-1)?.messages ?? []), /Created src\/z\/x\.ts/);
  });

  it("is said to have made files executable, or not, since their mode is not taken over", async () => {
    await repository.write({ "scripts/run.sh": "run\n", "scripts/done.sh": "done\n", "scripts/both.sh": "both\n" });
    await chmod(join(repository.folder, "scripts/done.sh"), 0o755);
    const { chat, requests } = open({
      main: [call("delegate_to_agent", task), text("Good.")],
      isolated: [
        [
          call("write_file", { path: "scripts/new.sh", content: "new\n" }),
          call("run_command", {
            command:
              "cd scripts && chmod +x run.sh new.sh both.sh && chmod -x done.sh && printf '\\0' > data && chmod +x data && echo more >> both.sh",
          }),
        ],
      ],
    });
    await chat.send(user("u1", "Have it changed"), "queue");
    const result = lastResult(requests.at(-1)?.messages ?? []) ?? "";
    for (const name of ["run", "new", "both"]) {
      const words = `scripts/${name}.sh is executable in the agent's copy; its mode was not taken over.`;
      assert.ok(result.includes(words), name);
    }
    assert.ok(
      result.includes("scripts/done.sh is not executable any more in the agent's copy; its mode was not taken"),
    );
    assert.match(result, /scripts\/data was changed too, but is not taken over: it is no text file/);
    assert.doesNotMatch(result, /scripts\/(run|done)\.sh was changed too|data is executable/);
    assert.equal(await textOf("scripts/both.sh"), "both\nmore\n");
    assert.equal((await stat(join(repository.folder, "scripts/new.sh"))).mode & 0o100, 0);
  });

  it("works beside others that change the same file, and none of them sees the other's change", async () => {
    const change = (line: number) => [
      ...[call("read_file", { path: "src/a.ts" }), edit("src/a.ts", `line ${line}\n`, `line ${line}!\n`)],
      ...[call("search_text", { query: "!" }), text(`Changed ${line}.`)],
    ];
    const { chat, seen, left } = open({
      main: [call("spawn_agents", { tasks: [task, { ...task, title: "Other" }] }), text("Good.")],
      isolated: [change(2), change(12)],
    });
    await chat.send(user("u1", "Have both changed"), "queue");
    assert.match(await textOf("src/a.ts"), /line 2!\n.*line 12!\n/s);
    const found = seen.map(({ messages }) => lastResult(messages)).filter((result) => result?.includes("search_text"));
    assert.equal(found.length, 2);
    for (const result of found) assert.doesNotMatch(result ?? "", /line 2!.*line 12!/s);
    assert.equal(chat.host.isolated.length, 2);
    assert.deepEqual(await left(), []);
  });

  it("goes on with its own task, not with one of the same call and title", async () => {
    const tasks = ["Change a.ts", "Change b.ts"].map((words) => ({ ...task, task: words }));
    const { chat, isolation, agents } = open({
      main: [call("spawn_agents", { tasks })],
      isolated: [[{ hang: true }], [{ hang: true }]],
    });
    const began = new Set<string>();
    chat.log.onAppend((entry) => {
      if ("agent" in entry && entry.agent.type === "message_start" && entry.agent.agent.depth === 1) {
        began.add(entry.agent.agent.id);
        if (began.size === 2) setImmediate(() => chat.stop());
      }
    });
    await chat.send(user("u1", "Have both changed"), "queue");
    const spawned = (chat.log.entriesAfter(0) ?? []).flatMap((entry) =>
      "agent" in entry && entry.agent.type === "tool_execution_start" ? [entry.agent] : [],
    );
    const { agent, callId } = spawned[0] ?? assert.fail("nothing was called");
    const goesOnAs = async (index: number) => {
      let earlierId: string | undefined;
      await isolation.begin(
        {
          ...{ agent: "edit", isolation: "worktree", index },
          context: { callId, agent, signal: new AbortController().signal } as unknown as ToolContext,
          run: async (options) => {
            earlierId = options?.earlierId;
            return { result: { content: "" } };
          },
        },
        isolatingChat(chat, agents),
      );
      return earlierId ?? "";
    };
    for (const [index, { task: words }] of tasks.entries()) {
      assert.ok(JSON.stringify(chat.transcriptOf(await goesOnAs(index))?.messages).includes(words));
    }
    assert.equal(await goesOnAs(2), "");
  });

  it("leaves nothing of its change when it is stopped", async () => {
    const before = await repository.everything();
    const { chat, left, storedChanges } = open({
      main: [call("delegate_to_agent", task)],
      isolated: [[call("write_file", { path: "x.ts", content: "x" }), { hang: true }]],
    });
    chat.log.onAppend((entry) => {
      if ("agent" in entry && entry.agent.type === "tool_execution_end" && entry.agent.agent.depth === 1) chat.stop();
    });
    await chat.send(user("u1", "Have it changed"), "queue");
    assert.deepEqual(await repository.everything(), before);
    assert.deepEqual([await left(), await storedChanges()], [[], []]);
  });

  it("has its change stored while the user decides, also after the editor has ended", async () => {
    const before = await repository.everything();
    const { chat, storedChanges } = open({
      main: [call("delegate_to_agent", task)],
      isolated: [[call("write_file", { path: "x.ts", content: "x\n" }), text("I wrote it.")]],
    });
    chat.log.onAppend((entry) => {
      if ("host" in entry && entry.host.type === "approval_requested") void chat.dispose();
    });
    await chat.send(user("u1", "Have it written"), "queue");
    assert.deepEqual(await repository.everything(), before);
    assert.equal((await storedChanges()).length, 1);
    await close?.();
    const again = open({
      main: [call("delegate_to_agent", task), text("Good.")],
      isolated: [[call("write_file", { path: "x.ts", content: "x\n" }), text("I wrote it.")]],
    });
    await again.chat.send(user("u1", "Have it written"), "queue");
    assert.equal(await textOf("x.ts"), "x\n");
    // That of the other chat, whose call may have the same id.
    assert.equal((await again.storedChanges()).length, 1);
  });

  it("has its stored change deleted once no chat can need it any more", async () => {
    const worktrees = join(repository.storage, "worktrees");
    const day = 24 * 3_600;
    for (const name of ["cutOff", "compared"]) {
      await mkdir(join(worktrees, name), { recursive: true });
      for (const days of [89, 91]) {
        const file = join(worktrees, name, `${days}.json`);
        await writeFile(file, "[]");
        await utimes(file, Date.now() / 1_000 - days * day, Date.now() / 1_000 - days * day);
      }
    }
    await open({ main: [], isolated: [] }).isolation.ready();
    for (const name of ["cutOff", "compared"]) assert.deepEqual(await readdir(join(worktrees, name)), ["89.json"]);
  });

  it("changes neither settings of git nor what agents may see", async () => {
    const { chat, seen, left } = open({
      main: [call("delegate_to_agent", task)],
      isolated: [
        [
          call("write_file", { path: "sub/.git/config", content: "[core]\n" }),
          call("write_file", { path: ".agentignore", content: "" }),
        ],
      ],
    });
    await chat.send(user("u1", "Have it changed"), "queue");
    assert.match(lastResult(seen[1]?.messages ?? []) ?? "", /sub\/\.git\/config is not for isolated agents/);
    assert.match(lastResult(seen[2]?.messages ?? []) ?? "", /\.agentignore is not for isolated agents/);
    await assert.rejects(textOf(".agentignore"), /ENOENT/);
    assert.deepEqual(await left(), []);
  });

  it("is refused in words where there is no repository", async () => {
    await repository.remove();
    repository = await userRepository("none");
    const { chat, requests } = open({ main: [call("delegate_to_agent", task), text("Then not.")], isolated: [] });
    await chat.send(user("u1", "Have it changed"), "queue");
    assert.match(
      lastResult(requests.at(-1)?.messages ?? []),
      /no git repository\. Give the task with isolation \\"shared/,
    );
  });

  describe("whose task is run again", () => {
    const made = (words: string) => [
      call("write_file", { path: "made.ts", content: `${words}\n` }),
      text(`I wrote ${words}.`, { usage: { input: 100, output: 10 } }),
    ];
    const arrange = async (runs: Reply[][], script: UserScript = {}, settings = {}) => {
      const main = [call("delegate_to_agent", { ...task, isolation: "shared" }), text("Good."), text("I see.")];
      const opened = open({ main, isolated: runs }, script, settings);
      const { chat } = opened;
      await chat.send(user("u1", "Have it done"), "queue");
      const first = (chat.log.entriesAfter(0) ?? []).find((entry) => "agent" in entry && entry.agent.agent.depth === 1);
      assert.ok(first !== undefined && "agent" in first);
      const parts = { chat, isolation: opened.isolation, agents: opened.agents };
      return { ...opened, parts, agentId: first.agent.agent.id };
    };

    it("does it several times, shows what each changed, and proposes the one that is used, which the agent learns", async () => {
      const tested = call("run_command", { command: "test -f made.ts" });
      const [write, ...rest] = made("two");
      assert.ok(write !== undefined);
      const { chat, parts, agentId, requests, left } = await arrange([made("one"), [write, tested, ...rest]]);
      const before = await repository.everything();
      const asked = requests.length;
      await runAgain(parts, { type: "runAgain", agentId, task: "Do it better", times: 2 }, undefined);
      assert.deepEqual(await repository.everything(), before);
      const [comparison] = chat.host.comparisons;
      assert.ok(comparison !== undefined);
      assert.deepEqual(comparison.runs.map(({ state, answer }) => [state, answer]).sort(), [
        ["done", "I wrote one."],
        ["done", "I wrote two."],
      ]);
      assert.deepEqual(
        comparison.runs.map(({ files }) => files?.map(({ path, change, added }) => [path, change, added])),
        [[["made.ts", "add", 1]], [["made.ts", "add", 1]]],
      );
      assert.match(JSON.stringify(requests.at(-1)?.messages), /Do it better/);
      // Two runs of two and three requests, and none of the main agent.
      assert.equal(requests.length - asked, 5);
      assert.equal(chat.isRunning, false);
      assert.deepEqual(await left(), []);
      const index = comparison.runs.findIndex(({ answer }) => answer === "I wrote two.");
      const { tests, tokens, durationMs } = comparison.runs[index] ?? {};
      assert.deepEqual(tests, { command: "test -f made.ts", exitCode: 0 });
      assert.equal(comparison.runs[1 - index]?.tests, undefined);
      assert.ok((tokens ?? 0) > 0 && (durationMs ?? 0) > 0);
      await useRun(parts, { type: "useRun", comparisonId: comparison.id, index });
      assert.equal(await textOf("made.ts"), "two\n");
      assert.equal(chat.host.comparisons[0]?.runs[index]?.isUsed, true);
      assert.equal(chat.host.writtenEdits.at(-1)?.agentId, comparison.runs[index]?.agentId);
      await chat.send(user("u2", "And now?"), "queue");
      assert.match(JSON.stringify(requests.at(-1)?.messages.at(-1)), /The user compared several runs and chose run/);
      await closeComparison(parts, { type: "closeComparison", comparisonId: comparison.id });
      assert.equal(chat.host.comparisons[0]?.isClosed, true);
      await assert.rejects(
        useRun(parts, { type: "useRun", comparisonId: comparison.id, index }),
        /not stored any more/,
      );
    });

    it("counts as used once something of it was written, and says so where nothing was", async () => {
      const script: UserScript = { edit: (_, asked) => (asked === 0 ? { reject: "Not so" } : "accept") };
      const run = [call("read_file", { path: "src/a.ts" }), edit("src/a.ts", "line 15\n", "line fifteen\n")];
      const { chat, parts, agentId, requests } = await arrange([run], script);
      await runAgain(parts, { type: "runAgain", agentId, task: "", times: 1 }, undefined);
      const comparisonId = chat.host.comparisons[0]?.id ?? "";
      const use = () => useRun(parts, { type: "useRun", comparisonId, index: 0 });
      const isUsed = () => chat.host.comparisons[0]?.runs[0]?.isUsed;
      const rejected = "Nothing of what this run changed was written. To see its edits once more, choose Use this one.";
      await assert.rejects(use(), { name: "UserError", message: rejected });
      assert.equal(isUsed(), undefined);
      await use();
      assert.equal(isUsed(), true);
      assert.match(await textOf("src/a.ts"), /line fifteen\n/);
      const held = "Your files already hold all that this run changed.";
      await assert.rejects(use(), { name: "UserError", message: held });
      await writeFile(join(repository.folder, "src/a.ts"), `${await textOf("src/a.ts")}typed\n`);
      await assert.rejects(use(), { name: "UserError", message: held });
      await chat.send(user("u2", "And now?"), "queue");
      assert.equal(JSON.stringify(requests.at(-1)?.messages.at(-1)).match(/compared several runs/g)?.length, 1);
    });

    it("does not count as used where nothing of it can be proposed, and names its files", async () => {
      const settings = { "arbor.permissions.deny": ["edit_file(made.ts)"] };
      const { chat, parts, agentId, user: answers } = await arrange([made("one")], {}, settings);
      await runAgain(parts, { type: "runAgain", agentId, task: "", times: 1 }, undefined);
      const comparisonId = chat.host.comparisons[0]?.id ?? "";
      await assert.rejects(useRun(parts, { type: "useRun", comparisonId, index: 0 }), {
        ...{ name: "UserError", message: /^Nothing that this run changed can be proposed: made\.ts\. / },
        forModel: /made\.ts was changed too, but is not taken over: .*edit_file\(made\.ts\)/,
      });
      assert.equal(chat.host.comparisons[0]?.runs[0]?.isUsed, undefined);
      assert.deepEqual(answers.approvals, []);
    });

    it("says how many files it changed where not all are shown, and stores all of them", async () => {
      const write = call("run_command", { command: "for n in $(seq 1 203); do echo made > made$n.txt; done" });
      const { chat, parts, agentId } = await arrange([[write, text("Made.")]]);
      await runAgain(parts, { type: "runAgain", agentId, task: "", times: 1 }, undefined);
      const [comparison] = chat.host.comparisons;
      const [run] = comparison?.runs ?? [];
      assert.deepEqual([run?.files?.length, run?.fileCount], [200, 203]);
      const compared = join(repository.storage, "worktrees/compared");
      const stored = await Promise.all((await readdir(compared)).map((name) => readFile(join(compared, name), "utf8")));
      assert.deepEqual(
        stored.map((json) => parseChanges(json).length),
        [203],
      );
    });

    it("stores nothing for a comparison that was closed meanwhile", async () => {
      const { chat, parts, agentId, storedChanges } = await arrange([made("one")]);
      let closing: Promise<void> | undefined;
      chat.log.onAppend((entry) => {
        const comparisonId = chat.host.comparisons[0]?.id;
        if ("host" in entry && entry.host.type === "agent_isolated" && comparisonId !== undefined) {
          closing ??= closeComparison(parts, { type: "closeComparison", comparisonId });
        }
      });
      await runAgain(parts, { type: "runAgain", agentId, task: "", times: 1 }, undefined);
      await closing;
      const [comparison] = chat.host.comparisons;
      assert.deepEqual([comparison?.isClosed, comparison?.runs[0]?.state], [true, "done"]);
      assert.deepEqual(await readdir(join(repository.storage, "worktrees/compared")).catch(() => []), []);
      assert.deepEqual(await storedChanges(), []);
    });

    it("says what went wrong in one of them, and has the others", async () => {
      const { chat, parts, agentId } = await arrange([made("one"), [{ error: "The model is gone." }]]);
      await runAgain(parts, { type: "runAgain", agentId, task: "", times: 2 }, undefined);
      assert.deepEqual(chat.host.comparisons[0]?.runs.map(({ state }) => state).sort(), ["done", "failed"]);
      await runAgain(parts, { type: "runAgain", agentId, task: "", times: 1 }, "none/none");
      const [run] = chat.host.comparisons[1]?.runs ?? [];
      assert.deepEqual([run?.state, run?.answer], ["failed", "There is no model none/none now."]);
    });

    it("leaves no comparison behind where no run could begin", async () => {
      const { chat, parts, agentId } = await arrange([]);
      chat.retry = () => Promise.reject(new UserError("Not now."));
      await assert.rejects(runAgain(parts, { type: "runAgain", agentId, task: "", times: 2 }, undefined), /Not now/);
      assert.deepEqual(
        chat.host.comparisons.filter(({ isClosed }) => isClosed !== true),
        [],
      );
    });

    it("does not run again what had ended when it was cut off, and goes on as the very agent that had not", async () => {
      const { chat, parts, agentId, isolation, agents } = await arrange([made("one"), [{ hang: true }]]);
      chat.log.onAppend((entry) => {
        const isOneDone = chat.host.comparisons.some(({ runs }) => runs.some(({ state }) => state === "done"));
        if ("host" in entry && isOneDone && chat.host.isolated.length === 2) setImmediate(() => chat.stop());
      });
      await runAgain(parts, { type: "runAgain", agentId, task: "", times: 2 }, undefined);
      const [cutOff] = chat.host.comparisons;
      const index = cutOff?.runs.findIndex(({ state }) => state === "done") ?? -1;
      assert.equal(cutOff?.runs[1 - index]?.state, "failed");
      const again = {
        ...{ agent: "edit", isolation: "worktree" as const, index },
        context: { callId: cutOff?.id, signal: new AbortController().signal } as ToolContext,
        run: () => assert.fail("it runs again"),
      };
      const { result } = await isolation.begin(again, isolatingChat(chat, agents));
      assert.match(String(result.content), /The run has ended/);
      const main = (chat.log.entriesAfter(0) ?? []).find((entry) => "agent" in entry && entry.agent.agent.depth === 0);
      assert.ok(main !== undefined && "agent" in main);
      let earlierId: string | undefined;
      const other: StartingTask = {
        ...{ ...again, index: 1 - index, context: { ...again.context, agent: main.agent.agent } as ToolContext },
        run: async (options) => {
          earlierId = options?.earlierId;
          return { result: { content: "" } };
        },
      };
      await isolation.begin(other, isolatingChat(chat, agents));
      assert.ok(earlierId !== undefined && earlierId === cutOff?.runs[1 - index]?.agentId);
    });
  });
});
