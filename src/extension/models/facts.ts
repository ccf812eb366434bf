import { modelFamily } from "../../agent/providers/shared/modelFamily.ts";
import type { ModelSettings } from "./providerSettings.ts";

/** What is known of a model; everything that is not known is absent. */
export interface ModelFacts extends ModelSettings {
  /** The day on which the provider takes it away, as `2027-01-31`. */
  retires?: string;
  /** Another id that it goes by. */
  alias?: string;
}

/** What providers said of their models the last time they were asked; undefined where one never was. */
export type ReportedModels = (provider: ReportingProvider) => readonly ModelFacts[] | undefined;

/** An answer belongs to an address: what one server said says nothing about another one. */
export interface ReportingProvider {
  id: string;
  wire: string;
  baseUrl?: string;
}

export const nothingReported: ReportedModels = () => undefined;

/** Field by field the first source that knows it; the id is the first one's. */
export function mergeFacts(first: ModelFacts, ...others: readonly (ModelFacts | undefined)[]): ModelFacts {
  let merged = first;
  for (const other of others) merged = { ...other, ...merged };
  return merged;
}

/** Sources of facts about one provider's models, the one that wins first. */
export interface FactSources {
  own: readonly ModelFacts[];
  reported: readonly ModelFacts[] | undefined;
  table: readonly ModelFacts[];
  /** Whether two ids name the same model. */
  isSame(a: string, b: string): boolean;
}

/** All that the sources know of one model, or only its id. */
export function modelFacts(id: string, { own, reported = [], table, isSame }: FactSources): ModelFacts {
  const find = (models: readonly ModelFacts[]) =>
    models.find((model) => model.id === id) ?? models.find((model) => model.alias === id || isSame(model.id, id));
  return mergeFacts({ id }, find(own), find(reported), find(table), familyFacts(id));
}

/** What is known of the family in a model's name, for names that are new or a server's own. */
function familyFacts(id: string): ModelFacts | undefined {
  const levels = modelFamily(id)?.levels;
  return levels === undefined ? undefined : { id, thinkingLevels: [...levels] };
}

/**
 * The models to offer: the user's own first, then those that the provider listed, or as long as it was not asked, those
 * of the table. What the provider does not list is not offered, though it may still be named.
 */
export function offeredModels(sources: FactSources): ModelFacts[] {
  const { own, reported, table, isSame } = sources;
  const others = (reported ?? table).filter((model) => !own.some((mine) => isSame(mine.id, model.id)));
  // What was listed is not looked for once more: lists are long.
  const listed = others.map((model) => ({
    ...modelFacts(model.id, { own: [], reported: [], table, isSame }),
    ...model,
  }));
  return [...own.map((model) => modelFacts(model.id, sources)), ...listed];
}

/** Anthropic lists a model by a dated id and takes it by the name without the date, too. */
export function isSameClaude(a: string, b: string): boolean {
  return a === b || (a.startsWith("claude-") && undated(a) === undated(b) && (a === undated(a) || b === undated(b)));
}

function undated(id: string): string {
  return id.replace(/-\d{8}$/, "");
}
