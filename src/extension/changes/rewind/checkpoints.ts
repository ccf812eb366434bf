import { createHash } from "node:crypto";
import { t } from "@vscode/l10n";
import type { Exclusively } from "../../common/exclusively.ts";
import { UserError } from "../../common/userError.ts";
import { parentOf } from "../../workspace/fileTree.ts";
import {
  blobsOf,
  byPath,
  type CheckpointIndex,
  emptyIndex,
  formatIndex,
  lostSince,
  parseIndex,
  type StoredImage,
  type StoredStep,
  stepsSince,
} from "./checkpointIndex.ts";
import { exists, type FileState, isSame, type PlannedFile, planFile } from "./rewindPlan.ts";
import type { CheckpointStorage, FileImage, ImagedFiles } from "./storage.ts";

export interface CheckpointDependencies {
  storage: CheckpointStorage;
  files: ImagedFiles;
  warn(message: string): void;
  /** Runs a step while no other window reads or writes there. Absent where there is no other one. */
  exclusively?: Exclusively;
}

/** A point in the course of a checkpoint. */
export interface Moment {
  messageId: string;
  at: number;
}

/** What somebody who does not ask first made of a file. */
export interface FileChange {
  before: FileImage;
  /** Absent when it can't be told. */
  after?: FileImage;
}

/** Older ones are dropped when the editor starts. */
const mostCheckpoints = 100;
const mostRewinds = 50;

/**
 * What agents changed after each message of the user's: the bytes of every file just before an agent changes it and
 * just after, so that a rewind can tell the user's changes from theirs. A file whose bytes could not be kept is not
 * changed. Rewinds are recorded in the same way, so that each can be undone and later ones build on it.
 */
export class Checkpoints {
  readonly #dependencies: CheckpointDependencies;
  #index: CheckpointIndex = emptyIndex();
  /** The index as it was last read or written: another window may have written another one since. */
  #stored: string | undefined;
  #queue: Promise<unknown>;
  /** By path: when each step of the latest checkpoint began. */
  readonly #begunAt = new Map<string, number[]>();
  #time = 0;
  /** Steps that began before this are not extended: somebody looked at the files in between. */
  #lookedAt = 0;

