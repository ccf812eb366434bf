import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { UserError } from "../../../src/extension/common/userError.ts";
import { parseServers, type ServerDefinition } from "../../../src/extension/mcp/configuration.ts";
import { parseEnvFile, resolveLaunch } from "../../../src/extension/mcp/variables.ts";

const { signal } = new AbortController();

function define(launch: unknown, { inputs, folder = "/work" }: { inputs?: unknown; folder?: string } = {}) {
  const { servers, problems } = parseServers(
    { servers: { server: launch }, inputs },
    { kind: "workspace", name: ".vscode/mcp.json", folder },
  );
  assert.deepEqual(problems, []);
  const [server] = servers;
  assert.ok(server);
  return server;
}

function resolve(definition: ServerDefinition, answers: Record<string, string> = {}) {
  const environment = { HOME_TOWN: "Ulm" };
  return resolveLaunch(definition, { environment, askInput: async (_, { id }) => answers[id] ?? "" }, signal);
}

describe("The variables of an MCP server", () => {
  it("are resolved in the command, its arguments, folder and environment", async () => {
    const definition = define(
      {
        command: `\${workspaceFolder}/run`,
        args: [`--town=\${env:HOME_TOWN}`, `\${input:key}`],
        cwd: "sub",
        env: { A: `\${env:MISSING}`, GONE: null, N: 5 },
      },
      { inputs: [{ type: "promptString", id: "key" }] },
    );
    assert.deepEqual(await resolve(definition, { key: `\${env:HOME_TOWN}` }), {
      type: "stdio",
      command: "/work/run",
      // What the user answers is no template.
      args: ["--town=Ulm", `\${env:HOME_TOWN}`],
      cwd: "/work/sub",
      env: { A: "", GONE: null, N: "5" },
    });
  });

  it("are resolved in the paths of its sandbox, which are those of its folder and the home folder", async () => {
    const filesystem = { allowWrite: [`\${userHome}/a`, "~/b", "c/../d"], denyRead: [`\${workspaceFolder}/e`] };
    const definition = define({ command: "run", sandbox: { filesystem, network: { allowedDomains: ["a.test"] } } });
    const launch = await resolve(definition);
    assert.deepEqual(launch.type === "stdio" && launch.sandbox, {
      filesystem: { allowWrite: [join(homedir(), "a"), join(homedir(), "b"), "/work/d"], denyRead: ["/work/e"] },
      network: { allowedDomains: ["a.test"] },
    });
  });

  it("are resolved in an address and its headers", async () => {
    const definition = define({
      url: `https://\${env:HOME_TOWN}.example/`,
      headers: { A: `Bearer \${env:HOME_TOWN}` },
    });
    const launch = await resolve(definition);
    assert.deepEqual(launch, { type: "http", url: "https://Ulm.example/", headers: { A: "Bearer Ulm" } });
  });

  it("that are not known are named to the user", async () => {
    await assert.rejects(resolve(define({ command: `\${command:run}` })), UserError);
  });

  it("come from an environment file, which the definition overrides", async () => {
    const folder = await mkdtemp(join(tmpdir(), "mcp-"));
    try {
      await writeFile(join(folder, ".env"), "A=file\nB=file\n");
      const launch = await resolve(define({ command: "run", envFile: ".env", env: { B: "own" } }, { folder }));
      assert.deepEqual(launch.type === "stdio" && launch.env, { A: "file", B: "own" });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("that a missing environment file should have are an error for the user", async () => {
    await assert.rejects(resolve(define({ command: "run", envFile: "/nowhere/.env" })), UserError);
  });
});

describe("An environment file", () => {
  it("may have quotes, comments and exports", () => {
    const content = "# c\nA=1 # c\nexport B=\"x y\\n\"\nC='# no'\n\nnot a line\nD=";
    assert.deepEqual(parseEnvFile(content), { A: "1", B: "x y\n", C: "# no", D: "" });
  });
});
