import { t } from "@vscode/l10n";
import type { ComponentChildren } from "preact";
import { visible } from "../../text/visible.ts";
import { IconButton } from "../../ui/Buttons.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { TextArea } from "../../ui/TextArea.tsx";
import { CompletionList } from "./CompletionList.tsx";
import { ComposerChips } from "./ComposerChips.tsx";
import { composerKey } from "./composer.ts";
import type { ComposerModel } from "./composerModel.ts";
import { transferred, useDrop } from "./transfer.ts";
import { useCompletion } from "./useCompletion.ts";

export interface ComposerBoxProps {
  model: ComposerModel;
  /** What is chosen for all messages. */
  pickers: ComponentChildren;
  /** Before the button that sends. */
  children: ComponentChildren;
}

/** Where the user writes. While a run goes on Enter queues and Ctrl+Enter steers. */
export function ComposerBox({ model, pickers, children }: ComposerBoxProps) {
  const { draft, attaching } = model;
  const isDroppedOn = useDrop(attaching.attach);
  const isBlank = draft.text.value.trim() === "" && draft.attachments.value.length === 0;
  return (
    <div class="composer-box" data-dropping={isDroppedOn}>
      <ComposerChips model={model} />
      <ComposerHint model={model} />
      <ComposerText model={model} />
      <div class="composer-bar">
        {pickers}
        <span class="spacer" />
        {children}
        <IconButton
          icon="send"
          label={t("Send")}
          title={model.isRunning.value ? t("Queue (Enter), send now (Ctrl+Enter)") : t("Send (Enter)")}
          class="send"
          isDisabled={isBlank || attaching.reading.value > 0}
          onClick={() => model.send("queue")}
        />
      </div>
    </div>
  );
}

/** The text, and the list that completes it. */
function ComposerText({ model }: { model: ComposerModel }) {
  const { draft, completion, attaching } = model;
  const controls = useCompletion(model);
  const list = completion.list.value;

  function onKeyDown(event: KeyboardEvent, control: HTMLTextAreaElement): void {
    if (controls.onKey(event)) return;
    const action = composerKey(event, {
      isRunning: model.isRunning.peek(),
      isEmpty: draft.isEmpty,
      isAtStart: control.selectionStart === 0 && control.selectionEnd === 0,
      isAtEnd: control.selectionStart === control.value.length,
    });
    if (action === undefined) return;
    if (action === "older" || action === "newer") {
      if (!model.recall(action === "older" ? 1 : -1)) return;
    } else model.send(action === "steer" ? "steer" : "queue");
    event.preventDefault();
  }

  function onCaret({ value, selectionStart, selectionEnd }: HTMLTextAreaElement): void {
    if (selectionStart === selectionEnd) completion.follow(value, selectionStart);
    else completion.follow("", 0);
  }

  function onPaste(event: ClipboardEvent): void {
    const pasted = event.clipboardData === null ? undefined : transferred(event.clipboardData);
    if (pasted !== undefined && attaching.attach(pasted)) event.preventDefault();
  }

  return (
    <>
      <TextArea
        label={t("Ask Agent")}
        placeholder={
          model.isRunning.value ? t("Enter to queue, Ctrl+Enter to send now") : t("Ask… @ context, / commands")
        }
        value={draft.text.value}
        focusRequest={model.focusRequest.value}
        listbox={controls.listbox}
        control={controls.control}
        onInput={(value) => {
          attaching.clearProblem();
          draft.type(value);
        }}
        onKeyDown={onKeyDown}
        onCaret={onCaret}
        onBlur={() => {
          completion.follow("", 0);
          draft.flush();
        }}
        onPaste={onPaste}
      />
      {list !== undefined && (
        <CompletionList list={list} listRef={controls.listRef} point={completion.point} accept={controls.accept} />
      )}
    </>
  );
}

/** One sentence about what can't go with the message, as soon as that is known. */
function ComposerHint({ model }: { model: ComposerModel }) {
  const problem = model.attaching.problem.value ?? imageProblem(model);
  if (problem === undefined) return null;
  return (
    <p class="composer-hint" role="status">
      <Icon name="warning" />
      <span>{problem}</span>
    </p>
  );
}

function imageProblem({ status, draft }: ComposerModel): string | undefined {
  const model = status.value?.model;
  if (model?.images !== false || !draft.attachments.value.some(({ kind }) => kind === "image")) return undefined;
  return t("{0} can't be shown pictures: remove them, or choose another model.", visible(model.label));
}
