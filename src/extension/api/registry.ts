import type { CallToolResult } from "@modelcontextprotocol/client";
import * as z from "zod";
import type {
  ArborAgent,
  ArborApi,
  ArborDisposable,
  ArborEvent,
  ArborExports,
  ArborTool,
} from "../../../api/arbor.d.ts";
import type { AgentEvent } from "../../agent/types.ts";
import { errorText } from "../../agent/vocabulary/errors.ts";
import { copyPlain } from "../../agent/vocabulary/plainJson.ts";
import { visibleText } from "../approvals/requestText.ts";
import { unlessAborted } from "../common/abort.ts";
import { ToolError, UserError } from "../common/userError.ts";
import { shownAgents } from "../customization/agents.ts";
import type { Custom } from "../customization/customization.ts";
import type { ToolSource } from "../mcp/mcpTools.ts";
import type { EditorModel } from "../models/editor/editorModel.ts";
import { extensionModel, extensionModelSchema } from "./extensionModel.ts";

/** So long a tool of another extension may take. */
export const callTimeoutMs = 10 * 60_000;
const maxTools = 100;
const maxAgents = 100;
const maxModels = 100;

// Functions of other extensions: what they are called with and give is checked where it is used.
const isFunction = (value: unknown) => typeof value === "function";
const toolSchema = z.object({
  name: z.string().regex(/^[\w-]{1,60}$/),
  description: z.string().min(1).max(4_000),
  inputSchema: z.looseObject({ type: z.literal("object") }),
  run: z.custom<ArborTool["run"]>(isFunction),
});
const agentSchema = z.object({
  name: z.string().regex(/^[A-Za-z][\w-]{0,39}$/),
  description: z.string().min(1).max(1_024),
  instructions: z.string().min(1).max(100_000),
  tools: z.array(z.string()).exactOptional(),
});

interface Registered {
  models: Map<string, EditorModel>;
  tools: Map<string, ArborTool>;
  agents: Map<string, ArborAgent>;
}

export interface RegistryOptions {
  ask(input: unknown): Promise<{ sessionId: string; text: string } | undefined>;
  /** Tools or agents were added or removed. */
  onChange(): void;
  reportFailure(error: unknown): void;
  callTimeoutMs?: number;
}

/** What other extensions add to Arbor, and the events that they get. Nothing of theirs is trusted more than an MCP server. */
export class ExtensionRegistry {
  readonly #options: RegistryOptions;
  readonly #extensions = new Map<string, Registered>();
  readonly #listeners = new Set<(event: ArborEvent) => void>();
  readonly #closing = new AbortController();
  #agents: readonly ArborAgent[] = [];
  #merged: { custom: Custom; agents: readonly ArborAgent[]; result: Custom } | undefined;

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  /** What `activate` returns. */
  readonly exports: ArborExports = Object.freeze({
    version: 1 as const,
    forExtension: (id: string) => this.#api(id),
  });

  /** What others wait for ends with an error that says why, and nothing of theirs is called any more. */
  dispose(): void {
    this.#closing.abort(new Error("Arbor was deactivated: it was disabled or updated, or its window closes."));
    this.#listeners.clear();
    this.#extensions.clear();
    this.#agents = [];
  }

