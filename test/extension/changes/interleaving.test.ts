import assert from "node:assert/strict";
import * as fc from "fast-check";
import type { ProposedHunk } from "../../../src/extension/changes/model/change.ts";
import type { LineEdit } from "../../../src/extension/changes/model/lineEdit.ts";
import { editorLines, lineOf, splitPieces } from "../../../src/extension/changes/model/pieces.ts";
import { timeLimitMs, tries } from "../../support/soak.ts";
import { reviewing } from "./support/reviewing.ts";

const original = Array.from({ length: 14 }, (_, index) => `old ${index}`);

type Step =
  | { type: "insert"; at: number; character: number; breaks: boolean }
  | { type: "remove"; from: number; length: number; character: number }
  | { type: "accept" | "acceptOver" | "reject"; pick: number }
  | { type: "acceptAll" };

const place = fc.nat(40);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("insert" as const),
      at: place,
      character: fc.constantFrom(0, 3, 99),
      breaks: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("remove" as const),
      from: place,
      length: fc.nat(2),
      character: fc.constantFrom(0, 2, 99),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constantFrom("accept" as const, "accept" as const, "acceptOver" as const, "reject" as const),
      pick: fc.nat(20),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ type: "acceptAll" }) },
);

/** What an agent makes of each line: nothing, another line, none, or one more before it. */
const change = fc.array(fc.constantFrom("same", "same", "other", "gone", "more"), { minLength: 14, maxLength: 14 });

function proposed(agent: string, kinds: readonly string[]): string {
  const lines = original.flatMap((line, index) => {
    if (kinds[index] === "other") return [`${agent} ${index}`];
    if (kinds[index] === "gone") return [];
    return kinds[index] === "more" ? [`${agent} ${index}`, line] : [line];
  });
  return lines.map((line) => `${line}\n`).join("");
}

describe("answers and typing in any order", () => {
  it("change the lines of an accepted hunk and nothing else, and never what was typed", () =>
    fc.assert(
      fc.asyncProperty(change, change, fc.array(step, { maxLength: 25 }), async (one, other, steps) => {
        const before = original.map((line) => `${line}\n`).join("");
        const session = reviewing({ "a.ts": before }, ["a.ts"]);
        await session.propose([{ path: "a.ts", before, after: proposed("one", one) }], "one");
        await session.propose([{ path: "a.ts", before, after: proposed("other", other) }], "other");
        for (const [index, next] of steps.entries()) await take(session, next, index);
      }),
      tries("answers"),
    )).timeout(timeLimitMs(120_000));
});

type Session = ReturnType<typeof reviewing>;

async function take(session: Session, next: Step, index: number): Promise<void> {
  const { reviews, pending } = session;
  const before = textOf(session);
  switch (next.type) {
    case "insert":
    case "remove":
      return type(session, next, index);
    case "accept": {
      const hunk = pending()[next.pick % Math.max(pending().length, 1)];
      if (hunk === undefined) return;
      await reviews.accept({ hunkId: hunk.id });
      follow(session);
      return assertAccepted(
        hunk,
        before,
        textOf(session),
        pending().map(({ id }) => id),
      );
    }
    case "acceptOver": {
      const asked = pending();
      const hunk = asked.find(({ conflicted }) => conflicted) ?? asked[next.pick % Math.max(asked.length, 1)];
      if (hunk === undefined) return;
      await reviews.acceptOver({ hunkId: hunk.id });
      follow(session);
      const waiting = pending().map(({ id }) => id);
      return hunk.conflicted
        ? assertWrittenOver(hunk, before, textOf(session), waiting)
        : assertAccepted(hunk, before, textOf(session), waiting);
    }
    case "reject": {
      const hunk = pending()[next.pick % Math.max(pending().length, 1)];
      if (hunk === undefined) return;
      await reviews.reject({ hunkId: hunk.id });
      return assert.equal(textOf(session), before);
    }
    case "acceptAll": {
      const asked = pending();
      const left = await reviews.accept({});
      follow(session);
      assert.equal(left, pending().length);
      assert.deepEqual(typedIn(textOf(session)), typedIn(before));
      const after = textOf(session).split("\n");
      const waiting = new Set(pending().map(({ id }) => id));
      for (const { id, hunk } of asked) {
        for (const line of hunk.newLines) assert.equal(after.includes(line), !waiting.has(id));
      }
    }
  }
}

