// Long because starting, signing in, calling and ending all depend on the state of one connection.
import type { CallToolResult, Client, ProgressCallback, Transport } from "@modelcontextprotocol/client";
import { t } from "@vscode/l10n";
import { errorText } from "../../agent/vocabulary/errors.ts";
import { visibleText } from "../approvals/requestText.ts";
import { unlessAborted } from "../common/abort.ts";
import { SerialQueue } from "../common/serialQueue.ts";
import { ToolError, UserError } from "../common/userError.ts";
import { ServerAuthorization, type SignInHost } from "./authorization.ts";
import type { ServerDefinition } from "./configuration.ts";
import { guardTransport } from "./guardedTransport.ts";
import { httpTransport } from "./httpTransport.ts";
import { noOffers, type Offers, readOffers, ServerLog } from "./serverOffers.ts";
import { answerRequests, type Caller, clientCapabilities, type ServerRequestParts } from "./serverRequests.ts";
import type { ServerSandbox } from "./serverSandbox.ts";
import { StdioTransport } from "./stdioTransport.ts";
import type { ResolvedLaunch } from "./variables.ts";

export type ServerState =
  | { type: "stopped" }
  | { type: "starting" }
  | { type: "running" }
  /** `message` is for the user. */
  | { type: "failed"; message: string };

export interface McpServerOptions {
  definition: ServerDefinition;
  /** Resolves variables, which may ask the user. */
  resolve(definition: ServerDefinition, signal: AbortSignal): Promise<ResolvedLaunch>;
  /** The sandbox that it is started in now; undefined where it runs outside. Default: there is none. */
  sandbox?(launch: Extract<ResolvedLaunch, { type: "stdio" }>, log: (line: string) => void): ServerSandbox | undefined;
  /** Variables that hold keys of model providers: a server does not get them. */
  keyNames(): readonly string[];
  /** Absolute paths of the folders of the workspace, which the server may know. */
  folders: ServerRequestParts["folders"];
  /** The server's state or offers have changed. */
  onChange(): void;
  /** For servers on the web that want the user to sign in. Absent: they can't be used. */
  signIn?: SignInHost;
  startTimeoutMs?: number;
  /** For a call, since its latest sign of progress. */
  callTimeoutMs?: number;
}

interface Connection {
  isSandboxed: boolean;
  client: Client;
  transport: Transport & { kill?(): void };
}

export interface CallOptions {
  signal: AbortSignal;
  onProgress?: ProgressCallback;
  /** Who answers what the server asks meanwhile. Default: none. */
  caller?: Caller;
}

const removedText = "The server was removed.";

/** One MCP server: its process or connection, what it offers, and its log. */
export class McpServer {
  readonly definition: ServerDefinition;
  readonly log: ServerLog;
  /** Absent for one on this machine, and where its definition says who asks. */
  readonly authorization: ServerAuthorization | undefined;
  readonly #options: McpServerOptions;
  readonly #steps = new SerialQueue();
  /** Of calls that run, the oldest first. */
  readonly #callers = new Set<Caller>();
  #state: ServerState = { type: "stopped" };
  #offers: Offers = noOffers;
  #connection: Connection | undefined;
  #starting: { promise: Promise<void>; abort: AbortController } | undefined;
  /** It has run since it was last started by the user or changed. */
  #hasRun = false;
  #isDisposed = false;

  constructor(options: McpServerOptions) {
    this.#options = options;
    this.definition = options.definition;
    this.log = new ServerLog();
    const { launch } = this.definition;
    const hasOwn = launch.type === "http" && Object.keys(launch.headers).some((name) => /^authorization$/i.test(name));
    if (launch.type === "http" && !hasOwn && options.signIn !== undefined) {
      this.authorization = new ServerAuthorization(this.definition, options.signIn);
    }
  }

  get state(): ServerState {
    return this.#state;
  }

  get offers(): Offers {
    return this.#offers;
  }

  /** Whether it runs in the sandbox; undefined where it does not run. */
  get isSandboxed(): boolean | undefined {
    return this.#connection?.isSandboxed;
  }

  /** Whether a use may start it: not after a start that failed, which would only cost time again. */
  get isStartable(): boolean {
    return this.#state.type === "stopped" || this.#state.type === "starting" || this.#hasRun;
  }

