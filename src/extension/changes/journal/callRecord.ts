import disk from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { type DiskCalls, setAside, writeWhole } from "../../common/atomicFile.ts";
import { isMissing } from "../../common/files.ts";
import type { EditProposal, ProposedFile, TrackedFile } from "../model/change.ts";
import { proposedFileSchema, storedWritten, writtenFileSchema } from "../model/schema.ts";
import type { JournalStorage } from "./editJournal.ts";

const proposalSchema = z.object({
  callId: z.string(),
  toolName: z.string(),
  agent: z.looseObject({ id: z.string(), prefix: z.string(), depth: z.number() }),
  agentPath: z.array(z.string()),
  changes: z.array(
    z.object({
      path: z.string(),
      before: z.string().exactOptional(),
      after: z.string().exactOptional(),
      movedTo: z.string().exactOptional(),
      follows: z.string().exactOptional(),
    }),
  ),
});

/** What the journal has to know of a call beside its proposal. */
export interface CallOrigin {
  chatId: string;
  /** Ids from the root agent down to the one that proposes. */
  agentIds: readonly string[];
  /** The root agent's call that this one is, or works for. */
  rootCallId: string;
  /** "before": the user is asked first. "after" and "off": it is written at once, and then asked about or not. */
  mode: "before" | "after" | "off";
}

/** The edits of one tool call, from their proposal until the root agent's call has its result. */
export interface JournaledCall extends CallOrigin {
  /** Of the proposal. */
  id: string;
  proposal: EditProposal;
  /** The very same, proposed by other calls of the chat. */
  same: readonly EditProposal[];
  files: readonly ProposedFile[];
  hunkCount: number;
  /** What of it is written, or is being written; hunks have the ids that they have in the proposal. */
  written: readonly TrackedFile[];
  /** Ids of hunks whose write has begun and not ended. */
  writing: readonly string[];
  /** The pending edits have what is written, and what is answered since. */
  isHandedOver: boolean;
  /** By hunk id: the user's answer to what turned out to be written when an earlier window ended. */
  answers: Readonly<Record<string, "kept" | "undone">>;
}

/** A sub-agent's call that gave its result, as long as the root agent's call that it worked for has none. */
export interface FinishedCall extends Pick<CallOrigin, "chatId" | "rootCallId"> {
  id: string;
  callId: string;
  toolName: string;
  agentPath: readonly string[];
  result: string;
}

export type CallRecord = ({ kind: "open" } & JournaledCall) | ({ kind: "finished" } & FinishedCall);

const origin = { chatId: z.string(), rootCallId: z.string() };
const open = z.object({
  ...origin,
  kind: z.literal("open"),
  id: z.string(),
  agentIds: z.array(z.string()),
  mode: z.enum(["before", "after", "off"]),
  proposal: proposalSchema,
  same: z.array(proposalSchema),
  files: z.array(proposedFileSchema),
  hunkCount: z.int(),
  written: z.array(writtenFileSchema),
  writing: z.array(z.string()),
  isHandedOver: z.boolean(),
  answers: z.record(z.string(), z.enum(["kept", "undone"])),
});

const finished = z.object({
  ...origin,
  kind: z.literal("finished"),
  id: z.string(),
  callId: z.string(),
  toolName: z.string(),
  agentPath: z.array(z.string()),
  result: z.string(),
});

const schema = z.object({ version: z.literal(1), call: z.discriminatedUnion("kind", [open, finished]) });

export function formatCall(record: CallRecord): string {
  if (record.kind === "finished") return JSON.stringify({ version: 1, call: record });
  const { files, written } = record;
  const stored = { files: files.map(storedProposed), written: written.map(storedWritten) };
  return JSON.stringify({ version: 1, call: { ...record, ...stored } });
}

/** Undefined for what another version wrote, or what is damaged. */
function parseCall(json: string): CallRecord | undefined {
  try {
    return schema.safeParse(JSON.parse(json)).data?.call;
  } catch {
    return undefined;
  }
}

/** In the extension's storage. */
export const journalFolder = "edits-under-way";

/** A folder for each chat and a file for each call: who has the chat's session has its folder. */
export function journalOnDisk(folder: string, calls: DiskCalls = disk): JournalStorage {
  const folderOf = (chatId: string) => join(folder, chatId);
  const fileOf = (chatId: string, id: string) => join(folderOf(chatId), `${id}.json`);
  const ifThere = async <Result>(call: Promise<Result>): Promise<Result | undefined> => {
    try {
      return await call;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  };
  const namesIn = async (path: string) => (await ifThere(calls.readdir(path))) ?? [];
  return {
    chats: () => namesIn(folder),
    async read(chatId) {
      const names = (await namesIn(folderOf(chatId))).filter((name) => name.endsWith(".json"));
      const records = [];
      for (const name of names) {
        const file = join(folderOf(chatId), name);
        const json = await ifThere(calls.readFile(file, "utf8"));
        if (json === undefined) continue;
        const record = parseCall(json);
        if (record === undefined) await setAside(file, calls);
        else records.push(record);
      }
      return records;
    },
    async write(chatId, id, json) {
      await calls.mkdir(folderOf(chatId), { recursive: true });
      await writeWhole(fileOf(chatId, id), json, calls);
    },
    remove: (chatId, id) => calls.rm(fileOf(chatId, id), { force: true }),
    async removeOld(chatId, since) {
      const { mtimeMs } = (await ifThere(disk.stat(folderOf(chatId)))) ?? { mtimeMs: 0 };
      if (mtimeMs < since) await calls.rm(folderOf(chatId), { recursive: true, force: true });
    },
  };
}

/** As `proposedFileSchema` reads it. */
function storedProposed({ lines, ...file }: ProposedFile): unknown {
  return { ...file, text: lines.join("\n") };
}
