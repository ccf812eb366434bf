import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request, type Server } from "node:http";
import { connect } from "node:net";
import os from "node:os";
import path from "node:path";
import { type Gate, openGate } from "../../scripts/start/gate.ts";

interface Answer {
  status: number;
  text: string;
  headers: NodeJS.Dict<string | string[]>;
}

describe("The gate before a served editor", () => {
  let folder: string;
  let editor: Server;
  let gate: Gate;
  let reached: string[];

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
    reached = [];
    editor = createServer((asked, response) => {
      reached.push(`${asked.method} ${asked.url}`);
      asked.pipe(response);
    });
    editor.on("upgrade", (asked, socket) => {
      reached.push(`upgrade ${asked.url}`);
      socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
      socket.pipe(socket);
    });
    editor.listen(path.join(folder, "editor"));
    await once(editor, "listening");
    gate = await openGate(path.join(folder, "editor"), 0);
  });
  afterEach(async () => {
    await gate.close();
    editor.closeAllConnections();
    editor.close();
    await rm(folder, { recursive: true, force: true });
  });

  const port = () => Number(gate.authority.split(":")[1]);

  async function ask(url: string, headers: Record<string, string>, body?: string): Promise<Answer> {
    const method = body === undefined ? "GET" : "POST";
    const asking = request({ host: "127.0.0.1", port: port(), path: url, method, headers });
    asking.end(body);
    const [response] = await once(asking, "response");
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    return { status: response.statusCode, headers: response.headers, text: Buffer.concat(chunks).toString() };
  }

  async function enter(): Promise<string> {
    const { pathname, search } = new URL(gate.enter(`http://${gate.authority}/?folder=/x`));
    const { status, headers } = await ask(`${pathname}${search}`, { host: gate.authority });
    assert.equal(status, 302);
    assert.equal(headers.location, "/?folder=%2Fx");
    const [cookie = ""] = headers["set-cookie"] ?? [];
    assert.match(cookie, /HttpOnly; SameSite=Strict/);
    return cookie.split(";")[0] ?? "";
  }

  it("lets no one in without the token", async () => {
    const host = gate.authority;
    const wrong = gate.enter(`http://${host}/`).replace(/tkn=.*/, "tkn=wrong");
    for (const url of ["/", "/?tkn=", `/${new URL(wrong).search}`])
      assert.equal((await ask(url, { host })).status, 403);
    assert.equal((await ask("/", { host, cookie: `arbor-start-${port()}=wrong` })).status, 403);
    assert.deepEqual(reached, []);
  });

  it("lets in who opens the printed address, with bodies both ways", async () => {
    const cookie = await enter();
    const answer = await ask("/upload?a=1", { host: gate.authority, cookie }, "text");
    assert.deepEqual([answer.status, answer.text], [200, "text"]);
    assert.deepEqual(reached, ["POST /upload?a=1"]);
  });

  it("refuses another Host or Origin, even with the token", async () => {
    const cookie = await enter();
    const { search } = new URL(gate.enter(`http://${gate.authority}/`));
    for (const headers of [
      { host: `rebound.example:${port()}`, cookie },
      { host: `localhost:${port()}`, cookie },
      { host: gate.authority, cookie, origin: "http://evil.example" },
      { host: gate.authority, cookie, origin: "null" },
    ]) {
      assert.equal((await ask("/", headers)).status, 403);
      assert.equal((await ask(`/${search}`, headers)).status, 403);
    }
    assert.deepEqual(reached, []);
  });

  it("passes web sockets of its own page on, and no others", async () => {
    const cookie = await enter();
    const open = async (lines: string[]) => {
      const socket = connect(port(), "127.0.0.1");
      socket.write(
        [`GET /socket HTTP/1.1`, "Connection: Upgrade", "Upgrade: websocket", ...lines, "", ""].join("\r\n"),
      );
      const [first] = await once(socket, "data");
      return { socket, first: String(first) };
    };
    const stranger = await open([`Host: ${gate.authority}`, "Origin: http://evil.example", `Cookie: ${cookie}`]);
    assert.match(stranger.first, /^HTTP\/1\.1 403/);
    const unknown = await open([`Host: ${gate.authority}`]);
    assert.match(unknown.first, /^HTTP\/1\.1 403/);
    const { socket, first } = await open([`Host: ${gate.authority}`, `Cookie: ${cookie}`]);
    assert.match(first, /^HTTP\/1\.1 101/);
    socket.write("ping");
    assert.equal(String((await once(socket, "data"))[0]), "ping");
    socket.destroy();
    assert.deepEqual(reached, ["upgrade /socket"]);
  });

  it("listens on one address of this machine alone", async () => {
    await once(connect(port(), "127.0.0.1"), "connect");
    await assert.rejects(once(connect(port(), "127.0.0.2"), "connect"));
    await assert.rejects(once(connect(port(), "::1"), "connect"));
  });

  it("has another token at each start", async () => {
    const other = await openGate(path.join(folder, "editor"), 0);
    const tokenOf = (each: Gate) => new URL(each.enter(`http://${each.authority}/`)).searchParams.get("tkn");
    assert.notEqual(tokenOf(other), tokenOf(gate));
    await other.close();
  });
});
