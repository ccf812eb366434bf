import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Agent } from "../../../src/agent/index.ts";
import type { McpServer } from "../../../src/extension/mcp/mcpServer.ts";
import { readProcesses } from "../../../src/extension/terminal/processTable.ts";
import { describeReal, installedPackage } from "../../support/installedPackage.ts";
import { call, scriptedModel, text } from "../../support/scriptedModel.ts";
import { runTool } from "../../support/toolContext.ts";
import { TestServers } from "./support/servers.ts";
import { setUp } from "./support/toolsInUse.ts";

const version = "2026.8.31";
const { signal } = new AbortController();

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return typeof address === "object" && address !== null ? address.port : 0;
}

describeReal("MCP servers of the registry, the real ones", () => {
  const servers = new TestServers();
  const processes: ChildProcess[] = [];
  let everything: string;
  let filesystem: string;
  before(async function () {
    this.timeout(300_000);
    const start = async (name: string) =>
      join(await installedPackage(`@modelcontextprotocol/${name}`, version), "dist", "index.js");
    [everything, filesystem] = [await start("server-everything"), await start("server-filesystem")];
  });
  afterEach(async () => {
    await servers.dispose();
    for (const child of processes.splice(0)) child.kill();
  });

  const stdio = () => servers.create({ command: process.execPath, args: [everything] });

  async function http(): Promise<McpServer> {
    const port = await freePort();
    const env = { ...process.env, PORT: String(port) };
    const child = spawn(process.execPath, [everything, "streamableHttp"], { env, stdio: "ignore" });
    processes.push(child);
    const url = `http://127.0.0.1:${port}/mcp`;
    for (let left = 100; left > 0; left--) {
      if (
        await fetch(url).then(
          () => true,
          () => false,
        )
      )
        break;
      await delay(100);
    }
    return servers.create({ url });
  }

  const textOf = ({ content }: { content: { type: string; text?: string }[] }) =>
    content.map(({ text = "" }) => text).join("\n");

  for (const [way, create] of [
    ["stdio", async () => stdio()],
    ["HTTP", http],
  ] as const) {
    it(`is used over ${way}: tools, prompts, resources, progress, a call that is canceled`, async () => {
      const server = await create();
      await server.start(signal);
      const names = server.offers.tools.map(({ name }) => name);
      assert.ok(names.includes("echo") && names.includes("trigger-long-running-operation"), names.join(", "));
      assert.ok(server.offers.prompts.length > 0 && server.offers.resources.length > 0);
      assert.match(textOf(await server.callTool("echo", { message: "hello" }, { signal })), /hello/);
      const steps: number[] = [];
      const onProgress = ({ progress }: { progress: number }) => void steps.push(progress);
      const long = (seconds: number) => ({ duration: seconds, steps: 4 });
      await server.callTool("trigger-long-running-operation", long(1), { signal, onProgress });
      assert.deepEqual(steps.slice(0, 3), [1, 2, 3]);
      const canceled = server.callTool("trigger-long-running-operation", long(60), {
        signal: AbortSignal.timeout(300),
      });
      await assert.rejects(canceled);
      assert.match(textOf(await server.callTool("echo", { message: "on" }, { signal })), /on/);
    });
  }

  it("asks the user and the model during a call, and gets what they answer", async () => {
    const { state, tool } = await setUp(stdio());
    state.answers = ["Ada Lovelace", "yes"];
    const { text: answered } = await runTool(tool("test__trigger-elicitation-request"), {});
    assert.match(
      state.questions[0]?.text ?? "",
      /^MCP server test: Please provide inputs .*\n\nString: Your full, legal name$/,
    );
    assert.match(answered, /Ada Lovelace/);
    const { model, streamFn } = scriptedModel([
      call("test__trigger-sampling-request", { prompt: "What is 6 times 7?", maxTokens: 50 }),
      text("42"),
      text("done"),
    ]);
    const agent = new Agent({ name: "main", model, streamFn, tools: [tool("test__trigger-sampling-request")] });
    await agent.prompt("go");
    assert.deepEqual(
      state.asked.map(({ purpose }) => purpose),
      ["call", "call", "sampling"],
    );
    assert.match(JSON.stringify(agent.messages), /42/);
  });

  it("that is killed in a call fails it, and is started again by the next one", async () => {
    const server = stdio();
    await server.start(signal);
    const running = server.callTool("trigger-long-running-operation", { duration: 60, steps: 4 }, { signal });
    const own = readProcesses().filter(({ parent }) => parent === process.pid);
    assert.equal(own.length, 1);
    process.kill(own[0]?.pid ?? 0, "SIGKILL");
    await assert.rejects(running, /ended during the call/);
    assert.match(textOf(await server.callTool("echo", { message: "again" }, { signal })), /again/);
  });

  it("writes files in its own folder and nowhere else", async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "arbor-mcp-")));
    // The folders of the workspace take the place of its argument.
    const folders = () => [{ name: "ws", path: folder }];
    const server = servers.create({ command: process.execPath, args: [filesystem, folder] }, { folders });
    await server.start(signal);
    await delay(300);
    const path = join(folder, "a.txt");
    await server.callTool("write_file", { path, content: "one\n" }, { signal });
    assert.equal(await readFile(path, "utf8"), "one\n");
    const outside = await server.callTool("write_file", { path: "/etc/arbor-test", content: "" }, { signal });
    assert.equal(outside.isError, true);
    await rm(folder, { recursive: true });
  });
});
