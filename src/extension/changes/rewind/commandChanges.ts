// Long because what a command changes, and what changes between two, is found by one memory of the files.
import type { Checkpoints, KnownWrites, ObservedChange } from "./checkpoints.ts";
import { type FileImage, type ImagedFiles, isSameContent } from "./storage.ts";

/** The files of the workspace, ignored ones left out. */
export interface SnapshotFiles extends Pick<ImagedFiles, "take"> {
  list(max: number): Promise<{ paths: readonly string[]; truncated: boolean }>;
  /** The folders, ignored ones left out; undefined when there are more. */
  folders(max: number): Promise<readonly string[] | undefined>;
  /** Undefined for what does not exist. */
  stamp(path: string): Promise<FileStamp | undefined>;
}

export interface FileStamp {
  /** Not so for a folder, a link or a device. */
  isFile: boolean;
  bytes: number;
  /** Another one after every write. */
  version: string;
}

interface CommandChangesDependencies {
  files: SnapshotFiles;
  checkpoints: Pick<Checkpoints, "moment" | "addChanges">;
  warn(message: string): void;
  /** Called with the files that a command changed. */
  onChanged?(paths: readonly string[]): Promise<void>;
  /** The ids from the root agent down to this one. Default: what commands change is no agent's. */
  lineage?(agentId: string): readonly string[];
  /** Calls the listener with each file that somebody other than an agent saves or moves. Default: none is. */
  onDidSave?(listener: (path: string) => void): { dispose(): void };
  /** The same of all that the editor writes, for whatever part of it. */
  onDidWrite?(listener: (path: string) => void): { dispose(): void };
  limits?: Partial<typeof defaultLimits>;
}

const defaultLimits = { files: 10_000, fileBytes: 256 * 1_024, allBytes: 32 * 1_024 * 1_024 };
const atOnce = 64;

/** A file before a command: with what it held, unless that is too much to keep. */
interface Before extends FileStamp {
  image?: FileImage;
}

interface Look {
  before: ReadonlyMap<string, Before>;
  folders: readonly string[] | undefined;
  truncated: boolean;
}

/** What a rewind can't revert of what a command changed. */
export interface NotCovered {
  /** Files whose bytes were not kept. */
  paths: readonly string[];
  /** There are more files than were looked at, or they could not be looked at. */
  isPartial: boolean;
  /** All that was seen to change. */
  changed?: readonly string[];
  /** Of these, by path, what agents that ask first wrote meanwhile, and the user by what Arbor offers. */
  known?: ReadonlyMap<string, KnownWrites>;
  /** Files that the editor wrote meanwhile, for whomever. */
  byEditor?: ReadonlySet<string>;
  /** By path, what files held before and hold now; without those that the user saved meanwhile, which are the user's. */
  found?: ReadonlyMap<string, ObservedChange>;
}

/** What changed while no command ran, by no writer that is known here. */
export interface EarlierChanges {
  /** By path, what files held when the last command ended and hold now. */
  found: ReadonlyMap<string, ObservedChange>;
  /** Files of which one of both is not known. */
  others: readonly string[];
}

type OnEarlier = (changes: EarlierChanges) => Promise<void>;

/**
 * Finds out what a command changes, for the checkpoint: it writes without being asked, so the files are looked at before
 * and after. What it held of a file in between, and what happens in ignored files, stays unknown.
 */
export class CommandChanges {
  readonly #dependencies: CommandChangesDependencies;
  readonly #limits: typeof defaultLimits;
  /** What did not change since the command before need not be read again. */
  #known: ReadonlyMap<string, Before> = new Map();
  /** How the last command left the files, and which of them the editor has written since. */
  #left:
    | { files: ReadonlyMap<string, Before>; written: Set<string>; writes: { dispose(): void } | undefined }
    | undefined;
  /** Somebody wants to know what changes between commands. */
  #isAwaited = false;
  /** What they do not know yet: how the file was, and its version when it was seen to be another one. */
  readonly #unreported = new Map<string, { before: Before | undefined; version: string | undefined }>();
  /** Commands that run. */
  readonly #running = new Set<{ isAlone: boolean }>();

  constructor(dependencies: CommandChangesDependencies) {
    this.#dependencies = dependencies;
    this.#limits = { ...defaultLimits, ...dependencies.limits };
  }