  /** Resolves when it runs; rejects with a `UserError`. Several at once share one start, which goes on without them. */
  async start(signal: AbortSignal): Promise<void> {
    if (this.#isDisposed) throw new UserError(removedText);
    if (this.#state.type === "running") return;
    if (this.#starting === undefined) {
      const abort = new AbortController();
      const promise = this.#steps.run(() => this.#connect(abort.signal));
      this.#starting = { promise, abort };
      const over = () => {
        this.#starting = undefined;
      };
      promise.then(over, over);
    }
    await unlessAborted(this.#starting.promise, signal);
  }

  /** Ends it with all that it spawned. */
  async stop(): Promise<void> {
    this.#starting?.abort.abort(new Error("The server was stopped."));
    await this.#steps.run(async () => {
      await this.#disconnect();
      this.#hasRun = false;
      this.#change({ type: "stopped" });
    });
  }

  async restart(signal: AbortSignal): Promise<void> {
    await this.stop();
    await this.start(signal);
  }

  /** Ends it at once. */
  dispose(): void {
    this.#isDisposed = true;
    this.#starting?.abort.abort(new Error(removedText));
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.transport.kill?.();
    connection?.client.close().catch(() => {});
  }

  /** Starts the server where it does not run. Throws a `ToolError` for what is the server's fault. */
  async callTool(name: string, args: Record<string, unknown>, options: CallOptions): Promise<CallToolResult> {
    const { signal, onProgress, caller } = options;
    if (caller !== undefined) this.#callers.add(caller);
    const result = this.#request(signal, (client) =>
      client.callTool(
        { name, arguments: args },
        { ...this.#limits(signal), ...(onProgress && { onprogress: onProgress }) },
      ),
    );
    return result.finally(() => {
      if (caller !== undefined) this.#callers.delete(caller);
    });
  }

  async readResource(uri: string, signal: AbortSignal) {
    return this.#request(signal, (client) => client.readResource({ uri }, this.#limits(signal)));
  }

  async getPrompt(name: string, args: Record<string, string>, signal: AbortSignal) {
    return this.#request(signal, (client) => client.getPrompt({ name, arguments: args }, this.#limits(signal)));
  }

  #limits(signal: AbortSignal) {
    return { signal, timeout: this.#options.callTimeoutMs ?? 10 * 60_000, resetTimeoutOnProgress: true };
  }

  async #request<Result>(signal: AbortSignal, send: (client: Client) => Promise<Result>): Promise<Result> {
    try {
      await this.start(signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof UserError)) throw error;
      throw new ToolError(error.forModel);
    }
    const client = this.#connection?.client;
    if (client === undefined) throw new ToolError(this.#notRunning());
    try {
      return await unlessAborted(send(client), signal);
    } catch (error) {
      signal.throwIfAborted();
      if (this.#connection?.client !== client) throw new ToolError(this.#notRunning());
      if (await this.#needsSignIn(error)) throw new ToolError(this.#signedOut());
      throw new ToolError(
        `The MCP server ${this.definition.name} reported: ${visibleText(errorText(error)).slice(0, 2_000)}`,
      );
    }
  }

  /** Whether a call was refused for want of a sign-in: the next use has the user sign in, and connects again. */
  async #needsSignIn(error: unknown): Promise<boolean> {
    const { authorization } = this;
    if (authorization === undefined) return false;
    const { InsufficientScopeError } = await import("@modelcontextprotocol/client");
    if (error instanceof InsufficientScopeError) await authorization.needsScope(error.requiredScope);
    if (!authorization.isSignInNeeded) return false;
    await this.#disconnect();
    this.#change({ type: "failed", message: t("You need to sign in again.") });
    return true;
  }

  #signedOut(): string {
    return `The MCP server ${this.definition.name} wants the user to sign in. The next call asks the user to do so.`;
  }

