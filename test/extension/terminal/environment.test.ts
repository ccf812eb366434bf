import assert from "node:assert/strict";
import { commandEnvironment, commandMarkVariable } from "../../../src/extension/terminal/commands.ts";

const environmentOf = (base: Record<string, string>, keyNames: string[] = []) =>
  commandEnvironment(base, { mark: "mark-1", keyNames });

describe("the environment of a command", () => {
  const keys = [
    ...["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "AZURE_OPENAI_API_KEY"],
    ...["OPENROUTER_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "MISTRAL_API_KEY"],
    ...["GROQ_API_KEY", "XAI_API_KEY", "DEEPSEEK_API_KEY", "TOGETHER_API_KEY", "CO_API_KEY", "COHERE_API_KEY"],
    ...["HF_TOKEN", "HUGGINGFACE_TOKEN", "HUGGING_FACE_HUB_TOKEN", "REPLICATE_API_TOKEN", "PERPLEXITY_API_KEY"],
    ...["CLAUDE_CODE_OAUTH_TOKEN", "AWS_BEARER_TOKEN_BEDROCK", "VITE_OPENAI_API_KEY", "AI_GATEWAY_API_KEY"],
    ...["OPENAI_API_KEY_2", "openai_api_key", "API_KEY", "NVIDIA_API_KEY", "FIREWORKS_API_KEY"],
  ];
  for (const name of keys) {
    it(`carries no ${name}`, () => assert.equal(environmentOf({ [name]: "canary" })[name], undefined));
  }

  it("carries no variable that the settings name for a key, however it is written", () => {
    const environment = environmentOf({ WORK_MODEL: "canary", work_other: "canary" }, ["work_model", "WORK_OTHER"]);
    assert.ok(!Object.values(environment).includes("canary"));
  });

  for (const value of ["sk-ant-api03-x", "sk-or-v1-x", "sk-proj-x", "gsk_x", "xai-x"]) {
    it(`carries no value like ${value}, whatever it is called`, () => {
      assert.equal(environmentOf({ MY_SETTING: value }).MY_SETTING, undefined);
    });
  }

  it("keeps what programs need and the keys of other services", () => {
    const base = {
      ...{ PATH: "/bin", HOME: "/home/x", LANG: "C.UTF-8", NODE_OPTIONS: "--enable-source-maps" },
      ...{ GITHUB_TOKEN: "t", STRIPE_API_KEY: "s", OPENAI_BASE_URL: "http://x.test", KEYBOARD: "de", MONKEY: "1" },
    };
    const environment = environmentOf(base);
    for (const [name, value] of Object.entries(base)) assert.equal(environment[name], value, name);
  });

  it("carries nothing of the editor, no start-up file and no function in place of a program", () => {
    const environment = environmentOf({
      ...{ ELECTRON_RUN_AS_NODE: "1", VSCODE_IPC_HOOK: "/x", VSCODE_PID: "1" },
      ...{ BASH_ENV: "/x", ENV: "/x", ZDOTDIR: "/x", "BASH_FUNC_ls%%": "() { evil; }" },
    });
    assert.deepEqual(
      Object.keys(environment).filter((name) => /^(ELECTRON|VSCODE|BASH|ENV$|ZDOTDIR)/.test(name)),
      [],
    );
  });

  it("is marked, beside the marks of commands around it", () => {
    assert.equal(environmentOf({})[commandMarkVariable], "mark-1");
    assert.equal(environmentOf({ [commandMarkVariable]: "outer" })[commandMarkVariable], "outer mark-1");
  });
});
