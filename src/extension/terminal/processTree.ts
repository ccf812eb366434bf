import type { ProcessRow } from "./processTable.ts";

/** What is known of a command's processes. */
export interface TreeRoot {
  /** Of the shell, which leads a session and group of its own. */
  pid: number;
  /** Stands in the environment of all that it spawned, unless they cleared it. */
  mark: string;
  /** Processes that were seen to belong to it, by `identityOf`: they still do when their parent has ended. */
  readonly known: Set<string>;
}

/**
 * The processes of a command: the shell's group and session, what carries its mark, and all their descendants. A
 * process escapes this only when it left the session, cleared its environment, and lost its parent before anyone looked.
 */
export function membersOf(root: TreeRoot, rows: readonly ProcessRow[]): ProcessRow[] {
  const children = Map.groupBy(rows, (row) => row.parent);
  const found = new Set<ProcessRow>();
  const add = (row: ProcessRow) => {
    if (found.has(row) || row.pid === process.pid || row.pid <= 1) return;
    found.add(row);
    for (const child of children.get(row.pid) ?? []) add(child);
  };
  for (const row of rows) if (belongs(root, row)) add(row);
  for (const row of found) root.known.add(identityOf(row));
  return [...found];
}

/** Those that did not make themselves independent, as a daemon does by a session of its own. */
export function inSession(root: TreeRoot, members: readonly ProcessRow[]): ProcessRow[] {
  return members.filter((row) => row.group === root.pid || row.session === root.pid);
}

function belongs(root: TreeRoot, row: ProcessRow): boolean {
  if (row.pid === root.pid || row.group === root.pid || row.session === root.pid) return true;
  return root.known.has(identityOf(row)) || row.hasInEnvironment(root.mark);
}

function identityOf({ pid, startedAt }: ProcessRow): string {
  return `${pid} ${startedAt}`;
}
