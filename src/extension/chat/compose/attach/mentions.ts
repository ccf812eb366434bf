import { type Attachment, isSameAttachment } from "../../../../protocol/attachments.ts";
import type { AttachmentSources } from "./sources.ts";

/** More of them are words, not files. */
const maxMentions = 20;
const pattern = /(?<=^|[\s([{])@(?:"([^"\n]+)"|([^\s@"]+))/gu;
const span = /^(.*?)(?::|#L)(\d{1,7})(?:-L?(\d{1,7}))?$/u;

/** What is after each `@` that begins a word; without the marks that end a sentence. */
export function mentionsIn(text: string): { name: string; isFirst: boolean }[] {
  const found: { name: string; isFirst: boolean }[] = [];
  for (const match of text.matchAll(pattern)) {
    const name = match[1] ?? match[2]?.replace(/[.,;:!?)\]}'"]+$/u, "") ?? "";
    if (name !== "") found.push({ name, isFirst: text.slice(0, match.index).trim() === "" });
    if (found.length === maxMentions) break;
  }
  return found;
}

/**
 * What is attached, and what the text itself mentions: a path that there is, a word like `@problems`, and at its
 * start an agent. An `@` before anything else is a word like others.
 */
export async function withMentions(
  text: string,
  attachments: readonly Attachment[],
  sources: AttachmentSources,
): Promise<Attachment[]> {
  const all = [...attachments];
  for (const { name, isFirst } of mentionsIn(text)) {
    const meant = agentNamed(name, isFirst, all, sources) ?? (await attachmentNamed(name, sources));
    if (meant !== undefined && !all.some((known) => isSameAttachment(known, meant))) all.push(meant);
  }
  return all;
}

/** What a path (with lines, if wanted: `src/a.ts:2-3`) or a word like `problems` means; undefined where there is none. */
export async function attachmentNamed(name: string, sources: AttachmentSources): Promise<Attachment | undefined> {
  return liveWord(name, sources) ?? (await place(name, sources));
}

function liveWord(name: string, sources: AttachmentSources): Attachment | undefined {
  if (name === "problems" || name === "diff" || name === "terminal") return { kind: name };
  const selected = name === "selection" ? sources.selection() : undefined;
  return selected === undefined ? undefined : { kind: "selection", ...selected };
}

function agentNamed(
  name: string,
  isFirst: boolean,
  attachments: readonly Attachment[],
  { agents }: AttachmentSources,
): Attachment | undefined {
  if (!isFirst || !agents().some((agent) => agent.name === name)) return undefined;
  return attachments.find(({ kind }) => kind === "agent") ?? { kind: "agent", name };
}

async function place(name: string, { workspace }: AttachmentSources): Promise<Attachment | undefined> {
  const whole = await placeAt(name, workspace);
  if (whole !== undefined) return { kind: whole, path: name.replace(/(?<=.)\/+$/, "") };
  const [, path, start, end] = span.exec(name) ?? [];
  if (path === undefined || path === "" || (await placeAt(path, workspace)) !== "file") return undefined;
  const [first, last] = [Number(start), Number(end ?? start)];
  return first < 1 || last < first
    ? { kind: "file", path }
    : { kind: "selection", path, startLine: first, endLine: last };
}

async function placeAt(
  path: string,
  workspace: AttachmentSources["workspace"],
): Promise<"file" | "folder" | undefined> {
  try {
    const stat = await workspace.stat(path);
    if (stat === undefined) return undefined;
    return stat.kind === "directory" ? "folder" : "file";
  } catch {
    // Outside the workspace, or not a path at all: then it was not meant as one.
    return undefined;
  }
}
