import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import http, {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import { join } from "node:path";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import type { FetchPermission, PermissionAnswer } from "../../../src/extension/approvals/permission.ts";
import { Commands } from "../../../src/extension/terminal/commands.ts";
import { OutputStore } from "../../../src/extension/terminal/outputStore.ts";
import { type FetchSettings, fetchUrlTool } from "../../../src/extension/tools/fetchUrl.ts";
import { runTool, type ToolRunOptions } from "../../support/toolContext.ts";
import { patienceMs } from "../terminal/support.ts";

/** A server on this machine, under public names as well, and a user who answers as scripted. */
describe("fetch_url", function () {
  this.timeout(patienceMs);
  let server: Server;
  let port: number;
  let folder: string;
  let listener: RequestListener;
  let seen: IncomingMessage[];
  let asked: FetchPermission[];
  let answer: (request: FetchPermission) => PermissionAnswer;

  before(async () => {
    folder = await mkdtemp(join(os.tmpdir(), "arbor-fetch-"));
    server = createServer((request, response) => {
      seen.push(request);
      listener(request, response);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    // A server that listens on a port has an address of this kind.
    port = (server.address() as AddressInfo).port;
  });
  beforeEach(() => {
    seen = [];
    asked = [];
    answer = () => ({ allowed: true });
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
    await rm(folder, { recursive: true, force: true });
  });

  const send = (body: string | Buffer, headers: Record<string, string> = {}, status = 200) => {
    listener = (_request, response) => response.writeHead(status, headers).end(body);
  };
  const html = { "content-type": "text/html; charset=utf-8" };
  const local = (path = "/") => `http://127.0.0.1:${port}${path}`;

  function call(url: string, settings: FetchSettings = {}, options: ToolRunOptions = {}) {
    const outputs = new OutputStore(folder);
    const tool = fetchUrlTool.create(
      {
        outputs,
        commands: new Commands({ outputs, environment: {}, keyNames: () => [] }),
        folder: () => Promise.reject(new Error("No command runs here.")),
        async askPermission(request) {
          if (request.kind !== "fetch") throw new Error("Only addresses are asked for here.");
          asked.push(request);
          return answer(request);
        },
      },
      settings,
    );
    return runTool(tool, { url }, options);
  }
  const asks = () => asked.map(({ host, isPrivate }) => [host, isPrivate]);

  it("asks with the address it fetches, then gives HTML as markdown", async () => {
    send("<title>T</title><h1>Hi</h1><a href=x>x</a>", html);
    const { text, result } = await call(local("/a?b=1#c"));
    assert.deepEqual(
      [asked[0]?.url, asked[0]?.host, asked[0]?.isPrivate],
      [local("/a?b=1"), `127.0.0.1:${port}`, true],
    );
    assert.equal(text, `${local("/a?b=1")}:\nTitle: T\n\n# Hi\n\n[x](${local("/x")})`);
    assert.equal(result.isError, false);
  });

  it("95 requests nothing that was declined, and passes on the user's words", async () => {
    answer = () => ({ allowed: false, reason: "not that one" });
    const { text, result } = await call(local());
    assert.equal(result.isError, true);
    assert.match(text, /^The user declined saying: "not that one"\. Nothing was fetched\./);
    assert.deepEqual(seen, []);
  });

  it("sends no credentials, no cookies and nothing of the user", async () => {
    send("ok", { "content-type": "text/plain" });
    await call(`http://user:secret@127.0.0.1:${port}/`);
    assert.deepEqual(Object.keys(seen[0]?.headers ?? {}).sort(), [
      "accept",
      "accept-encoding",
      "connection",
      "host",
      "user-agent",
    ]);
    assert.match(asked[0]?.concerns.join() ?? "", /user name or password/);
  });

  for (const [type, body] of [
    ["application/json", '{"a": [1]}'],
    ["text/plain", "plain <b>text</b>"],
    ["application/problem+json", "{}"],
    ["text/markdown; charset=utf-8", "# ü"],
  ] as const) {
    it(`gives ${type} as it is`, async () => {
      send(body, { "content-type": type });
      assert.equal((await call(local())).text, `${local()}:\n${body}`);
    });
  }

  for (const type of ["image/png", "application/pdf", "application/zip", "video/mp4"]) {
    it(`refuses ${type} by its name`, async () => {
      send("xx", { "content-type": type });
      const { text, result } = await call(local());
      assert.equal(result.isError, true);
      assert.equal(text, `${local()} is ${type}: only text can be read.`);
    });
  }

  it("refuses binary data that calls itself text, or nothing", async () => {
    for (const headers of [
      { "content-type": "text/plain" },
      { "content-type": "application/octet-stream" },
      undefined,
    ]) {
      send(Buffer.from([0x7f, 0x45, 0, 1]), headers ?? {});
      assert.equal((await call(local())).result.isError, true);
    }
  });

  it("reads the charset that a page declares", async () => {
    send(Buffer.from("\u00e4", "latin1"), { "content-type": "text/plain; charset=iso-8859-1" });
    assert.equal((await call(local())).text, `${local()}:\nä`);
    send(Buffer.from('<meta charset="windows-1252"><p>\u00e4', "latin1"), { "content-type": "text/html" });
    assert.equal((await call(local())).text, `${local()}:\nä`);
  });

  for (const [encoding, pack] of [
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ] as const) {
    it(`unpacks ${encoding}`, async () => {
      send(pack("packed"), { "content-type": "text/plain", "content-encoding": encoding });
      assert.equal((await call(local())).text, `${local()}:\npacked`);
    });
  }

  it("reads no more than its bound, also of what unpacks to far more", async () => {
    send(gzipSync("x\n".repeat(10_000_000)), { "content-type": "text/plain", "content-encoding": "gzip" });
    const { result, text } = await call(local(), { maxBytes: 10_000 });
    assert.deepEqual(result.details, { url: local(), status: 200, characters: 10_000 });
    assert.match(text, /its end is missing/);
  });

  it("stops reading a page that never ends", async () => {
    listener = (_request, response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      const more = () => void (response.writable && response.write("y\n".repeat(10_000), more));
      more();
    };
    assert.match((await call(local(), { maxBytes: 100_000 })).text, /its end is missing/);
  });

  it("reports the status of a failure with what the server says", async () => {
    send("no such page", { "content-type": "text/plain" }, 404);
    const { text, result } = await call(local());
    assert.equal(result.isError, true);
    assert.equal(text, `${local()} answered with status 404:\nno such page`);
  });

  it("shows the start of a long page and keeps the rest to be read", async () => {
    send("line\n".repeat(30_000), { "content-type": "text/plain" });
    const { text } = await call(local());
    assert.ok(Buffer.byteLength(text) < 50_000);
    assert.match(text, /more characters; read_file reads all of it from arbor-output:\/\w+-page-1\.md\.\)$/);
  });

  describe("redirects", () => {
    const redirect = (locations: Record<string, string>) => {
      listener = (request: IncomingMessage, response: ServerResponse) => {
        const location = locations[request.url ?? ""];
        if (location === undefined) response.writeHead(200, { "content-type": "text/plain" }).end(`at ${request.url}`);
        else response.writeHead(302, { location }).end();
      };
    };

    it("follows one on the same host without asking again", async () => {
      redirect({ "/": "/b", "/b": "c" });
      assert.equal((await call(local())).text, `${local("/c")}:\nat /c`);
      assert.equal(asked.length, 1);
    });

    it("asks for another host before it is contacted", async () => {
      redirect({ "/": `http://localhost:${port}/b` });
      answer = ({ host }) => (host.startsWith("localhost") ? { allowed: false } : { allowed: true });
      assert.match((await call(local())).text, /^The user declined/);
      assert.deepEqual(asks(), [
        [`127.0.0.1:${port}`, true],
        [`localhost:${port}`, true],
      ]);
      assert.equal(seen.length, 1);
    });

    it("asks before it goes on with another protocol on the same host", async () => {
      redirect({ "/": `https://127.0.0.1:${port}/b` });
      answer = () => ({ allowed: asked.length === 1 });
      assert.match((await call(local())).text, /^The user declined/);
      assert.deepEqual(
        asked.map(({ url }) => url),
        [local(), `https://127.0.0.1:${port}/b`],
      );
    });

    it("refuses one to something that is no web address", async () => {
      redirect({ "/": "file:///etc/passwd" });
      assert.match((await call(local())).text, /Only http and https/);
    });

    it("ends one that goes round in a circle", async () => {
      redirect({ "/": "/b", "/b": "/" });
      const { text, result } = await call(local());
      assert.equal(result.isError, true);
      assert.match(text, /redirects more than 10 times/);
      assert.equal(seen.length, 11);
    });

    it("asks separately when one leads from a public host to a private one", async () => {
      redirect({ "/": local("/secret") });
      const lookup = async () => ["127.0.0.1"];
      answer = ({ concerns }) => ({ allowed: concerns.length > 0 || asked.length === 1 });
      assert.match((await call(`http://public.example.com:${port}/`, { lookup })).text, /^The user declined/);
      assert.deepEqual(asks(), [
        [`public.example.com:${port}`, false],
        [`public.example.com:${port}`, true],
        [`127.0.0.1:${port}`, true],
      ]);
    });
  });

  describe("public names that lead into a private network", () => {
    const lookup = async () => ["93.184.216.34", "127.0.0.1"];

    it("are asked for again, with where they lead, before anything is sent", async () => {
      send("ok", { "content-type": "text/plain" });
      answer = ({ isPrivate }) => ({ allowed: !isPrivate });
      const { text } = await call(`http://rebind.example.com:${port}/`, { lookup });
      assert.match(text, /^The user declined/);
      assert.deepEqual(asked[1]?.concerns, ["Its name leads to 127.0.0.1."]);
      assert.deepEqual(seen, []);
    });

    it("85 are asked for again behind a proxy, too, which looks names up itself", async () => {
      const before = http.globalAgent;
      http.globalAgent = new http.Agent({ proxyEnv: { HTTP_PROXY: local() } });
      try {
        send("ok", { "content-type": "text/plain" });
        answer = ({ isPrivate }) => ({ allowed: !isPrivate });
        assert.match((await call("http://rebind.example.com/", { lookup })).text, /^The user declined/);
        assert.deepEqual(seen, []);
        answer = () => ({ allowed: true });
        await call("http://rebind.example.com/", { lookup });
        assert.deepEqual(
          seen.map(({ url }) => url),
          ["http://rebind.example.com/"],
        );
      } finally {
        http.globalAgent.destroy();
        http.globalAgent = before;
      }
    });

    it("are fetched when the user says so", async () => {
      send("ok", { "content-type": "text/plain" });
      const { text } = await call(`http://rebind.example.com:${port}/`, { lookup: async () => ["127.0.0.1"] });
      assert.equal(text, `http://rebind.example.com:${port}/:\nok`);
      assert.equal(asked.length, 2);
    });
  });

  it("goes where the name led when the user was asked, wherever it leads by then", async () => {
    send("ok", { "content-type": "text/plain" });
    const leads = ["127.0.0.1", "127.9.9.9"];
    const { text } = await call(`http://rebind.example.com:${port}/`, { lookup: async () => leads.splice(0, 1) });
    assert.match(text, /:\nok$/);
    assert.deepEqual(asked[1]?.concerns, ["Its name leads to 127.0.0.1."]);
  });

  it("asks again when a redirect finds that the name leads elsewhere in the network", async () => {
    listener = (_request, response) => void response.writeHead(302, { location: "/next" }).end();
    const leads = ["127.0.0.1", "127.9.9.9"];
    answer = ({ concerns }) => ({ allowed: !concerns.includes("Its name leads to 127.9.9.9.") });
    const { text } = await call(`http://rebind.example.com:${port}/`, { lookup: async () => leads.splice(0, 1) });
    assert.match(text, /^The user declined/);
    assert.equal(seen.length, 1);
  });

  it("is not asked for when it is no web address", async () => {
    assert.match((await call("file:///etc/passwd")).text, /Only http and https/);
    assert.deepEqual(asked, []);
  });

  it("says that a host can't be reached, and does not look its name up before the user allows it", async () => {
    let lookups = 0;
    const lookup = () => {
      lookups++;
      return Promise.reject(new Error("getaddrinfo ENOTFOUND"));
    };
    answer = () => ({ allowed: false });
    await call("http://secret.evil.example.com/", { lookup });
    assert.equal(lookups, 0);
    answer = () => ({ allowed: true });
    assert.match(
      (await call("http://gone.example.com/", { lookup })).text,
      /gone\.example\.com could not be fetched from: .*ENOTFOUND/,
    );
  });

  it("gives up on a server that does not answer", async () => {
    listener = () => {};
    const { text, result } = await call(local(), { timeoutMs: 1 });
    assert.equal(result.isError, true);
    assert.match(text, /did not answer within/);
  });

  it("ends with the run, though the server still sends", async () => {
    const stop = new AbortController();
    listener = (_request, response) => {
      response.writeHead(200, { "content-type": "text/plain" }).write("start");
      stop.abort();
    };
    await assert.rejects(call(local(), {}, { signal: stop.signal }), { name: "AbortError" });
  });
});
