import assert from "node:assert/strict";
import * as fc from "fast-check";
import type { TrackedFile } from "../../../../src/extension/changes/model/change.ts";
import { hunkStates } from "../../../../src/extension/changes/model/hunkStates.ts";
import type { LineEdit } from "../../../../src/extension/changes/model/lineEdit.ts";
import { editorLines, lineEndOf, lineOf, splitPieces } from "../../../../src/extension/changes/model/pieces.ts";
import { liveText, recordWrite, untouched } from "../../../../src/extension/changes/model/trackedLines.ts";
import { typeInto } from "../../../../src/extension/changes/model/typeInto.ts";
import { baselineOf, coalesced, keepHunks, undoHunks } from "../../../../src/extension/changes/model/undoHunks.ts";
import { timeLimitMs, tries } from "../../../support/soak.ts";

/** A file and its text, as agents and the user change them in turn. */
interface World {
  file: TrackedFile;
  text: string;
  count: number;
  wording: Wording;
}

/** What an agent writes: lines that repeat, or such as are never the same. */
type Wording = (write: { agent: number; word: number; count: number; index: number }) => string;

const alike: Wording = ({ agent, word }) => `by ${agent}: ${word}`;
const unlike: Wording = ({ count, index }) => `a${count}.${index}`;

type Step =
  /** An agent replaces some lines; few different words, so that lines repeat. */
  | { type: "write"; agent: number; at: number; length: number; words: readonly number[] }
  | { type: "typeLine"; at: number }
  | { type: "typeWord"; at: number; character: number }
  | { type: "undo"; agent: number }
  | { type: "keep"; agent: number }
  | { type: "undoOne"; pick: number };

const agents = [
  { ids: ["main"], path: ["main"] },
  { ids: ["main", "one"], path: ["main", "one"] },
  { ids: ["main", "one", "deep"], path: ["main", "one", "deep"] },
  { ids: ["main", "two"], path: ["main", "two"] },
];

const write = fc.record({
  type: fc.constant("write" as const),
  agent: fc.nat(3),
  at: fc.nat(30),
  length: fc.nat(4),
  words: fc.array(fc.nat(4), { maxLength: 4 }),
});
const typeLine = fc.record({ type: fc.constant("typeLine" as const), at: fc.nat(40) });
const typeWord = fc.record({
  type: fc.constant("typeWord" as const),
  at: fc.nat(40),
  character: fc.constantFrom(0, 3, 99),
});
const answer = fc.record({ type: fc.constantFrom("undo" as const, "keep" as const), agent: fc.nat(3) });
const typeAtEnd = fc.record({ type: fc.constant("typeAtEnd" as const), at: fc.nat(20) });
const history = fc.record({ type: fc.constant("history" as const), by: fc.constantFrom(-3, -1, -1, 1) });
const undoOne = fc.record({ type: fc.constant("undoOne" as const), pick: fc.nat(20) });

const original = fc
  .record({
    words: fc.array(fc.nat(6), { maxLength: 14 }),
    ends: fc.array(fc.constantFrom("\n", "\r\n"), { minLength: 14, maxLength: 14 }),
    mixed: fc.boolean(),
    finalEnd: fc.boolean(),
  })
  .map(({ words, ends, mixed, finalEnd }) => {
    const text = words.map((word, index) => `line ${word}${mixed ? ends[index] : "\n"}`).join("");
    return finalEnd ? text : text.slice(0, text.length - lineEndOf(text).length);
  });

function opened(text: string, wording = alike): World {
  return { file: untouched("a.ts", "", text), text, count: 0, wording };
}

function take(world: World, step: Step): World {
  switch (step.type) {
    case "write":
      return written(world, step);
    case "typeLine": {
      const line = step.at % editorLines(world.text).length;
      return typed(world, line, 0, [`<typed ${world.count}>`, ""]);
    }
    case "typeWord": {
      const line = step.at % editorLines(world.text).length;
      const character = Math.min(step.character, editorLines(world.text)[line]?.length ?? 0);
      return typed(world, line, character, [`<typed ${world.count}>`]);
    }
    case "undo":
      return undone(world, (id) => agentOf(world, id) === step.agent);
    case "undoOne": {
      const picked = world.file.hunks[step.pick % Math.max(world.file.hunks.length, 1)];
      return undone(world, (id) => id === picked?.id);
    }
    case "keep":
      return { ...world, file: keepHunks(world.file, ({ id }) => agentOf(world, id) === step.agent) };
  }
}

