import type { PathStep } from "./criticalPath.ts";
import { type Bar, type BarKind, barKinds, endOf, type Lane } from "./timelineFold.ts";

type Track = Lane["tracks"][BarKind];

/** What is shown of the time: milliseconds, and pixels. */
interface TimeView {
  from: number;
  to: number;
  width: number;
  /** What lies behind it has not happened yet. */
  until: number;
}

/** A lane as it is shown, below those it is nested in. */
interface LaneRow {
  lane: Lane;
  level: number;
  isFolded: boolean;
}

/** The lanes from top to bottom, without those that are folded away and those that have not begun. */
export function laneRows(roots: readonly Lane[], folded: ReadonlySet<string>, until: number): LaneRow[] {
  const rows: LaneRow[] = [];
  const add = (lanes: readonly Lane[], level: number): void => {
    for (const lane of lanes) {
      if (lane.start > until) continue;
      const isFolded = folded.has(lane.meta.id);
      rows.push({ lane, level, isFolded });
      // The level ends the walk even if a damaged log made a circle.
      if (!isFolded && level < 100) add(lane.children, level + 1);
    }
  };
  add(roots, 1);
  return rows;
}

/** A rectangle of a lane, in pixels; `bar` is the first of those that it shows. */
interface DrawnBar {
  bar: Bar;
  x: number;
  width: number;
}

function xOf(time: number, { from, to, width }: TimeView): number {
  return to > from ? ((time - from) / (to - from)) * width : 0;
}

export function timeAt(x: number, { from, to, width }: TimeView): number {
  return width > 0 ? from + (x / width) * (to - from) : from;
}

/** Less than any time between two events. */
const momentMs = 0.01;

/** Never more than one for a pixel of the view, however many bars there are. */
export function* drawnBars(track: Track, view: TimeView): Generator<DrawnBar> {
  const { bars } = track;
  const last = track.firstFrom(Math.min(view.to, view.until) + momentMs);
  for (let index = track.nextEndingFrom(0, last, view.from); index < last; ) {
    const bar = bars[index];
    if (bar === undefined) return;
    const x = Math.max(0, xOf(bar.start, view));
    // Those that start within the same pixel are part of it.
    const next = Math.max(index + 1, Math.min(last, track.firstFrom(timeAt(Math.floor(x) + 1, view))));
    const end = Math.min(track.maxEnd(index, next), view.until);
    const right = Math.min(view.width, xOf(Math.max(bar.start, end), view));
    yield { bar, x, width: Math.max(1, right - x) };
    index = track.nextEndingFrom(next, last, view.from);
  }
}

/** What is shown at a place; of several what lies on top, and of those the latest. */
export function barAt({ tracks }: Lane, time: number, slackMs: number, until: number): Bar | undefined {
  for (const kind of barKinds.toReversed()) {
    const track = tracks[kind];
    const before = track.firstFrom(Math.min(until, time + slackMs) + momentMs);
    for (let index = before - 1; index >= Math.max(0, before - 200); index--) {
      const bar = track.bars[index];
      if (bar !== undefined && endOf(bar, until) >= time - slackMs) return bar;
    }
  }
  return undefined;
}

/** The bar of the lane that follows another one, or precedes it, by their starts, whatever kinds they are; or the nearest to a time. */
export function barBeside(lane: Lane, bar: Bar | number, step: 1 | -1, until: number): Bar | undefined {
  if (typeof bar === "number") return nearestBar(lane, bar, until);
  let best: Bar | undefined;
  for (const kind of barKinds) {
    const found = beside(lane, kind, bar, step);
    if (found === undefined || found.start > until) continue;
    if (best === undefined || compareBars(found, best) * step < 0) best = found;
  }
  return best;
}

function beside({ tracks }: Lane, kind: BarKind, bar: Bar, step: 1 | -1): Bar | undefined {
  const { bars, firstFrom } = tracks[kind];
  if (kind === bar.kind) return bars[bars.indexOf(bar, firstFrom(bar.start)) + step];
  for (let index = firstFrom(bar.start) - 1; index < bars.length; index++) {
    const each = bars[index];
    if (each === undefined) continue;
    const order = compareBars(each, bar);
    if (step > 0 && order > 0) return each;
    if (step < 0 && order >= 0) return bars[index - 1];
  }
  return step < 0 ? bars.at(-1) : undefined;
}

function compareBars(one: Bar, other: Bar): number {
  return one.start - other.start || barKinds.indexOf(one.kind) - barKinds.indexOf(other.kind);
}

/** The bar of the lane that is nearest to a time. */
function nearestBar({ tracks }: Lane, time: number, until: number): Bar | undefined {
  let best: Bar | undefined;
  for (const kind of barKinds) {
    const { bars, firstFrom } = tracks[kind];
    const at = firstFrom(time);
    for (const bar of [bars[at - 1], bars[at]]) {
      if (bar === undefined || bar.start > until) continue;
      if (best === undefined || Math.abs(bar.start - time) < Math.abs(best.start - time)) best = bar;
    }
  }
  return best;
}

/** Of a lane, in pixels. */
export const laneHeight = 22;

interface ChartPicture {
  rows: readonly LaneRow[];
  view: TimeView;
  path: readonly PathStep[];
  focused: Bar | undefined;
  /** In pixels. */
  scrollTop: number;
  height: number;
}