  constructor(dependencies: CheckpointDependencies) {
    this.#dependencies = dependencies;
    this.#queue = this.#alone(() => this.#load()).catch((error: unknown) =>
      dependencies.warn(`Earlier checkpoints can't be read, so no rewind to them is offered: ${error}`),
    );
  }

  /** From now on changes count as made after this message. */
  begin(messageId: string): void {
    this.#inTurn(async () => {
      if (this.#index.checkpoints.some((checkpoint) => checkpoint.messageId === messageId)) return;
      const checkpoints = [...this.#index.checkpoints, { messageId, steps: [] }];
      this.#index = { ...this.#index, checkpoints };
      this.#begunAt.clear();
    }).catch((error: unknown) => this.#dependencies.warn(`There is no checkpoint of a message: ${error}`));
  }

  /** To be called before an agent changes files. Throws when what they hold can't be kept: then leave them alone. */
  beforeChange(paths: readonly string[]): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#index.checkpoints.length === 0) return;
      try {
        for (const path of paths) await this.#open(path);
      } catch (error) {
        throw new UserError(`Nothing was written: what the files hold could not be kept for a rewind${reason(error)}.`);
      }
    });
  }

  /** To be called after it, also when it failed. `text` is what was written: what is typed meanwhile is the user's. */
  afterChange(paths: readonly string[], text?: string): Promise<void> {
    return this.#inTurn(async () => {
      const isOpen = ({ path, after }: StoredStep) =>
        after === undefined && paths.some((changed) => changed === path || changed.startsWith(`${path}/`));
      try {
        const steps = await Promise.all(
          this.#latestSteps().map(async (step) => (isOpen(step) ? this.#closed(step, text) : step)),
        );
        await this.#saveLatest(steps.filter((step) => step !== undefined));
      } catch (error) {
        this.#dependencies.warn(`What agents left of ${paths.join(", ")} could not be kept for a rewind: ${error}`);
      }
    });
  }

  /** Now, for files that somebody changes who does not ask first; undefined before any message. */
  moment(): Promise<Moment | undefined> {
    return this.#inTurn(async () => {
      const latest = this.#index.checkpoints.at(-1);
      if (latest === undefined) return undefined;
      this.#lookedAt = ++this.#time;
      return { messageId: latest.messageId, at: this.#time };
    });
  }

  /** Adds what happened to files since a moment, and which ones changed of which that is not known. */
  addChanges(
    { messageId, at }: Moment,
    changes: ReadonlyMap<string, FileChange>,
    lost: readonly string[],
  ): Promise<void> {
    return this.#inTurn(async () => {
      const index = this.#index.checkpoints.findIndex((checkpoint) => checkpoint.messageId === messageId);
      const checkpoint = this.#index.checkpoints[index];
      if (checkpoint === undefined) return;
      const isLatest = index === this.#index.checkpoints.length - 1;
      let { steps } = checkpoint;
      for (const [path, change] of changes) {
        const own = steps.filter((step) => step.path === path);
        const times = isLatest ? (this.#begunAt.get(path) ?? []) : [];
        const since = own.filter((_, which) => (times[which] ?? 0) > at);
        const stored = await this.#storedStep(path, change);
        if (isExplainedBy(since, stored)) continue;
        // What agents wrote meanwhile is part of it.
        steps = [...steps.filter((step) => !since.includes(step)), stored];
        if (isLatest) this.#begunAt.set(path, [...times.slice(0, own.length - since.length), at]);
      }
      const known = new Set(steps.map(({ path }) => path));
      const allLost = new Set([...(checkpoint.lost ?? []), ...lost.filter((path) => !known.has(path))]);
      const changed = { ...checkpoint, steps, ...(allLost.size > 0 && { lost: [...allLost] }) };
      await this.#save({ ...this.#index, checkpoints: this.#index.checkpoints.with(index, changed) });
    });
  }

  /** Paths of files that changed since the message and that no rewind gives back. */
  lostSince(messageId: string): Promise<string[]> {
    return this.#inTurn(async () => lostSince(this.#index, messageId));
  }

  /** What a rewind of files to before the message would do; undefined when nothing is known of it. */
  planRewind(messageId: string): Promise<readonly PlannedFile[] | undefined> {
    return this.#inTurn(async () => {
      const chains = stepsSince(this.#index, messageId);
      return chains && this.#plan(chains);
    });
  }

  /** Takes back what agents did after the message, in all files or none. Gives their paths. */
  rewind(messageId: string, rewindId: string): Promise<string[]> {
    return this.#inTurn(async () => {
      const chains = stepsSince(this.#index, messageId);
      if (chains === undefined)
        throw new UserError(
          t("Nothing is known of what the files held at this message. Rewind the conversation alone."),
        );
      return this.#carryOut(await this.#plan(chains), (steps, index) => ({
        ...index,
        rewinds: [...index.rewinds, { id: rewindId, steps }].slice(-mostRewinds),
      }));
    });
  }

  /** What undoing a rewind of files would do; nothing when it changed none. */
  planUndo(rewindId: string): Promise<readonly PlannedFile[]> {
    return this.#inTurn(async () => this.#plan(byPath(this.#rewind(rewindId)?.steps ?? [])));
  }

  /** Takes back what a rewind did, in all files or none. Gives their paths. */
  undoRewind(rewindId: string): Promise<string[]> {
    return this.#inTurn(async () => {
      const rewind = this.#rewind(rewindId);
      if (rewind === undefined) return [];
      return this.#carryOut(await this.#plan(byPath(rewind.steps)), (_, index) => ({
        ...index,
        rewinds: index.rewinds.filter(({ id }) => id !== rewindId),
      }));
    });
  }

  /** Keeps with a rewind of files what else its undoing has to bring back. */
  keepWithUndo(rewindId: string, marks: string): Promise<void> {
    return this.#inTurn(async () => {
      const rewind = this.#rewind(rewindId);
      if (rewind === undefined) return;
      const name = await keepBlob(this.#dependencies.storage, new TextEncoder().encode(marks));
      const rewinds = this.#index.rewinds.map((each) => (each === rewind ? { ...rewind, marks: name } : each));
      await this.#save({ ...this.#index, rewinds });
    });
  }

  /** What was kept with a rewind. Undefined when nothing was. */
  keptWithUndo(rewindId: string): Promise<string | undefined> {
    return this.#inTurn(async () => {
      const marks = this.#rewind(rewindId)?.marks;
      return marks === undefined ? undefined : new TextDecoder().decode(await this.#blob("", marks));
    });
  }

  #rewind(rewindId: string) {
    return this.#index.rewinds.find(({ id }) => id === rewindId);
  }

  #latestSteps(): readonly StoredStep[] {
    return this.#index.checkpoints.at(-1)?.steps ?? [];
  }

  /** Keeps what is at a path before it is changed, with the folders above that do not exist yet. */
  async #open(path: string): Promise<void> {
    const now = await this.#dependencies.files.take(path);
    const own = this.#latestSteps().filter((step) => step.path === path);
    const last = own.at(-1);
    const begun = this.#begunAt.get(path) ?? [];
    const isUnbroken =
      last?.after !== undefined && (begun.at(-1) ?? 0) > this.#lookedAt && (await this.#holds(path, last.after, now));
    // Until the change is made, it is not known what it leaves: the editor may end before.
    const reopened = isUnbroken ? { path, before: last.before } : undefined;
    const steps = this.#latestSteps();
    if (reopened !== undefined && last !== undefined) {
      await this.#saveLatest(steps.with(steps.indexOf(last), reopened));
      return;
    }
    const fresh = [...(await this.#missingFolders(path, now)), { path, before: await this.#store(now) }];
    await this.#saveLatest([...steps, ...fresh]);
    for (const step of fresh) this.#begunAt.set(step.path, [...(this.#begunAt.get(step.path) ?? []), ++this.#time]);
  }

  async #missingFolders(path: string, now: FileImage): Promise<StoredStep[]> {
    const missing: StoredStep[] = [];
    if (now.bytes !== undefined) return missing;
    const open = this.#latestSteps().filter(({ after }) => after === undefined);
    for (let folder = parentOf(path); folder !== ""; folder = parentOf(folder)) {
      if (open.some((step) => step.path === folder)) continue;
      if ((await this.#dependencies.files.take(folder)).isFolder) break;
      missing.unshift({ path: folder, before: {} });
    }
    return missing;
  }

  /** Undefined when nothing came of it. */
  async #closed(step: StoredStep, text: string | undefined): Promise<StoredStep | undefined> {
    const image = await this.#dependencies.files.take(step.path);
    const state = await this.#stateOf(step.path, image);
    const isOther = text !== undefined && state.text !== undefined && state.text !== text;
    const after = isOther ? { ...image, unsaved: text } : image;
    const isNothing = !exists(state) && step.before.bytes === undefined && step.before.isFolder === undefined;
    return isNothing ? undefined : { ...step, after: await this.#store(after) };
  }

  async #holds(path: string, stored: StoredImage, now: FileImage): Promise<boolean> {
    if (stored.mode !== now.mode) return false;
    if (stored.unsaved === undefined && now.unsaved === undefined) {
      return stored.bytes === (now.bytes && hashOf(now.bytes)) && stored.isFolder === now.isFolder;
    }
    return isSame(await this.#stateOf(path, await this.#imageOf(path, stored)), await this.#stateOf(path, now));
  }

  async #plan(chains: ReadonlyMap<string, readonly StoredStep[]>): Promise<PlannedFile[]> {
    const { files } = this.#dependencies;
    const planned: PlannedFile[] = [];
    for (const [path, steps] of chains) {
      const states = [];
      for (const { before, after } of steps) {
        states.push({
          before: await this.#stateOf(path, await this.#imageOf(path, before)),
          ...(after === undefined ? {} : { after: await this.#stateOf(path, await this.#imageOf(path, after)) }),
        });
      }
      const current = await this.#stateOf(path, await files.take(path));
      const plan = await planFile({ path, current, steps: states }, files);
      if (plan !== undefined) planned.push(plan);
    }
    return planned;
  }

  async #carryOut(
    planned: readonly PlannedFile[],
    record: (steps: StoredStep[], index: CheckpointIndex) => CheckpointIndex,
  ): Promise<string[]> {
    const { files } = this.#dependencies;
    const steps: StoredStep[] = [];
    for (const { path, current, target } of planned) {
      steps.push({ path, before: await this.#store(current), after: await this.#store(target) });
    }
    const before = this.#index;
    const after = record(steps, before);
    await this.#save({ ...after, checkpoints: withSteps(after, [...this.#latestSteps(), ...steps]) });
    const done: PlannedFile[] = [];
    try {
      for (const each of inOrder(planned)) {
        await files.putBack(each.path, each.target);
        done.push(each);
      }
    } catch (error) {
      for (const { path, current } of done.toReversed()) await files.putBack(path, current);
      await this.#save(before);
      throw error;
    }
    for (const { path } of steps) this.#begunAt.set(path, [...(this.#begunAt.get(path) ?? []), ++this.#time]);
    return planned.map(({ path }) => path);
  }

  async #storedStep(path: string, { before, after }: FileChange): Promise<StoredStep> {
    const stored = { path, before: await this.#store(before) };
    return after === undefined ? stored : { ...stored, after: await this.#store(after) };
  }

  async #store({ bytes, unsaved, ...rest }: FileImage): Promise<StoredImage> {
    const { storage } = this.#dependencies;
    const stored: StoredImage = rest;
    if (bytes !== undefined) stored.bytes = await keepBlob(storage, bytes);
    if (unsaved !== undefined) stored.unsaved = await keepBlob(storage, new TextEncoder().encode(unsaved));
    return stored;
  }

  async #imageOf(path: string, { bytes, unsaved, ...rest }: StoredImage): Promise<FileImage> {
    const text =
      unsaved === undefined
        ? undefined
        : new TextDecoder("utf-8", { ignoreBOM: true }).decode(await this.#blob(path, unsaved));
    return {
      ...rest,
      ...(bytes === undefined ? {} : { bytes: await this.#blob(path, bytes) }),
      ...(text === undefined ? {} : { unsaved: text }),
    };
  }

  async #stateOf(path: string, image: FileImage): Promise<FileState> {
    const { bytes, unsaved } = image;
    const text = unsaved ?? (bytes && (await this.#dependencies.files.decode(path, bytes)));
    return text === undefined ? { image } : { image, text };
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

  #saveLatest(steps: readonly StoredStep[]): Promise<void> {
    return this.#save({ ...this.#index, checkpoints: withSteps(this.#index, steps) });
  }

  async #save(index: CheckpointIndex): Promise<void> {
    const json = formatIndex(index);
    await this.#dependencies.storage.writeIndex(json).catch((error: unknown) => {
      throw new UserError(`Nothing was written: Arbor's storage can't be written${reason(error)}.`);
    });
    this.#stored = json;
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
    this.#stored = json;
    this.#index = { ...index, checkpoints: index.checkpoints.slice(-mostCheckpoints) };
    const needed = blobsOf(this.#index);
    for (const hash of await storage.listBlobs()) if (!needed.has(hash)) await storage.removeBlob(hash);
  }

  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(() =>
      this.#alone(async () => {
        await this.#refresh();
        return step();
      }),
    );
    this.#queue = done.catch(() => undefined);
    return done;
  }

  #alone<T>(step: () => Promise<T>): Promise<T> {
    const { exclusively } = this.#dependencies;
    return exclusively === undefined ? step() : exclusively(step);
  }

  /** Takes up what another window has added. Checkpoints without a pre-image are in this window's memory alone. */
  async #refresh(): Promise<void> {
    const { storage, exclusively } = this.#dependencies;
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

function withSteps({ checkpoints }: CheckpointIndex, steps: readonly StoredStep[]): CheckpointIndex["checkpoints"] {
  const latest = checkpoints.at(-1);
  return latest === undefined ? checkpoints : checkpoints.with(-1, { ...latest, steps });
}

/** The steps lead from where the change began to where it ended, one after another: nobody else changed the file. */
function isExplainedBy(steps: readonly StoredStep[], { before, after }: StoredStep): boolean {
  let now: StoredImage | undefined = before;
  for (const step of steps) {
    if (now === undefined || !isEqual(step.before, now)) return false;
    now = step.after;
  }
  return steps.length > 0 && now !== undefined && after !== undefined && isEqual(now, after);
}

function isEqual(one: StoredImage, other: StoredImage): boolean {
  return one.bytes === other.bytes && one.unsaved === other.unsaved && one.mode === other.mode;
}

/** Folders that come back before what is in them, those that go after it, the innermost first. */
function inOrder(planned: readonly PlannedFile[]): PlannedFile[] {
  const depth = ({ path }: PlannedFile) => path.split("/").length;
  const isFolder = ({ current, target }: PlannedFile) => current.isFolder === true || target.isFolder === true;
  const folders = planned.filter(isFolder).toSorted((one, other) => depth(one) - depth(other));
  return [
    ...folders.filter(({ target }) => target.isFolder),
    ...planned.filter((each) => !isFolder(each)),
    ...folders.filter(({ target }) => !target.isFolder).toReversed(),
  ];
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
