// Long because all that reads and writes the record of changes is in this one class.
import { t } from "@vscode/l10n";
import { UserError } from "../../common/userError.ts";
import { parentOf } from "../../workspace/search/fileTree.ts";
import type { PlannedBranch } from "./branchPlan.ts";
import {
  byPath,
  type CheckpointIndex,
  type IndexHost,
  lostSince,
  reasonOf,
  type StoredImage,
  StoredIndex,
  type StoredStep,
  stepsSince,
  withLatestSteps,
  withoutSteps,
  withRenamed,
} from "./checkpointIndex.ts";
import type { PlannedFile } from "./rewindPlan.ts";
import { exists, type FileImage, type ImagedFiles } from "./storage.ts";
import { ChangedMeanwhile, NotPutBack, StoredImages } from "./storedImages.ts";

interface CheckpointDependencies extends IndexHost {
  files: ImagedFiles;
}

/** A point in the course of a checkpoint. */
interface Moment {
  messageId: string;
  at: number;
}

/** Whose change of a file it is, and where it took the file. */
interface Cause {
  by: readonly string[];
  movedTo?: string | undefined;
  movedFrom?: string | undefined;
}

/** What somebody who does not ask first made of a file. */
export interface ObservedChange {
  before: FileImage;
  /** Absent when it is not known. */
  after?: FileImage;
}

/** Whether the user agreed to what is planned: what they type meanwhile may make it another plan. */
type Agreement = (planned: readonly PlannedFile[]) => boolean;
type Recorder = (steps: StoredStep[], index: CheckpointIndex, marks?: string) => CheckpointIndex;

interface RewindOptions {
  isAgreed?: Agreement;
  /** Called before it is recorded, and the first file is written. */
  begin?(): void;
  /** What waited for Keep or Undo in the files: its undo has to bring it back. */
  marks?(paths: readonly string[]): string | undefined;
}

/** Of a rewind, or its undo, that the end of the editor cut off: which files it had reached. */
export interface CutOffRewind {
  done: readonly string[];
  left: readonly string[];
  /** Forgets what did not happen. To be called when the chat says so. */
  forgetUnmade(): Promise<void>;
}

/** What is known of who else changed a file meanwhile: agents that ask first, and the user by what Arbor offers. */
export interface KnownWrites {
  /** Nothing else changed the file. */
  isAll: boolean;
  /** In their order. */
  writes: readonly ObservedChange[];
}

const maxRewinds = 50;

/**
 * What agents changed after each message of the user's: the bytes of every file just before an agent changes it and
 * just after, so that a rewind knows the user's changes from theirs. A file whose bytes could not be stored is not
 * changed. Rewinds are recorded in the same way, so that each can be undone and later ones build on it.
 */
export class Checkpoints {
  readonly #index: StoredIndex;
  readonly #images: StoredImages;
  readonly #warn: (message: string) => void;
  /** By path: when each step of the latest checkpoint began. */
  readonly #begunAt = new Map<string, number[]>();
  #time = 0;
  /** Paths that agents write to just now. */
  readonly #changing = new Set<string>();
  /** By path of those: the step that the change extends, as it was before. */
  readonly #extended = new Map<string, StoredStep>();
  readonly #writeListeners = new Set<(path: string) => void>();
  /** Steps that began before this are not extended: somebody looked at the files in between. */
  #lookedAt = 0;

  constructor(dependencies: CheckpointDependencies) {
    this.#index = new StoredIndex(dependencies);
    this.#images = new StoredImages(dependencies.storage, dependencies.files);
    this.#warn = dependencies.warn;
  }

