// Long because the file of the index has one schema, and what is stored is read, folded and written through it alone.
import * as z from "zod";
import type { Exclusively } from "../../common/lock.ts";
import { SerialQueue } from "../../common/serialQueue.ts";
import { UserError } from "../../common/userError.ts";
import { movedWith } from "../../workspace/search/fileTree.ts";
import type { CheckpointStorage } from "./storage.ts";

/** Names of blobs and what else is known of a path; without `bytes` and `isFolder` nothing is there. */
const storedImage = z.object({
  bytes: z.string().exactOptional(),
  unsaved: z.string().exactOptional(),
  mode: z.int().exactOptional(),
  isFolder: z.literal(true).exactOptional(),
});

/** A change of one file that is not the user's, or several with no change of the user's between them. */
const storedStep = z.object({
  path: z.string(),
  before: storedImage,
  /** Absent while it is made, and when what it left is not known. */
  after: storedImage.exactOptional(),
  /** Whose change it is: the agents' ids from the root agent down, none for one of the user's. Absent when not known. */
  by: z.array(z.string()).exactOptional(),
  /** The file went there as it was, or came from there. */
  movedTo: z.string().exactOptional(),
  movedFrom: z.string().exactOptional(),
});

/** What the first version wrote: the first pre-image of each file alone. */
const preImages = z.array(storedImage.extend({ path: z.string() })).exactOptional();

const schema = z.object({
  version: z.literal(1),
  checkpoints: z.array(
    z.object({
      messageId: z.string(),
      steps: z.array(storedStep).exactOptional(),
      images: preImages,
      /** Paths of files that changed without a pre-image. */
      lost: z.array(z.string()).exactOptional(),
    }),
  ),
  rewinds: z
    .array(
      z.object({
        id: z.string(),
        steps: z.array(storedStep),
        /** Name of a blob: what waited for Keep or Undo in these files. */
        marks: z.string().exactOptional(),
        undoing: z.array(storedStep).exactOptional(),
      }),
    )
    .exactOptional(),
  undo: z.object({ messageId: z.string(), images: preImages, marks: z.string().exactOptional() }).exactOptional(),
});

export type StoredImage = z.infer<typeof storedImage>;
export type StoredStep = z.infer<typeof storedStep>;

interface StoredCheckpoint {
  messageId: string;
  /** In the order in which they were made; those of one file follow one another. */
  steps: readonly StoredStep[];
  lost?: readonly string[];
}

interface StoredRewind {
  id: string;
  /** What the rewind did itself. */
  steps: readonly StoredStep[];
  marks?: string;
  /** What its undo does, from before the first file is written until the chat says that it is undone. */
  undoing?: readonly StoredStep[];
}

/** For each message of the user's what agents changed after it, oldest first, and the rewinds that can be undone. */
export interface CheckpointIndex {
  checkpoints: readonly StoredCheckpoint[];
  rewinds: readonly StoredRewind[];
}

function emptyIndex(): CheckpointIndex {
  return { checkpoints: [], rewinds: [] };
}

function formatIndex(index: CheckpointIndex): string {
  return JSON.stringify({ version: 1, ...index });
}

/** Undefined for what is no index of this version. */
export function parseIndex(json: string): CheckpointIndex | undefined {
  try {
    const parsed = schema.safeParse(JSON.parse(json)).data;
    return parsed && fromParsed(parsed);
  } catch {
    return undefined;
  }
}

/** One index with the checkpoints and rewinds of both, those of `other` first. Undefined when there is nothing to add. */
export function mergeIndexes(other: string | undefined, own: string | undefined): string | "unreadable" | undefined {
  if (other === undefined) return undefined;
  const [added, known] = [parseIndex(other), own === undefined ? emptyIndex() : parseIndex(own)];
  if (added === undefined || known === undefined) return "unreadable";
  const messageIds = new Set(known.checkpoints.map(({ messageId }) => messageId));
  const rewindIds = new Set(known.rewinds.map(({ id }) => id));
  return formatIndex({
    checkpoints: [...added.checkpoints.filter((each) => !messageIds.has(each.messageId)), ...known.checkpoints],
    rewinds: [...added.rewinds.filter(({ id }) => !rewindIds.has(id)), ...known.rewinds],
  });
}

function fromParsed({ checkpoints, rewinds = [], undo }: z.infer<typeof schema>): CheckpointIndex {
  return {
    checkpoints: checkpoints.map(({ messageId, steps = [], images, lost }) => ({
      messageId,
      steps: [...stepsFrom(images), ...steps],
      ...(lost === undefined ? {} : { lost }),
    })),
    rewinds: [
      ...(undo === undefined ? [] : [{ id: undo.messageId, steps: stepsFrom(undo.images), ...marksOf(undo) }]),
      ...rewinds,
    ],
  };
}

