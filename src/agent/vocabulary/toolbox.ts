import type { AgentTool } from "./tools.ts";

/** A named set of tools that agents share by identity: what is added later is there for all that hold it. */
export class Toolbox {
  readonly name: string;
  #tools: AgentTool[];

  constructor(name = "toolbox", tools: AgentTool[] = []) {
    this.name = name;
    this.#tools = [...tools];
  }

  /** A tool of the same name takes the other's place. */
  add(...tools: AgentTool[]): this {
    for (const tool of tools) {
      const at = this.#tools.findIndex((known) => known.name === tool.name);
      if (at < 0) this.#tools.push(tool);
      else this.#tools[at] = tool;
    }
    return this;
  }

  get(name: string): AgentTool | undefined {
    return this.#tools.find((tool) => tool.name === name);
  }

  list(): AgentTool[] {
    return [...this.#tools];
  }
}

/** The tools of boxes and single tools, each once; of several with one name the first counts. */
export function resolveTools(boxes: readonly (Toolbox | AgentTool)[]): AgentTool[] {
  const byName = new Map<string, AgentTool>();
  for (const box of boxes) {
    for (const tool of box instanceof Toolbox ? box.list() : [box]) {
      if (!byName.has(tool.name)) byName.set(tool.name, tool);
    }
  }
  return [...byName.values()];
}
