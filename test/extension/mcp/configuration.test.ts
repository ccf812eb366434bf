import assert from "node:assert/strict";
import {
  type ConfigurationSource,
  fingerprintOf,
  launchText,
  parseServers,
  parseServersFile,
  type ServerDefinition,
} from "../../../src/extension/mcp/configuration.ts";

const source: ConfigurationSource = { kind: "workspace", name: ".vscode/mcp.json", folder: "/work" };
const parse = (content: string) => parseServersFile(content, source);
const only = (servers: Record<string, unknown>, inputs?: unknown): ServerDefinition => {
  const found = parseServers({ servers, inputs }, source);
  assert.deepEqual(found.problems, []);
  assert.ok(found.servers[0]);
  return found.servers[0];
};

describe("The configuration of MCP servers", () => {
  it("is read in the editor's format, with comments and trailing commas", () => {
    const { servers, problems } = parse(`{
      // Ours
      "inputs": [{ "type": "promptString", "id": "token", "description": "Token", "password": true }],
      "servers": {
        "files": { "command": "npx", "args": ["-y", "server"], "env": { "TOKEN": "\${input:token}" } },
        "web": { "type": "http", "url": "https://example.com/mcp", "headers": { "X": "1" } },
      },
    }`);
    assert.deepEqual(problems, []);
    assert.deepEqual(
      servers.map(({ name, launch, inputs }) => [name, launch.type, inputs.map(({ id }) => id)]),
      [
        ["files", "stdio", ["token"]],
        ["web", "http", []],
      ],
    );
  });

  it("is empty for an empty file", () => {
    assert.deepEqual(parse(""), { servers: [], problems: [] });
    assert.deepEqual(parse("{}"), { servers: [], problems: [] });
  });

  it("names the line of a mistake in the JSON", () => {
    assert.match(parse('{\n"servers": {\n"a" }}').problems[0] ?? "", /line 3/);
  });

  it("loses no server through another one that makes no sense", () => {
    const { servers, problems } = parse('{"servers": {"bad": {"args": 1}, "worse": 7, "good": {"command": "run"}}}');
    assert.deepEqual(
      servers.map(({ name }) => name),
      ["good"],
    );
    assert.equal(problems.length, 2);
  });

  for (const name of ["../evil", "a/../b", "", ".hidden", "a\u202eb", "a\u200bb", "a\nb", "x".repeat(200)]) {
    it(`refuses a server that is called ${JSON.stringify(name).slice(0, 30)}`, () => {
      const { servers, problems } = parseServers({ servers: { [name]: { command: "run" } } }, source);
      assert.deepEqual(servers, []);
      assert.equal(problems.length, 1);
      assert.doesNotMatch(problems[0] ?? "", /[\u202e\u200b\n]/);
    });
  }

  it("refuses a reference to an input that is missing or runs a command of the editor", () => {
    const servers = { a: { command: "run", args: [`\${input:x}`] } };
    for (const inputs of [undefined, [{ type: "command", id: "x", command: "workbench.action.quit" }]]) {
      assert.match(parseServers({ servers, inputs }, source).problems[0] ?? "", /input x/);
    }
  });

  it("refuses an address that is not of the web", () => {
    assert.equal(parseServers({ servers: { a: { url: "file:///etc/passwd" } } }, source).servers.length, 0);
  });

  it("has another fingerprint after any change of what is run", () => {
    const base = { command: "run", args: ["a"], env: { A: "1" }, cwd: "/x", envFile: ".env" };
    const changes = [{ command: "walk" }, { args: ["a", "b"] }, { env: { A: "2" } }, { cwd: "/y" }, { envFile: "b" }];
    const before = fingerprintOf(only({ a: base }));
    assert.equal(fingerprintOf(only({ a: { ...base } })), before);
    for (const change of changes) assert.notEqual(fingerprintOf(only({ a: { ...base, ...change } })), before);
  });

  it("has another fingerprint when an input asks for something else", () => {
    const servers = { a: { command: "run", args: [`\${input:x}`] } };
    const asked = (description: string) => only(servers, [{ type: "promptString", id: "x", description }]);
    assert.notEqual(fingerprintOf(asked("Your name")), fingerprintOf(asked("Your password")));
  });

  it("shows all of a command line, and where each argument ends", () => {
    const definition = only({
      a: { command: "sh", args: ["-c", "curl x | sh", "a\u202eb"], env: { A: "b c" }, cwd: `\${workspaceFolder}` },
    });
    const lines = launchText(definition).split("\n");
    assert.deepEqual(lines, ['sh -c "curl x | sh" "a⟨U+202E⟩b"', `cwd: \${workspaceFolder}`, 'A="b c"']);
  });

  it("shows no line of its own for a line break in a value", () => {
    const text = launchText(only({ a: { url: "https://x.example/", headers: { A: "b\nhttps://good.example" } } }));
    assert.equal(text.split("\n").length, 2);
  });

  it("has the sandbox of a server, or that of the file for those that have none", () => {
    const file = { filesystem: { allowWrite: ["/data"] }, network: { allowedDomains: ["a.test"] } };
    const servers = {
      a: { command: "run", sandboxEnabled: true },
      b: { command: "run", sandboxEnabled: true, sandbox: { network: { allowedDomains: [] } } },
      c: { url: "https://x.example/" },
    };
    const found = parseServersFile(JSON.stringify({ servers, sandbox: file }), source);
    assert.deepEqual(found.problems, []);
    assert.deepEqual(
      found.servers.map(({ launch }) => ("sandbox" in launch ? launch.sandbox : undefined)),
      [file, { network: { allowedDomains: [] } }, undefined],
    );
    assert.match(
      launchText(found.servers[0] ?? assert.fail()),
      /^sandbox allowWrite: \/data\nsandbox allowedDomains: a\.test$/m,
    );
  });

  it("starts no server whose sandbox makes no sense, and asks again about one whose sandbox has changed", () => {
    const bad = [{ sandboxEnabled: "yes" }, { sandbox: [] }, { sandbox: { network: { allowedDomains: "*" } } }];
    for (const sandbox of [...bad, { sandbox: { filesystem: { denyRead: [7] } } }]) {
      const { servers, problems } = parseServers({ servers: { a: { command: "run", ...sandbox } } }, source);
      assert.deepEqual(servers, []);
      assert.match(problems[0] ?? "", /sandbox/);
    }
    const prints = [{}, { sandboxEnabled: true }, { sandboxEnabled: true, sandbox: {} }].map((sandbox) =>
      fingerprintOf(only({ a: { command: "run", ...sandbox } })),
    );
    assert.equal(new Set(prints).size, prints.length);
  });
});
