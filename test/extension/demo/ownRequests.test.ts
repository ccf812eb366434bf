import assert from "node:assert/strict";
import { textOf, type UserMessage } from "../../../src/agent/messages.ts";
import { element } from "../../../src/extension/chat/compose/attach/readAttachment.ts";
import { type PromptContext, promptFor } from "../../../src/extension/chat/compose/slashCommands.ts";
import { type Intent, readIntent } from "../../../src/extension/demo/intent.ts";
import { explain, fix, fixFile } from "../../../src/extension/panel/entryPoints/asks.ts";
import { demoWorld } from "../../support/demoWorld.ts";
import { inGerman } from "../../support/inGerman.ts";

const file = "src/peel.ts";
const outline: Intent = { type: "outline", file };
const problems: Intent = { type: "problems" };

/** What the demo makes of a command's message. */
function read(name: "explain" | "fix", text: string, context: PromptContext): Intent {
  const prompt = promptFor(name, text, [], context);
  assert.ok(prompt.ok);
  const attached = prompt.attachments.flatMap((each) => (each.kind === "file" && each.path ? [each.path] : []));
  return readIntent(prompt.text, attached);
}

function readsAll(): void {
  const inFile = { activeFile: file, problemCount: 0 };
  assert.deepEqual(read("explain", "", inFile), outline);
  assert.deepEqual(read("explain", "fix the TODO in src/a.ts", inFile), readIntent("fix the TODO in src/a.ts"));
  assert.deepEqual(read("explain", "und zwar genau", inFile), outline, "what rules can't read changes nothing");
  assert.deepEqual(read("fix", "", { ...inFile, problemCount: 2 }), problems);
  assert.deepEqual(read("fix", "", { problemCount: 2 }), problems);
  assert.deepEqual(read("fix", "it", inFile), problems);
  const problem = { line: 2, message: "replace `a` with `b`" };
  for (const { prompt } of [fix(file, [problem]), fix(file, [problem, problem]), fixFile(file)]) {
    assert.deepEqual(readIntent(prompt ?? "", [file]), problems);
  }
  for (const kind of ["file", "selection"] as const) {
    assert.deepEqual(readIntent(explain({ kind, path: file }).prompt ?? "", [file]), outline);
  }
}

describe("the requests of Arbor's own commands", () => {
  it("are understood by the demo model in English", readsAll);

  it("are understood by the demo model in German", () => inGerman(readsAll));

  it("are met in German with the file that is attached", () =>
    inGerman(async () => {
      const world = demoWorld({ files: { [file]: "export function peelQuince(): void {\n}\n" } });
      const { prompt = "" } = explain({ kind: "file", path: file });
      const message: UserMessage = {
        ...{ role: "user", id: "m", timestamp: 0 },
        content: [{ type: "text", text: prompt }, ...element("attached_file", { path: file }, "export …")],
      };
      const { finalMessage } = await world.main.send(message).result;
      assert.ok(finalMessage);
      assert.match(textOf(finalMessage), /`src\/peel\.ts:1` function `peelQuince`/);
    }));

  it("are not taken for what only begins like them", () => {
    assert.deepEqual(readIntent("Explain this code, please", [file]), { type: "unknown" });
    assert.deepEqual(readIntent("Explain this code.", []), { type: "unknown" });
  });
});