function written(world: World, { agent, at, length, words }: Extract<Step, { type: "write" }>): World {
  const { ids, path } = agents[agent] ?? assert.fail();
  const pieces = splitPieces(world.text);
  const start = at % (pieces.length + 1);
  const count = world.count + 1;
  const lines = words.map((word, index) => `${world.wording({ agent, word, count, index })}\n`);
  const after = pieces.toSpliced(start, length, ...lines).join("");
  let hunk = 0;
  const author = { agentIds: ids, agentPath: path, editId: `edit ${count}` };
  const newId = () => `${agent}/${count}.${++hunk}`;
  const write = { before: world.text, after, author, newId };
  // What an edit that is joined with an earlier one removed of that is not remembered.
  return {
    ...world,
    file:
      world.wording === unlike
        ? recordWrite(world.file, write)
        : coalesced(recordWrite(world.file, write), author.editId),
    text: after,
    count,
  };
}

function typed(world: World, line: number, character: number, lines: string[]): World {
  const edit: LineEdit = { startLine: line, startCharacter: character, endLine: line, endCharacter: character, lines };
  const pieces = splitPieces(world.text);
  const piece = pieces[line] ?? "";
  const put = piece.slice(0, character) + lines.join("\n") + piece.slice(character);
  const text = pieces.toSpliced(line, 1, put).join("");
  return { ...world, file: typeInto(world.file, text, [edit]), text, count: world.count + 1 };
}

function typedAtEnd(world: World, at: number): World {
  const lines = editorLines(world.text);
  const line = at % lines.length;
  return typed(world, line, lines[line]?.length ?? 0, [" u"]);
}

function undone(world: World, isMeant: (id: string) => boolean): World {
  const { file, text } = undoHunks(world.file, ({ id }) => isMeant(id));
  return { ...world, file, text };
}

function agentOf(_: World, id: string): number {
  return Number(id.split("/")[0]);
}

function typedIn(text: string): string[] {
  return (text.match(/<typed \d+>/g) ?? []).toSorted();
}

const runs = tries("undos");

/** Takes the agent's write back as an editor does: by the letters that differ, from the last line up. */
function editedLetters(world: World, to: string): World {
  const [now, wanted] = [editorLines(world.text), editorLines(to)];
  const edits = now
    .map((line, index): LineEdit => {
      const at = { startLine: index, startCharacter: 0, endLine: index, endCharacter: line.length };
      return { ...at, lines: [wanted[index] ?? ""] };
    })
    .filter((edit, index) => now[index] !== edit.lines[0])
    .toReversed();
  return { ...world, file: typeInto(world.file, to, edits), text: to };
}

