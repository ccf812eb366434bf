import assert from "node:assert/strict";
import { GivenTexts } from "../../../../src/extension/changes/editor/givenTexts.ts";

const [saved, unsaved] = [{ isDirty: false }, { isDirty: true }];

/** A document that shows a text. */
function showing(text: string): GivenTexts {
  const given = new GivenTexts();
  given.give(text);
  assert.ok(given.noteShown(text, saved));
  return given;
}

describe("the texts that the proposed side of a diff is given", () => {
  it("are not typed, however late each is reported", () => {
    const given = showing("one\n");
    given.give("one\nu");
    given.give("one\nu7");
    assert.ok(given.noteShown("one\r\nu", saved));
    given.give("one\nu7 note");
    assert.ok(given.noteShown("one\r\nu7", saved));
    assert.ok(given.noteShown("one\r\nu7 note", saved));
    assert.ok(given.noteShown("one\r\nu7 note", saved));
    assert.ok(!given.noteShown("one\r\nu", saved));
  });

  it("are not mistaken for what is typed into a text that is not saved, also where that is as it was", () => {
    const given = showing("one\n");
    assert.ok(!given.noteShown("one\ntyped", saved));
    given.takeIn("one\ntyped", "one\n");
    assert.ok(!given.noteShown("one\n", unsaved));
    given.takeIn("one\n", "one\ntyped");
    given.give("one\nmore\n");
    assert.ok(given.noteShown("one\nmore\n", unsaved));
    assert.ok(!given.noteShown("one\nmore\n", unsaved));
  });

  it("are none any more where the editor drops or refuses them", () => {
    const given = showing("one\n");
    given.give("one\ntwo\n");
    assert.ok(!given.noteShown("one\ntyped\n", saved));
    assert.ok(!given.noteShown("one\ntwo\n", saved));
    given.give("one\nthree\n");
    given.withdraw("one\nthree\n");
    assert.ok(!given.noteShown("one\nthree\n", unsaved));
  });
});

describe("what a user types into a proposed text", () => {
  it("takes nothing out that was typed into the file meanwhile", () => {
    const given = showing("first\na\nlast\n");
    assert.ok(!given.noteShown("first\na typed\nlast\n", saved));
    assert.equal(given.takeIn("first\na typed\nlast\n", "first u7\na\nlast\n"), "first u7\na typed\nlast\n");
    // The document does not show that yet, and is typed into again.
    assert.ok(!given.noteShown("first\na typed on\nlast\n", unsaved));
    const proposed = "first u7 note\na typed\nlast\n";
    assert.equal(given.takeIn("first\na typed on\nlast\n", proposed), "first u7 note\na typed on\nlast\n");
  });

  it("wins where the same line of the file was typed into, and has the line ends of its document", () => {
    const given = showing("first\r\nmiddle\r\na\r\n");
    assert.equal(given.takeIn("first\r\nmiddle\r\nb\r\n", "first u7\nmiddle\na2\n"), "first u7\r\nmiddle\r\nb\r\n");
    assert.equal(new GivenTexts().takeIn("typed\n", "other\n"), "typed\n");
  });
});
