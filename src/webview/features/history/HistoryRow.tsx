import { t } from "@vscode/l10n";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { HistoryItem } from "../../../protocol/history.ts";
import { formatCost, tokensText } from "../../text/format.ts";
import { visible } from "../../text/visible.ts";
import { IconButton } from "../../ui/Buttons.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { formatAge, stateIcons, stateText } from "./chatLabels.ts";
import type { HistoryModel } from "./history.ts";

export interface HistoryRowProps {
  item: HistoryItem;
  model: HistoryModel;
  /** In the tab order, with its buttons. */
  isCurrent: boolean;
  isRenamed: boolean;
  onFocus(): void;
  onRename(isRenamed: boolean): void;
  onRemove(): void;
}

/** One chat: opened by its title, with the rest of what can be done beside it. */
export function HistoryRow({ item, model, isCurrent, isRenamed, onFocus, onRename, onRemove }: HistoryRowProps) {
  const { id, state } = item;
  const title = visible(item.title === "" ? t("New chat") : item.title);
  const now = model.now();
  const usage = usageTexts(item);
  const isShown = model.shownChatId.value === id;
  const isSkipped = !isCurrent;
  const showFile = () => model.post({ type: "showChatFile", chatId: id });

  return (
    <li class="history-row" data-state={state} data-current={isCurrent} onFocusIn={onFocus}>
      {isRenamed ? (
        <TitleField
          title={item.title}
          onDone={(next) => {
            if (next !== undefined) model.post({ type: "renameChat", chatId: id, title: next });
            onRename(false);
          }}
        />
      ) : (
        <button
          type="button"
          class="history-open"
          aria-current={isShown}
          title={title}
          tabIndex={isCurrent ? 0 : -1}
          onClick={() => (state === "damaged" ? showFile() : model.openChat(id))}
        >
          <Icon name={stateIcons[state]} />
          <span class="history-title">{title}</span>
          <Comma />
          <span class="history-age">{formatAge(item.updatedAt, now)}</span>
          <Comma />
          <span class="history-facts">{[...stateText(state), ...usage].join(" · ")}</span>
        </button>
      )}
      {!isRenamed && (
        <span class="history-actions">
          {state === "damaged" ? (
            <IconButton icon="folder-opened" label={t("Show file")} isSkipped={isSkipped} onClick={showFile} />
          ) : (
            <ChatActions item={item} model={model} isSkipped={isSkipped} onRename={() => onRename(true)} />
          )}
          <IconButton icon="trash" label={t("Delete")} isSkipped={isSkipped} onClick={onRemove} />
        </span>
      )}
    </li>
  );
}

interface ChatActionsProps extends Pick<HistoryRowProps, "item" | "model"> {
  isSkipped: boolean;
  onRename(): void;
}

/** What can be done with a chat that can be read. */
function ChatActions({ item: { id }, model, isSkipped, onRename }: ChatActionsProps) {
  return (
    <>
      <IconButton icon="edit" label={t("Rename")} isSkipped={isSkipped} onClick={onRename} />
      <IconButton
        icon="link-external"
        label={t("Open in editor")}
        isSkipped={isSkipped}
        onClick={() => model.post({ type: "openInEditor", chatId: id })}
      />
      <IconButton
        icon="play-circle"
        label={t("Replay")}
        isSkipped={isSkipped}
        onClick={() => model.post({ type: "replayChat", chatId: id })}
      />
      <IconButton icon="repo-forked" label={t("Fork")} isSkipped={isSkipped} onClick={() => model.fork(id)} />
      <IconButton
        icon="save-as"
        label={t("Export")}
        isSkipped={isSkipped}
        onClick={() => model.post({ type: "exportChat", chatId: id })}
      />
    </>
  );
}

/** Between parts that only their positions separate: what is read out is what is seen. */
function Comma() {
  return <span class="hidden-words">, </span>;
}

/** Tokens and cost; an unknown price is named, never shown as zero. */
function usageTexts({ tokens, cost }: HistoryItem): string[] {
  if (tokens === 0) return [];
  return [tokensText(tokens), (cost === undefined ? undefined : formatCost(cost)) ?? t("no price")];
}

/** Enter and leaving the field rename, Esc does not. */
function TitleField({ title, onDone }: { title: string; onDone(title: string | undefined): void }) {
  const field = useRef<HTMLInputElement>(null);
  const isDone = useRef(false);
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);

  function done(isConfirmed: boolean): void {
    if (isDone.current) return;
    isDone.current = true;
    const next = (field.current?.value ?? "").trim();
    onDone(isConfirmed && next !== "" && next !== title ? next : undefined);
  }

  return (
    <input
      ref={field}
      class="find-field history-rename"
      aria-label={t("Title of the chat")}
      maxLength={200}
      defaultValue={title}
      spellcheck={false}
      onBlur={() => done(true)}
      onKeyDown={(event) => {
        if (event.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
        event.preventDefault();
        event.stopPropagation();
        done(event.key === "Enter");
      }}
    />
  );
}
