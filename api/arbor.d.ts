/**
 * What Arbor offers other extensions:
 *
 *     const exports = await vscode.extensions.getExtension<ArborExports>("arbor.arbor-agent")?.activate();
 *     const arbor = exports?.forExtension("publisher.name");
 *
 * Within a version nothing is removed or changes its meaning.
 */
export interface ArborExports {
  readonly version: 1;
  /** `id`: your extension's, as users see it in questions about your tools. */
  forExtension(id: string): ArborApi;
}

export interface ArborApi {
  /**
   * Sends a message in the chat that the panel shows, and resolves when the run has ended. Throws an Error that says what
   * of the input can't be used.
   */
  ask(input: ArborQuestion): Promise<{ sessionId: string; text: string }>;
  /** Calls the listener with each event of each agent, in order, as a copy. */
  onEvent(listener: (event: ArborEvent) => void): ArborDisposable;
  /** Offers a tool to agents from their next run on. The user is asked before it is called, as for any tool. */
  registerTool(tool: ArborTool): ArborDisposable;
  /** Offers an agent that work can be delegated to, and that users mention by its name. */
  registerAgent(agent: ArborAgent): ArborDisposable;
  /** Offers a model, which the user chooses as `vscode/<your extension's id>/<its id>`. */
  registerModel(model: ArborModel): ArborDisposable;
}

export interface ArborDisposable {
  dispose(): void;
}

export interface ArborQuestion {
  prompt: string;
  /** Who should do it; default: the main agent. */
  agent?: string;
  /** Paths in the workspace, or addresses. */
  attachments?: string[];
}

export interface ArborEvent {
  sessionId: string;
  agent: { id: string; name?: string; label?: string; parentId?: string; depth: number };
  /** Like "agent_start", "message_end" or "tool_execution_end"; others may come. */
  type: string;
  /** What the type has. */
  readonly [field: string]: unknown;
}

export interface ArborTool {
  /** Of letters, digits, `_` and `-`. */
  name: string;
  /** For the model. */
  description: string;
  /** JSON Schema of an object. */
  inputSchema: { type: "object"; [keyword: string]: unknown };
  /** The signal is aborted when the user stops the agent, or after ten minutes. The model gets the message of what it throws. */
  run(input: Record<string, unknown>, signal: AbortSignal): string | Promise<string>;
}

export interface ArborAgent {
  name: string;
  /** When to delegate to it, on one line. */
  description: string;
  instructions: string;
  /** Names of tools; default: all that the main agent has. */
  tools?: string[];
}

export interface ArborModel {
  /** Of letters, digits, `_`, `.`, `:` and `-`. */
  id: string;
  /** For people. */
  name: string;
  maxInputTokens: number;
  /** Whether it takes images; default: no. */
  images?: boolean;
  /**
   * Answers a request, part by part. The signal is aborted when the user stops the agent. What it throws is shown as the
   * failure of the request.
   */
  respond(request: ArborModelRequest, signal: AbortSignal): AsyncIterable<ArborModelPart>;
}

export interface ArborModelRequest {
  /** What the system says is said by the user, too. */
  messages: { role: "user" | "assistant"; content: ArborContent[] }[];
  /** With the JSON Schema of each one's arguments. */
  tools: { name: string; description: string; parameters: Record<string, unknown> }[];
}

export type ArborContent =
  | { type: "text"; text: string }
  | { type: "image"; mimeType: string; data: Uint8Array }
  | { type: "call"; id: string; name: string; input: object }
  | { type: "result"; callId: string; content: ArborContent[] };

export type ArborModelPart =
  | { type: "text"; text: string }
  | { type: "call"; id: string; name: string; input: unknown };
