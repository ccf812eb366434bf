import { readFile } from "node:fs/promises";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../..");

/** A part of a setting's JSON schema, as `package.json` has it. */
export interface SettingSchema {
  default?: unknown;
  order?: number;
  scope?: string;
  description?: string;
  markdownDescription?: string;
  enum?: readonly string[];
  enumDescriptions?: readonly string[];
  keywords?: readonly string[];
  properties?: Readonly<Record<string, SettingSchema>>;
  additionalProperties?: SettingSchema;
  items?: SettingSchema;
}

interface ContributedCommand {
  command: string;
  title: string;
  category?: string;
  icon?: string;
  enablement?: string;
}

export interface Manifest {
  contributes: {
    configuration: readonly {
      id: string;
      title: string;
      order: number;
      properties: Readonly<Record<string, SettingSchema>>;
    }[];
    commands: readonly ContributedCommand[];
    keybindings: readonly { command: string; key: string; mac: string; when: string }[];
    views: Readonly<Record<string, readonly { id: string }[]>>;
    menus: Readonly<Record<string, readonly { command: string; when?: string }[]>>;
    walkthroughs?: readonly {
      id: string;
      title: string;
      description: string;
      steps: readonly {
        id: string;
        title: string;
        description: string;
        media: { image: Readonly<Record<string, string>>; altText: string };
        completionEvents: readonly string[];
      }[];
    }[];
  };
}

/** `package.json`, with its texts in English in place of their names. */
export async function readManifest(): Promise<Manifest> {
  const read = (file: string) => readFile(path.join(root, file), "utf8");
  const texts: Record<string, string> = JSON.parse(await read("package.nls.json"));
  return JSON.parse(await read("package.json"), (_key, value: unknown) => {
    const name = typeof value === "string" ? /^%(.+)%$/.exec(value)?.[1] : undefined;
    return name === undefined ? value : (texts[name] ?? value);
  });
}

/** All settings of all groups. */
export async function readSettings(): Promise<[key: string, schema: SettingSchema][]> {
  const { contributes } = await readManifest();
  return contributes.configuration.flatMap(({ properties }) => Object.entries(properties));
}
