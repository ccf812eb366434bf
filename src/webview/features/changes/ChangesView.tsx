// Long because it is one view, whose groups, rows and buttons share what is selected and open.
import { type Signal, useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { tokensText } from "../../text/format.ts";
import { visible } from "../../text/visible.ts";
import { Button, IconButton, LinkButton } from "../../ui/Buttons.tsx";
import { ChangeKind, DiffLines, LineCounts } from "../../ui/DiffLines.tsx";
import { FoldHead } from "../../ui/FoldHead.tsx";
import { TextField } from "../../ui/TextFields.tsx";
import {
  type Change,
  type ChangeGroup,
  changesSince,
  groupByAgent,
  groupByFile,
  keepable,
  lineCounts,
  readBySeveral,
  type SharedFile,
  undoable,
} from "./changesOfRun.ts";
import { commitMessage, countText, stateTexts, summaryText } from "./changesText.ts";
import { createWorkModel, type WorkModel, type WorkModelOptions } from "./workModel.ts";

/** All that agents changed in a run, with who changed it, why, and what became of it. */
export function ChangesView(options: WorkModelOptions) {
  const model = useMemo(() => createWorkModel(options), []);
  const view = useRef<HTMLElement>(null);
  const tree = model.tree.value;
  const start = model.isWholeChat.value ? 0 : model.runStart.value;
  const changes = changesSince(tree, model.host.value, start);
  const groups = model.isByAgent.value ? groupByAgent(tree, changes) : groupByFile(changes);

  useEffect(() => view.current?.querySelector<HTMLElement>("button")?.focus(), []);
  useEffect(() => model.followSelection(), []);

  function onKeyDown(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === "Escape") model.close();
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") moveFocus(view.current, event);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <section class="changes" aria-label={t("Changes")} ref={view} onKeyDown={onKeyDown}>
      <div class="changes-bar">
        <div class="changes-modes">
          <Toggle label={t("By file")} isOn={!model.isByAgent.value} set={() => set(model.isByAgent, false)} />
          <Toggle label={t("By agent")} isOn={model.isByAgent.value} set={() => set(model.isByAgent, true)} />
          <Toggle
            label={t("All runs")}
            isOn={model.isWholeChat.value}
            set={() => set(model.isWholeChat, !model.isWholeChat.peek())}
          />
        </div>
        <IconButton icon="close" label={t("Close changes")} onClick={model.close} />
      </div>
      {changes.length === 0 && <p class="hint">{t("No agent has changed a file in this run.")}</p>}
      {changes.length > 0 && <WholeRun changes={changes} model={model} />}
      <div class="changes-list">
        {groups.map((group) => (
          <Group key={group.key} group={group} model={model} />
        ))}
        <ReadBySeveral files={readBySeveral(tree, model.host.value, start)} model={model} />
      </div>
    </section>
  );
}

function set<Value>(to: Signal<Value>, value: Value): void {
  to.value = value;
}

function Toggle({ label, isOn, set: change }: { label: string; isOn: boolean; set(): void }) {
  return (
    <button type="button" class="link changes-mode" aria-pressed={isOn} onClick={change}>
      {label}
    </button>
  );
}

/** From one line of the list to the next one. */
function moveFocus(view: HTMLElement | null, { key }: KeyboardEvent): void {
  const heads = [...(view?.querySelectorAll<HTMLElement>(".fold-head") ?? [])];
  const at = heads.findIndex((head) => head.parentElement?.contains(document.activeElement));
  const next = key === "ArrowDown" ? at + 1 : Math.max(0, at - 1);
  heads[Math.min(next, heads.length - 1)]?.focus();
}

