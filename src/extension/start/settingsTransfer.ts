import { isDeepStrictEqual } from "node:util";
import { t } from "@vscode/l10n";
import * as z from "zod";
import { parseJson } from "../../agent/vocabulary/partialJson.ts";
import { UserError } from "../common/userError.ts";
import { describeSettingProblem, parseSettings, settingDefaults } from "../settings/settings.ts";
import { keyValue, secretName } from "../terminal/environment.ts";

type SettingValues = Readonly<Record<string, unknown>>;

export interface ExportedSettings {
  text: string;
  /** Where something was left out that may be a secret, like `arbor.mcp.servers.github.env.TOKEN`. */
  leftOut: string[];
}

/** Paths of this machine. */
const ofThisMachine = ["arbor.search.ripgrepPath"];
/** Objects whose values are text that often is a key. */
const secretive = new Set(["headers", "env"]);
/** Names where a secret is: not one. */
const nameOfSecret = /env$/i;
const references = /\$\{[\w:.-]+\}/g;
/** How a value begins whose key is a reference. */
const scheme = /^(?:(?:bearer|basic|token)\s*)?$/i;

/** The user's own settings of Arbor, by full name, as a file to take along. Nothing in it is a key. */
export function exportSettings(values: SettingValues): ExportedSettings {
  const leftOut: string[] = [];
  const settings: Record<string, unknown> = {};
  for (const key of Object.keys(settingDefaults).sort()) {
    const value = values[key];
    if (value === undefined || ofThisMachine.includes(key)) continue;
    const kept = withoutSecrets(value, key, leftOut);
    if (kept !== undefined) settings[key] = kept;
  }
  return { text: `${JSON.stringify({ arborSettings: 1, settings }, undefined, 2)}\n`, leftOut };
}

/** A copy without what may be a secret; undefined where nothing of it may stay. */
function withoutSecrets(value: unknown, path: string, leftOut: string[], mayBeSecret = false): unknown {
  if (typeof value === "string") {
    const written = value.replaceAll(references, "");
    const isReference = written !== value && scheme.test(written.trim());
    if (isReference || !(mayBeSecret || holdsSecret(written))) return value;
    leftOut.push(path);
    return undefined;
  }
  if (Array.isArray(value)) {
    // `--token`, and then the token.
    const isNamed = (index: number) => {
      const before = String(value[index - 1] ?? "");
      return /^-[^=]*$/.test(before) && secretName.test(before);
    };
    const kept = value.map((item, index) => withoutSecrets(item, `${path}[${index}]`, leftOut, isNamed(index)));
    return kept.filter((item) => item !== undefined);
  }
  if (typeof value !== "object" || value === null) return value;
  const isPassword = "password" in value && value.password === true;
  const kept: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) {
    const inSecretive = secretive.has(path.split(".").at(-1) ?? "");
    const isNamed = secretName.test(name) && !nameOfSecret.test(name);
    const isSecret = inSecretive || (isPassword && name === "default") || isNamed;
    const copy = withoutSecrets(item, `${path}.${name}`, leftOut, isSecret);
    if (copy !== undefined) kept[name] = copy;
  }
  return kept;
}

function holdsSecret(text: string): boolean {
  if (keyValue.test(text) || /^(?:bearer|basic)\s+\S{8}/i.test(text)) return true;
  const [, named] = /^-{0,2}[\w-]*(?:key|token|secret|password)[\w-]*=(.+)$/i.exec(text) ?? [];
  if (named !== undefined) return true;
  const url = URL.parse(text);
  if (url === null) return false;
  const isNamed = [...url.searchParams].some(([name, value]) => value !== "" && secretName.test(`${name}=${value}`));
  return url.username !== "" || url.password !== "" || isNamed;
}

export interface SettingsImport {
  /** What is to be written, by full name. */
  values: SettingValues;
  /** Settings that have another value now. */
  replaced: string[];
  added: string[];
  /** Of both, those that decide what runs unasked, and who gets your messages. */
  deciding: string[];
  /** What was not taken, as sentences. */
  problems: string[];
}

/** Decide what runs on this machine, what is not asked for, and where messages and keys go. */
const deciding = new Set([
  ...["arbor.model", "arbor.subAgentModel", "arbor.providers", "arbor.trace.otlpEndpoint"],
  ...["arbor.permissions.mode", "arbor.permissions.allow", "arbor.permissions.ask", "arbor.permissions.deny"],
  ...["arbor.commands.sandbox", "arbor.edits.review", "arbor.languageModelTools"],
  ...["arbor.mcp.servers", "arbor.foreignAgents"],
]);

const maxLength = 1_000_000;
const fileSchema = z.object({ arborSettings: z.literal(1), settings: z.record(z.string(), z.unknown()) });

/** What importing a file would change. What is no setting, or makes no sense, is named and left out. */
export function planImport(text: string, current: SettingValues): SettingsImport {
  const settings = parseFile(text);
  const values: Record<string, unknown> = {};
  const [replaced, added, problems]: [string[], string[], string[]] = [[], [], []];
  for (const [key, value] of Object.entries(settings)) {
    if (!Object.hasOwn(settingDefaults, key) || ofThisMachine.includes(key)) {
      problems.push(t("{0} is not a setting that can be imported.", key.slice(0, 100)));
      continue;
    }
    const found = parseSettings({ [key]: value }).problems;
    if (found.length > 0) problems.push(...found.map(describeSettingProblem));
    else if (!isDeepStrictEqual(value, current[key])) {
      values[key] = value;
      (current[key] === undefined ? added : replaced).push(key);
    }
  }
  return { values, replaced, added, problems, deciding: Object.keys(values).filter((key) => deciding.has(key)) };
}

function parseFile(text: string): SettingValues {
  const parsed = text.length > maxLength ? undefined : fileSchema.safeParse(parseJson(text)).data;
  if (parsed !== undefined) return parsed.settings;
  throw new UserError(t("This is not a file of Arbor settings. Choose one that Arbor exported."));
}

/** What the user is asked before anything is written. */
export function importQuestion({ replaced, added, deciding: serious, problems }: SettingsImport): string {
  const part = (title: string, keys: readonly string[]) => (keys.length === 0 ? [] : [`${title} ${keys.join(", ")}`]);
  return [
    ...part(t("Replaces your values of:"), replaced),
    ...part(t("Adds:"), added),
    ...part(t("Decides what runs without asking, or who gets your messages:"), serious),
    ...problems.slice(0, 10).map((problem) => t("Left out: {0}", problem)),
  ].join("\n\n");
}