  /**
   * To be called before a command of the agent starts; the result, when it has ended. `onEarlier` gets what changed since
   * it was last given to anybody.
   */
  async begin(agentId?: string, onEarlier?: OnEarlier): Promise<() => Promise<NotCovered>> {
    const { checkpoints, warn, lineage, onDidSave } = this.#dependencies;
    const moment = await checkpoints.moment();
    if (moment === undefined) return async () => ({ paths: [], isPartial: false });
    const running = { isAlone: this.#running.size === 0 };
    // Of two that run at the same time it is not known which changed a file.
    for (const other of this.#running) other.isAlone = false;
    this.#running.add(running);
    const saved = new Set<string>();
    const saves = onDidSave?.((path) => saved.add(path));
    const byEditor = new Set<string>();
    const writes = this.#dependencies.onDidWrite?.((path) => byEditor.add(path));
    const look = await this.#look().catch((error: unknown) => this.#blind(error));
    this.#isAwaited ||= onEarlier !== undefined;
    if (look !== undefined) await this.#reportEarlier(look, onEarlier);
    const end = async (): Promise<NotCovered> => {
      this.#running.delete(running);
      const changes = look && (await this.#compare(look).catch((error: unknown) => this.#blind(error)));
      saves?.dispose();
      writes?.dispose();
      if (changes === undefined) return { paths: [], isPartial: true };
      const { found, lost, isPartial } = changes;
      const changed = [...found.keys(), ...lost];
      await this.#dependencies.onChanged?.(changed);
      if (found.size === 0 && lost.length === 0) return { paths: [], isPartial };
      try {
        const by = agentId !== undefined && running.isAlone ? lineage?.(agentId) : undefined;
        const known = await checkpoints.addChanges(moment, found, lost, by && { lineage: by, except: saved });
        const written = new Map([...found].filter(([path]) => !saved.has(path)));
        return { paths: lost, isPartial, changed, ...(known.size > 0 && { known }), found: written };
      } catch (error) {
        warn(`What a command changed could not be kept for a rewind: ${error}`);
        return { paths: changed, isPartial, changed };
      }
    };
    return async () => ({ ...(await end()), ...(byEditor.size > 0 && { byEditor }) });
  }

  /** What changed since the last command ended, while none ran and the editor wrote something else. */
  #noteEarlier({ before, truncated }: Look): void {
    const left = this.#left;
    this.#left = undefined;
    left?.writes?.dispose();
    if (left === undefined || truncated) return;
    const { files, written } = left;
    const paths = [...new Set([...files.keys(), ...before.keys()])].filter(
      (path) => files.get(path)?.version !== before.get(path)?.version && !written.has(path),
    );
    const hasOtherRules = [...paths, ...written].some(isIgnoreFile);
    for (const path of paths) {
      const [was, version] = [files.get(path), before.get(path)?.version];
      // With other rules it may have been there before, or be there still.
      if (hasOtherRules && (was === undefined || version === undefined)) continue;
      this.#unreported.set(path, { before: was, ...this.#unreported.get(path), version });
    }
  }

  async #reportEarlier(look: Look, report: OnEarlier | undefined): Promise<void> {
    this.#noteEarlier(look);
    if (report === undefined) return;
    const found = new Map<string, ObservedChange>();
    const others: string[] = [];
    for (const [path, { before: was, version }] of this.#unreported) {
      const now = look.before.get(path);
      const isKnown = [was, now].every((file) => file === undefined || file.image !== undefined);
      const [before = {}, after = {}] = [was?.image, now?.image];
      const isSame = isKnown && isSameContent({ image: before }, { image: after });
      // A command has changed it since, or its content is not what changed.
      if (!isKnown || now?.version !== version || (isSame && before.mode !== after.mode)) others.push(path);
      else if (!isSame) found.set(path, { before, after });
    }
    this.#unreported.clear();
    if (found.size === 0 && others.length === 0) return;
    await report({ found, others }).catch((error: unknown) =>
      this.#dependencies.warn(`What changed before a command could not be offered: ${error}`),
    );
  }

  #leave(files: ReadonlyMap<string, Before>): void {
    this.#left?.writes?.dispose();
    const written = new Set<string>();
    const writes = this.#dependencies.onDidWrite?.((path) => written.add(path));
    this.#left = { files, written, writes };
  }

