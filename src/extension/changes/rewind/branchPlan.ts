import { t } from "@vscode/l10n";
import { UserError } from "../../common/userError.ts";
import { mergeTexts } from "../model/mergeTexts.ts";
import type { CheckpointIndex, StoredStep } from "./checkpointIndex.ts";
import type { PlannedFile } from "./rewindPlan.ts";
import { listed, type RewindQuestion, shownPath } from "./rewindQuestion.ts";
import { exists, type FileImage, type FileState, type ImagedFiles, isSameContent } from "./storage.ts";

/** A change of one file, by the branch that is undone or by somebody else. */
export interface BranchStep {
  path: string;
  isOfBranch: boolean;
  before: FileState;
  /** Absent when it is not known what the change left. */
  after?: FileState;
  /** The file went there, or came from there: a move is a step of each path, that of the old one first. */
  movedTo?: string;
  movedFrom?: string;
}

/** A file in which somebody built on what the branch changed: that part stays as it is. */
export interface BranchConflict {
  path: string;
  /** What the user can choose from; absent where it is not about lines. */
  texts?: {
    /** As the branch left it. */
    base: string;
    /** As it would be with the branch's part undone. */
    without: string;
  };
}

export interface BranchPlan {
  files: readonly PlannedFile[];
  conflicts: readonly BranchConflict[];
}

/** With the files that changed since without that being known of any agent. */
export interface PlannedBranch extends BranchPlan {
  unattributed: readonly string[];
}

type FileStates = ReadonlyMap<string, FileState>;

/** Whose lines count where the branch and somebody else changed the same ones. */
type Preferred = "current" | "before";

interface RevertedState extends FileState {
  /** The text is a new one; the image is that of the file it was merged into. */
  isMerged?: boolean;
}

interface Reverted {
  files: ReadonlyMap<string, RevertedState>;
  /** By path: the text as the branch left it. */
  bases: ReadonlyMap<string, string>;
  /** Paths where something of the branch stays that is not about lines. */
  left: ReadonlySet<string>;
}

type Content = Required<Pick<BranchStep, "before" | "after">>;
type Encoding = Pick<ImagedFiles, "decode" | "encode">;

const nothing: FileState = { image: {} };

/** What the agent and those that it started changed, with what others did since, and what no agent is known to have done. */
export interface BranchSteps {
  /** Oldest first, from the branch's first one on. */
  steps: readonly (StoredStep & { isOfBranch: boolean })[];
  /** Paths of files that changed since the branch's first change without that being known of any agent. */
  unattributed: readonly string[];
}

export function branchSteps({ checkpoints }: CheckpointIndex, agentId: string): BranchSteps {
  const all = checkpoints.flatMap((checkpoint, index) => checkpoint.steps.map((step) => ({ step, index })));
  const first = all.findIndex(({ step }) => step.by?.includes(agentId));
  const since = first < 0 ? [] : all.slice(first);
  const lost = checkpoints.slice(since[0]?.index ?? checkpoints.length).flatMap((checkpoint) => checkpoint.lost ?? []);
  const unknown = since.flatMap(({ step: { by, path } }) => (by === undefined ? path : []));
  return {
    steps: since.map(({ step }) => ({ ...step, isOfBranch: step.by?.includes(agentId) === true })),
    unattributed: [...new Set([...unknown, ...lost])].toSorted(),
  };
}

