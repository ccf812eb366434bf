import * as z from "zod";
import type { ListStorage } from "./catalog/modelLists.ts";

const maxRecent = 6;
const names = z.array(z.string().max(400)).max(1_000);

/** Which models a user likes, and which ones they chose lately, by name. */
export interface ModelPreferences {
  favourites(): string[];
  /** The latest first. */
  recent(): string[];
  remember(name: string): Promise<void>;
  toggleFavourite(name: string): Promise<void>;
}

export function createModelPreferences(storage: ListStorage): ModelPreferences {
  const read = (key: string) => names.safeParse(storage.get(key)).data ?? [];
  return {
    favourites: () => read("arbor.models.favourites"),
    recent: () => read("arbor.models.recent"),
    remember: async (name) => {
      const others = read("arbor.models.recent").filter((other) => other !== name);
      await storage.update("arbor.models.recent", [name, ...others].slice(0, maxRecent));
    },
    toggleFavourite: async (name) => {
      const liked = read("arbor.models.favourites");
      const others = liked.filter((other) => other !== name);
      await storage.update("arbor.models.favourites", others.length < liked.length ? others : [...liked, name]);
    },
  };
}
