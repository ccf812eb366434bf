import type { Client, Prompt, Resource, Tool } from "@modelcontextprotocol/client";
import { errorText } from "../../agent/vocabulary/errors.ts";

/** More of a kind than this are left out, which the log says. */
const maxListed = 1_000;
const maxLines = 1_000;
const maxLineLength = 2_000;

/** What a server offers. Stays known while it does not run, so that what models see of it does not change. */
export interface Offers {
  tools: readonly Tool[];
  prompts: readonly Prompt[];
  resources: readonly Resource[];
}

export const noOffers: Offers = { tools: [], prompts: [], resources: [] };

interface ListOptions {
  signal?: AbortSignal;
  timeout: number;
}

/** Rejects when the tools can't be listed; a server may be wrong about its prompts and resources, and still be of use. */
export async function readOffers(client: Client, log: ServerLog, options: ListOptions): Promise<Offers> {
  const offered = client.getServerCapabilities();
  const read = async <Item>(isOffered: unknown, list: () => Promise<Item[]>): Promise<Item[]> => {
    if (isOffered === undefined) return [];
    const items = await list();
    if (items.length > maxListed) log.add(`${items.length} are offered; the first ${maxListed} are used.`);
    return items.slice(0, maxListed);
  };
  const orNone = async <Item>(items: Promise<Item[]>): Promise<Item[]> => {
    try {
      return await items;
    } catch (error) {
      log.add(errorText(error));
      return [];
    }
  };
  const [tools, prompts, resources] = await Promise.all([
    read(offered?.tools, async () => (await client.listTools(undefined, options)).tools),
    orNone(read(offered?.prompts, async () => (await client.listPrompts(undefined, options)).prompts)),
    orNone(read(offered?.resources, async () => (await client.listResources(undefined, options)).resources)),
  ]);
  return { tools, prompts, resources };
}

/** The latest that a server said beside its answers; one that floods it loses its oldest lines only. */
export class ServerLog {
  #lines: string[] = [];

  get lines(): readonly string[] {
    return this.#lines;
  }

  add(text: string): void {
    for (const line of text.split("\n").slice(0, maxLines)) this.#lines.push(line.slice(0, maxLineLength));
    // Not with each line: a flood would copy the whole list each time.
    if (this.#lines.length > 2 * maxLines) this.#lines = this.#lines.slice(-maxLines);
  }
}
