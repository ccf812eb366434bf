import assert from "node:assert/strict";
import {
  commandEnvironment,
  commandMarkVariable,
  isAllowedVariable,
} from "../../../src/extension/terminal/environment.ts";

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
    it(`has no ${name}`, () => assert.equal(environmentOf({ [name]: "canary" })[name], undefined));
  }

  it("has no variable that the settings name for a key, however it is written", () => {
    const environment = environmentOf({ WORK_MODEL: "canary", work_other: "canary" }, ["work_model", "WORK_OTHER"]);
    assert.ok(!Object.values(environment).includes("canary"));
  });

  // What other programs and services keep in the environment, and what makes programs load or run something.
  const others = [
    ...[
      "GITHUB_TOKEN",
      "GH_TOKEN",
      "GITLAB_TOKEN",
      "NPM_TOKEN",
      "NODE_AUTH_TOKEN",
      "STRIPE_API_KEY",
      "SENTRY_AUTH_TOKEN",
    ],
    ...["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "AZURE_CLIENT_SECRET"],
    ...[
      "GOOGLE_APPLICATION_CREDENTIALS",
      "CLOUDFLARE_API_TOKEN",
      "DIGITALOCEAN_TOKEN",
      "HEROKU_API_KEY",
      "FLY_API_TOKEN",
    ],
    ...["DATABASE_URL", "PGPASSWORD", "MYSQL_PWD", "REDIS_URL", "MONGODB_URI", "SECRET_KEY_BASE", "DJANGO_SECRET_KEY"],
    ...[
      "SLACK_BOT_TOKEN",
      "TELEGRAM_BOT_TOKEN",
      "TWILIO_AUTH_TOKEN",
      "VAULT_TOKEN",
      "KUBECONFIG",
      "DOCKER_AUTH_CONFIG",
    ],
    ...["SSH_AUTH_SOCK", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS", "XAUTHORITY", "DISPLAY", "WAYLAND_DISPLAY"],
    ...[
      "LD_PRELOAD",
      "LD_LIBRARY_PATH",
      "LD_AUDIT",
      "DYLD_INSERT_LIBRARIES",
      "NODE_OPTIONS",
      "NODE_PATH",
      "PYTHONSTARTUP",
    ],
    ...["PYTHONPATH", "PYTHONHOME", "PERL5LIB", "PERL5OPT", "RUBYOPT", "RUBYLIB", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS"],
    ...[
      "CLASSPATH",
      "GOFLAGS",
      "RUSTFLAGS",
      "RUSTC_WRAPPER",
      "CC",
      "MAKEFLAGS",
      "LESSOPEN",
      "EDITOR",
      "VISUAL",
      "BROWSER",
    ],
    ...[
      "GIT_SSH_COMMAND",
      "GIT_EXTERNAL_DIFF",
      "GIT_CONFIG_COUNT",
      "GIT_DIR",
      "GIT_ASKPASS",
      "SSH_ASKPASS",
      "GIT_EDITOR",
    ],
    ...[
      "npm_config_script_shell",
      "npm_config__authToken",
      "PIP_INDEX_URL",
      "MANPAGER",
      "PS4",
      "IFS",
      "SHELLOPTS",
      "BASHOPTS",
    ],
    ...["CDPATH", "GLOBIGNORE", "TERMINFO", "LOCPATH", "HOSTALIASES", "path", "home"],
  ];
  for (const name of others) {
    it(`has no ${name}`, () => assert.equal(environmentOf({ [name]: "canary" })[name], undefined));
  }

  for (const value of ["sk-ant-api03-x", "sk-or-v1-x", "sk-proj-x", "gsk_x", "xai-x", "() { evil; }", "a\nb"]) {
    it(`has no value like ${JSON.stringify(value)}, whatever it is called`, () => {
      assert.equal(environmentOf({ NODE_ENV: value }).NODE_ENV, undefined);
    });
  }

  it("has what programs need to be found and to find their own", () => {
    const base = {
      ...{ PATH: "/usr/local/bin:/bin", HOME: "/home/x", USER: "x", LANG: "C.UTF-8", LC_ALL: "C", TZ: "UTC" },
      ...{
        JAVA_HOME: "/opt/java",
        GOPATH: "/home/x/go",
        CARGO_HOME: "/home/x/.cargo",
        VIRTUAL_ENV: "/ws/.venv",
        CI: "1",
      },
      ...{ XDG_CACHE_HOME: "/home/x/.cache", NODE_ENV: "test" },
    };
    const environment = environmentOf(base);
    for (const [name, value] of Object.entries(base)) assert.equal(environment[name], value, name);
  });

  it("has a proxy without a password, and none with one", () => {
    const proxies: [string, string, boolean][] = [
      ["HTTPS_PROXY", "http://proxy.test:3128", true],
      ["http_proxy", "proxy.test:3128", true],
      ["HTTP_PROXY", "http://me:secret@proxy.test:3128", false],
      ["https_proxy", "me:secret@proxy.test:3128", false],
      ["ALL_PROXY", "socks5://token@proxy.test", false],
      ["HTTPS_PROXY", "http://proxy.test/?token=secret", false],
      ["HTTPS_PROXY", "http://[", false],
    ];
    for (const [name, value, isCarried] of proxies) {
      assert.equal(environmentOf({ [name]: value })[name], isCarried ? value : undefined, `${name}=${value}`);
    }
  });

  it("finds no program in the folder it happens to be in", () => {
    assert.equal(environmentOf({ PATH: ".:/usr/bin::node_modules/.bin:/bin" }).PATH, "/usr/bin:/bin");
  });

  it("knows names in any case where the system does", () => {
    assert.equal(isAllowedVariable("Path", "C:\\Windows", "win32"), true);
    assert.equal(isAllowedVariable("SystemRoot", "C:\\Windows", "win32"), true);
    assert.equal(isAllowedVariable("Path", "/bin", "linux"), false);
  });

  it("has nothing of the editor, no start-up file and no function in place of a program", () => {
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
