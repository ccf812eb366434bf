import { realpath, stat } from "node:fs/promises";
import { t } from "@vscode/l10n";
import { isSecretPath } from "../approvals/sensitive.ts";
import { UserError } from "../common/userError.ts";
import type { GuardedRoot } from "./guardedFiles.ts";
import { foldersBetween, isWithin, type Mount } from "./mounts.ts";
import { holdsTooMuch, secretsIn } from "./systemMounts.ts";

/** What a program may see and change beside what each in the sandbox may, or less than that. Absolute paths. */
export interface FileRules {
  allowRead?: readonly string[];
  allowWrite?: readonly string[];
  /** Those that are there when it starts. */
  denyRead?: readonly string[];
  denyWrite?: readonly string[];
  /** Folders with programs. */
  programs?: readonly string[];
}

/** A folder of the workspace with what the rules hide in it, or keep from being changed. */
export async function withRules(root: GuardedRoot, { denyRead = [], denyWrite = [] }: FileRules): Promise<GuardedRoot> {
  const [hidden, readOnly] = await Promise.all([pathsIn(root, denyRead), pathsIn(root, denyWrite)]);
  if (hidden.some(({ path }) => path === "")) throw new UserError(t("The sandbox can't hide all of {0}.", root.path));
  const { guarded } = root;
  const files = readOnly.flatMap(({ path }) => (path === "" ? [] : [path]));
  return {
    ...root,
    isReadOnly: files.length < readOnly.length,
    guarded: { ...guarded, secret: [...guarded.secret, ...hidden], readOnly: [...guarded.readOnly, ...files] },
  };
}

async function pathsIn({ real }: GuardedRoot, paths: readonly string[]) {
  const found = await Promise.all(paths.map(placeOf));
  return found.flatMap((place) => {
    if (place === undefined) return [];
    // What is said of a folder holds for all that is in it.
    if (isWithin(real, place.real)) return [{ path: "", isFolder: true }];
    return isWithin(place.real, real) ? [{ path: place.real.slice(real.length + 1), isFolder: place.isFolder }] : [];
  });
}

interface Place {
  /** As the rules name it. */
  path: string;
  /** Where it really is. */
  real: string;
  isFolder: boolean;
}

async function placeOf(path: string): Promise<Place | undefined> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) return undefined;
  const named = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  return { path: named, real, isFolder: (await stat(real)).isDirectory() };
}

export interface RulesParts {
  roots: readonly GuardedRoot[];
  home: string;
}

/**
 * What the rules show outside of the workspace, and hide of that or of the system. Throws a `UserError` for a path that is
 * not there, and for one with more than a program of its own could need: a home folder, keys, sockets, or the workspace
 * by another name.
 */
export async function outsideMounts(rules: FileRules, { roots, home }: RulesParts): Promise<Mount[]> {
  const { allowRead = [], allowWrite = [], denyRead = [], denyWrite = [] } = rules;
  const homes = [home, await realpath(home).catch(() => home)];
  const denied = async (paths: readonly string[]) =>
    (await Promise.all(paths.map(placeOf))).flatMap((place) =>
      place === undefined || isInWorkspace(place, roots) ? [] : [place],
    );
  const [hidden, readOnly] = await Promise.all([denied(denyRead), denied(denyWrite)]);
  const all = hidden.find(({ real }) => homes.some((own) => isWithin(own, real)));
  if (all !== undefined) throw new UserError(t("The sandbox can't hide all of {0}.", all.path));
  const isOf = (denials: readonly Place[], { real }: Place) => denials.some((denial) => isWithin(real, denial.real));
  const allowed = [
    ...(await shownPlaces("read", allowRead, { roots, homes })),
    ...(await shownPlaces("write", allowWrite, { roots, homes })),
  ];
  const open = allowed
    .filter((place) => !isOf(hidden, place))
    .map((place): ShownPlace => (isOf(readOnly, place) ? { ...place, kind: "read" } : place));
  const secrets = open.map(({ path, real }) => secretsIn({ path, source: real }));
  return [
    ...open.map(({ kind, path, real }): Mount => ({ kind, path, source: real })),
    ...(await Promise.all(secrets)).flat(),
    ...hidden.flatMap((place) => deniedMounts(place, "hidden", open)),
    ...readOnly.flatMap((place) => deniedMounts(place, "read", open)),
  ];
}

/** The folders with programs that are not of the workspace: what is in that, is seen as the rest of it, by its own name alone. */
export async function outsidePrograms({ programs = [] }: FileRules, roots: readonly GuardedRoot[]): Promise<string[]> {
  const places = (await Promise.all(programs.map(placeOf))).filter((place) => place !== undefined);
  const isOutside = (place: Place) =>
    !isInWorkspace(place, roots) && !roots.some((root) => isLinkOf(place, root) || hasOtherName(place, root));
  return places.filter(isOutside).map(({ path }) => path);
}

interface ShownPlace extends Place {
  kind: "read" | "write";
}

async function shownPlaces(
  kind: ShownPlace["kind"],
  paths: readonly string[],
  { roots, homes }: { roots: readonly GuardedRoot[]; homes: readonly string[] },
): Promise<ShownPlace[]> {
  const places = await Promise.all(
    paths.map(async (path) => {
      const place = await placeOf(path);
      if (place === undefined) throw new UserError(t("The sandbox can't show {0}: it does not exist.", path));
      if (isInWorkspace(place, roots)) return [];
      const isTooMuch = [place.path, place.real].some(
        (each) => homes.some((home) => holdsTooMuch(each, home)) || isSecretPath(each.slice(1)),
      );
      if (isTooMuch || roots.some((root) => isLinkOf(place, root) || hasOtherName(place, root)))
        throw new UserError(t("The sandbox can't show {0}: it holds too much.", path));
      return [{ ...place, kind }];
    }),
  );
  return places.flat();
}

function isInWorkspace({ real }: Place, roots: readonly GuardedRoot[]): boolean {
  return roots.some((root) => isWithin(real, root.real));
}

/** A link of the workspace: what it leads to is not what the rule says. */
function isLinkOf({ path }: Place, root: GuardedRoot): boolean {
  return [root.path, root.real].some((folder) => isWithin(path, folder));
}

/** The workspace is in it by another name than its own, by which nothing of it would be guarded. */
function hasOtherName({ path, real }: Place, root: GuardedRoot): boolean {
  return isWithin(root.real, real) && path + root.real.slice(real.length) !== root.path;
}

/** Under each name that it is shown by; folders on the way are mounts, so that they can't be moved away. */
function deniedMounts({ real, isFolder }: Place, kind: "hidden" | "read", open: readonly ShownPlace[]): Mount[] {
  const holders = open.filter((each) => isWithin(real, each.real));
  const mount = (path: string): Mount => {
    if (kind === "read") return { kind, path, source: real };
    return { kind: isFolder ? "hiddenFolder" : "hiddenFile", path };
  };
  // What is not shown need not be read-only, and is hidden where it is of the system.
  if (holders.length === 0) return kind === "hidden" ? [mount(real)] : [];
  return holders.flatMap((holder) => [
    ...foldersBetween(real, holder.real).map(
      (folder): Mount => ({
        kind: holder.kind,
        path: holder.path + folder.slice(holder.real.length),
        source: folder,
      }),
    ),
    mount(holder.path + real.slice(holder.real.length)),
  ]);
}
