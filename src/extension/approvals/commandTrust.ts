import { withoutOutputs } from "./commandVersion.ts";
import type { CommandPermission } from "./permission.ts";
import { isSensitivePath } from "./sensitive.ts";

/** What decides about a command. */
interface Runs {
  command: string;
  /** Files, as absolute paths. */
  runs?: readonly string[];
  sandbox?: CommandPermission["sandbox"] | undefined;
}

/**
 * Which commands are still what the user allowed, by an answer in a chat or by a rule of the settings: both end when an
 * agent has changed a file that decides what the command runs, or when one of the files that it runs is another one.
 */
export class CommandTrust {
  /** Files as the workspace names them, with the count of the last change. */
  readonly #changes = new Map<string, number>();
  /** By command and folder: when a rule first let it run, or the user last allowed it. */
  readonly #accepted = new Map<string, { at: number; version: string | undefined }>();
  #count = 0;

  /** The count of changes so far. */
  get now(): number {
    return this.#count;
  }

  /** Files that agents and their commands have changed. */
  addChanges(paths: readonly string[]): void {
    if (paths.length > 0) this.#count++;
    for (const path of paths) this.#changes.set(path, this.#count);
  }

  hasChangedSince(at: number, command: Runs): boolean {
    // There it can do no harm, whatever it runs.
    if (command.sandbox === "inside") return false;
    return [...this.#changes].some(([path, changedAt]) => changedAt > at && decidesAbout(path, command));
  }

  /** Whether a rule may let it run. */
  mayRunByRule(command: CommandPermission): boolean {
    const key = keyOf(command);
    const accepted = this.#accepted.get(key) ?? { at: 0, version: command.version };
    this.#accepted.set(key, accepted);
    return accepted.version === command.version && !this.hasChangedSince(accepted.at, command);
  }

  /** The user has allowed it as it is now. */
  accept(command: CommandPermission): void {
    this.#accepted.set(keyOf(command), { at: this.#count, version: command.version });
  }
}

/** The same command in and out of the sandbox is two: only one of them has a version. */
function keyOf({ command, folder, sandbox }: CommandPermission): string {
  return JSON.stringify([command, folder, sandbox]);
}

/** The file decides what commands run, or it is one that this one runs or names. */
function decidesAbout(path: string, { command, runs = [] }: Runs): boolean {
  if (isSensitivePath(path) || withoutOutputs(command).includes(path.slice(path.lastIndexOf("/") + 1))) return true;
  // With several folders open, a path begins with the name of its folder, which may be called otherwise on the disk.
  const names = [path, path.slice(path.indexOf("/") + 1)];
  return runs.some((file) => names.some((name) => file.replaceAll("\\", "/").endsWith(`/${name}`)));
}