  /** From now on changes count as made after this message. */
  begin(messageId: string): void {
    this.#index
      .inTurn(async () => {
        if (this.#index.now.checkpoints.some((checkpoint) => checkpoint.messageId === messageId)) return;
        this.#index.begin(messageId);
        this.#begunAt.clear();
      })
      .catch((error: unknown) => this.#warn(`There is no checkpoint of a message: ${error}`));
  }

  /**
   * To be called before an agent changes files, or the user by what Arbor offers: then `by` is empty. A move names where
   * the file is and where it goes. Throws when what they hold can't be kept: then leave them alone.
   */
  beforeChange(paths: readonly string[], by: readonly string[] = [], isMove = false): Promise<void> {
    return this.#index.inTurn(async () => {
      if (this.#index.now.checkpoints.length === 0) return;
      const [from, to] = isMove ? paths : [];
      try {
        for (const path of paths) {
          const moved = path === from ? { movedTo: to } : path === to ? { movedFrom: from } : {};
          await this.#open(path, { by, ...moved });
        }
        for (const path of paths) this.#changing.add(path);
      } catch (error) {
        throw new UserError(
          `Nothing was written: what the files hold could not be kept for a rewind${reasonOf(error)}.`,
        );
      }
    });
  }

  /** To be called after it, also when it failed. `text` is what was written: what is typed meanwhile is the user's. */
  afterChange(paths: readonly string[], text?: string): Promise<void> {
    return this.#end(paths, (step) => this.#closed(step, text));
  }

  /** To be called in its place when nothing was written: what the files hold now is not of this change. */
  afterRefusal(paths: readonly string[]): Promise<void> {
    const isOfOther = ({ path }: StoredStep) => [...this.#changing].some((other) => other.startsWith(`${path}/`));
    return this.#end(paths, async (step) => (isOfOther(step) ? step : this.#extended.get(step.path)));
  }

  #end(paths: readonly string[], close: (step: StoredStep) => Promise<StoredStep | undefined>): Promise<void> {
    for (const path of paths) this.#changing.delete(path);
    this.#notifyWritten(paths);
    return this.#index.inTurn(async () => {
      try {
        await this.#index.save(await this.#withClosed(paths, close));
      } catch (error) {
        this.#warn(`What agents left of ${paths.join(", ")} could not be kept for a rewind: ${error}`);
      }
      for (const path of paths) this.#extended.delete(path);
    });
  }

  /** Calls the listener with each file that Arbor has changed, for whomever. */
  onDidWrite(listener: (path: string) => void): { dispose(): void } {
    this.#writeListeners.add(listener);
    return { dispose: () => void this.#writeListeners.delete(listener) };
  }

  #notifyWritten(paths: readonly string[]): void {
    for (const listener of this.#writeListeners) for (const path of paths) listener(path);
  }

  /** Between the two. */
  isChanging(path: string): boolean {
    return this.#changing.has(path);
  }

  /** The user moved a file, or a folder with all in it: what is known of it is found where it is now. */
  followRename(from: string, to: string): Promise<void> {
    return this.#index.inTurn(async () => {
      const index = withRenamed(this.#index.now, from, to);
      if (index === this.#index.now) return;
      const before = byPath(this.#index.latestSteps);
      await this.#index.save(index);
      const now = byPath(this.#index.latestSteps);
      for (const path of new Set([...before.keys(), ...now.keys()])) {
        const { length = 0 } = now.get(path) ?? [];
        // Other steps than before: they count as begun before whatever is looked at.
        if (length !== before.get(path)?.length)
          this.#begunAt.set(
            path,
            Array.from({ length }, () => 0),
          );
      }
    });
  }

  /** Now, for files that somebody changes who does not ask first; undefined before any message. */
  moment(): Promise<Moment | undefined> {
    return this.#index.inTurn(async () => {
      const latest = this.#index.now.checkpoints.at(-1);
      if (latest === undefined) return undefined;
      this.#lookedAt = ++this.#time;
      return { messageId: latest.messageId, at: this.#time };
    });
  }

  /**
   * Adds what happened to files since a moment, and which ones changed of which that is not known. `by` is the agent
   * that did it, where no other one can have, but for the files that the user saved meanwhile. Gives what of it was
   * recorded since then already, by path.
   */
  addChanges(
    { messageId, at }: Moment,
    changes: ReadonlyMap<string, ObservedChange>,
    lost: readonly string[],
    by?: { lineage: readonly string[]; except: ReadonlySet<string> },
  ): Promise<ReadonlyMap<string, KnownWrites>> {
    return this.#index.inTurn(async () => {
      const known = new Map<string, KnownWrites>();
      const index = this.#index.now.checkpoints.findIndex((checkpoint) => checkpoint.messageId === messageId);
      const checkpoint = this.#index.now.checkpoints[index];
      if (checkpoint === undefined) return known;
      const isLatest = index === this.#index.now.checkpoints.length - 1;
      let { steps } = checkpoint;
      for (const [path, change] of changes) {
        const own = steps.filter((step) => step.path === path);
        const times = isLatest ? this.#timesOf(path) : [];
        const since = own.filter((_, which) => (times[which] ?? 0) > at);
        const stored = await this.#storedStep(path, change);
        const isAll = isExplainedBy(since, stored);
        if (since.length > 0) known.set(path, { isAll, writes: isAll ? [] : await this.#writesOf(since) });
        if (isAll) continue;
        // What agents wrote meanwhile is part of it.
        const lineage = by?.except.has(path) ? undefined : by?.lineage;
        const isSole = since.every((each) => each.by?.join() === lineage?.join()) && !isUnsaved(change);
        const step = lineage !== undefined && isSole ? { ...stored, by: [...lineage] } : stored;
        steps = [...steps.filter((other) => !since.includes(other)), step];
        if (isLatest) this.#begunAt.set(path, [...times.slice(0, own.length - since.length), at]);
      }
      const inSteps = new Set(steps.map(({ path }) => path));
      const allLost = new Set([...(checkpoint.lost ?? []), ...lost.filter((path) => !inSteps.has(path))]);
      const changed = { ...checkpoint, steps, ...(allLost.size > 0 && { lost: [...allLost] }) };
      await this.#index.save({ ...this.#index.now, checkpoints: this.#index.now.checkpoints.with(index, changed) });
      return known;
    });
  }

  #writesOf(steps: readonly StoredStep[]): Promise<ObservedChange[]> {
    return Promise.all(
      steps.map(async ({ path, before, after }) => ({
        before: await this.#images.load(path, before),
        ...(after !== undefined && { after: await this.#images.load(path, after) }),
      })),
    );
  }

  /** Paths of files that changed since the message and that no rewind gives back. */
  lostSince(messageId: string): Promise<string[]> {
    return this.#index.inTurn(async () => lostSince(this.#index.now, messageId));
  }

  /** What a rewind of files to before the message would do; undefined when nothing is known of it. */
  planRewind(messageId: string): Promise<readonly PlannedFile[] | undefined> {
    return this.#index.inTurn(async () => {
      const chains = stepsSince(this.#index.now, messageId);
      return chains && this.#images.plan(chains);
    });
  }

  /**
   * Reverts what agents did after the message, in all files or none. Gives their paths; undefined, with nothing changed,
   * when that would do by now what the user has not agreed to.
   */
  rewind(messageId: string, rewindId: string, options: RewindOptions = {}): Promise<string[] | undefined> {
    return this.#index.inTurn(async () => {
      const chains = stepsSince(this.#index.now, messageId);
      if (chains === undefined)
        throw new UserError(t("No file contents were recorded for this message. Rewind the conversation alone."));
      return this.#applyAsAgreed(() => this.#images.plan(chains), recording(rewindId), options);
    });
  }

  /** What undoing the changes of an agent and of those that it started would do. */
  planBranch(agentId: string): Promise<PlannedBranch> {
    return this.#index.inTurn(() => this.#planBranch(agentId));
  }

  /** Undoes them where nothing was built on them, in all files or none. The rewind can be undone like any other. */
  undoBranch(agentId: string, rewindId: string, options: RewindOptions = {}): Promise<PlannedBranch> {
    return this.#index.inTurn(async () => {
      return againWhileTyped(async () => {
        const plan = await this.#planBranch(agentId);
        if (plan.files.length > 0) await this.#apply(plan.files, recording(rewindId), options);
        return plan;
      });
    });
  }

  /** What undoing a rewind of files would do; nothing when it changed none. */
  planUndo(rewindId: string): Promise<readonly PlannedFile[]> {
    return this.#index.inTurn(async () => this.#images.plan(byPath(this.#rewind(rewindId)?.steps ?? [])));
  }

  /**
   * Reverts what a rewind did, in all files or none. Gives their paths; undefined as `rewind` does. What it did stays
   * known until `forgetRewind`, so that its undo can be completed after the editor ended in the middle.
   */
  undoRewind(rewindId: string, options: RewindOptions = {}): Promise<string[] | undefined> {
    return this.#index.inTurn(async () => {
      const rewind = this.#rewind(rewindId);
      if (rewind === undefined) return [];
      const undoing: Recorder = (steps, index) => withRewind(index, { ...rewind, undoing: steps });
      return this.#applyAsAgreed(() => this.#images.plan(byPath(rewind.steps)), undoing, options);
    });
  }

  /** It is undone, or was never made. */
  forgetRewind(rewindId: string): Promise<void> {
    return this.#index.inTurn(async () => {
      if (this.#rewind(rewindId) === undefined) return;
      const rewinds = this.#index.now.rewinds.filter(({ id }) => id !== rewindId);
      await this.#index.save({ ...this.#index.now, rewinds });
    });
  }

  /**
   * Checks a rewind, or its undo, that the end of the editor cut off against what the files hold. Undefined where nothing
   * of it was recorded.
   */
  recheck(rewindId: string, underWay: "rewind" | "undo"): Promise<CutOffRewind | undefined> {
    return this.#index.inTurn(async () => {
      const stored = this.#rewind(rewindId);
      if (stored === undefined) return undefined;
      const { undoing = [], ...rewind } = stored;
      const made: StoredStep[] = [];
      const unmade: StoredStep[] = [];
      for (const step of underWay === "rewind" ? rewind.steps : undoing) {
        const { path, before, after } = step;
        const isMade = after === undefined || (await this.#images.isMade(path, before, after));
        (isMade ? made : unmade).push(step);
      }
      const done = made.map(({ path }) => path);
      const steps = rewind.steps.filter(({ path }) => (underWay === "rewind") === done.includes(path));
      const forgetUnmade = () =>
        this.#index.inTurn(() =>
          this.#index.save(withRewind(withoutSteps(this.#index.now, unmade), { ...rewind, steps })),
        );
      return { done, left: unmade.map(({ path }) => path), forgetUnmade };
    });
  }

  /** What was stored with any of the rewinds that can be undone. */
  allMarks(): Promise<string[]> {
    return this.#index.inTurn(async () => {
      const names = this.#index.now.rewinds.flatMap(({ marks }) => marks ?? []);
      // Those that can't be read any more say nothing.
      const marks = await Promise.all(names.map((name) => this.#images.loadText("", name).catch(() => [])));
      return marks.flat();
    });
  }

  /** What was stored with a rewind. Undefined when nothing was. */
  loadMarks(rewindId: string): Promise<string | undefined> {
    return this.#index.inTurn(async () => {
      const marks = this.#rewind(rewindId)?.marks;
      return marks === undefined ? undefined : await this.#images.loadText("", marks);
    });
  }

  async #planBranch(agentId: string): Promise<PlannedBranch> {
    const { branchSteps } = await import("./branchPlan.ts");
    const { steps, unattributed } = branchSteps(this.#index.now, agentId);
    return { ...(await this.#images.planBranch(steps)), unattributed };
  }

  #rewind(rewindId: string) {
    return this.#index.now.rewinds.find(({ id }) => id === rewindId);
  }

  /** Stores what is at a path before it is changed, with the folders above that do not exist yet. */
  async #open(path: string, { by, movedTo, movedFrom }: Cause): Promise<void> {
    const now = await this.#images.take(path);
    const last = this.#index.latestSteps.findLast((step) => step.path === path);
    const begun = this.#timesOf(path);
    const isMove = [movedTo, movedFrom, last?.movedTo, last?.movedFrom].some((each) => each !== undefined);
    const isUnbroken =
      last?.after !== undefined &&
      !isMove &&
      last.by?.join() === by.join() &&
      (begun.at(-1) ?? 0) > this.#lookedAt &&
      (await this.#images.isSame(path, last.after, now));
    // Until the change is made, it is not known what it leaves: the editor may end before.
    const reopened = isUnbroken ? { path, before: last.before, by: [...by] } : undefined;
    const steps = this.#index.latestSteps;
    this.#extended.delete(path);
    if (reopened !== undefined && last !== undefined) {
      await this.#index.saveLatestSteps(steps.with(steps.indexOf(last), reopened));
      this.#extended.set(path, last);
      return;
    }
    const moved = { ...(movedTo !== undefined && { movedTo }), ...(movedFrom !== undefined && { movedFrom }) };
    const own: StoredStep = { path, before: await this.#images.save(now), by: [...by], ...moved };
    const fresh = [...(await this.#missingFolders(path, now)).map((step) => ({ ...step, by: [...by] })), own];
    const times = this.#timesWith(fresh);
    await this.#index.saveLatestSteps([...steps, ...fresh]);
    for (const [of, begunAt] of times) this.#begunAt.set(of, begunAt);
  }

  /** The same once these begin, which are not there yet. */
  #timesWith(steps: readonly StoredStep[]): [path: string, begunAt: number[]][] {
    return steps.map(({ path }) => [path, [...this.#timesOf(path), ++this.#time]]);
  }

  /** When the steps of a path in the latest checkpoint began: 0 for those before the window was opened. */
  #timesOf(path: string): number[] {
    const known = this.#begunAt.get(path) ?? [];
    const steps = this.#index.latestSteps.filter((step) => step.path === path);
    return [...Array.from({ length: Math.max(0, steps.length - known.length) }, () => 0), ...known];
  }

  async #missingFolders(path: string, now: FileImage): Promise<StoredStep[]> {
    const missing: StoredStep[] = [];
    if (now.bytes !== undefined) return missing;
    const latest = this.#index.latestSteps;
    const isMade = (folder: string) => [...this.#changing].some((changed) => changed.startsWith(`${folder}/`));
    const open = this.#index.now.checkpoints
      .flatMap(({ steps }) => steps)
      .filter((step) => step.after === undefined && (latest.includes(step) || isMade(step.path)));
    for (let folder = parentOf(path); folder !== ""; folder = parentOf(folder)) {
      if (open.some((step) => step.path === folder)) continue;
      if ((await this.#images.take(folder)).isFolder) break;
      missing.unshift({ path: folder, before: {} });
    }
    return missing;
  }

  /** Where a change began is not always the latest checkpoint: a message may have come since, here or in another window. */
  async #withClosed(
    paths: readonly string[],
    close: (step: StoredStep) => Promise<StoredStep | undefined>,
  ): Promise<CheckpointIndex> {
    const index = this.#index.now;
    const isOpen = ({ path, after }: StoredStep) =>
      after === undefined && paths.some((changed) => changed === path || changed.startsWith(`${path}/`));
    /** By path. An earlier one that is open too was cut off by the end of the editor: what it left stays unknown. */
    const begunIn = new Map<string, number>();
    for (const [at, { steps }] of index.checkpoints.entries()) {
      for (const step of steps) if (isOpen(step)) begunIn.set(step.path, at);
    }
    const checkpoints = index.checkpoints.map(async (checkpoint, at) => {
      const isMeant = (step: StoredStep) => isOpen(step) && begunIn.get(step.path) === at;
      if (!checkpoint.steps.some(isMeant)) return checkpoint;
      const steps = await Promise.all(checkpoint.steps.map((step) => (isMeant(step) ? close(step) : step)));
      if (at === index.checkpoints.length - 1) this.#forgetTimes(checkpoint.steps, steps);
      return { ...checkpoint, steps: steps.filter((step) => step !== undefined) };
    });
    return { ...index, checkpoints: await Promise.all(checkpoints) };
  }

  /** Of the steps that are not there any more. */
  #forgetTimes(before: readonly StoredStep[], after: readonly (StoredStep | undefined)[]): void {
    for (const path of new Set(before.filter((_, at) => after[at] === undefined).map((step) => step.path))) {
      const isLeft = after.filter((_, at) => before[at]?.path === path).map((step) => step !== undefined);
      this.#begunAt.set(
        path,
        this.#timesOf(path).filter((_, which) => isLeft[which]),
      );
    }
  }

  /** Undefined when nothing came of it. */
  async #closed(step: StoredStep, text: string | undefined): Promise<StoredStep | undefined> {
    const image = await this.#images.take(step.path);
    const state = await this.#images.stateOf(step.path, image);
    const isOther = text !== undefined && state.text !== undefined && state.text !== text;
    const after = isOther ? { ...image, unsaved: text } : image;
    const isNothing = !exists(state) && step.before.bytes === undefined && step.before.isFolder === undefined;
    return isNothing ? undefined : { ...step, after: await this.#images.save(after) };
  }

  #applyAsAgreed(
    plan: () => Promise<readonly PlannedFile[]>,
    record: Recorder,
    options: RewindOptions,
  ): Promise<string[] | undefined> {
    const { isAgreed = () => true } = options;
    return againWhileTyped(async () => {
      const planned = await plan();
      return isAgreed(planned) ? await this.#apply(planned, record, options) : undefined;
    });
  }

  async #apply(planned: readonly PlannedFile[], record: Recorder, { begin, marks }: RewindOptions): Promise<string[]> {
    if (planned.length === 0) return [];
    const paths = planned.map(({ path }) => path);
    begin?.();
    const marked = marks?.(paths);
    const steps: StoredStep[] = [];
    for (const { path, current, target } of planned) {
      steps.push({ path, before: await this.#images.save(current), after: await this.#images.save(target), by: [] });
    }
    const before = this.#index.now;
    const name = marked === undefined ? undefined : await this.#images.saveText(marked);
    const recorded = record(steps, before, name);
    const times = this.#timesWith(steps);
    await this.#index.save(withLatestSteps(recorded, [...this.#index.latestSteps, ...steps]));
    try {
      await this.#images.putBack(planned).finally(() => this.#notifyWritten(paths));
    } catch (error) {
      // What a file held that is not as it was is found again by a rewind.
      const isPart = error instanceof NotPutBack;
      const latest = before.checkpoints.at(-1)?.steps ?? [];
      await this.#index.save(isPart ? withLatestSteps(before, [...latest, ...steps]) : before);
      if (isPart) for (const [path, begunAt] of times) this.#begunAt.set(path, begunAt);
      throw error;
    }
    for (const [path, begunAt] of times) this.#begunAt.set(path, begunAt);
    return paths;
  }

  async #storedStep(path: string, { before, after }: ObservedChange): Promise<StoredStep> {
    const stored = { path, before: await this.#images.save(before) };
    return after === undefined ? stored : { ...stored, after: await this.#images.save(after) };
  }
}

/** A fast typist hits the same moment repeatedly. */
const maxAttempts = 20;

async function againWhileTyped<T>(step: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile) || attempt === maxAttempts) throw error;
    }
  }
}

