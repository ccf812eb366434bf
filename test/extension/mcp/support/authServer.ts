import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";

interface Grant {
  clientId: string;
  redirectUri: string;
  challenge: string;
  scope: string;
  resource: string;
}

/**
 * An MCP server over HTTP with an authorization server beside it, as the specification has them: metadata of both,
 * dynamic registration, authorization code with PKCE, refresh tokens that are used once.
 */
export async function startAuthServer() {
  const clients = new Map<string, string[]>();
  const codes = new Map<string, Grant>();
  const refreshTokens = new Map<string, Grant>();
  const accessTokens = new Map<string, string>();
  const log: string[] = [];
  const server = {
    /** What was asked of the authorization server, in order. */
    log,
    /** Values of the header "x-key" that came to it. */
    keysSeen: new Set<string>(),
    /** Scope that the tool "order" needs. */
    orderScope: "read",
    denies: false,
    /** Answers no request at the token endpoint. */
    isSilent: false,
    origin: "",
    get url() {
      return `${server.origin}/mcp`;
    },
    /** All access tokens expire; with `refresh`, refresh tokens are revoked, too. */
    expire({ refresh = false } = {}) {
      accessTokens.clear();
      if (refresh) refreshTokens.clear();
    },
    stop() {
      http.close();
      http.closeAllConnections();
    },
  };
  const json = (response: ServerResponse, status: number, body: unknown) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

  const handler = createMcpHandler(() => {
    const mcp = new McpServer({ name: "locked", version: "1.0.0" });
    mcp.registerTool(
      "echo",
      { description: "Says it again.", inputSchema: z.object({ text: z.string() }) },
      (args) => ({
        content: [{ type: "text", text: `You said: ${args.text}` }],
      }),
    );
    mcp.registerTool("order", { description: "Orders." }, () => ({ content: [{ type: "text", text: "ordered" }] }));
    return mcp;
  });

  function grantTokens(response: ServerResponse, grant: Grant) {
    const [access, refresh] = [randomUUID(), randomUUID()];
    accessTokens.set(access, grant.scope);
    refreshTokens.set(refresh, grant);
    const rest = { token_type: "Bearer", expires_in: 3_600, scope: grant.scope };
    json(response, 200, { access_token: access, refresh_token: refresh, ...rest });
  }

  function authorize(response: ServerResponse, asked: URLSearchParams) {
    const of = (name: string) => asked.get(name) ?? "";
    const redirectUri = of("redirect_uri");
    if (!clients.get(of("client_id"))?.includes(redirectUri)) return json(response, 400, { error: "invalid_client" });
    const back = new URL(redirectUri);
    back.searchParams.set("state", of("state"));
    if (server.denies) back.searchParams.set("error", "access_denied");
    else {
      const code = randomUUID();
      const hasProof = of("code_challenge_method") === "S256" && of("response_type") === "code";
      const challenge = hasProof ? of("code_challenge") : "none";
      const scope = of("scope");
      codes.set(code, { clientId: of("client_id"), redirectUri, challenge, scope, resource: of("resource") });
      back.searchParams.set("code", code);
      back.searchParams.set("iss", server.origin);
    }
    return response.writeHead(302, { location: back.href }).end();
  }

  function token(response: ServerResponse, asked: URLSearchParams) {
    const of = (name: string) => asked.get(name) ?? "";
    if (of("grant_type") === "refresh_token") {
      const grant = refreshTokens.get(of("refresh_token"));
      refreshTokens.delete(of("refresh_token"));
      const isValid = grant !== undefined && grant.clientId === of("client_id");
      return isValid ? grantTokens(response, grant) : json(response, 400, { error: "invalid_grant" });
    }
    const grant = codes.get(of("code"));
    codes.delete(of("code"));
    const challenge = createHash("sha256").update(of("code_verifier")).digest("base64url");
    const isValid =
      grant?.challenge === challenge &&
      grant.redirectUri === of("redirect_uri") &&
      grant.clientId === of("client_id") &&
      grant.resource === server.url &&
      of("resource") === server.url;
    return isValid && grant !== undefined
      ? grantTokens(response, grant)
      : json(response, 400, { error: "invalid_grant" });
  }

  async function mcp(request: IncomingMessage, response: ServerResponse) {
    const scope = accessTokens.get(request.headers.authorization?.replace("Bearer ", "") ?? "");
    const metadata = `resource_metadata="${server.origin}/.well-known/oauth-protected-resource/mcp"`;
    if (scope === undefined)
      return response.writeHead(401, { "www-authenticate": `Bearer ${metadata}, scope="read"` }).end();
    const body = request.method === "POST" ? await text(request) : undefined;
    if (body?.includes('"order"') && !scope.split(" ").includes(server.orderScope)) {
      const needed = `Bearer error="insufficient_scope", scope="${server.orderScope}", ${metadata}`;
      return response.writeHead(403, { "www-authenticate": needed }).end();
    }
    const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
      typeof value === "string" ? [[name, value]] : [],
    );
    const asked = { headers, method: request.method ?? "GET", ...(body !== undefined && { body }) };
    const answer = await handler.fetch(new Request(server.url, asked));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body === null) return response.end();
    return Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]).pipe(response);
  }

  const http = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://127.0.0.1");
    if (pathname === "/mcp") return mcp(request, response);
    if (request.method === "POST" || pathname === "/authorize") log.push(pathname);
    const key = request.headers["x-key"];
    if (typeof key === "string") server.keysSeen.add(key);
    switch (pathname) {
      case "/.well-known/oauth-protected-resource/mcp":
        return json(response, 200, { resource: server.url, authorization_servers: [server.origin] });
      case "/.well-known/oauth-authorization-server":
        return json(response, 200, {
          issuer: server.origin,
          authorization_endpoint: `${server.origin}/authorize`,
          token_endpoint: `${server.origin}/token`,
          registration_endpoint: `${server.origin}/register`,
          response_types_supported: ["code"],
          grant_types_supported: ["authorization_code", "refresh_token"],
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none"],
          authorization_response_iss_parameter_supported: true,
        });
      case "/register": {
        const metadata = z.looseObject({ redirect_uris: z.array(z.string()) }).parse(JSON.parse(await text(request)));
        const clientId = randomUUID();
        clients.set(clientId, metadata.redirect_uris);
        return json(response, 201, { ...metadata, client_id: clientId });
      }
      case "/authorize":
        return authorize(response, searchParams);
      case "/token":
        if (server.isSilent) return;
        return token(response, new URLSearchParams(await text(request)));
      default:
        return json(response, 404, {});
    }
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  server.origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return server;
}
