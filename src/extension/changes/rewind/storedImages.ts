import { createHash } from "node:crypto";
import { t } from "@vscode/l10n";
import { UserError } from "../../common/userError.ts";
import { isNearer } from "../model/nearer.ts";
import type { BranchPlan, BranchStep, BranchSteps } from "./branchPlan.ts";
import type { StoredImage, StoredStep } from "./checkpointIndex.ts";
import type { PlannedFile } from "./rewindPlan.ts";
import {
  type CheckpointStorage,
  exists,
  type FileImage,
  type FileState,
  type ImagedFiles,
  isSameContent,
} from "./storage.ts";

/** What files held, in a storage that has each content once, under its hash. */
export class StoredImages {
  readonly #storage: CheckpointStorage;
  readonly #files: ImagedFiles;

  constructor(storage: CheckpointStorage, files: ImagedFiles) {
    this.#storage = storage;
    this.#files = files;
  }

  /** What is at the path now. */
  take(path: string): Promise<FileImage> {
    return this.#files.take(path);
  }

  async save({ bytes, unsaved, ...rest }: FileImage): Promise<StoredImage> {
    const stored: StoredImage = rest;
    if (bytes !== undefined) stored.bytes = await this.#saveBlob(bytes);
    if (unsaved !== undefined) stored.unsaved = await this.saveText(unsaved);
    return stored;
  }

  /** Gives the name under which it is found. */
  saveText(text: string): Promise<string> {
    return this.#saveBlob(new TextEncoder().encode(text));
  }

  /** `path` is the file that it is of, for an error. */
  async loadText(path: string, name: string): Promise<string> {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await this.#blob(path, name));
  }