describe("undoing what agents wrote", () => {
  it("knows a hunk that the editor reverted letter by letter, and knows it again when it is redone", () => {
    const before = "zero\none\ntwo\nthree\nfour\n";
    const step = { type: "write", agent: 1, at: 1, length: 3, words: [0, 1, 2] } as const;
    const world = take(opened(before), step);
    const back = editedLetters(world, before);
    assert.ok([...hunkStates(back.file).values()].every(({ isUndone }) => isUndone));
    assert.equal(undoHunks(back.file, () => true).text, before);
    const again = editedLetters(back, world.text);
    assert.deepEqual(again.file, world.file);
  });

  for (const [what, words] of [
    ["removed", []],
    ["replaced", [0, 1, 2]],
  ] as const) {
    const before = "zero\none\ntwo\nthree\n";
    const world = take(opened(before), { type: "write", agent: 1, at: 1, length: 2, words });
    const undo = ({ file }: World) => undoHunks(file, () => true).text;
    const become = (now: World, text: string): World => ({ ...now, file: typeInto(now.file, text), text });
    // A line that was removed comes back by an undo in the editor, and is typed into key by key.
    const changed = [..." and more"].reduce((now, key, at) => typed(now, 1, 3 + at, [key]), become(world, before));

    it(`puts no ${what} line beside what the user made of it after an undo in the editor`, () => {
      assert.equal(undo(changed), "zero\none and more\ntwo\nthree\n");
      assert.ok([...hunkStates(changed.file).values()].every(({ isUndone }) => isUndone));
      const kept = keepHunks(changed.file, () => true);
      assert.deepEqual([liveText(kept), kept.lines.length], [changed.text, 4]);
    });

    it(`puts a ${what} line back where nothing is left of what the user made of it`, () => {
      assert.equal(undo(become(changed, before)), before);
      const emptied = become(changed, changed.text.replace("one and more", ""));
      assert.equal(undo(become(emptied, world.text)), before);
      assert.equal(undo(become(changed, world.text)), before);
    });
  }

  it("knows a replaced line as replaced after a redo in the editor that comes in parts", () => {
    const before = "zero\none\ntwo\n";
    const world = take(opened(before), { type: "write", agent: 1, at: 1, length: 1, words: [0] });
    const back = { ...world, file: typeInto(world.file, before), text: before };
    const inParts: LineEdit[] = [
      { startLine: 1, startCharacter: 0, endLine: 1, endCharacter: 0, lines: ["by 1: "] },
      { startLine: 1, startCharacter: 6, endLine: 1, endCharacter: 9, lines: ["0"] },
    ];
    const again = typeInto(back.file, world.text, inParts);
    assert.deepEqual(again, world.file);
    const typedInto = typed({ ...world, file: again }, 1, 0, ["mine "]);
    assert.deepEqual(
      [...hunkStates(typedInto.file).values()].map(({ isUndoable }) => isUndoable),
      [false],
    );
  });

  it("undoes lines that were only added, after an undo and a redo in the editor", () => {
    const before = "zero\none\n";
    const world = take(opened(before), { type: "write", agent: 1, at: 1, length: 0, words: [0, 1] });
    const again = [before, world.text].reduce((file, text) => typeInto(file, text, [], true), world.file);
    assert.equal(undoHunks(again, () => true).text, before);
  });

  it("puts no removed line beside what it was before the user typed into it, after undos in the editor", () => {
    const before = "zero\none\n";
    const mixed = typed(opened(before), 1, 3, [" and more"]);
    // The typing is known of a line that is gone: another agent had removed it, and it came back.
    const first = take(opened(before), { type: "write", agent: 0, at: 1, length: 1, words: [] });
    const back = typeInto(first.file, before, [], true);
    const typedInto = typeInto(back, mixed.text);
    const second = take(
      { ...first, file: typedInto, text: mixed.text },
      { type: "write", agent: 1, at: 1, length: 1, words: [] },
    );
    const undoneByHand = [mixed.text, before].reduce((file, text) => typeInto(file, text, [], true), second.file);
    assert.equal(undoHunks(undoneByHand, ({ id }) => id.startsWith("1/")).text, before);
    assert.equal(undoHunks(undoneByHand, () => true).text, before);
  });

  it("puts no removed line beside an earlier form of it, where the editor reverts an undo of the agent's edit too", () => {
    const before = "zero\none\n";
    const removal = { type: "write", agent: 1, at: 1, length: 1, words: [] } as const;
    const removed = take(opened(before), removal);
    const changed = typed(
      undone(removed, () => true),
      1,
      3,
      [" and more"],
    );
    const again = take(changed, removal);
    const texts = [changed.text, before, removed.text, before];
    const back = texts.reduce((file, text) => typeInto(file, text, [], true), again.file);
    assert.equal(undoHunks(back, () => true).text, before);
  });

  it("gives back a file that became very long, by an agent and by the user", () => {
    const long = Array.from({ length: 150_000 }, (_, line) => `${line}\n`).join("");
    const author = { agentIds: ["main"], agentPath: ["main"], editId: "edit" };
    const write = { before: "short\n", after: long, author, newId: () => "hunk" };
    const written = recordWrite(untouched("a.ts", "", "short\n"), write);
    assert.ok(undoHunks(written, () => true).text === "short\n");
    const shortened = typeInto(written, "typed\n");
    assert.ok(liveText(typeInto(shortened, long)) === long);
  });

  it("puts removed lines back between the lines they were between, whichever of these were typed into", () => {
    const removal = { type: "write", agent: 1, at: 1, length: 2, words: [] } as const;
    const removed = take(opened("zero\none\ntwo\nthree\n"), removal);
    const inBoth = typed(typed(removed, 0, 4, [" above"]), 1, 0, ["below "]);
    assert.equal(undoHunks(inBoth.file, () => true).text, "zero above\none\ntwo\nbelow three\n");
  });

  it("gives back the original, byte for byte, in whatever order agents wrote", () =>
    fc.assert(
      fc.property(original, fc.array(write, { maxLength: 8 }), (before, steps) => {
        const world = steps.reduce(take, opened(before));
        const all = undoHunks(world.file, () => true);
        assert.deepEqual(all.conflicts, []);
        assert.equal(all.text, before);
        assert.equal(baselineOf(world.file), before);
      }),
      runs,
    )).timeout(timeLimitMs(120_000));

  it("gives back the original with the lines that the user typed and no others", () =>
    fc.assert(
      fc.property(original, fc.array(fc.oneof(write, typeLine), { maxLength: 12 }), (before, steps) => {
        const world = steps.reduce(take, opened(before));
        const all = undoHunks(world.file, () => true);
        const isOverwritten = steps.some((step, index) => step.type === "typeLine" && overwrites(before, steps, index));
        if (isOverwritten || all.conflicts.length > 0) return;
        assert.deepEqual(typedIn(all.text), typedIn(world.text));
        const rest = splitPieces(all.text)
          .map(lineOf)
          .filter((line) => !/^<typed \d+>$/.test(line));
        assert.deepEqual(rest, splitPieces(before).map(lineOf));
      }),
      runs,
    )).timeout(timeLimitMs(120_000));

  it("never loses what the user typed, whatever is kept and undone in whatever order", () =>
    fc.assert(
      fc.property(
        original,
        fc.array(fc.oneof(write, typeLine, typeWord, answer, undoOne), { maxLength: 20 }),
        (before, steps) => {
          let world = opened(before);
          for (const step of steps) {
            const typedBefore = typedIn(world.text);
            const next = take(world, step);
            if (step.type === "undo" || step.type === "undoOne") {
              const now = typedIn(next.text);
              for (const word of typedBefore) assert.ok(now.includes(word), word);
            }
            if (step.type === "keep") assert.equal(next.text, world.text);
            assert.equal(liveText(next.file), next.text);
            world = next;
          }
        },
      ),
      runs,
    )).timeout(timeLimitMs(120_000));

  it("neither doubles nor loses a line, whatever the user undoes and redoes in the editor and types between", () =>
    fc.assert(
      fc.property(
        fc.array(fc.oneof({ weight: 2, arbitrary: write }, typeAtEnd, history), { maxLength: 14 }),
        fc.array(fc.oneof(answer, undoOne), { maxLength: 4 }),
        (changes, answers) => {
          let world = opened(Array.from({ length: 8 }, (_, line) => `o${line}\n`).join(""), unlike);
          /** As an editor has them: every change of the text is one to be undone. */
          const texts = [world.text];
          let shown = 0;
          for (const step of [...changes, ...answers]) {
            if (step.type === "history") {
              // Each is reported on its own.
              for (let times = 0; times < Math.abs(step.by); times++) {
                const text = texts[shown + Math.sign(step.by)];
                if (text === undefined) break;
                shown += Math.sign(step.by);
                world = { ...world, file: typeInto(world.file, text, [], true), text };
              }
            } else {
              world = step.type === "typeAtEnd" ? typedAtEnd(world, step.at) : take(world, step);
              if (world.text !== texts[shown]) texts.splice(++shown, texts.length, world.text);
            }
            assert.equal(liveText(world.file), world.text);
            const tokens = world.text.match(/[oa]\d+(?:\.\d+)?/g) ?? [];
            assert.equal(new Set(tokens).size, tokens.length, world.text);
          }
          const { text, conflicts } = undoHunks(world.file, () => true);
          if (conflicts.length > 0 || answers.some(({ type }) => type === "keep")) return;
          const left = (text.match(/o\d/g) ?? []).toSorted();
          assert.deepEqual(left, ["o0", "o1", "o2", "o3", "o4", "o5", "o6", "o7"], text);
        },
      ),
      runs,
    )).timeout(timeLimitMs(120_000));

  it("leaves the lines of the others when one branch is undone", () =>
    fc.assert(
      fc.property(
        original,
        fc.array(fc.oneof({ weight: 3, arbitrary: write }, typeLine), { maxLength: 10 }),
        fc.nat(3),
        (before, steps, agent) => {
          const world = steps.reduce(take, opened(before));
          const branch = agents[agent]?.ids.at(-1) ?? "";
          const isOfBranch = (hunk: { author: { agentIds: readonly string[] } }) =>
            hunk.author.agentIds.includes(branch);
          const result = undoHunks(world.file, isOfBranch);
          const others = result.file.hunks.filter((hunk) => !isOfBranch(hunk));
          assert.equal(others.length, world.file.hunks.filter((hunk) => !isOfBranch(hunk)).length);
          assert.deepEqual(
            others.map(({ id }) => id),
            world.file.hunks.filter((hunk) => !isOfBranch(hunk)).map(({ id }) => id),
          );
          for (const { id } of others) {
            const textsOf = ({ lines }: TrackedFile) =>
              lines.filter(({ by, isLive }) => by === id && isLive).map(({ text }) => text);
            const left = textsOf(result.file);
            for (const line of textsOf(world.file)) {
              assert.ok(left.includes(line));
              left.splice(left.indexOf(line), 1);
            }
          }
          // What is left undone can still be undone with the rest, down to the original.
          if (steps.every(({ type }) => type === "write")) {
            // A last line without a line end got one, when it came back above others.
            const rest = undoHunks(result.file, () => true).text;
            assert.deepEqual(splitPieces(rest).map(lineOf), splitPieces(before).map(lineOf));
          }
        },
      ),
      runs,
    )).timeout(timeLimitMs(120_000));
});

/** An agent wrote over the line that the user typed in this step. */
function overwrites(before: string, steps: readonly Step[], index: number): boolean {
  const world = steps.slice(0, index + 1).reduce(take, opened(before));
  const word = `<typed ${world.count - 1}>`;
  return (
    !steps
      .slice(index + 1)
      .reduce(take, world)
      .text.includes(word) || isInHunk(steps.reduce(take, opened(before)), word)
  );
}

function isInHunk({ file }: World, word: string): boolean {
  return file.hunks.some(({ hunk }) => hunk.oldText.includes(word));
}