function stepsFrom(images: z.infer<typeof preImages> = []): StoredStep[] {
  return images.map(({ path, ...before }) => ({ path, before }));
}

function marksOf({ marks }: { marks?: string }) {
  return marks === undefined ? {} : { marks };
}

/** The names of all blobs that the index needs. */
function blobsOf({ checkpoints, rewinds }: CheckpointIndex): Set<string> {
  const undoing = rewinds.flatMap((rewind) => rewind.undoing ?? []);
  const steps = [...[...checkpoints, ...rewinds].flatMap((each) => each.steps), ...undoing];
  const images = steps.flatMap(({ before, after }) => [before, after]);
  const names = [...rewinds.map(({ marks }) => marks), ...images.flatMap((image) => [image?.bytes, image?.unsaved])];
  return new Set(names.filter((name) => name !== undefined));
}

/** Paths of files that changed after the message without a pre-image. */
export function lostSince({ checkpoints }: CheckpointIndex, messageId: string): string[] {
  const first = checkpoints.findIndex((checkpoint) => checkpoint.messageId === messageId);
  if (first < 0) return [];
  return [...new Set(checkpoints.slice(first).flatMap(({ lost }) => lost ?? []))];
}

/** By path: what was changed after the message, oldest first. Undefined for a message that nothing is known of. */
export function stepsSince({ checkpoints }: CheckpointIndex, messageId: string): Map<string, StoredStep[]> | undefined {
  const first = checkpoints.findIndex((checkpoint) => checkpoint.messageId === messageId);
  if (first < 0) return undefined;
  return byPath(checkpoints.slice(first).flatMap(({ steps }) => steps));
}

export function byPath(steps: readonly StoredStep[]): Map<string, StoredStep[]> {
  const chains = new Map<string, StoredStep[]>();
  for (const step of steps) chains.set(step.path, [...(chains.get(step.path) ?? []), step]);
  return chains;
}

/**
 * What is known of a file, or of all in a folder, is known of where the user moved it. What was at such a path before, and
 * was deleted or moved away, stays there; and where another file was at the new path, both stay, so that neither is taken
 * for the other.
 */
export function withRenamed(index: CheckpointIndex, from: string, to: string): CheckpointIndex {
  const all = index.checkpoints.flatMap(({ steps }) => steps);
  const chains = byPath(all);
  const isAfter = (step: StoredStep, other: StoredStep) => all.indexOf(step) > all.indexOf(other);
  const moved = new Map<StoredStep, string>();
  for (const [path, chain] of chains) {
    const pathNow = movedWith(path, from, to);
    const latest = latestFile(chain);
    if (pathNow === undefined || !continues(latest, chains.get(pathNow), isAfter)) continue;
    for (const step of latest) moved.set(step, pathNow);
  }
  /** By a path to which an agent moved the file: where it was. */
  const origins = new Map<string, string>();
  const renamed = new Map<StoredStep, StoredStep>();
  for (const step of all.toReversed()) {
    const { path, movedTo, movedFrom } = step;
    if (movedTo !== undefined && origins.get(movedTo) === path) {
      renamed.set(step, { ...step, movedTo: movedWith(movedTo, from, to) ?? movedTo });
      origins.delete(movedTo);
    }
    const pathNow = moved.get(step);
    if (pathNow === undefined) continue;
    renamed.set(step, { ...step, path: pathNow });
    if (movedFrom !== undefined) origins.set(path, movedFrom);
  }
  if (renamed.size === 0) return index;
  const asText = new Map([...renamed].map(([step, now]) => [JSON.stringify(step), now]));
  return {
    checkpoints: index.checkpoints.map((each) => ({
      ...each,
      steps: each.steps.map((step) => renamed.get(step) ?? step),
    })),
    // What a rewind did is among the steps too, with the same names of blobs.
    rewinds: index.rewinds.map((each) => ({
      ...each,
      steps: each.steps.map((step) => asText.get(JSON.stringify(step)) ?? step),
    })),
  };
}

/** The steps of the file that is at their path now, without those of others that were there before. */
function latestFile(chain: readonly StoredStep[]): readonly StoredStep[] {
  const gone = chain.findLastIndex(({ after }) => after !== undefined && !isThere(after));
  const begun = chain.findLastIndex(({ before }) => !isThere(before));
  return chain.slice(Math.max(gone + 1, begun));
}

/** Whether they can follow what is known of a path: what was there was gone before they began with nothing. */
function continues(
  [first]: readonly StoredStep[],
  known: readonly StoredStep[] | undefined,
  isAfter: (step: StoredStep, other: StoredStep) => boolean,
): boolean {
  const last = known?.at(-1);
  if (last === undefined || first === undefined) return true;
  return last.after !== undefined && !isThere(last.after) && !isThere(first.before) && isAfter(first, last);
}

function isThere({ bytes, unsaved, isFolder }: StoredImage): boolean {
  return bytes !== undefined || unsaved !== undefined || isFolder === true;
}