  async stateOf(path: string, image: FileImage): Promise<FileState> {
    const { bytes, unsaved } = image;
    const text = unsaved ?? (bytes && (await this.#files.decode(path, bytes)));
    return text === undefined ? { image } : { image, text };
  }

  /** Whether the path holds now what was stored of it. */
  async isSame(path: string, stored: StoredImage, now: FileImage): Promise<boolean> {
    if (stored.mode !== now.mode) return false;
    if (stored.unsaved === undefined && now.unsaved === undefined) {
      return stored.bytes === (now.bytes && hashOf(now.bytes)) && stored.isFolder === now.isFolder;
    }
    return isSameContent(await this.#stored(path, stored), await this.stateOf(path, now));
  }

  /** Whether a step was made that was recorded ahead: what the path holds now is nearer to what it was to leave. */
  async isMade(path: string, before: StoredImage, after: StoredImage): Promise<boolean> {
    const now = await this.take(path);
    const hash = now.bytes && hashOf(now.bytes);
    if ((before.bytes === hash) !== (after.bytes === hash)) return after.bytes === hash;
    const state = await this.stateOf(path, now);
    const [old, made] = [await this.#stored(path, before), await this.#stored(path, after)];
    if (isSameContent(state, old) !== isSameContent(state, made)) return isSameContent(state, made);
    if (isSameContent(old, made)) return now.mode !== before.mode;
    if (exists(old) !== exists(made)) return exists(state) === exists(made);
    return state.text === undefined || isNearer(state.text, old.text ?? "", made.text ?? "");
  }

  /** What reverting these steps would do to each file. */
  async plan(chains: ReadonlyMap<string, readonly StoredStep[]>): Promise<PlannedFile[]> {
    const planned: PlannedFile[] = [];
    const { planFile } = await import("./rewindPlan.ts");
    for (const [path, steps] of chains) {
      const states = [];
      for (const { before, after } of steps) {
        const left = after === undefined ? {} : { after: await this.#stored(path, after) };
        states.push({ before: await this.#stored(path, before), ...left });
      }
      const current = await this.stateOf(path, await this.take(path));
      const plan = await planFile({ path, current, steps: states }, this.#files);
      if (plan !== undefined) planned.push(plan);
    }
    return planned;
  }

  /** What undoing a branch would do to each file. */
  async planBranch(steps: BranchSteps["steps"]): Promise<BranchPlan> {
    const current = new Map<string, FileState>();
    const known: BranchStep[] = [];
    for (const { before, after, by: _, ...step } of steps) {
      const { path, movedFrom, isOfBranch } = step;
      const isTouched = isOfBranch || (movedFrom !== undefined && current.has(movedFrom));
      for (const each of isTouched ? [path, movedFrom ?? path] : []) {
        if (!current.has(each)) current.set(each, await this.stateOf(each, await this.take(each)));
      }
      if (isOfBranch) {
        const left = after === undefined ? {} : { after: await this.#stored(path, after) };
        known.push({ ...step, before: await this.#stored(path, before), ...left });
      } else if (movedFrom !== undefined && after?.bytes !== undefined) {
        // Of others it only matters where they took a file.
        known.push({ ...step, before: { image: {} }, after: { image: { bytes: new Uint8Array() } } });
      }
    }
    const { planBranch } = await import("./branchPlan.ts");
    return planBranch(current, known, this.#files);
  }

  /** Makes all paths hold what is planned, or none: also when somebody typed in one of them since it was planned. */
  async putBack(planned: readonly PlannedFile[]): Promise<void> {
    const done: PlannedFile[] = [];
    try {
      for (const each of inOrder(planned)) {
        if (!isSameImage(await this.take(each.path), each.current)) throw new ChangedMeanwhile(each.path);
        await this.#files.putBack(each.path, each.target, each.current);
        done.push(each);
      }
    } catch (error) {
      await this.#putBackCurrent(done.toReversed(), error);
      throw error;
    }
  }

  /** Each of them, also where one can't be: then `NotPutBack` is thrown. */
  async #putBackCurrent(done: readonly PlannedFile[], cause: unknown): Promise<void> {
    const failed: string[] = [];
    for (const { path, current } of done) {
      await this.take(path)
        .then((now) => this.#files.putBack(path, current, now))
        .catch(() => failed.push(path));
    }
    if (failed.length > 0) throw new NotPutBack(failed, cause);
  }

  /** What was stored of the path. */
  async load(path: string, stored: StoredImage): Promise<FileImage> {
    return (await this.#stored(path, stored)).image;
  }

  async #stored(path: string, { bytes, unsaved, ...rest }: StoredImage): Promise<FileState> {
    const text = unsaved === undefined ? undefined : await this.loadText(path, unsaved);
    return this.stateOf(path, {
      ...rest,
      ...(bytes === undefined ? {} : { bytes: await this.#blob(path, bytes) }),
      ...(text === undefined ? {} : { unsaved: text }),
    });
  }

  async #saveBlob(bytes: Uint8Array): Promise<string> {
    const hash = hashOf(bytes);
    await this.#storage.writeBlob(hash, bytes);
    return hash;
  }

  async #blob(path: string, hash: string): Promise<Uint8Array> {
    const bytes = await this.#storage.readBlob(hash);
    // A damaged copy must not replace a file.
    if (bytes !== undefined && hashOf(bytes) === hash) return bytes;
    throw new UserError(
      t(
        "Nothing was rewound: the earlier content of {0} is missing from Arbor's storage. Rewind to a later message, or the conversation alone.",
        path,
      ),
    );
  }
}

/** A file is not any more as it was planned for. */
export class ChangedMeanwhile extends UserError {
  constructor(path: string) {
    super(t("{0} changed meanwhile. Try again.", path));
  }
}

/** Files that hold what was planned, though others could not be written: what they held is needed still. */
export class NotPutBack extends UserError {
  constructor(paths: readonly string[], cause: unknown) {
    super(
      t("{0} could not be written, and is not as it was. Free space on the disk, then try again.", paths.join(", ")),
    );
    this.cause = cause;
  }
}

function isSameImage(one: FileImage, other: FileImage): boolean {
  const isSameFile = one.unsaved === other.unsaved && one.mode === other.mode && one.isFolder === other.isFolder;
  return isSameFile && isSameContent({ image: one }, { image: other });
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

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
