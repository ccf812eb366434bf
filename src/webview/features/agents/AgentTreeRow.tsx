import { t } from "@vscode/l10n";
import type { VNode } from "preact";
import { useId } from "preact/hooks";
import type { TreeNode } from "../../../agent/types.ts";
import type { PanelTiming } from "../../timing.ts";
import { IconButton } from "../../ui/Buttons.tsx";
import { type RetryCountdown, useElapsed, useRetryText } from "../../ui/durations.ts";
import { Icon } from "../../ui/Icon.tsx";
import { memo } from "../../ui/rendering.ts";
import { StatusIcon } from "../../ui/StatusIcon.tsx";
import type { AgentRow } from "./rows.ts";
import type { TreeModel } from "./treeModel.ts";

export interface AgentTreeRowProps extends AgentRow {
  isSelected: boolean;
  isTabStop: boolean;
  select(agentId: string): void;
  setExpanded(agentIds: readonly string[], isExpanded: boolean): void;
  stop(agentId: string): void;
  pause(agentId: string): void;
  resume(agentId: string): void;
  message(agentId: string): void;
  /** Its details are shown. */
  isOpen: boolean;
  /** Opens or closes the details. */
  toggle(agentId: string): void;
  /** How long its work takes. */
  time(agentId: string): VNode;
  timing: PanelTiming;
}

const maxIndent = 8;

const badgeIcons = { guarded: "shield", asks: "question", sandboxed: "package", unsupervised: "unlock" } as const;

export const AgentTreeRow = memo(function AgentTreeRow(props: AgentTreeRowProps) {
  const { id, name, status, isExpanded, isSelected, level } = props;
  // An agent's id may hold what an element's id may not.
  const nameId = useId();
  const detailsId = `${nameId}-details`;
  const isActive = !props.isGroup && (status === "running" || status === "waiting");
  const toggleFold = () => props.setExpanded([id], isExpanded !== true);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys of its rows.
    <div
      class={`tree-item indent-${Math.min(level, maxIndent)}`}
      role="treeitem"
      aria-labelledby={`${nameId} ${detailsId}`}
      data-agent={id}
      data-status={status}
      data-halted={props.halt !== undefined}
      data-undone={props.isUndone}
      data-collides={props.collides}
      data-mark={props.mark}
      data-group={props.isGroup}
      aria-description={props.live}
      aria-level={level}
      aria-posinset={props.position}
      aria-setsize={props.siblings}
      aria-expanded={isExpanded}
      aria-selected={isSelected}
      tabIndex={props.isTabStop ? 0 : -1}
      onClick={() => (props.isGroup ? toggleFold() : props.select(id))}
    >
      <div class={isActive ? "tree-row active" : "tree-row"}>
        <Twistie isExpanded={isExpanded} toggle={toggleFold} />
        <StatusIcon status={status} {...(props.halt !== undefined && { title: props.halt })} />
        {props.collides && <Icon name="warning" class="collision" />}
        {props.badge !== undefined && (
          <span class="row-badge" title={props.badge.text} data-supervision={props.badge.supervision}>
            <Icon name={badgeIcons[props.badge.supervision]} />
          </span>
        )}
        {props.prefix !== "" && (
          <span class="prefix" aria-hidden="true">
            {props.prefix}
          </span>
        )}
        <span class="agent-name" data-color={props.color} id={nameId}>
          {name}
          {props.tag !== "" && <span class="hidden-words">,</span>}
        </span>
        {props.tag !== "" && <RowText class="row-tag" text={props.tag} />}
        <span class="hidden-words" id={detailsId}>
          {props.nameDetails}
        </span>
        {props.retry === undefined ? (
          <RowText class="live-line" text={props.live} />
        ) : (
          <RetryLine retry={props.retry} timing={props.timing} afterwards={props.live} />
        )}
        {!props.isGroup && props.time(id)}
        <RowText class="row-context" text={props.context} />
        <RowText class="row-budget" text={props.budget} />
        <RowText class="row-cost" text={props.cost} />
        {!props.isGroup && <RowActions {...props} isActive={isActive} />}
      </div>
    </div>
  );
});

function RetryLine(props: RetryCountdown) {
  return <RowText class="live-line" text={useRetryText(props)} />;
}

function RowActions(props: AgentTreeRowProps & { isActive: boolean }) {
  const { id, name, isTabStop, isOpen } = props;
  const agent = props.tag === "" ? name : props.tag;
  return (
    <span class="row-actions">
      {props.isActive && (
        <>
          <IconButton
            icon="comment"
            label={t("Message {0}", agent)}
            isSkipped={!isTabStop}
            onClick={stopping(() => props.message(id))}
          />
          <IconButton
            class="pause-branch"
            icon={props.isPaused ? "debug-continue" : "debug-pause"}
            label={props.isPaused ? t("Resume {0}", agent) : t("Pause {0}", agent)}
            isSkipped={!isTabStop}
            onClick={stopping(() => (props.isPaused ? props.resume(id) : props.pause(id)))}
          />
          <IconButton
            icon="debug-stop"
            label={t("Stop {0}", agent)}
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

/** How long an agent has been at work, in its row. */
export function RowTime({ agentId, model }: { agentId: string; model: TreeModel }) {
  const node = model.node(agentId);
  return node === undefined ? null : <Time node={node} timing={model.timing} />;
}

function Time({ node, timing }: { node: TreeNode; timing: PanelTiming }) {
  return <RowText class="row-time" text={useElapsed(node, timing)} />;
}

interface RowTextProps {
  class: string;
  text: string;
}

/**
 * Text of a row that is not part of its name. The style sheet draws it: what is seen as text in a
 * named element has to be part of its name, too, and there the names of other agents would mislead. As text it is there
 * for whatever reads the page.
 */
function RowText({ class: name, text }: RowTextProps) {
  return (
    <span class={`row-text ${name}`} data-text={text} aria-hidden="true">
      <span class="hidden-words">{text}</span>
    </span>
  );
}