/** What undoing a branch does to each file, and where it leaves something that others built on. Steps: the oldest first. */
export async function planBranch(
  current: FileStates,
  steps: readonly BranchStep[],
  encoding: Encoding,
): Promise<BranchPlan> {
  const { files, bases, left } = revertBranch(current, steps, "current");
  const without = revertBranch(current, steps, "before").files;
  const saved = revertBranch(await savedStates(current, encoding), steps, "current").files;
  const planned: PlannedFile[] = [];
  const conflicts = new Map<string, BranchConflict>([...left].map((path) => [path, { path }]));
  for (const [path, state] of files) {
    const now = current.get(path) ?? nothing;
    if (!isSameContent(state, now) || (exists(state) && state.image.mode !== now.image.mode)) {
      const target = await targetOf(path, { now, state, saved: saved.get(path) ?? nothing }, encoding);
      const kept = { lostLines: [], isLostWhole: false, isBack: false, isUncertain: false };
      planned.push({ path, current: now.image, target, isMerged: state.isMerged === true, ...kept });
    }
    const other = without.get(path) ?? nothing;
    if (isSameContent(state, other)) continue;
    const isText = state.text !== undefined && (other.text !== undefined || !exists(other));
    const texts = { base: bases.get(path) ?? "", without: other.text ?? "" };
    conflicts.set(path, isText ? { path, texts } : { path });
  }
  const sorted = [...conflicts.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1));
  return { files: planned, conflicts: sorted };
}

/**
 * Reverts the changes of a branch, the latest first, and leaves what others changed before, between and after them. A
 * file that somebody moved is found where it is; one that the branch moved goes back with what others changed in it.
 */
function revertBranch(current: FileStates, steps: readonly BranchStep[], preferred: Preferred): Reverted {
  const files = new Map<string, RevertedState>(current);
  const bases = new Map<string, string>();
  const left = new Set<string>();
  /** By the path that a file had at the time of a step: where it is now. */
  const pathsNow = new Map<string, string>();
  const moved = (from: string, to: string, now: string) => {
    pathsNow.delete(to);
    pathsNow.set(from, now);
  };
  const joined = joinedSteps(steps);
  for (const [index, step] of [...joined.entries()].toReversed()) {
    const { path, isOfBranch, movedFrom, before, after } = step;
    const now = pathsNow.get(path) ?? path;
    const state = files.get(now) ?? nothing;
    const isMove = movedFrom !== undefined && after !== undefined && exists(after);
    if (!isOfBranch) {
      if (isMove) moved(movedFrom, path, now);
    } else if (isMove) {
      const isTaken = exists(files.get(movedFrom) ?? nothing);
      // It is back there already, or somebody took it away since.
      if (!exists(state)) continue;
      if (isTaken) {
        left.add(now);
        moved(movedFrom, path, now);
        continue;
      }
      const origin = joined.slice(0, index).findLast((each) => each.path === movedFrom && each.movedTo === path);
      if (after.text !== undefined && !bases.has(now)) bases.set(now, after.text);
      bases.set(movedFrom, bases.get(now) ?? "");
      files.set(movedFrom, reverted(state, { before: origin?.before ?? after, after }, preferred));
      files.set(now, nothing);
      moved(movedFrom, path, movedFrom);
    } else if (after === undefined) {
      if (!isSameContent(state, before)) left.add(now);
    } else if (step.movedTo === undefined || exists(after)) {
      if (after.text !== undefined && !bases.has(now)) bases.set(now, after.text);
      files.set(now, reverted(state, { before, after }, preferred));
    }
  }
  return { files, bases, left };
}

/** Changes of the branch that follow one another in a file, with nothing of anybody else's between them, are one. */
function joinedSteps(steps: readonly BranchStep[]): BranchStep[] {
  const joined: BranchStep[] = [];
  for (const step of steps) {
    const at = joined.findLastIndex(({ path }) => path === step.path);
    const last = joined[at];
    if (last === undefined || !isContinued(last, step)) joined.push(step);
    else {
      const { after: _, ...first } = last;
      joined[at] = { ...first, ...(step.after !== undefined && { after: step.after }) };
    }
  }
  return joined;
}

function isContinued(one: BranchStep, next: BranchStep): boolean {
  const isPlain = ({ isOfBranch, movedFrom, movedTo }: BranchStep) =>
    isOfBranch && movedFrom === undefined && movedTo === undefined;
  if (one.after === undefined || !isPlain(one) || !isPlain(next)) return false;
  return isSameContent(one.after, next.before) && one.after.image.mode === next.before.image.mode;
}

function reverted(now: RevertedState, { before, after }: Content, preferred: Preferred): RevertedState {
  const mode = now.image.mode === after.image.mode ? (before.image.mode ?? now.image.mode) : now.image.mode;
  const state = contentBefore(now, { before, after }, preferred);
  return exists(state) && mode !== undefined ? { ...state, image: { ...state.image, mode } } : state;
}

