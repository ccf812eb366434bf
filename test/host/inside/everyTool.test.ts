import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { Agent, type AgentEvent } from "../../../src/agent/index.ts";
import { ChangeStore } from "../../../src/extension/changes/changeStore.ts";
import { ProposalReviews } from "../../../src/extension/changes/proposalReviews.ts";
import { Questions } from "../../../src/extension/chat/notices.ts";
import { Commands } from "../../../src/extension/terminal/commands.ts";
import { OutputStore } from "../../../src/extension/terminal/outputStore.ts";
import { readProcesses } from "../../../src/extension/terminal/processTable.ts";
import type { ToolDependencies } from "../../../src/extension/tools/dependencies.ts";
import { createReadVersions, editorTools, editTool } from "../../../src/extension/tools/index.ts";
import { editorFolder } from "../../../src/extension/workspace/editorRoots.ts";
import { vscodeWorkspace } from "../../../src/extension/workspace/vscodeWorkspace.ts";
import type { HostEvent } from "../../../src/protocol/hostEvents.ts";
import { call, scriptedModel, text } from "../../support/scriptedModel.ts";

const patch = `*** Begin Patch
*** Update File: tools/use.ts
@@
-export const two = addOne(1);
+export const two = addOne(1); // 2
*** End Patch`;

/** Two processes that go on, one of which leaves the session; their ids are printed when both run. */
const serve = `sleep 1000 & one=$!
setsid sleep 1000 & two=$!
echo "pids $one $two" > tools/pids.part && mv tools/pids.part tools/pids
wait`;
const afterServe =
  "until [ -e tools/pids ]; do sleep 0.05; done; cat tools/pids; rm tools/pids; printf made > tools/made.txt";

/** Every tool, in an order in which each finds what the ones before left. */
const scriptFor = (page: string) => [
  call("update_plan", { items: [{ text: "Use every tool", status: "in_progress" }] }),
  call("ask_user", { question: "Shall I?", options: ["yes", "no"] }),
  call("list_files", { path: "tools" }),
  call("find_files", { pattern: "tools/*.ts" }),
  call("search_text", { query: "addOne", include: "tools/**" }),
  call("read_file", { path: "tools/add.ts" }),
  call("get_diagnostics", { path: "tools/add.ts" }),
  call("find_symbols", { query: "", path: "tools/add.ts" }),
  call("go_to_definition", { path: "tools/use.ts", line: 3, symbol: "addOne" }),
  call("find_references", { path: "tools/add.ts", line: 1, symbol: "addOne" }),
  call("edit_file", { path: "tools/add.ts", edits: [{ old_text: "count + 1", new_text: "1 + count" }] }),
  call("apply_patch", { patch }),
  call("write_file", { path: "tools/new/text.txt", content: "one\ntwo" }),
  call("rename_symbol", { path: "tools/add.ts", line: 1, symbol: "count", new_name: "value" }),
  call("move_file", { path: "tools/old.txt", to: "tools/new/moved.txt" }),
  call("delete_file", { path: "tools/gone.txt" }),
  call("run_command", { command: serve, background: true }),
  call("run_command", { command: afterServe }),
  call("read_output", { id: "command-1" }),
  call("stop_command", { id: "command-1" }),
  call("fetch_url", { url: page }),
  text("Done."),
];

const filesBefore = {
  "add.ts": "export function addOne(count: number) {\r\n  return count + 1;\r\n}\r\n",
  "use.ts": 'import { addOne } from "./add.ts";\n\nexport const two = addOne(1);\n',
  "old.txt": "\uFEFFmoved as it is\r\nmixed\n",
  "gone.txt": "gone\n",
};
const filesAfter = {
  "add.ts": "export function addOne(value: number) {\r\n  return 1 + value;\r\n}\r\n",
  "made.txt": "made",
  "new/moved.txt": "\uFEFFmoved as it is\r\nmixed\n",
  "new/text.txt": "one\ntwo",
  "use.ts": 'import { addOne } from "./add.ts";\n\nexport const two = addOne(1); // 2\n',
};