/** What is done with all of them. */
function WholeRun({ changes, model }: { changes: readonly Change[]; model: WorkModel }) {
  const { post, title, plan } = model;
  const reason = useSignal<string | undefined>(undefined);
  const keep = keepable(changes);
  const undo = undoable(changes);
  return (
    <div class="changes-whole">
      <p>
        {countText(changes)} <LineCounts {...lineCounts(changes)} />
      </p>
      <div class="buttons">
        {undo.length > 0 && (
          <Button onClick={() => post({ type: "diffHunks", hunkIds: undo })}>{t("Open diff")}</Button>
        )}
        {keep.length > 0 && <Button onClick={() => post({ type: "keepHunks", hunkIds: keep })}>{t("Keep")}</Button>}
        {undo.length > 0 && (
          <>
            <Button onClick={() => post({ type: "undoHunks", hunkIds: undo })}>{t("Undo")}</Button>
            <UndoWithReason label={t("Undo and tell the agent why")} reason={reason} />
          </>
        )}
        <Button onClick={() => post({ type: "copy", text: summaryText(title.peek(), changes) })}>
          {t("Copy summary")}
        </Button>
        <Button
          title={t("Copy a message from the plan and the files")}
          onClick={() => post({ type: "copy", text: commitMessage(title.peek(), plan.peek(), changes) })}
        >
          {t("Commit message")}
        </Button>
        <IconButton
          icon="sparkle"
          label={t("Ask for a commit message")}
          onClick={() => {
            model.close();
            model.compose(t("Write a commit message for the changes of this run. Change nothing."));
          }}
        />
      </div>
      <UndoReason reason={reason} hunkIds={undo} post={post} />
    </div>
  );
}

function Group({ group, model }: { group: ChangeGroup; model: WorkModel }) {
  const isOpen = useSignal(true);
  const { label, detail, agentId, changes, branch } = group;
  const shown = visible(label);
  return (
    <section class="change-group" aria-label={shown}>
      <div class="change-line">
        <FoldHead isOpen={isOpen}>
          <span class="file-name">{shown}</span>
          <span class="file-folder">{visible(detail)}</span>
          <LineCounts {...lineCounts(changes)} />
        </FoldHead>
        <Actions of={shown} changes={changes} model={model} />
      </div>
      {isOpen.value && agentId !== undefined && (
        <p class="change-agent">
          <LinkButton onClick={() => model.select(agentId)}>{t("Open {0}", shown)}</LinkButton>
          <button type="button" class="link" onClick={() => model.post({ type: "undoBranch", agentId })}>
            {t("Undo this branch's changes")}
          </button>
          {branch !== undefined && (
            <span class="change-branch">
              {t("with its agents:")} <LineCounts {...lineCounts(branch)} />
              <Actions of={t("the branch of {0}", shown)} changes={branch} model={model} />
            </span>
          )}
        </p>
      )}
      {isOpen.value && (
        <ul>
          {changes.map((change) => (
            <ChangeRow key={change.key} change={change} isByAgent={agentId !== undefined} model={model} />
          ))}
        </ul>
      )}
    </section>
  );
}

