import type { FakeProvider } from "../../support/fakeProvider/startFakeProvider.ts";
import type { Settings } from "../settings.ts";

export type Wire = "anthropic" | "openai" | "openai-chat";

/** A window in which a hundred tokens are one percent. */
const contextWindow = 10_000;
export const keyEnvironment = { ARBOR_TEST_KEY: "test-key" };

const baseUrl = (url: string, wire: Wire) => (wire === "anthropic" ? url : `${url}/v1`);

/** The settings a user would write to reach the fake provider by that wire. */
export function fakeModelSettings({ url }: Pick<FakeProvider, "url">, wire: Wire): Settings {
  return {
    "arbor.model": "fake/test-model",
    "arbor.compaction.threshold": 0,
    "arbor.providers": {
      fake: {
        type: wire,
        baseUrl: baseUrl(url, wire),
        apiKeyEnv: "ARBOR_TEST_KEY",
        models: [{ id: "test-model", contextWindow, maxOutput: 2000, price: { input: 10, output: 100 } }],
      },
    },
  };
}
