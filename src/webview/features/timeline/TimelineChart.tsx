// Long because it is one chart: its lanes, its time and its keys work on the same few values.
import { type ReadonlySignal, useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { agentTitle } from "../../model/agents.ts";
import { formatDuration } from "../../text/format.ts";
import type { PanelTiming } from "../../timing.ts";
import { IconButton } from "../../ui/Buttons.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { barTexts, kindTexts, pathText } from "./barText.ts";
import { criticalPath } from "./criticalPath.ts";
import { barAt, barBeside, drawTimeline, gridStep, laneHeight, laneRows, timeAt } from "./layout.ts";
import { TimelineTable } from "./TimelineTable.tsx";
import { type Bar, barKinds, type Timeline } from "./timelineFold.ts";

interface TimelineChartProps {
  timeline: Timeline;
  /** Rises with what is added to the timeline. */
  version: ReadonlySignal<number>;
  /** What happened until then is shown: the end of the timeline, or the time as long as a run goes on. */
  until(): number;
  isLive: boolean;
  timing: PanelTiming;
  selectedId: string | undefined;
  /** Shows the agent, and where in its transcript this was. */
  select(agentId: string, moment: string | undefined): void;
  /** Beside the buttons. */
  openInEditor?(): void;
}

/** The picture follows the clock while agents work. */
const liveMs = 250;
const zoomStep = 1.5;

type TimeView = Parameters<typeof timeAt>[1];
type LaneRow = ReturnType<typeof laneRows>[number];

/** What agents did when, one lane for each. Arrow keys go from bar to bar and from lane to lane. */
export function TimelineChart(props: TimelineChartProps) {
  const { timeline, timing, isLive, select } = props;
  const version = props.version.value;
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const folded = useSignal<ReadonlySet<string>>(new Set());
  const range = useSignal<{ from: number; to: number } | undefined>(undefined);
  const focused = useSignal<Bar | undefined>(undefined);
  const hovered = useSignal<{ bar: Bar; x: number; y: number } | undefined>(undefined);
  const isTable = useSignal(false);
  const tick = useSignal(0);
  const size = useSignal({ width: 0, height: 0, scrollTop: 0 });

  useEffect(() => {
    if (!isLive) return undefined;
    let cancel = timing.later(step, liveMs);
    function step(): void {
      tick.value++;
      cancel = timing.later(step, liveMs);
    }
    return () => cancel();
  }, [isLive]);

  tick.value;
  const until = props.until();
  const start = timeline.start;
  const whole = { start, end: Math.max(until, start + 1) };
  const rows = useMemo(() => laneRows(timeline.roots, folded.value, until), [version, folded.value, until]);
  const run = timeline.runs.findLast((each) => each.start <= until);
  const path = useMemo(() => (run === undefined ? [] : criticalPath(run, until)), [version, until]);
  const { width, scrollTop } = size.value;
  const height = Math.min(size.value.height, rows.length * laneHeight);
  const view: TimeView = { from: whole.start, to: whole.end, ...range.value, width, until };

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const measure = () => {
      const next = {
        width: canvas.current?.parentElement?.clientWidth ?? 0,
        height: element.clientHeight,
        scrollTop: element.scrollTop,
      };
      const known = size.peek();
      if (next.width !== known.width || next.height !== known.height || next.scrollTop !== known.scrollTop) {
        size.value = next;
      }
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener("scroll", measure);
    // Another theme has other colours.
    const themes = new MutationObserver(() => {
      tick.value++;
    });
    themes.observe(document.body, { attributes: true });
    measure();
    return () => {
      observer.disconnect();
      themes.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, [isTable.value]);

  useLayoutEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (element === null || context === null || context === undefined || width === 0) return;
    const scale = window.devicePixelRatio || 1;
    const [pixelWidth, pixelHeight] = [Math.round(width * scale), Math.round(height * scale)];
    if (element.width !== pixelWidth || element.height !== pixelHeight) {
      element.width = pixelWidth;
      element.height = pixelHeight;
      element.style.width = `${width}px`;
      element.style.height = `${height}px`;
    }
    context.setTransform(scale, 0, 0, scale, 0, 0);
    const began = performance.now();
    const bars = drawTimeline(context, { rows, view, path, focused: focused.value, scrollTop, height });
    element.dataset.bars = String(bars);
    element.dataset.drawMs = (performance.now() - began).toFixed(1);
  });

  /** Undefined: all of it. */
  function show(next: { from: number; to: number } | undefined): void {
    range.value = next === undefined || next.to - next.from >= whole.end - whole.start ? undefined : next;
  }

  const zoom = (factor: number, x = width / 2) => show(zoomed(view, factor, x, whole));
  const pan = (byMs: number) => show(moved(view, byMs, whole));
  const open = (bar: Bar) => select(bar.agentId, bar.moment);

  function focus(row: LaneRow | undefined, bar: Bar | undefined): void {
    if (row === undefined || bar === undefined) return;
    focused.value = bar;
    const top = rows.indexOf(row) * laneHeight;
    const element = scroller.current;
    if (element !== null && (top < scrollTop || top + laneHeight > scrollTop + height)) {
      element.scrollTop = Math.max(0, top - height / 2);
    }
    const length = view.to - view.from;
    if (bar.start < view.from || bar.start > view.to) show(moved(view, bar.start - length / 2 - view.from, whole));
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!act(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  function act(key: string): boolean {
    const bar = focused.peek();
    const at = Math.max(
      0,
      rows.findIndex(({ lane }) => lane.meta.id === (bar?.agentId ?? props.selectedId)),
    );
    const row = rows[at];
    if (row === undefined) return false;
    switch (key) {
      case "ArrowRight":
      case "ArrowLeft":
        if (bar === undefined) focus(row, barBeside(row.lane, view.from, 1, until));
        else focus(row, barBeside(row.lane, bar, key === "ArrowRight" ? 1 : -1, until));
        return true;
      case "ArrowDown":
      case "ArrowUp": {
        const step = key === "ArrowDown" ? 1 : -1;
        const time = bar?.start ?? view.from;
        // A lane in which nothing happened has nothing to be on.
        for (let index = at + (bar === undefined ? 0 : step); rows[index] !== undefined; index += step) {
          const next = rows[index];
          const nearest = next && barBeside(next.lane, time, 1, until);
          if (nearest === undefined) continue;
          focus(next, nearest);
          break;
        }
        return true;
      }
      case "Home":
      case "End":
        focus(row, barBeside(row.lane, key === "Home" ? whole.start : whole.end, 1, until));
        return true;
      case "+":
      case "=":
        zoom(zoomStep, bar === undefined ? width / 2 : xOfFocus(bar));
        return true;
      case "-":
        zoom(1 / zoomStep, bar === undefined ? width / 2 : xOfFocus(bar));
        return true;
      case "0":
        show(undefined);
        return true;
      case " ":
        toggle(row);
        return true;
      case "Enter":
        if (bar !== undefined) open(bar);
        return bar !== undefined;
      default:
        return false;
    }
  }

  function xOfFocus(bar: Bar): number {
    return Math.max(0, Math.min(width, ((bar.start - view.from) / (view.to - view.from)) * width));
  }

  function toggle({ lane }: LaneRow): void {
    if (lane.children.length === 0) return;
    const next = new Set(folded.peek());
    if (!next.delete(lane.meta.id)) next.add(lane.meta.id);
    folded.value = next;
  }

  function barUnder(event: MouseEvent): Bar | undefined {
    const box = canvas.current?.getBoundingClientRect();
    if (box === undefined) return undefined;
    const row = rows[Math.floor((event.clientY - box.top + scrollTop) / laneHeight)];
    const slackMs = ((view.to - view.from) / Math.max(1, width)) * 2;
    return row && barAt(row.lane, timeAt(event.clientX - box.left, view), slackMs, until);
  }

  function onWheel(event: WheelEvent): void {
    const box = canvas.current?.getBoundingClientRect();
    const byPx = event.shiftKey ? event.deltaY : event.deltaX;
    if (event.ctrlKey) zoom(event.deltaY < 0 ? zoomStep : 1 / zoomStep, event.clientX - (box?.left ?? 0));
    else if (byPx !== 0) pan((byPx / Math.max(1, width)) * (view.to - view.from));
    else return;
    event.preventDefault();
  }

  function sentence(bar: Bar): string {
    const { agent, what, duration, after } = barTexts(timeline.lanes.get(bar.agentId), bar, { start, until });
    return [agent, what, duration, t("after {0}", after)].join(", ");
  }

  const hasTimes = timeline.end > 0;
  return (
    <section class="timeline" aria-label={t("Timeline")}>
      <div class="timeline-bar">
        <p class="timeline-path">{pathText(path)}</p>
        <span class="timeline-buttons">
          <IconButton icon="zoom-in" label={t("Zoom in")} title={t("Zoom in (+)")} onClick={() => zoom(zoomStep)} />
          <IconButton
            icon="zoom-out"
            label={t("Zoom out")}
            title={t("Zoom out (−)")}
            isDisabled={range.value === undefined}
            onClick={() => zoom(1 / zoomStep)}
          />
          <IconButton
            icon="screen-full"
            label={t("Show all")}
            title={t("Show all (0)")}
            isDisabled={range.value === undefined}
            onClick={() => show(undefined)}
          />
          <button
            type="button"
            class="link"
            aria-pressed={isTable.value}
            onClick={() => {
              isTable.value = !isTable.peek();
            }}
          >
            {t("Table")}
          </button>
          {props.openInEditor !== undefined && (
            <IconButton icon="link-external" label={t("Open timeline in editor")} onClick={props.openInEditor} />
          )}
        </span>
      </div>
      {!hasTimes && <p class="hint">{t("This chat has no times: it was written by an old version.")}</p>}
      {isTable.value ? (
        <TimelineTable timeline={timeline} version={version} until={until} open={open} />
      ) : (
        <>
          <div class="timeline-scroller" ref={scroller}>
            <div class="timeline-lanes">
              {rows.map((row) => (
                <LaneName
                  key={row.lane.meta.id}
                  row={row}
                  isSelected={row.lane.meta.id === props.selectedId}
                  toggle={() => toggle(row)}
                  select={() => select(row.lane.meta.id, undefined)}
                />
              ))}
            </div>
            <div
              class="timeline-times"
              role="application"
              aria-label={t("Timeline chart")}
              aria-description={t(
                "Arrow keys move between bars and lanes, plus and minus zoom, Enter shows the moment.",
              )}
              // biome-ignore lint/a11y/noNoninteractiveTabindex: its bars are reached by the arrow keys.
              tabIndex={0}
              onKeyDown={onKeyDown}
              onWheel={onWheel}
              onPointerMove={(event) => {
                const bar = barUnder(event);
                hovered.value = bar && { bar, x: event.clientX, y: event.clientY };
              }}
              onPointerLeave={() => {
                hovered.value = undefined;
              }}
              onClick={(event) => {
                const bar = barUnder(event);
                if (bar === undefined) return;
                focused.value = bar;
                open(bar);
              }}
            >
              <canvas ref={canvas} />
              {hovered.value !== undefined && <Tip at={hovered.value}>{sentence(hovered.value.bar)}</Tip>}
            </div>
          </div>
          <TimeScale view={view} start={start} />
          <ul class="timeline-legend" aria-label={t("Kinds of bars")}>
            {barKinds.map((kind) => (
              <li key={kind} data-kind={kind}>
                {kindTexts[kind]}
              </li>
            ))}
            <li data-kind="failed">{t("Failed")}</li>
            <li data-kind="path">{t("Critical path")}</li>
          </ul>
        </>
      )}
      <div class="hidden-words" role="status" aria-label={t("Bar")}>
        {focused.value !== undefined ? sentence(focused.value) : ""}
      </div>
    </section>
  );
}

interface LaneNameProps {
  row: LaneRow;
  isSelected: boolean;
  toggle(): void;
  select(): void;
}

function LaneName({ row: { lane, level, isFolded }, isSelected, toggle, select }: LaneNameProps) {
  const title = agentTitle(lane.meta);
  return (
    <div class={`timeline-lane indent-${Math.min(level, 8)}`} data-selected={isSelected}>
      {lane.children.length > 0 ? (
        <button
          type="button"
          class="icon-button"
          aria-label={isFolded ? t("Unfold {0}", title) : t("Fold {0}", title)}
          aria-expanded={!isFolded}
          onClick={toggle}
        >
          <Icon name={isFolded ? "chevron-right" : "chevron-down"} />
        </button>
      ) : (
        <span class="twistie" />
      )}
      <button type="button" class="timeline-name" onClick={select}>
        {title}
      </button>
    </div>
  );
}

/** Beside the pointer, over all else: a chart of a few lanes has no room for it. */
function Tip({ at, children }: { at: { x: number; y: number }; children: string }) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => element.current?.showPopover(), []);
  useLayoutEffect(() => {
    if (element.current === null) return;
    const { offsetWidth, offsetHeight } = element.current;
    const left = Math.max(0, Math.min(at.x + 8, innerWidth - offsetWidth));
    const below = at.y + laneHeight;
    const top = below + offsetHeight <= innerHeight ? below : Math.max(0, at.y - offsetHeight - 8);
    element.current.style.transform = `translate(${left}px, ${top}px)`;
  });
  return (
    <div class="timeline-tip" popover="manual" aria-hidden="true" ref={element}>
      {children}
    </div>
  );
}