/** Each of them paid for the same file. */
function ReadBySeveral({ files, model }: { files: readonly SharedFile[]; model: WorkModel }) {
  const isOpen = useSignal(true);
  if (files.length === 0) return null;
  return (
    <section class="change-group read-by-several" aria-label={t("Read by several")}>
      <div class="change-line">
        <FoldHead isOpen={isOpen}>
          <span class="file-name">{t("Read by several")}</span>
          <span class="file-folder">{tokensText(files.reduce((sum, { tokens }) => sum + tokens, 0))}</span>
        </FoldHead>
      </div>
      {isOpen.value && (
        <ul>
          {files.map(({ path, agents, tokens }) => (
            <li key={path}>
              <p class="change-agent">
                <LinkButton onClick={() => model.post({ type: "openFile", path })}>{visible(path)}</LinkButton>
                <span>{tokensText(tokens)}</span>
              </p>
              <p class="change-reason">{agents.map(visible).join(", ")}</p>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface ChangeRowProps {
  change: Change;
  isByAgent: boolean;
  model: WorkModel;
}

function ChangeRow({ change, isByAgent, model }: ChangeRowProps) {
  const isOpen = useSignal(false);
  const { path, line, agent, state, reason, oldLines, newLines, moved } = change;
  const name = t("{0}, line {1}", visible(path), line);
  const from = state === "proposed" ? undefined : moved;
  return (
    <li data-state={state}>
      <div class="change-line">
        <FoldHead isOpen={isOpen}>
          <span class="change-where">{isByAgent ? name : t("Line {0}", line)}</span>
          {!isByAgent && <span class="file-folder">{visible(agent)}</span>}
          {from === undefined ? (
            <ChangeKind change={change.change} movedTo={moved} />
          ) : (
            <span class="file-kind moved" title={visible(from)}>
              {t("moved from {0}", visible(from))}
            </span>
          )}
          <LineCounts {...change} />
          <span class="change-state">{stateTexts[state]}</span>
        </FoldHead>
        <Actions of={name} changes={[change]} model={model} />
      </div>
      {reason !== undefined && <p class="change-reason">{visible(reason)}</p>}
      {isOpen.value && (
        <>
          <p class="change-agent">
            <LinkButton onClick={() => model.post({ type: "openFile", path, line: Math.max(1, line) })}>
              {t("Open {0}", visible(path))}
            </LinkButton>
            <LinkButton onClick={() => model.select(change.agentId)}>{t("Open {0}", visible(agent))}</LinkButton>
          </p>
          {oldLines !== undefined && newLines !== undefined && <DiffLines oldLines={oldLines} newLines={newLines} />}
        </>
      )}
    </li>
  );
}

interface ActionsProps {
  /** What the names of the buttons end with. */
  of: string;
  changes: readonly Change[];
  model: WorkModel;
}

function Actions({ of, changes, model: { post } }: ActionsProps) {
  const reason = useSignal<string | undefined>(undefined);
  const keep = keepable(changes);
  const undo = undoable(changes);
  const approval = changes.find(({ approvalId }) => approvalId !== undefined);

  function openDiff(): void {
    if (undo.length > 0) post({ type: "diffHunks", hunkIds: undo });
    else if (approval?.approvalId !== undefined) {
      post({ type: "openDiff", approvalId: approval.approvalId, path: approval.path });
    }
  }

  return (
    <>
      <span class="change-actions">
        {(undo.length > 0 || approval !== undefined) && (
          <IconButton icon="diff" label={t("Open diff of {0}", of)} onClick={openDiff} />
        )}
        {keep.length > 0 && (
          <IconButton
            icon="check"
            label={t("Keep {0}", of)}
            onClick={() => post({ type: "keepHunks", hunkIds: keep })}
          />
        )}
        {undo.length > 0 && (
          <>
            <IconButton
              icon="discard"
              label={t("Undo {0}", of)}
              onClick={() => post({ type: "undoHunks", hunkIds: undo })}
            />
            <UndoWithReason label={t("Undo and tell the agent why: {0}", of)} reason={reason} />
          </>
        )}
      </span>
      <UndoReason reason={reason} hunkIds={undo} post={post} />
    </>
  );
}

/** While it is undefined there is no field for it. */
type Reason = Signal<string | undefined>;

function UndoWithReason({ label, reason }: { label: string; reason: Reason }) {
  return (
    <IconButton
      icon="comment"
      label={label}
      isExpanded={reason.value !== undefined}
      onClick={() => set(reason, reason.peek() === undefined ? "" : undefined)}
    />
  );
}

interface UndoReasonProps {
  reason: Reason;
  hunkIds: string[];
  post: WorkModel["post"];
}

function UndoReason({ reason, hunkIds, post }: UndoReasonProps) {
  if (reason.value === undefined) return null;

  function onKeyDown(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === "Enter") send();
    else if (event.key === "Escape") reason.value = undefined;
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function send(): void {
    const text = reason.peek()?.trim() ?? "";
    if (text !== "") post({ type: "undoHunks", hunkIds, reason: text });
    reason.value = undefined;
  }

  return (
    <span class="change-why">
      <TextField
        label={t("Why undo?")}
        placeholder={t("What should be different?")}
        value={reason.value}
        isFocused
        onInput={(value) => set(reason, value)}
        onKeyDown={onKeyDown}
      />
      <Button isUnavailable={reason.value.trim() === ""} onClick={send}>
        {t("Undo")}
      </Button>
    </span>
  );
}
