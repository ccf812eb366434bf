import assert from "node:assert/strict";
import type { AssistantMessage } from "../../../src/agent/vocabulary/messages.ts";
import { failedRequestProblem } from "../../../src/extension/models/problems.ts";

function failed(fields: Partial<AssistantMessage>): AssistantMessage {
  const message: AssistantMessage = {
    role: "assistant",
    id: "1",
    content: [],
    model: "m",
    provider: "p",
    stopReason: "error",
    timestamp: 0,
  };
  return { ...message, ...fields };
}

describe("a failed request", () => {
  it("offers the key after a rejected one, in the provider's words", () => {
    const problem = failedRequestProblem(failed({ errorKind: "auth", errorMessage: "p rejected the API key." }));
    assert.deepEqual(problem, { text: "p rejected the API key.", actions: ["setApiKey", "selectModel"] });
  });

  it("names the provider whose key was refused, so that no one has to look for it in a list", () => {
    const errorFacts = { code: "key_rejected", provider: "p", model: "m" } as const;
    assert.equal(failedRequestProblem(failed({ errorKind: "auth", errorFacts }))?.keyOf, "p");
    const sent = failedRequestProblem(failed({ errorKind: "network", errorFacts: { ...errorFacts, code: "cut" } }));
    assert.equal(sent?.keyOf, undefined);
  });

  it("offers no key for a model of the editor, which has none", () => {
    const problem = failedRequestProblem(failed({ provider: "vscode", errorKind: "auth", errorMessage: "x" }));
    assert.deepEqual(problem?.actions, ["retry", "selectModel"]);
  });

  it("offers other models when there is no such model", () => {
    assert.equal(
      failedRequestProblem(failed({ errorKind: "not_found", errorMessage: "x" }))?.actions[0],
      "selectModel",
    );
  });

  it("offers a retry and the settings when nothing could be reached", () => {
    assert.deepEqual(failedRequestProblem(failed({ errorKind: "network" }))?.actions, ["retry", "openSettings"]);
  });

  it("still says something when nothing is known", () => {
    const problem = failedRequestProblem(failed({}));
    assert.match(problem?.text ?? "", /failed/);
    assert.deepEqual(problem?.actions, ["retry", "showLog"]);
  });

  it("is no problem when it was stopped or went well", () => {
    assert.equal(failedRequestProblem(failed({ stopReason: "aborted" })), undefined);
    assert.equal(failedRequestProblem(failed({ stopReason: "stop" })), undefined);
  });
});