/** Of the scale, about: a label that would be cut off is left out. */
const letterPx = 7;

/** How long after the beginning. */
function TimeScale({ view, start }: { view: TimeView; start: number }) {
  const step = gridStep(view);
  const count = step > 0 ? Math.min(40, Math.floor((view.to - view.from) / step)) : 0;
  const labels = Array.from({ length: count + 1 }, (_, index) => {
    const share = (index * step) / (view.to - view.from);
    return { share, text: formatDuration(view.from - start + index * step) };
  });
  return (
    <div class="timeline-scale" aria-hidden="true">
      {labels
        .filter(({ share, text }) => share * view.width + text.length * letterPx <= view.width)
        .map(({ share, text }) => (
          <span key={share} style={{ left: `${share * 100}%` }}>
            {text}
          </span>
        ))}
    </div>
  );
}

/** The part of the time that `factor` times as much shows, with what is at `x` where it was. */
function zoomed(view: TimeView, factor: number, x: number, whole: { start: number; end: number }) {
  const center = timeAt(x, view);
  const length = Math.max(minShownMs, Math.min((view.to - view.from) / factor, whole.end - whole.start));
  const from = center - (x / Math.max(1, view.width)) * length;
  return moved({ from, to: from + length }, 0, whole);
}

const minShownMs = 20;

function moved(range: { from: number; to: number }, byMs: number, whole: { start: number; end: number }) {
  const length = range.to - range.from;
  const from = Math.max(whole.start, Math.min(range.from + byMs, whole.end - length));
  return { from, to: from + length };
}
