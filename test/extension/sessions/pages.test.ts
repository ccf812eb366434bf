import assert from "node:assert/strict";
import type { Line } from "../../../src/extension/sessions/lines.ts";
import { startOfLastPage } from "../../../src/extension/sessions/pages.ts";

const limits = { bytes: 1_000, entries: 10 };

/** Lines one after the other, of the kinds and lengths given. */
function linesOf(...lines: [kind: string, length: number][]): Line[] {
  let offset = 0;
  return lines.map(([kind, length], seq) => {
    offset += length;
    return { offset: offset - length, length, head: { seq, at: 0, kind, depth: 0, of: "root" } };
  });
}

const repeated = (count: number, ...line: [string, number]) => Array.from({ length: count }, () => line);

describe("the last page of a session", () => {
  it("is all of it when that fits", () => {
    assert.equal(startOfLastPage(linesOf(...repeated(10, "message_end", 100)), limits), 0);
    assert.equal(startOfLastPage([], limits), 0);
  });

  it("begins with a turn that is near, by size and by number", () => {
    const large = linesOf(
      ["agent_start", 50],
      ...repeated(3, "message_end", 100),
      ["turn_start", 50],
      ...repeated(10, "message_end", 100),
    );
    assert.equal(startOfLastPage(large, limits), 4);
    const many = linesOf(
      ["agent_start", 1],
      ...repeated(3, "message_end", 1),
      ["turn_start", 1],
      ...repeated(11, "message_end", 1),
    );
    assert.equal(startOfLastPage(many, limits), 4);
  });

  it("begins in the middle of a turn that is longer than two pages", () => {
    const lines = linesOf(["agent_start", 50], ...repeated(50, "message_end", 100));
    assert.equal(startOfLastPage(lines, limits), lines.length - 10);
  });

  it("has at least one entry, however long that is", () => {
    const lines = linesOf(...repeated(3, "message_end", 5_000));
    assert.equal(startOfLastPage(lines, limits), 2);
  });
});
