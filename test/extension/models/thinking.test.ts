import assert from "node:assert/strict";
import { savedThinking, thinkingFor } from "../../../src/extension/models/thinking.ts";

describe("how much a model thinks", () => {
  it("is as chosen where its levels are unknown", () => {
    assert.equal(thinkingFor("high", undefined), "high");
  });

  it("is the next lower level that it knows", () => {
    assert.equal(thinkingFor("medium", ["off", "low", "high"]), "low");
    assert.equal(thinkingFor("high", ["off", "low", "high"]), "high");
    assert.equal(thinkingFor("high", ["off"]), "off");
  });

  it("is the lowest level of a model that always thinks, where less was chosen", () => {
    assert.equal(thinkingFor("minimal", ["low"]), "low");
    assert.equal(thinkingFor("off", ["low", "high"]), "low");
  });

  it("is as its maker means it where nothing was chosen, and nothing is said to a model that is not known", () => {
    assert.equal(thinkingFor(undefined, ["off", "low", "medium", "high"]), "medium");
    assert.equal(thinkingFor(undefined, ["off"]), "off");
    assert.equal(thinkingFor(undefined, undefined), "off");
  });

  it("is not chosen where something else was saved", () => {
    assert.equal(savedThinking(undefined), undefined);
    assert.equal(savedThinking("extreme"), undefined);
    assert.equal(savedThinking("low"), "low");
  });
});
