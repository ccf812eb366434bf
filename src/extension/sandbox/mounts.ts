import { dirname } from "node:path";

/** What a path is inside the sandbox. All paths are absolute and real. */
export type Mount =
  /** As it is outside, or as `source` is there. */
  | { kind: "read" | "write"; path: string; source?: string }
  /** There, but nothing of it can be read or written. */
  | { kind: "hiddenFile"; path: string }
  | { kind: "hiddenFolder"; path: string }
  | { kind: "link"; path: string; target: string };

/** Of two mounts of one path the stricter one counts. */
const strictness: readonly Mount["kind"][] = ["link", "write", "read", "hiddenFolder", "hiddenFile"];

/** One mount for each path, parents before what is in them, since a later mount covers an earlier one. */
export function inMountOrder(mounts: readonly Mount[]): Mount[] {
  const byPath = new Map<string, Mount>();
  for (const mount of mounts) {
    const known = byPath.get(mount.path);
    if (known === undefined || strictness.indexOf(mount.kind) > strictness.indexOf(known.kind)) {
      byPath.set(mount.path, mount);
    }
  }
  // So written, a folder comes right before all that is in it.
  const key = ({ path }: Mount) => path.replaceAll("/", "\0");
  return [...byPath.values()].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** Whether a path is a folder or in it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

/** The folders that a path is in, up to and without `root`. */
export function foldersBetween(path: string, root: string): string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== root && isWithin(folder, root); folder = dirname(folder)) {
    folders.push(folder);
  }
  return folders;
}

export interface BubblewrapOptions {
  mounts: readonly Mount[];
  /** An empty file without any permission to read it: what a hidden file looks like. */
  emptyFile: string;
  /** Where the command starts. */
  folder: string;
  /** This version can keep what is inside from making namespaces of its own. */
  canDisableNamespaces: boolean;
}

/** Arguments of bubblewrap for a command that sees these mounts, no network, and no process but its own. */
export function bubblewrapArguments({ mounts, emptyFile, folder, canDisableNamespaces }: BubblewrapOptions): string[] {
  return [
    ...["--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    ...(canDisableNamespaces ? ["--disable-userns"] : []),
    // Where the editor runs as root, its commands have no more rights than another user's.
    ...["--cap-drop", "ALL", "--die-with-parent"],
    ...inMountOrder(mounts).flatMap((mount) => mountArguments(mount, emptyFile)),
    ...["--dev", "/dev", "--proc", "/proc"],
    // A user that is root may write there what the kernel then runs, though it has no rights in the sandbox.
    ...kernelSettings.flatMap((path) => ["--ro-bind-try", path, path]),
    ...["--remount-ro", "/", "--chdir", folder],
  ];
}

const kernelSettings = ["/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/sysrq-trigger", "/proc/mtrr"];

function mountArguments(mount: Mount, emptyFile: string): string[] {
  switch (mount.kind) {
    case "read":
      return ["--ro-bind", mount.source ?? mount.path, mount.path];
    case "write":
      return ["--bind", mount.source ?? mount.path, mount.path];
    case "hiddenFile":
      return ["--ro-bind", emptyFile, mount.path];
    case "hiddenFolder":
      return ["--perms", "0000", "--tmpfs", mount.path, "--remount-ro", mount.path];
    case "link":
      return ["--symlink", mount.target, mount.path];
    default:
      mount satisfies never;
      return [];
  }
}

/** A line of /proc/PID/mountinfo. */
interface MountRow {
  device: string;
  /** What of the device is mounted. */
  root: string;
  path: string;
  isReadOnly: boolean;
}

export function parseMountinfo(text: string): MountRow[] {
  return text.split("\n").flatMap((line) => {
    const [, , device, root, path, options] = line.split(" ");
    if (device === undefined || root === undefined || path === undefined || options === undefined) return [];
    return [{ device, root: unescaped(root), path: unescaped(path), isReadOnly: options.split(",").includes("ro") }];
  });
}

/** At first what is to be mounted is in a folder, beside all of this machine; in the end its root is made read-only. */
export function isMounted(mountinfo: string): boolean {
  const rows = parseMountinfo(mountinfo);
  return (
    rows.some(({ path, isReadOnly }) => path === "/" && isReadOnly) &&
    !rows.some(({ path }) => path.startsWith("/oldroot") || path.startsWith("/newroot"))
  );
}

/** Blanks and line ends are written as octal numbers. */
function unescaped(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
}

/** Where a path of this machine really is: its device, and its path there. */
function placeOf(path: string, rows: readonly MountRow[]): { device: string; root: string } | undefined {
  const row = rows.reduce<MountRow | undefined>(
    // The last one that is mounted on a path is the one that is seen.
    (best, each) => (isWithin(path, each.path) && each.path.length >= (best?.path.length ?? 0) ? each : best),
    undefined,
  );
  if (row === undefined) return undefined;
  const rest = path.slice(row.path === "/" ? 0 : row.path.length);
  return { device: row.device, root: rest === "" ? row.root : `${row.root === "/" ? "" : row.root}${rest}` };
}

/**
 * What is mounted otherwise than it was meant: a path that was swapped for a link after it was judged leads elsewhere. Undefined
 * where all is as it should be. `inside` and `outside` are mountinfo of the sandbox, before its command starts, and of here.
 */
export function wrongMount(
  mounts: readonly Mount[],
  { inside, outside, emptyFile }: { inside: string; outside: string; emptyFile: string },
): string | undefined {
  const seen = new Map(parseMountinfo(inside).map((row) => [row.path, row]));
  const here = parseMountinfo(outside);
  for (const mount of inMountOrder(mounts)) {
    if (mount.kind === "link") continue;
    const row = seen.get(mount.path);
    if (row === undefined || row.isReadOnly !== (mount.kind !== "write")) return mount.path;
    if (mount.kind === "hiddenFolder") continue;
    const source = mount.kind === "hiddenFile" ? emptyFile : (mount.source ?? mount.path);
    const place = placeOf(source, here);
    if (place?.device !== row.device || place.root !== row.root) return mount.path;
  }
  return undefined;
}
