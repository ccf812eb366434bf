import { t } from "@vscode/l10n";
import type { VNode } from "preact";
import { useId } from "preact/hooks";
import type { Timing } from "../../timing.ts";
import { Icon } from "../../ui/Icon.tsx";
import { IconButton } from "../../ui/IconButton.tsx";
import { memo } from "../../ui/memo.tsx";
import { type RetryCountdownProps, useRetryWords } from "../../ui/RetryCountdown.tsx";
import { StatusIcon } from "../../ui/StatusIcon.tsx";
import { RowText } from "./RowText.tsx";
import type { AgentRow } from "./treeRows.ts";

export interface AgentTreeRowProps extends AgentRow {
  isSelected: boolean;
  isTabStop: boolean;
  select(agentId: string): void;
  setExpanded(agentIds: readonly string[], isExpanded: boolean): void;
  stop(agentId: string): void;
  message(agentId: string): void;
  /** Its details are shown. */
  isOpen: boolean;
  /** Opens or closes the details. */
  toggle(agentId: string): void;
  /** How long the work of a root agent takes. */
  time(agentId: string): VNode;
  timing: Timing;
}

const deepestIndent = 8;

export const AgentTreeRow = memo(function AgentTreeRow(props: AgentTreeRowProps) {
  const { id, name, status, isExpanded, isSelected, level } = props;
  // An agent's id may hold what an element's id may not.
  const nameId = useId();
  const factsId = `${nameId}-facts`;
  const isActive = status === "running" || status === "waiting";
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys of its rows.
    <div
      class={`tree-item indent-${Math.min(level, deepestIndent)}`}
      role="treeitem"
      aria-labelledby={`${nameId} ${factsId}`}
      data-agent={id}
      data-status={status}
      data-taken-back={props.isTakenBack}
      aria-description={props.live}
      aria-level={level}
      aria-posinset={props.position}
      aria-setsize={props.siblings}
      aria-expanded={isExpanded}
      aria-selected={isSelected}
      tabIndex={props.isTabStop ? 0 : -1}
      onClick={() => props.select(id)}
    >
      <div class={isActive ? "tree-row active" : "tree-row"}>
        <Twistie isExpanded={isExpanded} toggle={() => props.setExpanded([id], isExpanded !== true)} />
        <StatusIcon status={status} />
        {props.prefix !== "" && (
          <span class="prefix" aria-hidden="true">
            {props.prefix}
          </span>
        )}
        <span class="agent-name" id={nameId}>
          {name}
        </span>
        <span class="hidden-words" id={factsId}>
          {props.facts}
        </span>
        {props.retry === undefined ? (
          <RowText class="live-line" text={props.live} />
        ) : (
          <RetryLine retry={props.retry} timing={props.timing} afterwards={props.live} />
        )}
        {level === 1 && props.time(id)}
        <RowText class="row-cost" text={props.cost} />
        <RowText class="row-tokens" text={props.tokens} />
        <RowActions {...props} isActive={isActive} />
      </div>
    </div>
  );
});

function RetryLine(props: RetryCountdownProps) {
  return <RowText class="live-line" text={useRetryWords(props)} />;
}

function RowActions(props: AgentTreeRowProps & { isActive: boolean }) {
  const { id, name, isTabStop, isOpen } = props;
  return (
    <span class="row-actions">
      {props.isActive && (
        <>
          <IconButton
            icon="comment"
            label={t("Message {0}", name)}
            isSkipped={!isTabStop}
            onClick={stopping(() => props.message(id))}
          />
          <IconButton
            icon="debug-stop"
            label={t("Stop {0}", name)}
            isSkipped={!isTabStop}
            onClick={stopping(() => props.stop(id))}
          />
        </>
      )}
      <IconButton
        icon={isOpen ? "chevron-up" : "info"}
        label={t("Details of {0}", name)}
        title={t("Details of {0} (Alt+Enter)", name)}
        isExpanded={isOpen}
        isSkipped={!isTabStop}
        onClick={stopping(() => props.toggle(id))}
      />
    </span>
  );
}

function Twistie({ isExpanded, toggle }: { isExpanded: boolean | undefined; toggle(): void }) {
  if (isExpanded === undefined) return <span class="twistie" />;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/noStaticElementInteractions: the arrow keys do the same.
    <span class="twistie" onClick={stopping(toggle)}>
      <Icon name={isExpanded ? "chevron-down" : "chevron-right"} />
    </span>
  );
}

/** A click on something in a row is not one on the row. */
function stopping(run: () => void): (event: MouseEvent) => void {
  return (event) => {
    event.stopPropagation();
    run();
  };
}