/** What the editor reports of a write: here as a whole text. */
function follow(session: Session): void {
  session.store.setText("a.ts", textOf(session));
}

function type({ workspace, store, ...session }: Session, step: Step, index: number): void {
  const lines = editorLines(textOf({ workspace, store, ...session }));
  const edit = editOf(step, lines, index);
  const text = applied(lines, edit).join("\n");
  workspace.type("a.ts", text);
  store.setText("a.ts", text, [edit]);
}

function editOf(step: Step, lines: readonly string[], index: number): LineEdit {
  const word = `<typed ${index}>`;
  if (step.type === "insert") {
    const line = step.at % lines.length;
    const character = Math.min(step.character, lines[line]?.length ?? 0);
    const put = step.breaks ? (character === 0 ? [word, ""] : ["", word]) : [word];
    return { startLine: line, startCharacter: character, endLine: line, endCharacter: character, lines: put };
  }
  if (step.type !== "remove") throw new Error("Only typing makes an edit.");
  const start = step.from % lines.length;
  const end = Math.min(start + step.length, lines.length - 1);
  const startCharacter = Math.min(step.character, lines[start]?.length ?? 0);
  const endCharacter = Math.max(
    step.length === 0 ? startCharacter : 0,
    Math.min(step.character, lines[end]?.length ?? 0),
  );
  return { startLine: start, startCharacter, endLine: end, endCharacter, lines: [""] };
}

function applied(lines: readonly string[], edit: LineEdit): string[] {
  const first = lines[edit.startLine]?.slice(0, edit.startCharacter) ?? "";
  const last = lines[edit.endLine]?.slice(edit.endCharacter) ?? "";
  const put = `${first}${edit.lines.join("\n")}${last}`.split("\n");
  return lines.toSpliced(edit.startLine, edit.endLine - edit.startLine + 1, ...put);
}

function assertAccepted(tracked: ProposedHunk, before: string, after: string, stillPending: readonly string[]): void {
  const { hunk, conflicted, id } = tracked;
  assert.deepEqual(typedIn(after), typedIn(before));
  assert.equal(stillPending.includes(id), conflicted);
  if (conflicted) assert.equal(after, before);
  if (after === before) return;
  const [from, to] = [before, after].map((text) => splitPieces(text).map(lineOf)) as [string[], string[]];
  const start = hunk.oldLines.length > 0 ? from.indexOf(hunk.oldLines[0] ?? "") : to.indexOf(hunk.newLines[0] ?? "");
  assert.deepEqual(from.slice(start, start + hunk.oldLines.length), hunk.oldLines);
  assert.deepEqual(to, from.toSpliced(start, hunk.oldLines.length, ...hunk.newLines));
  if (hunk.oldLines.length > 0) return;
  const above = from.indexOf(original[hunk.oldStart - 2] ?? "none");
  const below = from.indexOf(original[hunk.oldStart - 1] ?? "none");
  if (above >= 0) assert.ok(above < start);
  if (below >= 0) assert.ok(start <= below);
}

/** In place of what has become of its lines, and of nothing else; lines that are only added take no other's place. */
function assertWrittenOver(tracked: ProposedHunk, before: string, after: string, waiting: readonly string[]): void {
  const { hunk, extent, id } = tracked;
  assert.equal(waiting.includes(id), false);
  const [from, to] = [before, after].map((text) => splitPieces(text).map(lineOf)) as [string[], string[]];
  const end = Math.min(extent.end, from.length);
  const start = hunk.oldLines.length === 0 ? end : Math.min(extent.start, end);
  assert.deepEqual(to, from.toSpliced(start, end - start, ...hunk.newLines));
}

function typedIn(text: string): string[] {
  return (text.match(/<typed \d+>/g) ?? []).toSorted();
}

function textOf({ workspace }: Session): string {
  return workspace.files.get("a.ts") ?? "";
}
