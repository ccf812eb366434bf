import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mayLeadTo, type SignInHost } from "../../../src/extension/mcp/authorization.ts";
import { listenOnLoopback } from "../../../src/extension/mcp/loopbackCallback.ts";
import type { McpServer } from "../../../src/extension/mcp/mcpServer.ts";
import { resolveLaunch } from "../../../src/extension/mcp/variables.ts";
import { startAuthServer } from "./support/authServer.ts";
import { TestServers } from "./support/servers.ts";

const servers = new TestServers();
const { signal } = new AbortController();

/** A browser that follows each redirect, and secrets in memory. */
function signInHost(changes: Partial<SignInHost> = {}) {
  const stored = new Map<string, string>();
  const opened: URL[] = [];
  const asked: string[] = [];
  const pages: string[] = [];
  const host: SignInHost = {
    secrets: {
      get: async (key) => stored.get(key),
      store: async (key, value) => void stored.set(key, value),
      delete: async (key) => void stored.delete(key),
    },
    listen: (port) => listenOnLoopback(port),
    confirm: async (server, address) => asked.push(`${server} ${address}`) > 0,
    async open(address) {
      opened.push(new URL(address));
      const { headers } = await fetch(address, { redirect: "manual" });
      pages.push(await (await fetch(headers.get("location") ?? "")).text());
    },
    ...changes,
  };
  return { host, stored, opened, asked, pages };
}