  /** The tools of each extension, as tools of servers are. */
  get sources(): readonly ToolSource[] {
    return [...this.#extensions].flatMap(([id, { tools }]) => (tools.size === 0 ? [] : [this.#source(id, tools)]));
  }

  /** The models of all extensions. They are chosen by the user like those of the editor. */
  get models(): readonly EditorModel[] {
    return [...this.#extensions.values()].flatMap(({ models }) => [...models.values()]);
  }

  /** The custom agents with those of extensions, which never take the place of another one. The same for the same. */
  withAgents(custom: Custom): Custom {
    if (this.#agents.length === 0) return custom;
    if (this.#merged?.custom === custom && this.#merged.agents === this.#agents) return this.#merged.result;
    const taken = new Set(["main", ...shownAgents(custom.agents).map(({ name }) => name)]);
    const added = this.#agents
      // Of two extensions with the same name, the first one's.
      .filter(({ name }) => !taken.has(name) && taken.add(name))
      .map(({ tools, ...agent }) => ({
        ...agent,
        ...{ path: "", deniedTools: [], agents: [], models: [], limits: {}, isOffered: true, isMentioned: true },
        ...(tools !== undefined && { tools }),
      }));
    const result = { ...custom, agents: [...custom.agents, ...added] };
    this.#merged = { custom, agents: this.#agents, result };
    return result;
  }

  /** An event of an agent of a chat. */
  emit(event: AgentEvent): void {
    if (this.#listeners.size === 0) return;
    for (const listener of this.#listeners) {
      const copy: ArborEvent = { ...copyPlain(event) };
      // Not within what the agent is doing, and a listener that throws takes nothing from the others.
      queueMicrotask(() => {
        try {
          if (this.#listeners.has(listener)) listener(copy);
        } catch (error) {
          this.#options.reportFailure(error);
        }
      });
    }
  }

  #api(given: string): ArborApi {
    this.#closing.signal.throwIfAborted();
    const id = z
      .string()
      .regex(/^[\w-]+\.[\w-]+$/)
      .max(100)
      .safeParse(given).data;
    if (id === undefined) throw new Error("Arbor: forExtension takes the id of your extension, like publisher.name.");
    const own = this.#extensions.get(id) ?? { tools: new Map(), agents: new Map(), models: new Map() };
    this.#extensions.set(id, own);
    return Object.freeze({
      ask: async (input) => {
        this.#closing.signal.throwIfAborted();
        const answer = await unlessAborted(this.#options.ask(input), this.#closing.signal);
        if (answer === undefined) throw new Error("Arbor: ask takes a prompt.");
        return answer;
      },
      onEvent: (listener) => {
        // Each subscription is one of its own, also of the same function.
        this.#closing.signal.throwIfAborted();
        const own = (event: ArborEvent) => listener(event);
        this.#listeners.add(own);
        return disposable(() => this.#listeners.delete(own));
      },
      registerTool: (tool) => {
        const known = parsed(toolSchema, tool, "registerTool");
        if (own.tools.size >= maxTools) throw new Error(`Arbor: an extension can have ${maxTools} tools.`);
        // As it is now, and as JSON: what is no JSON throws here, and not where all tools are offered.
        const inputSchema = toolSchema.shape.inputSchema.parse(JSON.parse(JSON.stringify(known.inputSchema)));
        return this.#add(own.tools, { ...known, inputSchema, run: known.run.bind(tool) });
      },
      registerAgent: (agent) => {
        const known = parsed(agentSchema, agent, "registerAgent");
        if (own.agents.size >= maxAgents) throw new Error(`Arbor: an extension can have ${maxAgents} agents.`);
        return this.#add(own.agents, known);
      },
      registerModel: (model) => {
        const known = parsed(extensionModelSchema, model, "registerModel");
        if (own.models.size >= maxModels) throw new Error(`Arbor: an extension can have ${maxModels} models.`);
        const added = extensionModel(id, { ...known, respond: known.respond.bind(model) });
        return this.#add(own.models, added, known.id);
      },
    } satisfies ArborApi);
  }

  #add<Item extends { name: string }>(all: Map<string, Item>, item: Item, key = item.name): ArborDisposable {
    this.#closing.signal.throwIfAborted();
    if (all.has(key)) throw new Error(`Arbor: ${key} is registered already.`);
    all.set(key, item);
    this.#changed();
    return disposable(() => {
      if (all.get(key) !== item) return;
      all.delete(key);
      this.#changed();
    });
  }

  #changed(): void {
    if (this.#closing.signal.aborted) return;
    this.#agents = [...this.#extensions.values()].flatMap(({ agents }) => [...agents.values()]);
    this.#options.onChange();
  }

  #source(id: string, tools: ReadonlyMap<string, ArborTool>): ToolSource {
    return {
      kind: "extension",
      definition: { id: `extension:${id}`, name: id },
      offers: {
        tools: [...tools.values()].map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
      },
      callTool: async (name, args, { signal }) => {
        const tool = tools.get(name);
        if (tool === undefined) throw new ToolError(`The extension ${id} does not offer ${name} any more.`);
        const deadline = AbortSignal.timeout(this.#options.callTimeoutMs ?? callTimeoutMs);
        const limited = AbortSignal.any([signal, deadline, this.#closing.signal]);
        const run = async () => z.string().parse(await tool.run(structuredClone(args), limited));
        try {
          limited.throwIfAborted();
          return textResult(await unlessAborted(run(), limited));
        } catch (error) {
          signal.throwIfAborted();
          throw new ToolError(`The extension ${id} failed: ${visibleText(errorText(error)).slice(0, 2_000)}`);
        }
      },
    };
  }
}

export function textResult(text: string): CallToolResult {
  return { content: [{ type: "text", text }] };
}

function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown, method: string): z.infer<Schema> {
  const { data, error } = schema.safeParse(value);
  if (error !== undefined) throw new UserError(`Arbor: ${method}: ${z.prettifyError(error)}`);
  return data;
}

/** Once is enough. */
function disposable(remove: () => void): ArborDisposable {
  return Object.freeze({ dispose: remove });
}