export interface IndexHost {
  storage: CheckpointStorage;
  warn(message: string): void;
  /** Runs a step while no other window reads or writes there. Absent where there is no other one. */
  exclusively?: Exclusively;
}

/** Older ones are dropped when the editor starts. */
const maxCheckpoints = 100;

/** The index in its storage, which other windows may write too. */
export class StoredIndex {
  readonly #host: IndexHost;
  #index: CheckpointIndex = emptyIndex();
  /** As it was last read or written: another window may have written another one since. */
  #stored: string | undefined;
  readonly #queue = new SerialQueue();

  constructor(host: IndexHost) {
    this.#host = host;
    void this.#queue.run(() =>
      this.#alone(() => this.#load()).catch((error: unknown) =>
        host.warn(`Earlier checkpoints can't be read, so no rewind to them is offered: ${error}`),
      ),
    );
  }

  /** As it is in the course of a step. */
  get now(): CheckpointIndex {
    return this.#index;
  }

  /** In the order in which they were made. */
  get latestSteps(): readonly StoredStep[] {
    return this.#index.checkpoints.at(-1)?.steps ?? [];
  }

  /** Runs a step on the index as it is, after those before. */
  inTurn<T>(step: () => Promise<T>): Promise<T> {
    return this.#queue.run(() =>
      this.#alone(async () => {
        await this.#refresh();
        return step();
      }),
    );
  }

  /** From now on changes count as made after this message. In memory alone, until something changes. */
  begin(messageId: string): void {
    this.#index = { ...this.#index, checkpoints: [...this.#index.checkpoints, { messageId, steps: [] }] };
  }

  saveLatestSteps(steps: readonly StoredStep[]): Promise<void> {
    return this.save(withLatestSteps(this.#index, steps));
  }

  async save(index: CheckpointIndex): Promise<void> {
    const json = formatIndex(index);
    await this.#host.storage.writeIndex(json).catch((error: unknown) => {
      throw new UserError(`Nothing was written: Arbor's storage can't be written${reasonOf(error)}.`);
    });
    this.#stored = json;
    this.#index = index;
  }

  async #load(): Promise<void> {
    const { storage } = this.#host;
    const json = await storage.readIndex();
    if (json === undefined) return;
    const index = parseIndex(json);
    if (index === undefined) {
      await storage.setAside();
      throw new Error("their index is damaged or of another version, and was kept aside.");
    }
    this.#stored = json;
    this.#index = { ...index, checkpoints: index.checkpoints.slice(-maxCheckpoints) };
    const needed = blobsOf(this.#index);
    for (const hash of await storage.listBlobs()) if (!needed.has(hash)) await storage.removeBlob(hash);
  }

  #alone<T>(step: () => Promise<T>): Promise<T> {
    const { exclusively } = this.#host;
    return exclusively === undefined ? step() : exclusively(step);
  }

  /** Reads what another window has added. Checkpoints without a pre-image are in this window's memory alone. */
  async #refresh(): Promise<void> {
    const { storage, exclusively } = this.#host;
    if (exclusively === undefined) return;
    // What can't be read now is known as it was read last.
    const json = await storage.readIndex().catch(() => this.#stored);
    if (json === this.#stored) return;
    const index = json === undefined ? emptyIndex() : parseIndex(json);
    if (index === undefined) return;
    const known = new Set(index.checkpoints.map(({ messageId }) => messageId));
    const begun = this.#index.checkpoints.filter(
      ({ messageId, steps, lost }) => steps.length === 0 && lost === undefined && !known.has(messageId),
    );
    this.#stored = json;
    this.#index = { ...index, checkpoints: [...index.checkpoints, ...begun] };
  }
}

/** Without steps that were recorded ahead and then not made: each is left out once, where it is found last. */
export function withoutSteps(index: CheckpointIndex, steps: readonly StoredStep[]): CheckpointIndex {
  const unmade = steps.map((step) => JSON.stringify(step));
  const isLeft = (step: StoredStep) => {
    const at = unmade.indexOf(JSON.stringify(step));
    if (at >= 0) unmade.splice(at, 1);
    return at < 0;
  };
  const left = index.checkpoints
    .toReversed()
    .map((each) => ({ ...each, steps: each.steps.toReversed().filter(isLeft).toReversed() }));
  return { ...index, checkpoints: left.toReversed() };
}

export function withLatestSteps(index: CheckpointIndex, steps: readonly StoredStep[]): CheckpointIndex {
  const latest = index.checkpoints.at(-1);
  return latest === undefined ? index : { ...index, checkpoints: index.checkpoints.with(-1, { ...latest, steps }) };
}

/** Why the storage could not be written, as the rest of a sentence. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ENOSPC" || code === "EDQUOT") return ": the disk is full. Ask the user to make room";
  return code === "" ? "" : ` (${code})`;
}
