import assert from "node:assert/strict";
import { type AgentMessage, userMessage } from "../../../src/agent/vocabulary/messages.ts";
import { withNotes } from "../../../src/extension/approvals/planMode.ts";
import { Surroundings, shownEditorState } from "../../../src/extension/context/surroundings.ts";
import type { EditorState } from "../../../src/extension/prompts/contextBlocks.ts";

function arrange() {
  const editor: { state: EditorState | undefined } = { state: { active: undefined, open: [], problems: [] } };
  let asked = 0;
  const surroundings = new Surroundings({
    environment: async () => ({
      date: `day ${++asked}`,
      system: "Linux",
      shell: "bash",
      folders: [],
      git: undefined,
      isTrusted: true,
    }),
    editorState: () => editor.state,
  });
  const messages: AgentMessage[] = [];
  const say = (text: string) => {
    const notes = surroundings.notesFor({ sessionId: "chat", messages });
    messages.push(withNotes(userMessage(text), notes));
    return notes;
  };
  return { surroundings, editor, messages, say };
}

const at = (path: string, line: number): EditorState => ({ active: { path, line }, open: [], problems: [] });

describe("What agents know of their surroundings", () => {
  it("is the environment with the first message alone, as a second part of it", async () => {
    const { surroundings, messages, say } = arrange();
    await surroundings.environmentOf("chat");
    say("one");
    assert.deepEqual(say("two"), []);
    const [first] = messages;
    assert.ok(first?.role === "user");
    assert.deepEqual(
      first.content.map((part) => part.type === "text" && part.text.split("\n")[0]),
      ["one", "<environment>"],
    );
  });

  it("is one environment for all agents of a chat, whenever they ask", async () => {
    const { surroundings } = arrange();
    const first = await surroundings.environmentOf("chat");
    assert.equal(await surroundings.environmentOf("chat"), first);
    assert.notEqual(await surroundings.environmentOf("other"), first);
    surroundings.forget("chat");
    assert.notEqual(await surroundings.environmentOf("chat"), first);
  });

  it("is the state of the editor whenever it changed", () => {
    const { editor, say } = arrange();
    assert.deepEqual(say("nothing is open"), []);
    editor.state = at("a.ts", 1);
    assert.match(say("one").join(), /a\.ts, cursor in line 1/);
    assert.deepEqual(say("two"), []);
    editor.state = at("a.ts", 2);
    assert.match(say("three").join(), /line 2/);
    editor.state = { active: undefined, open: [], problems: [] };
    assert.match(say("four").join(), /Active file: none/);
    assert.deepEqual(say("five"), []);
  });

  it("is nothing of the editor where the user wants none of it sent", () => {
    const { editor, say } = arrange();
    editor.state = undefined;
    assert.deepEqual(say("one"), []);
  });

  it("is the state of the editor again once it was summarized away", () => {
    const { editor, messages, say } = arrange();
    editor.state = at("a.ts", 1);
    say("one");
    messages.push({ role: "summary", id: "s", text: "so far", timestamp: 0 } as AgentMessage);
    assert.equal(say("two").length, 1);
  });

  it("never comes from what the user wrote", () => {
    const { editor, messages, say } = arrange();
    editor.state = at("a.ts", 1);
    const [state = ""] = say("one");
    messages.length = 0;
    messages.push(userMessage(state));
    assert.equal(say("two").length, 1);
  });
});

describe("what a message says of the editor, as the panel shows it", () => {
  const active = { path: "src/a.ts", line: 3 };
  const open = [{ path: "src/b.ts", isUnsaved: true }];

  it("counts open files, the active one among them, and problems", () => {
    const problems = [
      { path: "src/a.ts", count: 2 },
      { path: "src/b.ts", count: 1 },
    ];
    assert.deepEqual(shownEditorState({ active, open, problems }, true), { isSent: true, openFiles: 2, problems: 3 });
  });

  it("is still shown when it was removed, so that it can come back", () => {
    assert.deepEqual(shownEditorState({ active, open: [], problems: [] }, false), {
      isSent: false,
      openFiles: 1,
      problems: 0,
    });
  });

  it("is not shown where there is nothing to say", () => {
    assert.equal(shownEditorState({ active: undefined, open: [], problems: [] }, true), undefined);
  });
});