  #notRunning(): string {
    return `The MCP server ${this.definition.name} ended during the call. It is started again with the next call; what the call did is unknown.`;
  }

  async #connect(signal: AbortSignal): Promise<void> {
    // A start before this one in the queue may have done it.
    if (this.#state.type === "running") return;
    this.#change({ type: "starting" });
    let connection: Connection | undefined;
    const timeout = this.#options.startTimeoutMs ?? 30_000;
    const connect = async () => {
      connection = await this.#open(signal);
      const { client, transport } = connection;
      client.onclose = () => this.#closed(client);
      await client.connect(transport, { signal, timeout });
      return connection;
    };
    try {
      // It has refused a request before: connecting would only be refused again.
      await this.authorization?.signIn(signal);
      const { client } = await connect().catch(async (error: unknown) => {
        if (signal.aborted || this.authorization?.isSignInNeeded !== true) throw error;
        await connection?.transport.close().catch(() => {});
        await this.authorization.signIn(signal);
        return connect();
      });
      this.#connection = connection;
      this.#offers = await readOffers(client, this.log, { signal, timeout });
      // It may have ended while it was listed.
      if (this.#connection !== connection) throw new Error("The server ended.");
      this.#hasRun = true;
      this.#change({ type: "running" });
    } catch (error) {
      this.#connection = undefined;
      // Its end below is not why.
      const last = this.log.lines.slice(-2);
      // There is no time to wait where the window closes.
      if (this.#isDisposed) connection?.transport.kill?.();
      await connection?.transport.close().catch(() => {});
      if (signal.aborted) {
        this.#change({ type: "stopped" });
        throw signal.reason;
      }
      const failure = this.#startFailure(error, { last, isSandboxed: connection?.isSandboxed === true });
      this.#change({ type: "failed", message: failure.reason });
      throw failure.error;
    }
  }

  async #open(signal: AbortSignal): Promise<Connection> {
    // A library of its own chunk: who has no server does not load it.
    const [sdk, launch] = await Promise.all([
      import("@modelcontextprotocol/client"),
      this.#options.resolve(this.definition, signal),
    ]);
    signal.throwIfAborted();
    const refresh = () => void this.#refresh();
    const listChanged = { autoRefresh: false, onChanged: refresh };
    const client = new sdk.Client(
      { name: "arbor", version: "1.0.0" },
      {
        capabilities: clientCapabilities,
        listChanged: { tools: listChanged, prompts: listChanged, resources: listChanged },
        // Results are data for a model, whatever their schema says; a hostile pattern in one is never run.
        jsonSchemaValidator: {
          getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
        },
        // A process that is asked what it does not know may end; an HTTP server answers.
        versionNegotiation: { mode: launch.type === "http" ? "auto" : "legacy" },
      },
    );
    client.onerror = (error) => this.log.add(errorText(error));
    client.setNotificationHandler("notifications/message", ({ params: { level, logger, data } }) => {
      const text = typeof data === "string" ? data : JSON.stringify(data);
      this.log.add(`[${level}]${logger === undefined ? "" : ` ${logger}:`} ${text}`);
    });
    answerRequests(client, {
      name: this.definition.name,
      // A request does not say what call it belongs to; with several, the latest one is it most likely.
      caller: () => [...this.#callers].at(-1),
      folders: this.#options.folders,
      log: (line) => this.log.add(line),
    });
    const guard = { isTool: sdk.isSpecType.Tool, log: (line: string) => this.log.add(line) };
    if (launch.type === "http") {
      const { authorization: authProvider } = this;
      authProvider?.connectTo(launch.url);
      const options = { Transport: sdk.StreamableHTTPClientTransport, launch, guard };
      const transport = httpTransport({ ...options, ...(authProvider !== undefined && { authProvider }) });
      return { client, transport, isSandboxed: false };
    }
    const inSandbox = this.#options.sandbox?.(launch, (line) => this.log.add(line));
    const transport = new StdioTransport({
      ...launch,
      ...(inSandbox && { inSandbox }),
      keyNames: this.#options.keyNames(),
      parseMessage: sdk.deserializeMessage,
      log: (line) => this.log.add(line),
    });
    return { client, transport: guardTransport(transport, guard), isSandboxed: inSandbox !== undefined };
  }

  async #refresh(): Promise<void> {
    const client = this.#connection?.client;
    if (client === undefined || this.#state.type !== "running") return;
    try {
      this.#offers = await readOffers(client, this.log, { timeout: 30_000 });
      this.#options.onChange();
    } catch (error) {
      this.log.add(errorText(error));
    }
  }

  async #disconnect(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection === undefined) return;
    await connection.client.close().catch((error: unknown) => this.log.add(errorText(error)));
    // The client asks its transport to close, but does not wait where it is closed already.
    await connection.transport.close().catch((error: unknown) => this.log.add(errorText(error)));
  }

  /** It ended unasked: its next use starts it again. */
  #closed(client: Client): void {
    if (this.#connection?.client !== client) return;
    this.#connection = undefined;
    if (this.#state.type === "running") {
      this.#change({ type: "failed", message: t("The server exited. It starts again when it is used next.") });
    }
  }

  /** `last` is what it wrote last. */
  #startFailure(
    error: unknown,
    { last, isSandboxed }: { last: readonly string[]; isSandboxed: boolean },
  ): { error: UserError; reason: string } {
    const { name } = this.definition;
    const said = last.map((line) => visibleText(line).slice(0, 300));
    // What it wrote says more than that it is gone.
    const isGone = !(error instanceof UserError) && /connection closed/i.test(errorText(error)) && said.length > 0;
    const { message: main, forModel } = isGone ? new UserError(said.join(" ")) : startProblem(error);
    const rest = said.at(-1);
    const known = isGone || rest === undefined || main.includes(rest) ? main : `${main} (${rest})`;
    const reason = isSandboxed ? t("{0} It runs in the sandbox, which may be why.", known) : known;
    const text = t("MCP server {0} could not be started: {1}", name, reason);
    return { error: new UserError(text, `The MCP server ${name} could not be started: ${forModel}`), reason };
  }

  #change(state: ServerState): void {
    this.#state = state;
    if (!this.#isDisposed) this.#options.onChange();
  }
}

function startProblem(error: unknown): UserError {
  if (error instanceof UserError) return error;
  const text = visibleText(errorText(error));
  if (/timed out/i.test(text)) return new UserError(t("It does not answer."), "It does not answer.");
  return new UserError(text.slice(0, 500));
}
