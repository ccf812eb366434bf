import type { FileDiagnostic } from "../workspace/workspace.ts";

/** From the worst to the mildest. */
export const severities = ["error", "warning", "information", "hint"] as const;

/** A diagnostic without its path, like `12:5 error: Cannot find name 'x' (ts)`. */
export function diagnosticText({ line, column, severity, message, source }: FileDiagnostic): string {
  return `${line}:${column} ${severity}: ${message}${source === undefined ? "" : ` (${source})`}`;
}

/** What an edit brought and solved; only what there is now where it is not known what there was. */
export type DiagnosticChange =
  | { appeared: FileDiagnostic[]; vanished: FileDiagnostic[] }
  | { present: FileDiagnostic[] };

/**
 * What an edit of `paths` brought and solved: errors and warnings of these files, errors elsewhere. Lines are not compared,
 * because every line added moves them.
 */
export function diagnosticChange(
  paths: readonly string[],
  before: readonly FileDiagnostic[] | undefined,
  after: readonly FileDiagnostic[],
): DiagnosticChange {
  const counts = (each: FileDiagnostic) =>
    each.severity === "error" || (each.severity === "warning" && paths.includes(each.path));
  if (!before) return { present: after.filter((each) => paths.includes(each.path) && counts(each)) };
  return {
    appeared: withoutThose(after.filter(counts), before),
    vanished: withoutThose(before.filter(counts), after),
  };
}

function withoutThose(list: readonly FileDiagnostic[], others: readonly FileDiagnostic[]): FileDiagnostic[] {
  const left = new Map<string, number>();
  for (const each of others) left.set(keyOf(each), (left.get(keyOf(each)) ?? 0) + 1);
  return list.filter((each) => {
    const count = left.get(keyOf(each)) ?? 0;
    left.set(keyOf(each), count - 1);
    return count <= 0;
  });
}

function keyOf({ path, severity, message, source }: FileDiagnostic): string {
  return JSON.stringify([path, severity, message, source ?? ""]);
}
