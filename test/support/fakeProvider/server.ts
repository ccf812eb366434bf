import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { control } from "./control.ts";
import { play } from "./play.ts";
import type { HttpReply, Reply, ScriptedUsage, ServedWire, WireName } from "./script.ts";
import { newState, type State } from "./state.ts";
import { anthropicWire } from "./wires/anthropic.ts";
import { chatWire } from "./wires/chat.ts";
import { googleAside, googlePath, googleWire } from "./wires/google.ts";
import { responsesWire } from "./wires/responses.ts";
import { isObject, type JsonObject, type Wire } from "./wires/wire.ts";

const wires: Record<ServedWire, Wire> = {
  ...{ anthropic: anthropicWire, responses: responsesWire, chat: chatWire },
  google: googleWire,
};
const wireOfPath: Record<string, WireName> = {
  "/v1/messages": "anthropic",
  "/v1/responses": "responses",
  "/v1/chat/completions": "chat",
};
/** A base URL below this one lists models too, for the one key that it takes. */
const official = "/official";
const officialKey = "sk-ant-api03-0123456789-official-key";
const officialModels = [{ type: "model", id: "claude-opus-5-5", display_name: "Claude Opus 5.5" }];

function listing(key: unknown): HttpReply {
  if (key === officialKey) return { status: 200, body: { data: officialModels, has_more: false } };
  return { status: 401, body: { error: { type: "authentication_error", message: "invalid x-api-key" } } };
}

const noUsage: Required<ScriptedUsage> = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

/** The fake provider's HTTP server, not yet listening. */
export function createFakeServer(): Server {
  let state = newState();

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://localhost");
    const wireName = wireOfPath[url.pathname.replace(official, "")];
    const google = googlePath.exec(url.pathname);
    if (url.pathname === `${official}/v1/models`) {
      sendHttp(response, listing(request.headers["x-api-key"]));
    } else if (wireName !== undefined) {
      await answer(state, wireName, request, response);
    } else if (google !== null) {
      const [, model = "", method = ""] = google;
      const aside = googleAside(method, model);
      if (aside === undefined) await answer(state, "google", request, response, { model });
      else sendJson(response, aside);
    } else if (url.pathname === "/control/reset") {
      state.dropOpen();
      state = newState();
      sendJson(response, null);
    } else if (url.pathname.startsWith("/control/")) {
      const body: unknown = request.method === "POST" ? JSON.parse(await readText(request)) : undefined;
      sendJson(response, await control(state, url, body));
    } else {
      sendHttp(response, { status: 404, body: { error: { message: `Nothing is served at ${url.pathname}.` } } });
    }
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else sendHttp(response, { status: 500, body: String(error) });
    });
  });
  server.requestTimeout = 0;
  return server;
}

async function answer(
  state: State,
  wireName: ServedWire,
  request: IncomingMessage,
  response: ServerResponse,
  /** Of the request, where it is not in its body. */
  more: JsonObject = {},
) {
  const text = await readText(request);
  const parsed: unknown = JSON.parse(text);
  const body: JsonObject = isObject(parsed) ? { ...parsed, ...more } : more;
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const settle = state.record({ wire: wireName, path: request.url ?? "", headers, body }, text.length, response);

  const view = wires[wireName].readRequest(body);
  const reply: Reply =
    state.script.judge({ wire: wireName, headers, body }) ?? state.script.next(wireName, view) ?? unanswered(view);
  if (reply.holdAt !== undefined) await state.gates.pass(reply.holdAt);
  if (response.destroyed) return;
  if ("drop" in reply) {
    settle("cut");
    request.socket.resetAndDestroy();
  } else if ("status" in reply) {
    sendHttp(response, reply);
  } else {
    const options = body.stream_options;
    const includeUsage = isObject(options) && options.include_usage === true;
    const usage = reply.usage === null ? undefined : { ...noUsage, ...reply.usage };
    const writer = wires[wireName].writer(view.model, usage, includeUsage);
    const callPrefix = `call_${state.requests.length}`;
    await play(reply, writer, response, { gates: state.gates, callPrefix, onCut: () => settle("cut") });
  }
}

function unanswered(view: object): HttpReply {
  const message = `The script has no reply for ${JSON.stringify(view)}`;
  return { status: 400, body: { error: { type: "invalid_request_error", message } } };
}

function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body ?? null));
}

function sendHttp(response: ServerResponse, { status, body, headers }: HttpReply): void {
  const isText = typeof body === "string";
  response.writeHead(status, { "content-type": isText ? "text/html" : "application/json", ...headers });
  response.end(isText ? body : JSON.stringify(body));
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
