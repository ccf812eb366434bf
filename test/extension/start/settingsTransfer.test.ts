import assert from "node:assert/strict";
import { exportSettings, importQuestion, planImport } from "../../../src/extension/start/settingsTransfer.ts";

const exported = (values: Record<string, unknown>) => {
  const { text, leftOut } = exportSettings(values);
  return { settings: JSON.parse(text).settings, leftOut, text };
};
const fileOf = (settings: Record<string, unknown>) => JSON.stringify({ arborSettings: 1, settings });

const reference = (kind: string, name: string) => `\${${kind}:${name}}`;

describe("exported settings", () => {
  it("are those that the user has set, without what belongs to this machine", () => {
    const { settings, leftOut } = exported({
      "arbor.model": "anthropic/x",
      "arbor.permissions.deny": ["edit_file(vendor/**)"],
      "arbor.search.ripgrepPath": "/opt/rg",
      "editor.fontSize": 14,
    });
    assert.deepEqual(settings, { "arbor.model": "anthropic/x", "arbor.permissions.deny": ["edit_file(vendor/**)"] });
    assert.deepEqual(leftOut, []);
  });

  it("hold no secret, wherever one may be, and say what was left out", () => {
    const canary = "canary-5eafd00d";
    const { settings, leftOut, text } = exported({
      "arbor.providers": {
        lab: {
          type: "openai-chat",
          baseUrl: `https://me:${canary}@lab.test/v1`,
          headers: { Authorization: `Bearer ${canary}`, "X-Key": reference("secret", "LAB"), "X-Odd": canary },
        },
      },
      "arbor.mcp.servers": {
        github: {
          command: "gh-mcp",
          args: ["--token", canary, `--api-key=${canary}`, "--fast", `sk-ant-${canary}`],
          env: { TOKEN: canary, SAFE: reference("input", "token") },
        },
        far: { url: `https://mcp.test/?token=${canary}`, headers: { "X-Auth": canary } },
      },
      "arbor.mcp.inputs": [{ id: "token", type: "promptString", password: true, default: canary }],
      "arbor.foreignAgents": { codex: { command: "codex", args: [`--password=${canary}`], env: ["OPENAI_API_KEY"] } },
    });
    assert.doesNotMatch(text, /canary/);
    assert.deepEqual(settings["arbor.providers"], {
      lab: { type: "openai-chat", headers: { "X-Key": reference("secret", "LAB") } },
    });
    assert.deepEqual(settings["arbor.mcp.servers"].github, {
      command: "gh-mcp",
      args: ["--token", "--fast"],
      env: { SAFE: reference("input", "token") },
    });
    assert.deepEqual(settings["arbor.foreignAgents"].codex.env, ["OPENAI_API_KEY"]);
    assert.equal(leftOut.length, 11);
    assert.ok(leftOut.includes("arbor.mcp.servers.github.env.TOKEN"));
  });

  it("keep references to secrets, and no secret beside one", () => {
    const token = reference("input", "token");
    const server = {
      url: `https://mcp.test/?token=${token}`,
      args: [`--token=${token}`],
      headers: { Authorization: `Bearer ${token}` },
      oauth: { clientIdEnv: "ID", clientSecretEnv: "SECRET" },
    };
    const safe = { "arbor.mcp.servers": { far: server } };
    assert.deepEqual(exported(safe), { ...exported(safe), settings: safe, leftOut: [] });
    const canary = "canary-5eafd00d";
    const { text, leftOut } = exported({
      "arbor.mcp.servers": {
        a: { url: `https://me:${canary}@mcp.test/${token}` },
        b: { headers: { "X-Auth": `${canary}${token}` } },
        c: { args: [`--token=${canary}${token}`], oauth: { clientSecret: canary } },
      },
    });
    assert.doesNotMatch(text, /canary/);
    assert.equal(leftOut.length, 4);
  });

  it("come back as they were", () => {
    const values = {
      "arbor.model": "anthropic/x",
      "arbor.limits.maxCost": 2.5,
      "arbor.providers": { lab: { type: "openai-chat", baseUrl: "http://localhost:1234/v1" } },
    };
    assert.deepEqual(planImport(exportSettings(values).text, {}).values, values);
  });
});

describe("imported settings", () => {
  it("are sorted: what is replaced, what is added, what stays", () => {
    const current = { "arbor.model": "demo/demo", "arbor.limits.maxDepth": 2 };
    const plan = planImport(
      fileOf({ "arbor.model": "anthropic/x", "arbor.limits.maxDepth": 2, "arbor.edits.goToNext": false }),
      current,
    );
    assert.deepEqual(plan.values, { "arbor.model": "anthropic/x", "arbor.edits.goToNext": false });
    assert.deepEqual([plan.replaced, plan.added], [["arbor.model"], ["arbor.edits.goToNext"]]);
  });

  it("leave out what is no setting, belongs to another machine or makes no sense, and say so", () => {
    const { values, problems } = planImport(
      fileOf({
        "arbor.limits.maxTurns": -1,
        "arbor.unknown": true,
        "arbor.search.ripgrepPath": "/bin/evil",
        "editor.fontSize": 20,
        "arbor.permissions.allow": ["rm -rf"],
        "arbor.providers": { lab: { apiKey: "sk-canary" } },
        "arbor.limits.maxDepth": 1,
      }),
      {},
    );
    assert.deepEqual(values, { "arbor.limits.maxDepth": 1 });
    assert.equal(problems.length, 6);
    assert.doesNotMatch(problems.join(), /canary/);
  });

  it("name what decides what runs and who gets messages before they are written", () => {
    const plan = planImport(
      fileOf({
        "arbor.commands.sandbox": "off",
        "arbor.permissions.allow": ["run_command(npm test)"],
        "arbor.permissions.deny": [],
        "arbor.mcp.servers": { x: { command: "x" } },
        "arbor.limits.maxDepth": 1,
      }),
      { "arbor.commands.sandbox": "required", "arbor.permissions.deny": ["run_command(rm *)"] },
    );
    assert.deepEqual(plan.deciding, [
      ...["arbor.commands.sandbox", "arbor.permissions.allow", "arbor.permissions.deny", "arbor.mcp.servers"],
    ]);
    const question = importQuestion(plan);
    assert.match(question, /Replaces your values of: arbor\.commands\.sandbox, arbor\.permissions\.deny\n/);
    assert.match(question, /Decides what runs without asking.*arbor\.mcp\.servers/);
    assert.doesNotMatch(question, /Left out/);
  });

  for (const [what, text] of Object.entries({
    "no JSON": "{",
    "another file": '{"name":"x"}',
    "another version": '{"arborSettings":2,"settings":{}}',
    "too long a file": fileOf({ "arbor.model": `a/${"x".repeat(1_000_000)}` }),
    "an empty file": "",
  })) {
    it(`refuse ${what} with a sentence`, () => {
      assert.throws(() => planImport(text, {}), /not a file of Arbor settings/);
    });
  }

  it("take no setting named like a part of every object", () => {
    const { values, problems } = planImport('{"arborSettings":1,"settings":{"__proto__":{"x":1},"toString":1}}', {});
    assert.deepEqual(values, {});
    assert.ok(problems.length >= 1);
  });
});