function recording(rewindId: string): Recorder {
  return (steps, index, marks) => {
    const others = index.rewinds.filter(({ id }) => id !== rewindId);
    const rewind = { id: rewindId, steps, ...(marks !== undefined && { marks }) };
    return { ...index, rewinds: [...others, rewind].slice(-maxRewinds) };
  };
}

function withRewind(index: CheckpointIndex, rewind: CheckpointIndex["rewinds"][number]): CheckpointIndex {
  return { ...index, rewinds: index.rewinds.map((each) => (each.id === rewind.id ? rewind : each)) };
}

/** The steps lead from where the change began to where it ended, one after another: nothing else changed the file. */
function isExplainedBy(steps: readonly StoredStep[], { before, after }: StoredStep): boolean {
  let now: StoredImage | undefined = before;
  for (const step of steps) {
    if (now === undefined || !isEqual(step.before, now)) return false;
    now = step.after;
  }
  return steps.length > 0 && now !== undefined && after !== undefined && isEqual(now, after);
}

/** The user typed in it before or meanwhile. */
function isUnsaved({ before, after }: ObservedChange): boolean {
  return before.unsaved !== undefined || after?.unsaved !== undefined;
}

function isEqual(one: StoredImage, other: StoredImage): boolean {
  return one.bytes === other.bytes && one.unsaved === other.unsaved && one.mode === other.mode;
}