async function say(server: McpServer, tool = "echo"): Promise<string> {
  const { content } = await server.callTool(tool, tool === "echo" ? { text: "hi" } : {}, { signal });
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

describe("An MCP server that wants the user to sign in", () => {
  let auth: Awaited<ReturnType<typeof startAuthServer>>;
  beforeEach(async () => {
    auth = await startAuthServer();
  });
  afterEach(async () => {
    await servers.dispose();
    auth.stop();
  });
  const create = (signIn: SignInHost) => servers.create({ url: auth.url }, { signIn });

  it("is asked about with its address, signed in to in the browser, and runs", async () => {
    const { host, opened, asked, pages } = signInHost();
    assert.equal(await say(create(host)), "You said: hi");
    assert.deepEqual(asked, [`test ${auth.origin}`]);
    const [address] = opened;
    assert.deepEqual(
      ["code_challenge_method", "resource", "scope"].map((name) => address?.searchParams.get(name)),
      ["S256", auth.url, "read"],
    );
    assert.match(address?.searchParams.get("redirect_uri") ?? "", /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    assert.deepEqual(pages, ["You can close this page and go back to the editor."]);
    assert.deepEqual(auth.log, ["/register", "/authorize", "/token"]);
  });

  it("stays signed in to after a restart of the editor, and nothing is asked again", async () => {
    const { host, opened, stored } = signInHost();
    await say(create(host));
    assert.equal(await say(create(host)), "You said: hi");
    assert.equal(opened.length, 1);
    const [[key, value] = []] = stored;
    assert.match(key ?? "", /^arbor\.mcp\.signIn\.[0-9a-f]{64}$/);
    assert.match(value ?? "", /access_token/);
  });

  it("has its expired token renewed without the user", async () => {
    const { host, opened } = signInHost();
    const server = create(host);
    await say(server);
    auth.expire();
    assert.equal(await say(server), "You said: hi");
    auth.expire();
    assert.equal(await say(create(host)), "You said: hi");
    assert.equal(opened.length, 1);
    assert.deepEqual(auth.log.slice(3), ["/token", "/token"]);
  });

  it("renews the token for calls that are refused at the same time, without the user", async () => {
    const { host, opened } = signInHost();
    const server = create(host);
    await say(server);
    auth.expire();
    assert.deepEqual(await Promise.all([say(server), say(server), say(server)]), Array(3).fill("You said: hi"));
    assert.equal(opened.length, 1);
  });

  it("uses the token that another window has renewed", async () => {
    const { host, opened } = signInHost();
    const [server, ofOtherWindow] = [create(host), create(host)];
    await say(server);
    await say(ofOtherWindow);
    auth.expire();
    assert.equal(await say(ofOtherWindow), "You said: hi");
    assert.equal(await say(server), "You said: hi");
    assert.deepEqual(auth.log.slice(3), ["/token"]);
    assert.equal(opened.length, 1);
  });

  it("is not sent a token of where its variables led before", async () => {
    const { host, opened } = signInHost();
    let PORT = new URL(auth.url).port;
    const sent: unknown[] = [];
    const other = createServer(({ headers }, response) => {
      sent.push(headers.authorization);
      response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const signed = () =>
      servers.create(
        // A variable of MCP definitions.
        { url: "http://127.0.0.1:$" + "{env:PORT}/mcp" },
        {
          signIn: host,
          resolve: (each, aborted) =>
            resolveLaunch(each, { environment: { PORT }, askInput: () => Promise.reject(new Error()) }, aborted),
        },
      );
    const server = signed();
    await say(server);
    auth.orderScope = "write";
    await assert.rejects(say(server, "order"), /wants the user to sign in/);
    assert.equal(await say(server, "order"), "ordered");
    PORT = String((other.address() as AddressInfo).port);
    await assert.rejects(signed().start(signal));
    other.close();
    assert.ok(sent.length > 0 && sent.every((header) => header === undefined), String(sent));
    assert.equal(opened.length, 2);
  });

  it("does not wait forever for an authorization server, nor when the start is stopped", async () => {
    auth.isSilent = true;
    const { host } = signInHost({ answerTimeoutMs: 100 });
    await assert.rejects(create(host).start(signal), /timeout/);
    const { host: patient } = signInHost();
    const server = create(patient);
    const starting = server.start(signal);
    while (auth.log.filter((path) => path === "/token").length < 2) await new Promise(setImmediate);
    await Promise.all([assert.rejects(starting), server.stop()]);
    assert.equal(server.state.type, "stopped");
  });

  it("keeps the headers of its definition from the authorization server of another origin", async () => {
    const { host } = signInHost();
    const seen: string[] = [];
    const front = createServer(async (request, response) => {
      if (request.headers["x-key"] !== "s3cret") return response.writeHead(403).end();
      // A gateway before the service: its metadata lead to the authorization server itself.
      const { pathname } = new URL(request.url ?? "", "http://127.0.0.1");
      seen.push(pathname);
      if (pathname !== "/mcp")
        return response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ resource: url, authorization_servers: [auth.origin] }));
      const metadata = `Bearer resource_metadata="${new URL("/.well-known/oauth-protected-resource/mcp", url)}"`;
      return response.writeHead(401, { "www-authenticate": metadata }).end();
    });
    await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}/mcp`;
    await assert.rejects(servers.create({ url, headers: { "x-key": "s3cret" } }, { signIn: host }).start(signal));
    front.close();
    assert.ok(seen.includes("/.well-known/oauth-protected-resource/mcp"), seen.join());
    assert.ok(auth.log.includes("/register"), auth.log.join());
    assert.deepEqual([...auth.keysSeen], []);
  });

  it("leads to no address of this machine or its network, nor to one without encryption, that it is not on itself", () => {
    for (const [target, server, may] of [
      ["https://auth.example/token", "https://mcp.example", true],
      ["http://auth.example/token", "https://mcp.example", false],
      ["http://127.0.0.1:9200/", "https://mcp.example", false],
      ["http://[::1]:9200/", "https://mcp.example", false],
      ["https://localhost/", "https://mcp.example", false],
      ["https://169.254.169.254/latest", "https://mcp.example", false],
      ["https://10.0.0.1/", "https://mcp.example", false],
      ["https://sso.company.internal/", "https://mcp.company.example", true],
      ["https://10.0.0.2/", "https://10.0.0.1", true],
      ["http://localhost:2/", "http://127.0.0.1:1", true],
      ["http://192.0.2.1/", "http://192.0.2.1", true],
      ["file:///etc/passwd", "https://mcp.example", false],
    ] as const) {
      assert.equal(mayLeadTo(new URL(target), new URL(server).origin), may, `${server} to ${target}`);
    }
  });

  it("is not followed to such an address by what it names, or by a redirect", async () => {
    const { host } = signInHost();
    for (const way of ["names", "redirects"]) {
      const front = createServer((request, response) => {
        if (request.url === "/mcp") return response.writeHead(401).end();
        if (way === "redirects") return response.writeHead(302, { location: "http://unsafe.invalid/meta" }).end();
        const metadata = { resource: url, authorization_servers: ["http://unsafe.invalid"] };
        return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(metadata));
      });
      await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
      const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}/mcp`;
      await assert.rejects(servers.create({ url }, { signIn: host }).start(signal), /unsafe address/, way);
      front.close();
    }
  });

  it("fails a call when nothing can be renewed, and is signed in to again with the next one", async () => {
    const { host, opened } = signInHost();
    const server = create(host);
    await say(server);
    auth.expire({ refresh: true });
    await assert.rejects(say(server), /wants the user to sign in/);
    assert.deepEqual(server.state, { type: "failed", message: "You need to sign in again." });
    assert.equal(server.isStartable, true);
    assert.equal(await say(server), "You said: hi");
    assert.equal(opened.length, 2);
  });

  it("is signed in to again for what needs more than was agreed to", async () => {
    const { host, opened } = signInHost();
    const server = create(host);
    auth.orderScope = "write";
    await assert.rejects(say(server, "order"), /wants the user to sign in/);
    assert.equal(await say(server, "order"), "ordered");
    assert.deepEqual(opened[1]?.searchParams.get("scope"), "read write");
  });

  it("does not start when the user says no, and opens no browser then", async () => {
    const { host, opened, stored } = signInHost({ confirm: async () => false });
    await assert.rejects(create(host).start(signal), /You did not sign in\./);
    assert.deepEqual([opened, [...stored.values()].filter((value) => value.includes("access_token"))], [[], []]);
  });

  it("does not start when the sign-in is denied", async () => {
    auth.denies = true;
    const { host } = signInHost();
    await assert.rejects(create(host).start(signal), /The sign-in was refused: access_denied/);
    auth.denies = false;
    assert.equal(await say(create(host)), "You said: hi");
  });

  it("believes no browser that comes with another state", async () => {
    const statuses: number[] = [];
    const { host } = signInHost({
      async open(address) {
        const redirect = new URL(new URL(address).searchParams.get("redirect_uri") ?? "");
        for (const query of ["code=stolen&state=wrong", "code=stolen", "error=access_denied"]) {
          redirect.search = query;
          statuses.push((await fetch(redirect)).status);
        }
        statuses.push((await fetch(new URL("/other", redirect))).status);
      },
      timeoutMs: 200,
    });
    await assert.rejects(create(host).start(signal), /The sign-in in the browser was not finished\./);
    assert.deepEqual(statuses, [400, 400, 400, 404]);
    assert.ok(!auth.log.includes("/token"));
  });

  it("believes no answer that names another issuer", async () => {
    const { host } = signInHost({
      async open(address) {
        const location = (await fetch(address, { redirect: "manual" })).headers.get("location") ?? "";
        await fetch(location.replace(/iss=[^&]*/, "iss=https%3A%2F%2Fevil.example"));
      },
    });
    await assert.rejects(create(host).start(signal), /issuer/i);
    assert.ok(!auth.log.includes("/token"));
  });

  it("closes its port when the start is stopped", async () => {
    let redirect = "";
    const { host } = signInHost({
      async open(address) {
        redirect = new URL(address).searchParams.get("redirect_uri") ?? "";
        void server.stop();
      },
    });
    const server = create(host);
    await assert.rejects(server.start(signal));
    assert.equal(server.state.type, "stopped");
    await assert.rejects(fetch(redirect));
  });

  it("registers again where its port is taken, and not where it is free", async () => {
    const { host, opened } = signInHost();
    const server = create(host);
    await say(server);
    const again = async () => {
      auth.expire({ refresh: true });
      await assert.rejects(say(server));
      await say(server);
    };
    await again();
    const ports = () => opened.map((url) => new URL(url.searchParams.get("redirect_uri") ?? "").port);
    assert.equal(ports()[0], ports()[1]);
    assert.equal(auth.log.filter((path) => path === "/register").length, 1);
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(Number(ports()[0]), "127.0.0.1", resolve));
    await again();
    other.close();
    assert.notEqual(ports()[2], String((other.address() as AddressInfo | null)?.port ?? ports()[0]));
    assert.equal(auth.log.filter((path) => path === "/register").length, 2);
  });

  it("closes its port where it can't be said how a browser reaches it", async () => {
    let address = "";
    const listening = listenOnLoopback(undefined, async (own) => {
      address = own;
      throw new Error("no tunnel");
    });
    await assert.rejects(listening, /no tunnel/);
    await assert.rejects(fetch(address));
  });

  it("refuses what comes to its port before the browser was opened", async () => {
    const callback = await listenOnLoopback(undefined);
    assert.equal((await fetch(`${callback.redirectUri}?state=x`)).status, 400);
    callback.dispose();
  });

  it("is signed out of, and asks again then", async () => {
    const { host, opened, stored } = signInHost();
    const server = create(host);
    await say(server);
    assert.equal(await server.authorization?.isSignedIn(), true);
    await server.stop();
    await server.authorization?.signOut();
    assert.equal(stored.size, 0);
    await say(server);
    assert.equal(opened.length, 2);
  });

  it("that is signed out of while its token is renewed stays signed out of", async () => {
    for (const step of ["reading", "renewing"] as const) {
      const { host, opened, stored } = signInHost();
      const [gate, reached] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      let isHeld = false;
      const { get } = host.secrets;
      host.secrets.get = async (key) => {
        const value = await get(key);
        if (!isHeld) return value;
        reached.resolve();
        await gate.promise;
        return value;
      };
      const server = create(host);
      await say(server);
      auth.expire();
      isHeld = step === "reading";
      const before = auth.log.length;
      const saying = say(server).catch(String);
      if (step === "reading") await reached.promise;
      else while (auth.log.length === before) await new Promise((resolve) => setImmediate(resolve));
      isHeld = false;
      await server.authorization?.signOut();
      gate.resolve();
      assert.match(await saying, /You have signed out of MCP server/, step);
      assert.deepEqual([stored.size, opened.length], [0, 1], step);
      assert.equal(await server.authorization?.isSignedIn(), false, step);
    }
  });

  it("is not signed in to where its own headers say who asks", async () => {
    const { host, opened } = signInHost();
    const server = servers.create({ url: auth.url, headers: { authorization: "Bearer own" } }, { signIn: host });
    await assert.rejects(server.start(signal));
    assert.deepEqual([server.authorization, opened], [undefined, []]);
  });
});