describe("Every tool of the editor, called once by a model", () => {
  const workspace = vscodeWorkspace({ ripgrepPath: () => "", warn: () => {} });
  let folder: string;
  let home: string;
  let pages: Server;

  before(async () => {
    home = await mkdtemp(join(tmpdir(), "arbor-tools-"));
    pages = createServer((_request, response) => response.setHeader("content-type", "text/plain").end("A page."));
    await once(pages.listen(0, "127.0.0.1"), "listening");
    const root = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? assert.fail("a folder is open");
    folder = join(root, "tools");
    await mkdir(folder);
    for (const [name, content] of Object.entries(filesBefore)) await writeFile(join(folder, name), content);
  });
  after(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    workspace.dispose();
    pages.close();
    await rm(folder, { recursive: true });
    await rm(home, { recursive: true });
  });

  /** A user who accepts each edit and answers each question with its first option. */
  function agreeable() {
    const hostEvents: HostEvent[] = [];
    const emit = (event: HostEvent) => {
      hostEvents.push(event);
      if (event.type === "approval_requested") void reviews.accept({ proposalId: event.approval.id });
      // The answer comes after the question has been put, as a person's does.
      const { type } = event;
      if (type === "question_asked")
        queueMicrotask(() => questions.answer(event.question.id, event.question.options[0] ?? ""));
    };
    let count = 0;
    const newId = () => `id-${++count}`;
    const reviews = new ProposalReviews({ store: new ChangeStore(), workspace, isOpen: () => false, newId });
    const questions = new Questions(emit, newId);
    const agentPath = () => ["main"];
    const outputs = new OutputStore(home);
    const commands = new Commands({ outputs, environment: process.env, keyNames: () => [], graceMs: 50 });
    const dependencies: ToolDependencies = {
      workspace,
      review: reviews.reviewFor(emit),
      reads: createReadVersions(),
      agentPath,
      commands: { commands, outputs, folder: editorFolder, askPermission: async () => ({ allowed: true }) },
      panel: {
        showPlan: (agentId, items) => emit({ type: "plan_changed", agentId, items: [...items] }),
        ask: ({ agent, callId, text: asked, options }, signal) =>
          questions.ask(
            { agentId: agent.id, agentPath: agentPath(), callId, text: asked, options: [...options] },
            signal,
          ),
      },
    };
    return { dependencies, hostEvents, commands };
  }

  it("does its work: the files are as expected byte for byte, and no process is left", async () => {
    const { dependencies, hostEvents, commands } = agreeable();
    const tools = [...editorTools(dependencies).all, editTool(dependencies, true)];
    // A server that listens on a port has an address of this kind.
    const script = scriptFor(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/page`);
    const called = script.flatMap(({ calls = [] }) => calls.map(({ name }) => name));
    assert.deepEqual([...new Set(called)].sort(), tools.map(({ name }) => name).sort(), "the script calls every tool");

    const { model, streamFn } = scriptedModel(script);
    const agent = new Agent({ name: "main", model, streamFn, tools });
    const ended: Extract<AgentEvent, { type: "tool_execution_end" }>[] = [];
    agent.subscribe((event) => void (event.type === "tool_execution_end" && ended.push(event)));
    try {
      const { reason } = await agent.send("Use every tool.").result;
      assert.equal(reason, "done");
    } finally {
      await agent.dispose();
    }

    for (const { toolName, result } of ended) {
      assert.ok(!result.isError, `${toolName}: ${JSON.stringify(result.content)}`);
    }
    assert.deepEqual(
      ended.map(({ toolName }) => toolName),
      called,
    );
    assert.deepEqual(await filesIn(folder), filesAfter);
    const printed = commands.find("command-2")?.output.tail(100) ?? "";
    const [, ...pids] = /^pids (\d+) (\d+)\n$/.exec(printed) ?? assert.fail(printed);
    assert.deepEqual(
      readProcesses().filter(({ pid }) => pids.includes(String(pid))),
      [],
    );
    assert.ok(hostEvents.some((event) => event.type === "plan_changed"));
    assert.ok(hostEvents.some((event) => event.type === "question_answered" && event.answer === "yes"));
  });
});

/** Texts by path, in order of path. */
async function filesIn(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts: Record<string, string> = {};
  for (const path of paths.sort()) texts[path.slice(folder.length + 1)] = await readFile(path, "utf8");
  return texts;
}
