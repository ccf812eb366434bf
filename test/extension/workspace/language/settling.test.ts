import assert from "node:assert/strict";
import { settleDelay } from "../../../../src/extension/workspace/language/diagnosticSettling.ts";

describe("Waiting for diagnostics after a write", () => {
  it("ends soon after silence where the language's server is known to speak", () => {
    assert.equal(settleDelay({ writtenAt: 1_000, firstTime: false }, 1_000), 1_500);
    assert.equal(settleDelay({ writtenAt: 1_000, firstTime: false }, 2_500), 0);
  });

  it("is longer where a server may still be starting", () => {
    assert.equal(settleDelay({ writtenAt: 0, firstTime: true }, 1_500), 3_500);
  });

  it("goes on a little after each report, for the next step of it", () => {
    assert.equal(settleDelay({ writtenAt: 0, firstTime: true, lastReportAt: 900 }, 1_000), 300);
    assert.equal(settleDelay({ writtenAt: 0, firstTime: true, lastReportAt: 900 }, 1_300), 0);
  });

  it("ends in any case", () => {
    assert.equal(settleDelay({ writtenAt: 0, firstTime: false, lastReportAt: 4_990 }, 5_000), 0);
  });
});
