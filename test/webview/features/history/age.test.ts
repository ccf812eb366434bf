import assert from "node:assert/strict";
import { formatAge } from "../../../../src/webview/features/history/age.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const now = Date.UTC(2026, 0, 31);

describe("how long ago something was", () => {
  it("is short, and the date once a month has passed", () => {
    const ages: [number, string][] = [
      [-minute, "now"],
      [59_000, "now"],
      [minute, "1 min"],
      [59 * minute, "59 min"],
      [hour, "1 h"],
      [23 * hour, "23 h"],
      [day, "1 d"],
      [29 * day, "29 d"],
      [30 * day, "2026-01-01"],
    ];
    for (const [age, words] of ages) assert.equal(formatAge(now - age, now), words);
  });
});
