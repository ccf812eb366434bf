import assert from "node:assert/strict";
import fc from "fast-check";
import { EditHistory } from "../../../../src/extension/changes/history/editHistory.ts";
import { editsBetween } from "../../../../src/extension/changes/model/lineEdit.ts";
import { editorLines } from "../../../../src/extension/changes/model/pieces.ts";
import { timeLimitMs, tries } from "../../../support/soak.ts";
import { applying } from "../support/applying.ts";
import { TextWorkspace } from "../support/textWorkspace.ts";

/** What the editor reports of what is written: each edit, only the new text, or nothing before it is looked at. */
const reports = ["edits", "text", "nothing"] as const;

const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      ...{ do: fc.constant("edit" as const), file: fc.constantFrom("a.ts", "b.ts") },
      ...{ kind: fc.constantFrom("insert" as const, "replace" as const, "remove" as const), at: fc.nat(9) },
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("undo" as const), at: fc.nat(9) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("redo" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("keep" as const), at: fc.nat(9) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("type" as const), file: fc.constantFrom("a.ts", "b.ts"), at: fc.nat(12) }),
  },
);

/** What an agent wrote: the line that it put and the one that it took away. */
interface Written {
  path: string;
  put?: string;
  removed?: string;
}

const linesOf = (name: string) => Array.from({ length: 10 }, (_, at) => `${name} line ${at}`);
const textOfLines = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");

function session(reported: (typeof reports)[number]) {
  const files = { "a.ts": textOfLines(linesOf("a")), "b.ts": textOfLines(linesOf("b")) };
  const workspace = new TextWorkspace(files);
  let count = 0;
  const history = new EditHistory({
    ...{ workspace, newId: () => `w${++count}`, onError: assert.ifError },
    saved: { read: async () => undefined, write: async () => {}, setAside: async () => assert.fail() },
  });
  const { store, reviews, edit, pending } = applying(files, workspace, history);
  const textOf = (path: string) => workspace.files.get(path) ?? "";
  const follow = (path: string, before: string) => {
    if (reported === "nothing") return;
    const [text, isExact] = [textOf(path), reported === "edits"];
    const edits = isExact ? editsBetween(editorLines(before), editorLines(text)) : [];
    if (store.has(path)) store.setText(path, text, edits);
    if (history.has(path)) history.setWrittenText(path, text, edits);
    else if (isExact) history.typedElsewhere({ path, languageId: "", textNow: () => text, edits });
  };
  const replace = workspace.replace.bind(workspace);
  // The editor reports the change before the write is over.
  workspace.replace = async (path, ...how) => {
    const before = textOf(path);
    const result = await replace(path, ...how);
    follow(path, before);
    return result;
  };
  const type = (path: string, at: number, line: string) => {
    const before = textOf(path);
    const lines = before.split("\n").slice(0, -1);
    workspace.type(path, textOfLines(lines.toSpliced(at % (lines.length + 1), 0, line)));
    if (reported === "nothing") store.setText(path, textOf(path));
    follow(path, before);
  };
  const noteOf = async () => {
    await history.refresh();
    return history.takeNote("main") ?? "";
  };
  return { reviews, edit, pending, textOf, type, noteOf };
}

describe("what an agent learns of its edits after any answers", () => {
  it("is that those are undone which are, and no others", async () => {
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 3, maxLength: 12 }),
      fc.constantFrom(...reports),
      async (steps, reported) => {
        const { reviews, edit, pending, textOf, type, noteOf } = session(reported);
        const written: Written[] = [];
        for (const [number, one] of steps.entries()) {
          const hunkAt = (at: number) => pending().at(at % Math.max(1, pending().length))?.hunk.id;
          if (one.do === "undo" || one.do === "keep") {
            const hunkId = hunkAt(one.at);
            if (hunkId !== undefined) await reviews[one.do]({ hunkId });
          } else if (one.do === "redo") await reviews.redo();
          else if (one.do === "type") type(one.file, one.at, `typed ${number}`);
          else {
            const lines = textOf(one.file)
              .split("\n")
              .filter((line) => /^[ab] line/.test(line));
            const line = lines[one.at % Math.max(1, lines.length)];
            if (line === undefined) continue;
            const put = one.kind === "remove" ? undefined : `agent ${number}`;
            const removed = one.kind === "insert" ? undefined : line;
            const after = [...(one.kind === "insert" ? [line] : []), ...(put === undefined ? [] : [put])];
            await edit(one.file, `${line}\n`, textOfLines(after));
            written.push({ path: one.file, ...(put && { put }), ...(removed && { removed }) });
          }
        }
        const note = await noteOf();
        for (const path of ["a.ts", "b.ts"]) {
          const has = (line = "") => textOf(path).includes(`${line}\n`);
          const own = written.filter((edit) => edit.path === path);
          const isIntact = ({ put, removed }: Written) => has(put) && (removed === undefined || !has(removed));
          const isUndone = ({ put, removed }: Written) => (put === undefined || !has(put)) && has(removed);
          // A line that was removed twice is the later edit's.
          const isOnly = (edit: Written) => own.every((other) => other === edit || other.removed !== edit.removed);
          const entries = note.split("\n").filter((line) => line.startsWith(`- ${path}`));
          const undone = entries.filter((line) => line.includes("undone by the user")).length;
          assert.ok(undone <= own.filter((edit) => !isIntact(edit)).length, `too many of ${path}:\n${note}`);
          const expected = own.filter((edit) => isUndone(edit) && (edit.removed === undefined || isOnly(edit)));
          assert.ok(entries.length >= expected.length, `too few of ${path}:\n${note}`);
        }
      },
    );
    await fc.assert(property, tries("notes"));
  }).timeout(timeLimitMs(60_000));
});
