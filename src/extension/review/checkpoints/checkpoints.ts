import { createHash } from "node:crypto";
import { t } from "@vscode/l10n";
import { UserError } from "../../userError.ts";
import {
  blobsOf,
  type CheckpointIndex,
  emptyIndex,
  imagesSince,
  lostSince,
  parseIndex,
  type StoredImage,
} from "./checkpointIndex.ts";
import type { CheckpointStorage, FileImage, ImagedFiles } from "./storage.ts";

export interface CheckpointDependencies {
  storage: CheckpointStorage;
  files: ImagedFiles;
  warn(message: string): void;
}

/** A point in the course of a checkpoint. */
export interface Moment {
  messageId: string;
  at: number;
}

/** Older ones are dropped when the editor starts. */
const mostCheckpoints = 100;

/**
 * What the files held before each message of the user's: the bytes of every file just before an agent first changes it
 * after the message. A file whose bytes could not be kept is not changed.
 */
export class Checkpoints {
  readonly #dependencies: CheckpointDependencies;
  #index: CheckpointIndex = emptyIndex();
  #queue: Promise<unknown>;
  /** When the pre-images of the latest checkpoint were taken. */
  readonly #takenAt = new Map<string, number>();
  #time = 0;

  constructor(dependencies: CheckpointDependencies) {
    this.#dependencies = dependencies;
    this.#queue = this.#load().catch((error: unknown) =>
      dependencies.warn(`Earlier checkpoints can't be read, so no rewind to them is offered: ${error}`),
    );
  }

  /** From now on changes count as made after this message. */
  begin(messageId: string): void {
    void this.#inTurn(async () => {
      if (this.#index.checkpoints.some((checkpoint) => checkpoint.messageId === messageId)) return;
      const checkpoints = [...this.#index.checkpoints, { messageId, images: [] }];
      this.#index = { ...this.#index, checkpoints };
      this.#takenAt.clear();
    });
  }

  /** To be called before an agent changes files. Throws when what they hold can't be kept: then leave them alone. */
  beforeChange(paths: readonly string[]): Promise<void> {
    return this.#inTurn(async () => {
      const latest = this.#index.checkpoints.at(-1);
      const fresh = paths.filter((path) => latest?.images.every((image) => image.path !== path));
      if (latest === undefined || fresh.length === 0) return;
      const images = await this.#keep(fresh).catch((error: unknown) => {
        throw new UserError(`Nothing was written: what the files hold could not be kept for a rewind${reason(error)}.`);
      });
      const checkpoint = { ...latest, images: [...latest.images, ...images] };
      await this.#save({ ...this.#index, checkpoints: [...this.#index.checkpoints.slice(0, -1), checkpoint] });
      for (const path of fresh) this.#takenAt.set(path, ++this.#time);
    });
  }

  /** Now, for files that somebody changes who does not ask first; undefined before any message. */
  moment(): Promise<Moment | undefined> {
    return this.#inTurn(async () => {
      const latest = this.#index.checkpoints.at(-1);
      return latest === undefined ? undefined : { messageId: latest.messageId, at: ++this.#time };
    });
  }

  /** Adds what changed files held at a moment, and which ones changed of which that is not known. */
  addImages({ messageId, at }: Moment, images: ReadonlyMap<string, FileImage>, lost: readonly string[]): Promise<void> {
    return this.#inTurn(async () => {
      const index = this.#index.checkpoints.findIndex((checkpoint) => checkpoint.messageId === messageId);
      const checkpoint = this.#index.checkpoints[index];
      if (checkpoint === undefined) return;
      const isLatest = index === this.#index.checkpoints.length - 1;
      // The older pre-image counts: of a file that an agent wrote meanwhile, the one of the moment.
      const isOlder = (path: string) => !isLatest || (this.#takenAt.get(path) ?? 0) < at;
      const known = checkpoint.images.filter(({ path }) => !images.has(path) || isOlder(path));
      const knownPaths = new Set(known.map(({ path }) => path));
      const fresh: StoredImage[] = [];
      for (const [path, image] of images) if (!knownPaths.has(path)) fresh.push(await this.#store(path, image));
      const allLost = new Set([...(checkpoint.lost ?? []), ...lost.filter((path) => !knownPaths.has(path))]);
      const changed = { ...checkpoint, images: [...known, ...fresh], ...(allLost.size > 0 && { lost: [...allLost] }) };
      await this.#save({ ...this.#index, checkpoints: this.#index.checkpoints.with(index, changed) });
      for (const { path } of fresh) this.#takenAt.set(path, at);
    });
  }

  /** Paths of files that changed since the message and that no rewind gives back. */
  lostSince(messageId: string): Promise<string[]> {
    return this.#inTurn(async () => lostSince(this.#index, messageId));
  }

  /** Paths of the files that agents changed since the message; undefined when nothing is known of it. */
  async changedSince(messageId: string): Promise<string[] | undefined> {
    return this.#inTurn(async () => imagesSince(this.#index, messageId)?.map(({ path }) => path));
  }

  /** Makes the files hold what they held before the message, all or none. Gives their paths. */
  rewind(messageId: string): Promise<string[]> {
    return this.#inTurn(async () => {
      const images = imagesSince(this.#index, messageId);
      if (images === undefined)
        throw new UserError(
          t("Nothing is known of what the files held at this message. Rewind the conversation alone."),
        );
      return this.#restore(images, messageId);
    });
  }

  /**
   * Makes the files hold what they held before the latest rewind. Gives their paths; none when there was none, or only
   * one to another message than the given one.
   */
  undoRewind(messageId?: string): Promise<string[]> {
    return this.#inTurn(async () => {
      const { undo } = this.#index;
      if (undo === undefined || (messageId !== undefined && undo.messageId !== messageId)) return [];
      const paths = await this.#restore(undo.images, undo.messageId);
      const { undo: _, ...index } = this.#index;
      await this.#save(index);
      return paths;
    });
  }

  /** Keeps with the latest rewind of files what else its undoing has to bring back. */
  keepWithUndo(marks: string): Promise<void> {
    return this.#inTurn(async () => {
      const { undo } = this.#index;
      if (undo === undefined) return;
      const name = await keepBlob(this.#dependencies.storage, new TextEncoder().encode(marks));
      await this.#save({ ...this.#index, undo: { ...undo, marks: name } });
    });
  }

  /** What was kept with the latest rewind, which is to be that to this message. Undefined when nothing was. */
  keptWithUndo(messageId: string): Promise<string | undefined> {
    return this.#inTurn(async () => {
      const { undo } = this.#index;
      if (undo?.marks === undefined || undo.messageId !== messageId) return undefined;
      return new TextDecoder().decode(await this.#blob("", undo.marks));
    });
  }

  async #restore(images: readonly StoredImage[], messageId: string): Promise<string[]> {
    const { files } = this.#dependencies;
    const wanted: [string, FileImage][] = [];
    for (const image of images) wanted.push([image.path, await this.#imageOf(image)]);
    const before = this.#index;
    const undo = await this.#keep(images.map(({ path }) => path));
    await this.#save({ ...this.#index, undo: { messageId, images: undo } });
    const done: StoredImage[] = [];
    try {
      for (const [index, [path, image]] of wanted.entries()) {
        await files.putBack(path, image);
        done.push(undo[index] ?? { path });
      }
    } catch (error) {
      for (const image of done.toReversed()) await files.putBack(image.path, await this.#imageOf(image));
      await this.#save(before);
      throw error;
    }
    return wanted.map(([path]) => path);
  }

  async #keep(paths: readonly string[]): Promise<StoredImage[]> {
    const images: StoredImage[] = [];
    for (const path of paths) images.push(await this.#store(path, await this.#dependencies.files.take(path)));
    return images;
  }

  async #store(path: string, { bytes, unsaved }: FileImage): Promise<StoredImage> {
    const { storage } = this.#dependencies;
    const stored: StoredImage = { path };
    if (bytes !== undefined) stored.bytes = await keepBlob(storage, bytes);
    if (unsaved !== undefined) stored.unsaved = await keepBlob(storage, new TextEncoder().encode(unsaved));
    return stored;
  }

  async #imageOf({ path, bytes, unsaved }: StoredImage): Promise<FileImage> {
    const text = unsaved === undefined ? undefined : new TextDecoder().decode(await this.#blob(path, unsaved));
    return {
      ...(bytes === undefined ? {} : { bytes: await this.#blob(path, bytes) }),
      ...(text === undefined ? {} : { unsaved: text }),
    };
  }

  async #blob(path: string, hash: string): Promise<Uint8Array> {
    const bytes = await this.#dependencies.storage.readBlob(hash);
    // A damaged copy must not replace a file.
    if (bytes !== undefined && hashOf(bytes) === hash) return bytes;
    throw new UserError(
      t(
        "Nothing was rewound: what {0} held has been lost from Arbor's storage. Rewind to a later message, or the conversation alone.",
        path,
      ),
    );
  }

  async #save(index: CheckpointIndex): Promise<void> {
    await this.#dependencies.storage.writeIndex(JSON.stringify(index)).catch((error: unknown) => {
      throw new UserError(`Nothing was written: Arbor's storage can't be written${reason(error)}.`);
    });
    this.#index = index;
  }

  async #load(): Promise<void> {
    const { storage } = this.#dependencies;
    const json = await storage.readIndex();
    if (json === undefined) return;
    const index = parseIndex(json);
    if (index === undefined) {
      await storage.setAside();
      throw new Error("their index is damaged or of another version, and was kept aside.");
    }
    this.#index = { ...index, checkpoints: index.checkpoints.slice(-mostCheckpoints) };
    const needed = blobsOf(this.#index);
    for (const hash of await storage.listBlobs()) if (!needed.has(hash)) await storage.removeBlob(hash);
  }

  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(step);
    this.#queue = done.catch(() => undefined);
    return done;
  }
}

async function keepBlob(storage: CheckpointStorage, bytes: Uint8Array): Promise<string> {
  const hash = hashOf(bytes);
  await storage.writeBlob(hash, bytes);
  return hash;
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function reason(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ENOSPC" || code === "EDQUOT") return ": the disk is full. Ask the user to make room";
  return code === "" ? "" : ` (${code})`;
}
