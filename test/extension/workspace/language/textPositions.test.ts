import assert from "node:assert/strict";
import { columnsOf, replacementsIn } from "../../../../src/extension/workspace/language/textPositions.ts";

describe("Positions in a text", () => {
  it("become offsets whatever the line ends are", () => {
    const text = "one\r\ntwo\rthree\nfour";
    const at = (line: number, column: number) => ({ line, column });
    const edits = [
      { start: at(2, 1), end: at(2, 4), text: "2" },
      { start: at(3, 2), end: at(3, 6), text: "" },
      { start: at(4, 5), end: at(9, 1), text: "!" },
    ];
    assert.deepEqual(
      replacementsIn(text, edits).map(({ start, end }) => text.slice(start, end)),
      ["two", "hree", ""],
    );
    assert.deepEqual(replacementsIn(text, edits).at(-1), { start: 19, end: 19, text: "!" });
  });

  it("of a name are those where it is a whole word", () => {
    assert.deepEqual(columnsOf("price(priceless, a.price) $price price", "price"), [1, 20, 34]);
    assert.deepEqual(columnsOf("größe(a)", "größ"), []);
    assert.deepEqual(columnsOf("a", ""), []);
  });
});
