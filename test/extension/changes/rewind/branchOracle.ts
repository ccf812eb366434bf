/**
 * What undoing a branch has to lead to, found by other means than the product's: files are objects whose history is a
 * list, lines are matched by a table of longest common subsequences, and a merge looks at each place of the common text.
 */
export interface OracleFile {
  /** Where it is; absent of one that is deleted. */
  path?: string;
  text: string | undefined;
  /** Where it was when it was deleted. */
  gone?: string;
  steps: OracleStep[];
}

type OracleStep =
  | { who: string; kind: "content"; before: string | undefined; after: string | undefined; path?: string }
  | { who: string; kind: "move"; from: string; to: string };

export function undoneBy(files: readonly OracleFile[], isMeant: (who: string) => boolean) {
  const result: [string, string][] = [];
  const conflicts: string[] = [];
  for (const file of files) {
    const kept = reverted(file, isMeant, "current");
    const other = reverted(file, isMeant, "before");
    if (kept.text !== undefined) result.push([kept.path, kept.text]);
    if (kept.text !== other.text) conflicts.push(kept.path);
  }
  return { files: Object.fromEntries(result.toSorted()), conflicts: conflicts.toSorted() };
}

function reverted(file: OracleFile, isMeant: (who: string) => boolean, preferred: "current" | "before") {
  let path = file.path ?? file.gone ?? "";
  let text = file.text;
  for (const step of runs(file.steps, isMeant).toReversed()) {
    if (!isMeant(step.who)) continue;
    if (step.kind === "move") {
      // A file that is not there any more can't go back.
      if (text !== undefined) path = step.from;
      continue;
    }
    const { before, after } = step;
    if (text === before || before === after) continue;
    if (text === after) text = before;
    else if (text !== undefined && before !== undefined && after !== undefined) {
      text = merged(after, before, text, preferred);
    } else if (preferred === "before" && text !== undefined) text = before;
  }
  return { path, text };
}

/** Changes of the branch's with nothing of anybody else's between them are one. */
function runs(steps: readonly OracleStep[], isMeant: (who: string) => boolean): OracleStep[] {
  const result: OracleStep[] = [];
  for (const step of steps) {
    const last = result.at(-1);
    const isOne = last?.kind === "content" && step.kind === "content" && isMeant(last.who) && isMeant(step.who);
    if (isOne) result[result.length - 1] = { ...last, after: step.after };
    else result.push(step);
  }
  return result;
}

interface Part {
  start: number;
  end: number;
  lines: string[];
}

function merged(base: string, before: string, now: string, preferred: "current" | "before"): string {
  const old = linesOf(base);
  const sides = { before: partsOf(old, linesOf(before)), current: partsOf(old, linesOf(now)) };
  const all = [...sides.before, ...sides.current];
  const clusters: { start: number; end: number }[] = all.map(({ start, end }) => ({ start, end }));
  for (let changed = true; changed; ) {
    changed = false;
    for (const one of clusters) {
      const at = clusters.findIndex((other) => other !== one && overlap(one, other));
      const other = clusters[at];
      if (other === undefined) continue;
      one.start = Math.min(one.start, other.start);
      one.end = Math.max(one.end, other.end);
      clusters.splice(at, 1);
      changed = true;
      break;
    }
  }
  clusters.sort((one, other) => one.start - other.start || one.end - other.end);
  const result: string[] = [];
  let done = 0;
  for (const cluster of clusters) {
    result.push(...old.slice(done, cluster.start));
    done = cluster.end;
    const [a, b] = [textIn(old, sides.before, cluster), textIn(old, sides.current, cluster)];
    const chosen = b === undefined ? a : a === undefined ? b : preferred === "current" ? b : a;
    if (chosen !== undefined) result.push(chosen);
  }
  return [...result, ...old.slice(done)].join("");
}

function overlap(one: { start: number; end: number }, other: { start: number; end: number }): boolean {
  const isPoint = one.start === one.end && other.start === other.end;
  return isPoint ? one.start === other.start : one.start < other.end && other.start < one.end;
}

/** What one side makes of these lines; undefined where it leaves them. */
function textIn(old: readonly string[], parts: readonly Part[], cluster: { start: number; end: number }) {
  const own = parts.filter(
    (part) =>
      part.start >= cluster.start &&
      part.end <= cluster.end &&
      (cluster.start === cluster.end
        ? part.start === part.end
        : part.start < part.end || (part.start > cluster.start && part.start < cluster.end)),
  );
  if (own.length === 0) return undefined;
  const result: string[] = [];
  let at = cluster.start;
  for (const { start, end, lines } of own) {
    result.push(...old.slice(at, start), ...lines);
    at = end;
  }
  return [...result, ...old.slice(at, cluster.end)].join("");
}

function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/).filter((line) => line !== "");
}

function partsOf(old: readonly string[], now: readonly string[]): Part[] {
  const table = Array.from({ length: old.length + 1 }, () => new Array<number>(now.length + 1).fill(0));
  const at = (i: number, j: number) => table[i]?.[j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      const row = table[i];
      if (row) row[j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const parts: Part[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      i += 1;
      j += 1;
      continue;
    }
    const part: Part = { start: i, end: i, lines: [] };
    while ((i < old.length || j < now.length) && !(i < old.length && j < now.length && old[i] === now[j])) {
      if (j < now.length && (i === old.length || at(i, j + 1) >= at(i + 1, j))) part.lines.push(now[j++] ?? "");
      else i += 1;
    }
    part.end = i;
    parts.push(part);
  }
  return parts;
}
