import assert from "node:assert/strict";
import {
  type CommandActions,
  listSlashCommands,
  promptFor,
  runCommand,
} from "../../../../../src/extension/chat/compose/slashCommands.ts";
import type { Attachment, PlaceAttachment } from "../../../../../src/protocol/attachments.ts";

const selection: PlaceAttachment = { kind: "selection", path: "a.ts", startLine: 1, endLine: 2 };
const file: Attachment = { kind: "file", path: "b.ts" };

function attached(...args: Parameters<typeof promptFor>): Attachment[] | string {
  const prompt = promptFor(...args);
  return prompt.ok ? prompt.attachments : prompt.problem;
}

describe("prompts behind a slash", () => {
  it("are about what was attached, else the selection, else the file on show", () => {
    assert.deepEqual(attached("explain", "", [file], { selection, activeFile: "c.ts", problemCount: 0 }), [file]);
    assert.deepEqual(attached("explain", "", [], { selection, activeFile: "c.ts", problemCount: 0 }), [selection]);
    assert.deepEqual(attached("tests", "", [], { activeFile: "c.ts", problemCount: 0 }), [
      { kind: "file", path: "c.ts" },
    ]);
  });

  it("say what to do where there is nothing to be about", () => {
    assert.match(String(attached("explain", "", [], { problemCount: 0 })), /Open a file or select/);
    assert.match(String(attached("fix", "", [], { problemCount: 0, activeFile: "a.ts" })), /shows no problems/);
  });

  it("bring the problems to fix, and the changes to review", () => {
    assert.deepEqual(attached("fix", "", [], { selection, problemCount: 2 }), [selection, { kind: "problems" }]);
    assert.deepEqual(attached("fix", "the leak", [], { activeFile: "a.ts", problemCount: 0 }), [
      { kind: "file", path: "a.ts" },
    ]);
    assert.deepEqual(attached("review", "", [file], { problemCount: 0 }), [file, { kind: "diff" }]);
  });

  it("end with the user's own words", () => {
    const prompt = promptFor("review", "only the tests", [], { problemCount: 0 });
    assert.ok(prompt.ok);
    assert.match(prompt.text, /^Review my changes.*\n\nonly the tests$/s);
  });
});

describe("commands behind a slash", () => {
  const facts = { isRegistered: () => false, canCompact: false, hasRepository: false, folderOpen: false };
  const names = (changes: Partial<typeof facts> | { isRegistered(command: string): boolean }) =>
    listSlashCommands({ ...facts, ...changes }).map(({ name }) => name);

  it("are only those that can be done here", () => {
    assert.deepEqual(names({}), ["new", "clear", "cost", "stop", "rewind", "plan", "model"]);
    assert.deepEqual(
      names({ hasRepository: true, canCompact: true, isRegistered: (command) => command === "arbor.exportChat" }),
      ["review", "new", "clear", "cost", "stop", "rewind", "compact", "plan", "model", "export"],
    );
    assert.deepEqual(names({ folderOpen: true }).slice(0, 3), ["explain", "fix", "tests"]);
  });

  async function run(name: string, text = "", attachments: Attachment[] = []) {
    const done: unknown[] = [];
    const actions: CommandActions = {
      conversation: {
        send: async (...sent) => {
          done.push(["send", ...sent]);
          return undefined;
        },
      },
      context: () => ({ problemCount: 0 }),
      attachmentsOf: (called, typed) =>
        called === "deploy" ? [file, { kind: "text", name: "d.md", text: typed }] : undefined,
      execute: async (command) => void done.push(["execute", command]),
      serverPrompt: async (prompt) => (prompt.name === "shop__greet" ? `Greet ${prompt.text}.` : undefined),
      returnToComposer: (...given) => done.push(["returnToComposer", ...given]),
    };
    const failure = await runCommand({ name, text, attachments, whenBusy: "queue" }, actions).catch(String);
    return { done, failure };
  }

  it("run the editor's own, send prompts, and send an unknown one as it was written", async () => {
    assert.deepEqual((await run("history")).done, [["execute", "arbor.openHistory"]]);
    assert.deepEqual((await run("toString", "x")).done, [["send", "/toString x", [], "queue"]]);
    const [sent] = (await run("explain", "", [file])).done;
    assert.ok(Array.isArray(sent));
    assert.deepEqual(sent[2], [file]);
  });

  it("send what a file describes as it was written, with the file's text", async () => {
    const wanted = { kind: "text", name: "d.md", text: "now" };
    assert.deepEqual((await run("deploy", "now")).done, [["send", "/deploy now", [file, wanted], "queue"]]);
    const again = await run("deploy", "now", [{ kind: "text", name: "d.md", text: "now" }]);
    assert.deepEqual(again.done, [["send", "/deploy now", [wanted, file], "queue"]], "nothing is attached twice");
  });

  it("put what a server's prompt says into the composer, and send nothing", async () => {
    assert.deepEqual((await run("shop__greet", "Ann", [file])).done, [["returnToComposer", "Greet Ann.", [file]]]);
  });

  it("give the words back when they lack what they are about", async () => {
    const { done, failure } = await run("explain");
    assert.deepEqual(done, [["returnToComposer", "/explain", []]]);
    assert.match(String(failure), /Open a file/);
  });
});