type ColoredPicture = ChartPicture & { colors: Colors };
type Colors = Readonly<Record<BarKind | "path" | "focus" | "line" | "failed", string>>;

/** Where a kind is in its lane: what waits is a narrow band below what works, so that it is known without its colour. */
const bands: Readonly<Record<BarKind, { top: number; height: number }>> = {
  agents: { top: 9, height: 4 },
  request: { top: 4, height: 14 },
  tool: { top: 4, height: 14 },
  provider: { top: 13, height: 6 },
  user: { top: 13, height: 6 },
};
const drawingOrder: readonly BarKind[] = ["agents", "request", "tool", "provider", "user"];

/** Draws the lanes that are in view, and returns how many bars that took: never more than a few for a pixel. */
export function drawTimeline(context: CanvasRenderingContext2D, shown: ChartPicture): number {
  const colors = colorsOf(context.canvas);
  const picture = { ...shown, colors };
  const { rows, view, scrollTop, height } = picture;
  context.clearRect(0, 0, view.width, height);
  const first = Math.max(0, Math.floor(scrollTop / laneHeight));
  const behind = Math.min(rows.length, Math.ceil((scrollTop + height) / laneHeight));
  drawGrid(context, picture);
  let drawn = 0;
  for (let index = first; index < behind; index++) {
    const row = rows[index];
    if (row === undefined) continue;
    const top = index * laneHeight - scrollTop;
    for (const kind of drawingOrder) {
      const band = bands[kind];
      for (const { bar, x, width } of drawnBars(row.lane.tracks[kind], view)) {
        context.fillStyle = bar.isFailed ? colors.failed : colors[kind];
        context.fillRect(x, top + band.top, width, band.height);
        drawn++;
      }
    }
  }
  drawPath(context, picture, { first, behind });
  drawFocus(context, picture);
  return drawn;
}

/** At most so many pixels between two lines. */
const gridPx = 80;

export function gridStep({ from, to, width }: TimeView): number {
  const least = ((to - from) / Math.max(1, width)) * gridPx;
  const steps = [100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000];
  return steps.find((step) => step >= least) ?? Math.ceil(least / 3_600_000) * 3_600_000;
}

function drawGrid(context: CanvasRenderingContext2D, { view, height, colors }: ColoredPicture): void {
  const step = gridStep(view);
  if (!(step > 0)) return;
  context.fillStyle = colors.line;
  for (let time = view.from; time <= view.to; time += step) {
    context.fillRect(Math.round(xOf(time, view)), 0, 1, height);
  }
}

/** A line on top of what the run waited for, and from one agent to the next. */
function drawPath(
  context: CanvasRenderingContext2D,
  { rows, view, path, scrollTop, height, colors }: ColoredPicture,
  { first, behind }: { first: number; behind: number },
): void {
  const tops = new Map(rows.map(({ lane }, index) => [lane, index * laneHeight - scrollTop + 1]));
  context.fillStyle = colors.path;
  let lastTop: number | undefined;
  let lastX = Number.NEGATIVE_INFINITY;
  for (const { lane, start, end } of path) {
    // What is folded away is drawn where its branch is.
    let shown: typeof lane | undefined = lane;
    while (shown !== undefined && !tops.has(shown)) shown = shown.parent;
    const top = shown === undefined ? undefined : tops.get(shown);
    const isInView = end >= view.from && start <= view.to && top !== undefined;
    if (isInView) {
      const x = Math.max(0, xOf(start, view));
      const right = Math.min(view.width, xOf(end, view));
      const isOwn = top > -laneHeight && top < height && first < behind;
      // Steps within one pixel of one lane are one.
      if (isOwn && (right - lastX >= 1 || top !== lastTop)) context.fillRect(x, top, Math.max(1, right - x), 2);
      if (lastTop !== undefined && lastTop !== top && right - lastX >= 0) {
        context.fillRect(x, Math.min(top, lastTop), 1, Math.abs(top - lastTop));
      }
      lastX = Math.max(lastX, right);
    }
    lastTop = top ?? lastTop;
  }
}

function drawFocus(
  context: CanvasRenderingContext2D,
  { rows, view, focused, scrollTop, colors }: ColoredPicture,
): void {
  const index = focused === undefined ? -1 : rows.findIndex(({ lane }) => lane.meta.id === focused.agentId);
  if (focused === undefined || index < 0) return;
  const x = xOf(focused.start, view);
  const right = xOf(Math.min(focused.end ?? view.until, view.until), view);
  const { top, height } = bands[focused.kind];
  context.strokeStyle = colors.focus;
  context.lineWidth = 2;
  context.strokeRect(x - 1, index * laneHeight - scrollTop + top - 2, Math.max(2, right - x) + 2, height + 4);
}

/** The colours of the theme, as the style sheet names them. */
function colorsOf(element: Element): Colors {
  const style = getComputedStyle(element);
  const color = (name: string) => style.getPropertyValue(`--timeline-${name}`).trim() || style.color;
  const kinds = Object.fromEntries(barKinds.map((kind) => [kind, color(kind)])) as Record<BarKind, string>;
  return { ...kinds, path: color("path"), focus: color("focus"), line: color("line"), failed: color("failed") };
}
