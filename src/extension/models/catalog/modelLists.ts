import * as z from "zod";
import type { ModelFacts, ReportedModels, ReportingProvider } from "../facts.ts";
import type { Credentials } from "../keys.ts";
import { modelSchema } from "../providerSettings.ts";
import { isLocal, type Provider } from "../providers.ts";
import { type ListRequest, listModels } from "./listModels.ts";
import type { ModelListing } from "./listReading.ts";

/** The part of the editor's storage that lists need: read at once, written in the background. */
export interface ListStorage {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

export interface ModelListsOptions {
  storage: ListStorage;
  keys: Credentials;
  /** Milliseconds since 1970. */
  now(): number;
  /** A provider has said something new. */
  onChange(): void;
  fetch?: typeof fetch;
}

const day = 24 * 60 * 60_000;
/** What a server on this machine has changes as its user downloads and loads. */
const localAge = 60_000;

const storedList = z.object({
  at: z.number(),
  models: z.array(modelSchema.extend({ retires: z.string().exactOptional() })),
});
type StoredList = { at: number; models: ModelFacts[] };

/**
 * What providers last said of their models. It is asked for where models are offered to the user, never without that, and
 * kept, so that it is there without a network, too.
 */
export class ModelLists {
  readonly #options: ModelListsOptions;
  readonly #lists = new Map<string, StoredList | undefined>();
  readonly #refreshing = new Map<string, Promise<ModelListing>>();
  readonly #lifetime = new AbortController();

  constructor(options: ModelListsOptions) {
    this.#options = options;
  }

  /** What is known, without asking anybody. */
  readonly reported: ReportedModels = (provider) => this.#listOf(provider)?.models;

  /** When a provider last listed its models, in milliseconds since 1970. */
  listedAt(provider: ReportingProvider): number | undefined {
    return this.#listOf(provider)?.at;
  }

  isStale(provider: Provider): boolean {
    const at = this.listedAt(provider);
    return at === undefined || this.#options.now() - at > (isLocal(provider) ? localAge : day);
  }

  /** Asks a provider, with its key or one that is tried first, "" for none. A failure leaves what is known as it is. */
  async refresh(
    provider: Provider,
    signal: AbortSignal,
    { timeoutMs, triedKey }: { timeoutMs?: number; triedKey?: string | undefined } = {},
  ): Promise<ModelListing> {
    const apiKey = triedKey === undefined ? await this.#options.keys.get(provider) : triedKey || undefined;
    if (apiKey === undefined && provider.needsKey) return { ok: false, fault: { type: "noKey" } };
    const configured = await this.#options.keys.headers(provider);
    if (!configured.ok) return { ok: false, fault: { type: "noKey" } };
    const request: ListRequest = {
      provider,
      apiKey,
      headers: configured.headers,
      signal: AbortSignal.any([signal, this.#lifetime.signal]),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(this.#options.fetch === undefined ? {} : { fetch: this.#options.fetch }),
    };
    const listing = await listModels(request);
    if (listing.ok) await this.#keep(provider, listing.models);
    return listing;
  }

  /** Asks those whose list is old or missing, each at most once at a time; resolves when all have answered or failed. */
  async refreshStale(providers: readonly Provider[]): Promise<void> {
    const stale = providers.filter((provider) => provider.wire !== "vscode" && this.isStale(provider));
    await Promise.all(stale.map((provider) => this.#refreshOnce(provider)));
  }

  /** As if it had never been asked for; what was stored is its owner's to delete. */
  forget(): void {
    this.#lists.clear();
    this.#options.onChange();
  }

  dispose(): void {
    this.#lifetime.abort();
  }

  #refreshOnce(provider: Provider): Promise<ModelListing> {
    const key = storageKey(provider);
    const underWay = this.#refreshing.get(key);
    if (underWay !== undefined) return underWay;
    const refreshing = this.refresh(provider, this.#lifetime.signal).finally(() => this.#refreshing.delete(key));
    this.#refreshing.set(key, refreshing);
    return refreshing;
  }

  async #keep(provider: Provider, models: ModelFacts[]): Promise<void> {
    const list = { at: this.#options.now(), models };
    this.#lists.set(storageKey(provider), list);
    this.#options.onChange();
    await this.#options.storage.update(storageKey(provider), list);
  }

  #listOf(provider: ReportingProvider): StoredList | undefined {
    const key = storageKey(provider);
    if (!this.#lists.has(key)) {
      const stored = storedList.safeParse(this.#options.storage.get(key));
      this.#lists.set(key, stored.success ? stored.data : undefined);
    }
    return this.#lists.get(key);
  }
}

/** One entry for each address: lists of several windows don't overwrite each other, nor do those of several servers. */
function storageKey({ id, wire, baseUrl }: ReportingProvider): string {
  return `arbor.models.${JSON.stringify([id, wire, baseUrl ?? ""])}`;
}