  /** A command runs all the same; that it can't be reverted is said with its result. */
  #blind(error: unknown): undefined {
    this.#dependencies.warn(`What a command changes could not be seen: ${error}`);
  }

  async #look(): Promise<Look> {
    const { files } = this.#dependencies;
    const { paths, truncated } = await files.list(this.#limits.files);
    const before = new Map<string, Before>();
    let room = this.#limits.allBytes;
    await inParts(paths, async (path) => {
      const stamp = await files.stamp(path);
      if (stamp?.isFile !== true) return;
      const fits = stamp.bytes <= Math.min(room, this.#limits.fileBytes);
      if (fits) room -= stamp.bytes;
      before.set(path, fits ? { ...stamp, image: await this.#imageOf(path, stamp) } : stamp);
    });
    this.#known = before;
    return { before, truncated, folders: await files.folders(this.#limits.files) };
  }

  /** Read again where the editor held unsaved text: its typing leaves no trace in the stamp. */
  async #imageOf(path: string, stamp: FileStamp): Promise<FileImage> {
    const known = this.#known.get(path);
    const isCurrent = known?.version === stamp.version && known.image?.unsaved === undefined;
    return (isCurrent ? known.image : undefined) ?? this.#dependencies.files.take(path);
  }

  async #compare({ before, truncated, folders }: Look) {
    const { files } = this.#dependencies;
    const found = new Map<string, ObservedChange>();
    const lost: string[] = [];
    const left = new Map<string, Before>();
    let room = this.#limits.allBytes;
    const leave = (path: string, stamp: FileStamp | undefined, image: FileImage | undefined) => {
      if (stamp?.isFile !== true) return;
      const fits = image !== undefined && stamp.bytes <= room;
      if (fits) room -= stamp.bytes;
      left.set(path, fits ? { ...stamp, image } : stamp);
    };
    await inParts([...before.keys()], async (path) => {
      const known = before.get(path);
      const now = await files.stamp(path);
      if (known === undefined) return;
      if (now?.version === known.version) {
        leave(path, now, known.image);
        return;
      }
      const { after } = await this.#leftAt(path, now);
      leave(path, now, after);
      // To write where a link is now would change what it leads to.
      if (known.image === undefined || now?.isFile === false) lost.push(path);
      else found.set(path, { before: known.image, ...(after && { after }) });
    });
    const after = await files.list(this.#limits.files);
    // With other rules, files may show up that were there before: a rewind must not delete those.
    const hasOtherRules = [...found.keys(), ...after.paths].some(
      (path) => isIgnoreFile(path) && (found.has(path) || !before.has(path)),
    );
    const isPartial = truncated || after.truncated;
    for (const path of after.paths) {
      if (before.has(path)) continue;
      const now = await files.stamp(path);
      if (hasOtherRules || isPartial) {
        leave(path, now, undefined);
        lost.push(path);
        continue;
      }
      const { after } = await this.#leftAt(path, now);
      leave(path, now, after);
      found.set(path, { before: {}, ...(after && { after }) });
    }
    if (!isPartial && this.#running.size === 0 && this.#isAwaited) this.#leave(left);
    const now = hasOtherRules || isPartial ? undefined : await files.folders(this.#limits.files);
    for (const [path, change] of changedFolders(folders, now)) found.set(path, change);
    return { found, lost, isPartial };
  }

  /** Of a file that has become too big, what the user changes afterwards can't be distinguished. */
  async #leftAt(path: string, stamp: FileStamp | undefined): Promise<Pick<ObservedChange, "after">> {
    if (stamp === undefined) return { after: {} };
    return stamp.isFile && stamp.bytes <= this.#limits.fileBytes
      ? { after: await this.#dependencies.files.take(path) }
      : {};
  }
}

function changedFolders(
  before: readonly string[] | undefined,
  after: readonly string[] | undefined,
): [string, ObservedChange][] {
  if (before === undefined || after === undefined) return [];
  const [known, left] = [new Set(before), new Set(after)];
  return [
    ...after.filter((path) => !known.has(path)).map((path) => change(path, {}, { isFolder: true })),
    ...before.filter((path) => !left.has(path)).map((path) => change(path, { isFolder: true }, {})),
  ];
}

function change(path: string, before: FileImage, after: FileImage): [string, ObservedChange] {
  return [path, { before, after }];
}

function isIgnoreFile(path: string): boolean {
  return /(?:^|\/)\.(?:git|rg)?ignore$/.test(path);
}

/** A few at a time: the system has only so many open files. */
async function inParts(paths: readonly string[], step: (path: string) => Promise<void>): Promise<void> {
  for (let start = 0; start < paths.length; start += atOnce) {
    await Promise.all(paths.slice(start, start + atOnce).map(step));
  }
}
