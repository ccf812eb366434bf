import assert from "node:assert/strict";
import { formatAge, spokenAge } from "../../../src/webview/text/age.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const now = Date.UTC(2026, 0, 31);

describe("how long ago something was", () => {
  it("is short in a row and whole when it is read out", () => {
    const ages: [number, string, string][] = [
      [-minute, "now", "just now"],
      [59_000, "now", "just now"],
      [minute, "1 min", "a minute ago"],
      [59 * minute, "59 min", "59 minutes ago"],
      [hour, "1 h", "an hour ago"],
      [23 * hour, "23 h", "23 hours ago"],
      [day, "1 d", "a day ago"],
      [29 * day, "29 d", "29 days ago"],
      [30 * day, "2026-01-01", "2026-01-01"],
    ];
    for (const [age, short, spoken] of ages) {
      assert.deepEqual([formatAge(now - age, now), spokenAge(now - age, now)], [short, spoken]);
    }
  });
});
