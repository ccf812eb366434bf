import assert from "node:assert/strict";
import { keptThinking, thinkingFor } from "../../../src/extension/models/thinking.ts";

describe("how much a model thinks", () => {
  it("is as chosen where its levels are unknown", () => {
    assert.equal(thinkingFor("high", undefined), "high");
  });

  it("is the next lower level that it knows", () => {
    assert.equal(thinkingFor("medium", ["off", "low", "high"]), "low");
    assert.equal(thinkingFor("high", ["off", "low", "high"]), "high");
    assert.equal(thinkingFor("high", ["off"]), "off");
    assert.equal(thinkingFor("minimal", ["low"]), "off");
  });

  it("is off where something else was kept", () => {
    assert.equal(keptThinking(undefined), "off");
    assert.equal(keptThinking("extreme"), "off");
    assert.equal(keptThinking("low"), "low");
  });
});
