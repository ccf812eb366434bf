import { t } from "@vscode/l10n";
import * as z from "zod";
import type { TimedEntry } from "../../../protocol/messages.ts";
import { imageType } from "../../workspace/documents/encoding.ts";
import { isSecretFlag, maskLines, namesSecret } from "./maskSecrets.ts";

/** What an exported page replays. */
export interface PageData {
  entries: TimedEntry[];
  /** What it lacks. */
  note?: string;
}

/** Letters of one text; of the whole page, and then of each text in a page that would be larger. */
const maxText = 20_000;
const maxPage = 40_000_000;
const maxTextOfLargePage = 1_000;
/** What is masked of a text that is cut: what is secret at the end of what is shown may end later. */
const maxSecret = 20_000;
/** So many letters are masked in a row: agents work meanwhile. */
const lettersInARow = 200_000;
/** Of a picture, as base64. */
const maxPicture = 400_000;

/** Names of ids, by which entries belong together: never cut, and different ones stay different. */
const identifying = new Set([
  ...["type", "id", "callId", "agentId", "parentId", "toolCallId", "messageId", "runId", "sessionId"],
]);
/** Names under which lists of pairs have the name of each. */
const pairNames = ["name", "key", "header", "variable"];

/** A text can be named as a picture: its first bytes are to be those of one. What else is with it is left out. */
const pictureSchema = z.object({
  type: z.literal("image"),
  mimeType: z.string().regex(/^image\/[\w.+-]{1,40}$/),
  data: z
    .string()
    .regex(/^[\w+/]*={0,2}$/)
    .refine((data) => imageType(Buffer.from(data.slice(0, 16), "base64")) !== undefined),
});

/** The log without secrets, with long texts cut and large pictures left out, each named where it is. */
export async function pageData(entries: readonly TimedEntry[], mask: (text: string) => string): Promise<PageData> {
  let copied = await copyOf(entries, { mask, maxText, maxPicture });
  if (copied.size > maxPage) copied = await copyOf(entries, { mask, maxText: maxTextOfLargePage, maxPicture: 0 });
  const { texts, pictures } = copied;
  const notes = [
    texts > 0 ? t("Long texts are cut in this page: {0}.", texts) : "",
    pictures > 0 ? t("Large pictures are left out of this page: {0}.", pictures) : "",
  ].filter((note) => note !== "");
  return { entries: copied.entries, ...(notes.length > 0 && { note: notes.join(" ") }) };
}

interface CopyOptions {
  mask(text: string): string;
  maxText: number;
  maxPicture: number;
}

interface Copied {
  entries: TimedEntry[];
  /** About how many letters these are. */
  size: number;
  /** How many texts were cut, and pictures left out. */
  texts: number;
  pictures: number;
}

async function copyOf(entries: readonly TimedEntry[], options: CopyOptions): Promise<Copied> {
  const { mask, maxText: max, maxPicture: largest } = options;
  const copied: Copied = { entries: [], size: 0, texts: 0, pictures: 0 };
  const ids = new Map<string, string>();

  function text(value: string): string {
    const unread = Math.max(0, value.length - max - maxSecret);
    const masked = mask(value.slice(0, max + maxSecret));
    if (unread === 0) return cut(masked, masked.length);
    // What is masked is shorter. The end of what was read is not shown for that: a secret may have been read in part.
    const held = masked.endsWith("•••") ? 0 : maxSecret;
    return cut(masked.slice(0, Math.max(0, masked.length - held)), masked.length + unread);
  }

  function cut(masked: string, length: number): string {
    const shown = masked.slice(0, max);
    copied.size += shown.length;
    if (shown.length === length) return shown;
    copied.texts++;
    return `${shown}\n… ${t("{0} more characters are not in this page", length - shown.length)}`;
  }

  /** Arguments of tools have ids as well, which models and programs give. */
  function id(value: string): string {
    const known = ids.get(value);
    if (known !== undefined) return known;
    const masked = mask(value);
    const given = masked === value ? value : `${masked}-${ids.size}`;
    ids.set(value, given);
    return given;
  }

  function list(values: readonly unknown[], name: string, isSecret: boolean): unknown[] {
    if (!isSecret && values.every((value) => typeof value === "string")) {
      return maskLines(values, text).map((masked, index) => (isSecretFlag(values[index - 1]) ? "•••" : masked));
    }
    return values.map((value, index) => copy(value, name, isSecret || isSecretFlag(values[index - 1])));
  }

  function copy(value: unknown, name: string, isSecret: boolean): unknown {
    copied.size += 8;
    if (typeof value === "string") {
      if (isSecret && value !== "") return "•••";
      return identifying.has(name) ? id(value) : text(value);
    }
    // Tokens are counted.
    if (typeof value === "number") return isSecret && !/token/i.test(name) ? "•••" : value;
    if (Array.isArray(value)) return list(value, name, isSecret);
    if (typeof value !== "object" || value === null) return value;
    const picture = isSecret ? undefined : pictureSchema.safeParse(value).data;
    if (picture !== undefined) {
      copied.size += Math.min(picture.data.length, largest);
      if (picture.data.length <= largest) return picture;
      copied.pictures++;
      return { type: "text", text: t("A picture is not in this page: it is too large.") };
    }
    const properties = Object.entries(value).filter(([key]) => key !== "signature");
    const isPair = properties.some(
      ([key, item]) => pairNames.includes(key) && typeof item === "string" && namesSecret(item),
    );
    return Object.fromEntries(
      properties.map(([key, item]) => {
        copied.size += key.length;
        return [mask(key), copy(item, key, isSecret || namesSecret(key) || (isPair && key === "value"))];
      }),
    );
  }

  let next = lettersInARow;
  for (const entry of entries) {
    // Texts alone are changed.
    copied.entries.push(copy(entry, "", false) as TimedEntry);
    if (copied.size < next) continue;
    next = copied.size + lettersInARow;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return copied;
}
