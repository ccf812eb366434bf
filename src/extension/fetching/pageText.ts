import { ToolError } from "../common/userError.ts";
import { convertPage } from "./convertPage.ts";
import type { FetchedPage } from "./fetchPage.ts";

/** What a page says as text: HTML as markdown, text as it is. Anything else is refused with its type. */
export async function pageText(page: FetchedPage, signal: AbortSignal): Promise<string> {
  const kind = textKind(page.contentType) ?? sniffed(page.body);
  if (kind === "binary" || page.body.includes(0))
    throw new ToolError(`${page.url.href} is ${typeName(page)}, not text.`);
  const text = decode(page.body, page.contentType, kind);
  return kind === "html" ? convertPage(text, page.url, { signal }) : text;
}

export type TextKind = "html" | "text" | "binary";

/** What a content type promises; undefined when it says nothing. */
export function textKind(contentType: string): TextKind | undefined {
  const type = mediaType(contentType);
  if (type === "" || type === "application/octet-stream") return undefined;
  if (type === "text/html" || type === "application/xhtml+xml") return "html";
  if (type.startsWith("text/") || /[/+](?:json|xml|yaml)$/.test(type) || textTypes.has(type)) return "text";
  return "binary";
}

const textTypes: ReadonlySet<string> = new Set(
  ["javascript", "ecmascript", "x-javascript", "typescript", "x-sh", "x-yaml", "toml", "sql", "graphql", "x-ndjson"]
    .concat(["jsonlines", "x-www-form-urlencoded", "rtf", "x-httpd-php", "x-perl", "x-python", "x-ruby"])
    .map((name) => `application/${name}`),
);

function mediaType(contentType: string): string {
  return (contentType.split(";")[0] ?? "").trim().toLowerCase();
}

export function typeName({ contentType }: Pick<FetchedPage, "contentType">): string {
  return mediaType(contentType) || "data without a type";
}

function sniffed(body: Buffer): TextKind {
  const start = body.subarray(0, 4_096);
  if (start.includes(0)) return "binary";
  return /^\s*(?:<!--[\s\S]*?-->\s*)?<(?:!doctype html|html|head|body)\b/i.test(start.toString("latin1"))
    ? "html"
    : "text";
}

function decode(body: Buffer, contentType: string, kind: TextKind): string {
  const declared = /charset\s*=\s*["']?([\w.:-]+)/i;
  const inPage = kind === "html" ? declared.exec(body.subarray(0, 2_048).toString("latin1"))?.[1] : undefined;
  const charset = declared.exec(contentType)?.[1] ?? inPage ?? "utf-8";
  return decodeAs(charset, body);
}

function decodeAs(charset: string, body: Buffer): string {
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    // An unknown charset is most often a misspelt UTF-8.
    return body.toString();
  }
}