function contentBefore(now: RevertedState, { before, after }: Content, preferred: Preferred): RevertedState {
  if (isSameContent(before, after) || isSameContent(now, before)) return now;
  if (isSameContent(now, after)) return before;
  const texts = [before, after, now].flatMap((state) => (exists(state) ? (state.text ?? []) : []));
  const [old, left, current] = texts;
  if (old !== undefined && left !== undefined && current !== undefined) {
    const { text } = preferred === "current" ? mergeTexts(left, old, current) : mergeTexts(left, current, old);
    return text === current ? now : { image: now.image, text, isMerged: true };
  }
  // It is about a whole file: what is there now stays, unless the other side is asked for.
  return preferred === "current" || !exists(now) || now.image.isFolder === true ? now : before;
}

/** The same files as they are on the disk. */
async function savedStates(current: FileStates, encoding: Encoding): Promise<FileStates> {
  const saved = new Map<string, FileState>();
  for (const [path, state] of current) {
    const { unsaved, ...image } = state.image;
    if (unsaved === undefined) {
      saved.set(path, state);
      continue;
    }
    const text = image.bytes && (await encoding.decode(path, image.bytes));
    saved.set(path, text === undefined ? { image } : { image, text });
  }
  return saved;
}

interface Target {
  now: FileState;
  state: RevertedState;
  /** What is on the disk, reverted without the unsaved text. */
  saved: RevertedState;
}

async function targetOf(path: string, { now, state, saved }: Target, encoding: Encoding): Promise<FileImage> {
  if (!exists(state)) return {};
  const { mode } = state.image;
  const withMode = (image: FileImage): FileImage => ({ ...image, ...(mode !== undefined && { mode }) });
  if (isSameContent(state, now)) return withMode(now.image);
  // What its editor holds unsaved stays unsaved.
  if (now.image.unsaved !== undefined && state.text !== undefined) {
    return withMode({ ...(await storedImage(path, saved, encoding)), unsaved: state.text });
  }
  return withMode(await storedImage(path, state, encoding));
}

/** The file without unsaved text: where that is all there is of a change, it is saved. */
async function storedImage(path: string, state: RevertedState, encoding: Encoding): Promise<FileImage> {
  const { unsaved, mode: _, ...image } = state.image;
  if (image.bytes === undefined || state.text === undefined) return image;
  if (state.isMerged !== true && unsaved === undefined) return image;
  return { bytes: await encoding.encode(path, state.text, image.bytes) };
}

/** What is asked before a branch's changes are undone. Throws a `UserError` where there is nothing to undo. */
export function branchQuestion(name: string, { files, conflicts, unattributed }: PlannedBranch): RewindQuestion {
  if (files.length === 0 && conflicts.length === 0) {
    const nothing = t("Nothing is left of what {0} and its agents changed.", name);
    throw new UserError([nothing, ...notAttributed(unattributed)].join("\n\n"));
  }
  const lines = conflicts.filter(({ texts }) => texts !== undefined).map(({ path }) => path);
  const others = conflicts.filter(({ texts }) => texts === undefined).map(({ path }) => path);
  return {
    message: t("Undo what {0} and its agents changed?", name),
    detail: [
      ...(files.length > 0 ? [t("These files will change:\n{0}", listed(files.map(shownPath)))] : []),
      t("What other agents and you changed stays."),
      ...(lines.length > 0
        ? [t("Built on by others, so these lines stay and are shown in a merge editor:\n{0}", listed(lines, 30))]
        : []),
      ...(others.length > 0
        ? [t("Changed by others since, so these files stay as they are:\n{0}", listed(others, 30))]
        : []),
      ...notAttributed(unattributed),
      t("You can undo this as long as the chat exists."),
    ].join("\n\n"),
    choices: [{ button: t("Undo changes"), what: "files" }],
  };
}

function notAttributed(paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  return [t("Changed by commands, and by which agent is not known, so left as they are:\n{0}", listed(paths))];
}
