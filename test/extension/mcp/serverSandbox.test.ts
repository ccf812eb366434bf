import assert from "node:assert/strict";
import { copyFile, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { judgeAddress } from "../../../src/extension/fetching/address.ts";
import type { McpServer } from "../../../src/extension/mcp/mcpServer.ts";
import { hostGate, reachableHosts, serverSandbox } from "../../../src/extension/mcp/serverSandbox.ts";
import { resolveLaunch } from "../../../src/extension/mcp/variables.ts";
import { readProcesses } from "../../../src/extension/terminal/processTable.ts";
import { machineProbe, type SandboxBench, sandboxBench, secret } from "../sandbox/support.ts";
import { define, TestServers } from "./support/servers.ts";

const servers = new TestServers();
const { signal } = new AbortController();
const curious = join(import.meta.dirname, "support/curiousServer.ts");

describe("An MCP server in the sandbox", function () {
  this.timeout(60_000);
  let bench: SandboxBench;
  before(async function () {
    if (!(await machineProbe()).isAvailable) this.skip();
    bench = await sandboxBench();
    await copyFile(curious, join(bench.workspace, "server.ts"));
    await mkdir(join(bench.workspace, "private"));
    await writeFile(join(bench.workspace, "private/plan.txt"), secret);
  });
  afterEach(() => servers.dispose());
  after(() => bench?.close());

  /** With the workspace of the bench, as a definition there would have it. */
  function create(sandbox: object = {}, launch: object = {}): McpServer {
    const command = { command: process.execPath, args: [`\${workspaceFolder}/server.ts`], sandboxEnabled: true };
    const definition = define("curious", { ...command, sandbox, ...launch });
    const own = { ...definition, source: { ...definition.source, folder: bench.workspace } };
    const parts = {
      setting: () => "auto" as const,
      probe: machineProbe,
      roots: () => [bench.workspace],
      home: bench.home,
    };
    return servers.of(own, {
      sandbox: (resolved, log) => serverSandbox(parts, resolved, log),
      resolve: (each, stop) =>
        resolveLaunch(each, { environment: {}, askInput: () => Promise.reject(new Error("no input")) }, stop),
    });
  }

  async function call(server: McpServer, tool: string, args: Record<string, string> = {}) {
    const { content, isError } = await server.callTool(tool, args, { signal });
    const text = content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    return isError === true ? `failed: ${text}` : text;
  }

  it("works in the workspace, and neither changes anything outside nor what decides what runs", async () => {
    const server = create();
    const at = (path: string) => join(bench.workspace, path);
    assert.equal(await call(server, "write", { path: at("src/new.ts"), text: "new" }), "written");
    assert.equal(await readFile(at("src/new.ts"), "utf8"), "new");
    assert.equal(server.isSandboxed, true);
    for (const path of [join(bench.outside, "file.txt"), at("package.json"), at(".vscode/settings.json")]) {
      const before = await readFile(path, "utf8");
      assert.match(await call(server, "write", { path, text: "mine" }), /^failed: .*(EROFS|ENOENT|EACCES)/);
      assert.equal(await readFile(path, "utf8"), before);
    }
    // A home folder of its own takes what it writes.
    assert.equal(await call(server, "write", { path: join(bench.home, ".bashrc"), text: "evil" }), "written");
    assert.equal(await readFile(join(bench.home, ".bashrc"), "utf8"), "# mine\n");
  });

  it("works in the workspace also where its program is in there, and reads no keys by a link to that", async () => {
    const at = (path: string) => join(bench.workspace, path);
    await mkdir(at("bin"), { recursive: true });
    const script = `#!/bin/sh\nexec "${process.execPath}" "${at("server.ts")}"\n`;
    for (const path of ["serve", "bin/serve"]) await writeFile(at(path), script, { mode: 0o755 });
    await symlink("..", at("up"));
    const other = `up/${basename(bench.workspace)}`;
    for (const path of ["serve", "bin/serve", `${other}/bin/serve`]) {
      const filesystem = { allowRead: [dirname(process.execPath)] };
      const server = create({ filesystem }, { command: `\${workspaceFolder}/${path}`, args: [] });
      assert.equal(await call(server, "write", { path: at("src/new.ts"), text: path }), "written", path);
      for (const key of ["config/server.pem", `${other}/config/server.pem`])
        assert.match(await call(server, "read", { path: at(key) }), /^failed: .*EACCES/, path);
    }
  });

  it("reads no keys, neither of the workspace nor of the user, nor variables with keys", async () => {
    process.env.MY_SERVICE_TOKEN = secret;
    try {
      const server = create();
      const hidden = [
        join(bench.workspace, ".env"),
        join(bench.home, ".ssh/id_ed25519"),
        join(bench.outside, "file.txt"),
      ];
      for (const path of hidden) assert.match(await call(server, "read", { path }), /^failed: .*(EACCES|ENOENT)/);
      assert.ok(!(await call(server, "environment")).includes(secret));
    } finally {
      delete process.env.MY_SERVICE_TOKEN;
    }
  });

  it("reaches the hosts of its rules, and no other, which its log names", async () => {
    // Programs ask no proxy for 127.0.0.1.
    const web = createServer((_, response) => response.end("hello from the web")).listen(0, "127.10.0.2");
    await new Promise((resolve) => web.once("listening", resolve));
    const { port } = web.address() as AddressInfo;
    try {
      const url = `http://127.10.0.2:${port}/`;
      assert.match(await call(create(), "fetch", { url }), /^failed/);
      const others = create({ network: { allowedDomains: ["api.example.test", "*.other.test", "*"] } });
      const refused = await call(others, "fetch", { url });
      assert.ok(!refused.includes("hello"), refused);
      assert.ok(others.log.lines.some((line) => line.includes("127.10.0.2") && line.includes("allowedDomains")));
      const own = create({ network: { allowedDomains: ["127.10.0.2"] } });
      assert.equal(await call(own, "fetch", { url }), "hello from the web");
      const denied = create({ network: { allowedDomains: ["127.10.0.2"], deniedDomains: ["127.10.0.2"] } });
      assert.match(await call(denied, "fetch", { url }), /^failed/);
      const wanted = { allowedDomains: ["127.10.0.2"] };
      const byPattern = create({ network: { ...wanted, deniedDomains: ["*.10.0.2"] } });
      assert.ok(!(await call(byPattern, "fetch", { url })).includes("hello"));
      // Only whole parts of a name.
      const notMeant = create({ network: { ...wanted, deniedDomains: ["*.0.0.2", "10.0.2"] } });
      assert.equal(await call(notMeant, "fetch", { url }), "hello from the web");
    } finally {
      web.close();
    }
  });

  it("sees and changes what its rules add, and not what they take from it", async () => {
    const server = create({
      filesystem: {
        allowWrite: [bench.outside],
        allowRead: [join(bench.home, "Documents")],
        denyRead: [`\${workspaceFolder}/private`, join(bench.outside, "folder")],
        denyWrite: ["src", join(bench.outside, "file.txt")],
      },
    });
    const at = (path: string) => join(bench.workspace, path);
    assert.equal(await call(server, "write", { path: join(bench.outside, "made.txt"), text: "new" }), "written");
    assert.equal(await readFile(join(bench.outside, "made.txt"), "utf8"), "new");
    assert.match(await call(server, "read", { path: join(bench.home, "Documents/letter.txt") }), new RegExp(secret));
    for (const path of [at("private/plan.txt"), join(bench.outside, "folder/inner.txt")])
      assert.match(await call(server, "read", { path }), /^failed: .*(EACCES|ENOENT)/);
    for (const path of [at("src/a.ts"), join(bench.outside, "file.txt")])
      assert.match(await call(server, "write", { path, text: "mine" }), /^failed: .*(EROFS|EACCES)/);
    assert.equal(await call(server, "write", { path: at("notes.txt"), text: "new" }), "written");
  });

  it("changes nothing of a workspace that its rules keep from being changed, by its name or one above it", async () => {
    for (const path of [`\${workspaceFolder}`, bench.base, "/"]) {
      const server = create({ filesystem: { denyWrite: [path], allowWrite: [bench.outside] } });
      assert.match(await call(server, "read", { path: join(bench.workspace, "src/a.ts") }), /export/);
      const files = ["src/other.ts", "other.ts", ".git/refs/heads/other"].map((name) => join(bench.workspace, name));
      if (path.startsWith("/")) files.push(join(bench.outside, "other.txt"));
      for (const file of files)
        assert.match(await call(server, "write", { path: file, text: "x" }), /^failed: .*EROFS/, `${path} ${file}`);
    }
  });

  it("sees nothing of a folder that its rules hide, also where they show one in it", async () => {
    const inner = join(bench.outside, "folder");
    const server = create({ filesystem: { allowRead: [inner], denyRead: [bench.outside] } });
    assert.match(await call(server, "read", { path: join(inner, "inner.txt") }), /^failed: .*(EACCES|ENOENT)/);
    for (const path of [bench.base, bench.home, "/"])
      await assert.rejects(
        create({ filesystem: { denyRead: [path] } }).start(signal),
        /The sandbox can't hide all/,
        path,
      );
  });

  it("is not started where its rules would show a home folder, keys, or what is not there", async () => {
    await symlink(join(bench.home, ".ssh"), join(bench.outside, "link")).catch(() => undefined);
    await symlink(bench.outside, join(bench.workspace, "link"));
    const inside = join(bench.workspace, "link");
    for (const path of [
      inside,
      "/",
      bench.home,
      join(bench.home, ".ssh"),
      join(bench.outside, "link"),
      "/run",
      "/nowhere",
    ]) {
      const server = create({ filesystem: { allowRead: [path] } });
      await assert.rejects(server.start(signal), /The sandbox can't show/, path);
      assert.equal(server.isSandboxed, undefined);
    }
  });

  it("ends with all that it started, at once too, and says so when it could not start", async () => {
    const left = () => readProcesses().filter((row) => row.hasInEnvironment("ARBOR_TEST_SANDBOXED=1"));
    const env = { ARBOR_TEST_SANDBOXED: "1" };
    const closed = create({}, { env });
    await closed.start(signal);
    assert.ok(left().length > 0);
    await closed.stop();
    const killed = create({}, { env });
    await killed.start(signal);
    killed.dispose();
    for (const end = Date.now() + 10_000; left().length > 0; await delay(50)) assert.ok(Date.now() < end, "it goes on");
    const missing = create({}, { command: "no-such-program", args: [] });
    await assert.rejects(missing.start(signal), /It runs in the sandbox, which may be why/);
  });

  it("leaves no folder of its sandbox, neither when it ends nor when it could not start", async () => {
    const folder = join(bench.base, "temporary");
    await mkdir(folder);
    const { TMPDIR } = process.env;
    process.env.TMPDIR = folder;
    try {
      const running = create();
      await running.start(signal);
      assert.equal((await readdir(folder)).length, 1);
      await running.stop();
      await assert.rejects(create({}, { command: "no-such-program", args: [] }).start(signal));
      await assert.rejects(create({ filesystem: { allowRead: ["/nowhere"] } }).start(signal));
      for (const end = Date.now() + 10_000; (await readdir(folder)).length > 0; await delay(50))
        assert.ok(Date.now() < end, "a folder stays");
    } finally {
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
    }
  });
});

describe("The hosts that an MCP server reaches from the sandbox", () => {
  it("are those of its rules, and where its program comes from, without those denied", () => {
    const network = (allowedDomains: string[], deniedDomains: string[] = []) => ({
      network: { allowedDomains, deniedDomains },
    });
    assert.deepEqual(reachableHosts({ command: "node" }), []);
    assert.deepEqual(reachableHosts({ command: "/usr/bin/npx", sandbox: network(["a.test"]) }), [
      "registry.npmjs.org",
      "a.test",
    ]);
    assert.deepEqual(reachableHosts({ command: "uvx", sandbox: network([], ["pypi.org"]) }), [
      "files.pythonhosted.org",
    ]);
  });
});

describe("The hosts of your network", () => {
  const logged: string[] = [];
  const mayReach = (allowed: string[], leadsTo?: string) => {
    const address = { ...judgeAddress("https://git.shop.example/"), ...(leadsTo && { isPrivate: true, leadsTo }) };
    const gate = hostGate(allowed, [], (line) => logged.push(line));
    return gate.allow(address, signal);
  };

  it("are reached by a public name only where the address is written out as well", async () => {
    assert.equal(await mayReach(["git.shop.example"]), true);
    assert.equal(await mayReach(["git.shop.example", "*"], "169.254.169.254"), false);
    assert.match(logged.at(-1) ?? "", /git\.shop\.example, which leads to 169\.254\.169\.254\. Add both/);
    assert.equal(await mayReach(["git.shop.example", "10.0.0.7"], "10.0.0.7"), true);
    assert.equal(await mayReach(["*.shop.example", "10.0.0.7"], "10.0.0.7"), false);
  });
});

describe("A sandbox of an MCP server that can't be made", () => {
  it("is said in words for people, not in those for an agent that wants a command run", async () => {
    const parts = {
      ...{ setting: () => "auto" as const, roots: () => [tmpdir()] },
      probe: async () => ({ isAvailable: false, reason: "There is none." }) as const,
    };
    const launch = { type: "stdio" as const, command: "node", args: [], cwd: tmpdir(), env: {} };
    const made = serverSandbox(parts, launch, () => {}).launch({});
    await assert.rejects(made, { name: "UserError", message: /^The sandbox does not work for the workspace/ });
  });
});
