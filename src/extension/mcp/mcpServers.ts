import { t } from "@vscode/l10n";
import { firstOf } from "../common/deadline.ts";
import { SerialQueue } from "../common/serialQueue.ts";
import { UserError } from "../common/userError.ts";
import { fingerprintOf, type ServerDefinition, type ServersFound } from "./configuration.ts";
import type { McpServer } from "./mcpServer.ts";
import type { ServerApproval, ServerPlace } from "./serverApproval.ts";

export interface McpServersOptions {
  /** All that is configured now. */
  read(): Promise<ServersFound>;
  approval: ServerApproval;
  create(definition: ServerDefinition): McpServer;
  /** Called with a problem of the configuration once, not with each reading, and with each start that fails. */
  report(problem: string): void;
  /** For so long a message waits for servers to start; those that take longer are there for the next one. */
  maxWaitMs?: number;
}

/** The MCP servers of a window. They start with their first use, and all end with the window. */
export class McpServers {
  readonly #options: McpServersOptions;
  readonly #steps = new SerialQueue();
  #servers: readonly McpServer[] = [];
  #reported = new Set<string>();

  constructor(options: McpServersOptions) {
    this.#options = options;
  }

  get approval(): Omit<ServerApproval, "mayStart"> {
    return this.#options.approval;
  }

  /** In the order of the configuration. */
  get all(): readonly McpServer[] {
    return this.#servers;
  }

  /** Those that may be used: a server whose definition is not approved any more is none. */
  get approved(): readonly McpServer[] {
    return this.#servers.filter(({ definition }) => this.#options.approval.isApproved(definition));
  }

  /** Reads the configuration again. A server that is not in it any more, or differs, ends. */
  async refresh(): Promise<void> {
    await this.#steps.run(async () => {
      const { servers: definitions, problems } = await this.#options.read();
      for (const problem of problems) if (!this.#reported.has(problem)) this.#options.report(problem);
      this.#reported = new Set(problems);
      const before = new Map(this.#servers.map((server) => [server.definition.id, server]));
      this.#servers = definitions.map((definition) => {
        const known = before.get(definition.id);
        if (known === undefined || fingerprintOf(known.definition) !== fingerprintOf(definition))
          return this.#options.create(definition);
        before.delete(definition.id);
        return known;
      });
      for (const server of before.values()) server.dispose();
      const { approval } = this.#options;
      if (definitions.some((definition) => approval.placeOf(definition) === "sandbox")) await approval.lookForSandbox();
    });
  }

  /** Brings up all that may run, asking about those that the user has not been asked about yet. Failures are shown with the server. */
  async startForUse(signal: AbortSignal): Promise<void> {
    await this.refresh();
    const starts: Promise<void>[] = [];
    for (const server of this.#servers) {
      if (!server.isStartable || server.state.type === "running") continue;
      if (!(await this.#options.approval.mayStart(server.definition))) continue;
      signal.throwIfAborted();
      starts.push(
        server.start(signal).catch((error: unknown) => {
          // The message goes on without its tools. Any other failure is that of the signal.
          if (error instanceof UserError) this.#options.report(error.message);
        }),
      );
    }
    if (starts.length === 0) return;
    await firstOf(
      Promise.all(starts).then(() => undefined),
      this.#options.maxWaitMs ?? 15_000,
    );
  }

  /** What the user asks for by hand: it may be asked about again, as it is for a place. False where the user said no. */
  async startByHand(server: McpServer, signal: AbortSignal, place?: ServerPlace): Promise<boolean> {
    const { approval } = this.#options;
    const { definition } = server;
    if (!(await approval.mayStart(definition, { again: true, ...(place !== undefined && { place }) }))) {
      const refusal = approval.refusal(definition);
      if (refusal === undefined) return false;
      throw new UserError(
        t("MCP server {0} runs in the sandbox only, which does not work here. {1}", definition.name, refusal),
      );
    }
    await server.restart(signal);
    return true;
  }

  dispose(): void {
    for (const server of this.#servers) server.dispose();
    this.#servers = [];
  }
}
