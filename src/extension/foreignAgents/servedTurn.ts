import { randomUUID } from "node:crypto";
import type { ExternalTurn } from "../../agent/vocabulary/externalTurn.ts";
import type { ToolCall, ToolDefinition } from "../../agent/vocabulary/messages.ts";
import type { ForeignAgentDefinition } from "./definitions.ts";
import { readsVariables, servedToolName } from "./modes.ts";
import type { SessionTree } from "./sessionTree.ts";
import { newToken, type ServedTools, serveTools, type ToolServer, toolServerName } from "./toolServer.ts";

/** Where a program has the token, too: some give what they are sent to another process, where all users see it. */
const tokenVariable = "ARBOR_TOOL_SERVER_TOKEN";

interface ServedTurnOptions {
  definition: Pick<ForeignAgentDefinition, "guarded">;
  /** Of one that is not guarded it has those that are offered. Absent: none. */
  tools?: { isOffered(name: string): boolean; isReadOnly(name: string): boolean };
  /** A call has ended. */
  onActivity(): void;
}

/** The tools of a node as another program calls them: in its turn, and as calls of the node. */
export class ServedTurn {
  readonly #options: ServedTurnOptions;
  /** Of the turn under way. */
  tree: SessionTree | undefined;
  #turn: ExternalTurn | undefined;
  #offered: readonly ToolDefinition[] = [];
  #server: Promise<ToolServer> | undefined;
  #token = newToken();
  #over = new AbortController();
  readonly #calls = new Set<Promise<unknown>>();

  constructor(options: ServedTurnOptions) {
    this.#options = options;
  }

  get isWaiting(): boolean {
    return this.#calls.size > 0;
  }

  /** Whether the tools are others than those that the program was offered. */
  begin(turn: ExternalTurn): boolean {
    const { definition, tools } = this.#options;
    const before = JSON.stringify(this.#offered);
    this.#turn = turn;
    this.#over = new AbortController();
    this.#offered = turn.tools.filter(({ name }) => definition.guarded || tools?.isOffered(name) === true);
    return JSON.stringify(this.#offered) !== before;
  }

  /** Resolves when the results of all calls are in the transcript: those that run are withdrawn. */
  async end(): Promise<void> {
    this.#turn = undefined;
    this.tree = undefined;
    this.#over.abort(new Error("The turn has ended."));
    await Promise.allSettled(this.#calls);
  }

  /** What the process of the program has of it. */
  get environment(): Record<string, string> {
    return { [tokenVariable]: this.#token };
  }

  /** Where the tools are, for a program that names itself so; undefined where there are none. */
  async address(agentName: string): Promise<ToolServer["address"] | undefined> {
    if (this.#offered.length === 0) return undefined;
    this.#server ??= serveTools(this.#tools, this.#token);
    const { address } = await this.#server;
    if (!readsVariables(agentName)) return address;
    return { ...address, headers: [{ name: "Authorization", value: `Bearer \${${tokenVariable}}` }] };
  }

  /** Whether a program calls a tool of ours by this name, and no other one. */
  isServed(agentName: string, toolName: string): boolean {
    if (this.#server === undefined) return false;
    return this.#offered.some(({ name }) => servedToolName(agentName, toolServerName, name) === toolName);
  }

  dispose(): void {
    // That it could not be started was said where it was needed.
    this.#server?.then(
      (server) => server.dispose(),
      () => {},
    );
    this.#server = undefined;
    this.#token = newToken();
  }

  readonly #tools: ServedTools = {
    list: () =>
      this.#offered.map((tool) => ({ ...tool, isReadOnly: this.#options.tools?.isReadOnly(tool.name) === true })),
    call: async (name, args, signal) => {
      const [turn, tree] = [this.#turn, this.tree];
      if (turn === undefined || tree === undefined) throw new Error("Nothing can be called outside a turn.");
      if (!this.#offered.some((tool) => tool.name === name)) throw new Error(`There is no tool ${name}.`);
      const { transcript } = tree;
      const call: ToolCall = { type: "toolCall", id: randomUUID(), name, arguments: args };
      const run = async () => {
        transcript.addOwnCall(call);
        const result = await turn.callTool(call, AbortSignal.any([signal, this.#over.signal]));
        transcript.addOwnResult(result);
        return result;
      };
      const running = run();
      this.#calls.add(running);
      try {
        return await running;
      } finally {
        this.#calls.delete(running);
        this.#options.onActivity();
      }
    },
  };
}
