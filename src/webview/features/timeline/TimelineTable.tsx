import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import { useMemo } from "preact/hooks";
import { Button } from "../../ui/Buttons.tsx";
import { barTexts } from "./barText.ts";
import { type Bar, barKinds, type Timeline } from "./timelineFold.ts";

const rowsPerPage = 50;

interface TimelineTableProps {
  timeline: Timeline;
  version: number;
  until: number;
  open(bar: Bar): void;
}

/** The same as the chart, as rows: for screen readers, and for who reads rather than looks. */
export function TimelineTable({ timeline, version, until, open }: TimelineTableProps) {
  const page = useSignal(0);
  const bars = useMemo(() => barsOf(timeline), [version]);
  const pages = Math.max(1, Math.ceil(bars.length / rowsPerPage));
  const at = Math.min(page.value, pages - 1);
  const shown = bars.slice(at * rowsPerPage, (at + 1) * rowsPerPage).filter(({ start }) => start <= until);
  return (
    <div class="timeline-table">
      <table aria-label={t("Timeline")} aria-rowcount={bars.length + 1}>
        <thead>
          <tr>
            <th scope="col">{t("After")}</th>
            <th scope="col">{t("Agent")}</th>
            <th scope="col">{t("What")}</th>
            <th scope="col">{t("Duration")}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((bar, index) => {
            const lane = timeline.lanes.get(bar.agentId);
            const { agent, what, duration, after } = barTexts(lane, bar, { start: timeline.start, until });
            return (
              <tr key={at * rowsPerPage + index} aria-rowindex={at * rowsPerPage + index + 2}>
                <td>{after}</td>
                <td>{agent}</td>
                <td>
                  <button type="button" class="link" onClick={() => open(bar)}>
                    {what}
                  </button>
                </td>
                <td>{duration}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {pages > 1 && (
        <p class="timeline-pages">
          <Button isUnavailable={at === 0} onClick={() => turn(-1)}>
            {t("Previous page")}
          </Button>
          <span>{t("Page {0} of {1}", at + 1, pages)}</span>
          <Button isUnavailable={at === pages - 1} onClick={() => turn(1)}>
            {t("Next page")}
          </Button>
        </p>
      )}
    </div>
  );

  function turn(by: number): void {
    page.value = Math.max(0, Math.min(pages - 1, at + by));
  }
}

function barsOf({ lanes }: Timeline): Bar[] {
  const bars = [...lanes.values()].flatMap(({ tracks }) => barKinds.flatMap((kind) => tracks[kind].bars));
  return bars.sort((one, other) => one.start - other.start);
}
