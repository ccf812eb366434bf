import { t } from "@vscode/l10n";
import type { Store } from "../../shell/store.ts";
import { IconButton } from "../../ui/IconButton.tsx";
import { TextArea } from "../../ui/TextArea.tsx";
import { Gauge } from "../gauge/Gauge.tsx";
import { CompletionList } from "./CompletionList.tsx";
import { ComposerChips } from "./ComposerChips.tsx";
import { ComposerHint } from "./ComposerHint.tsx";
import { composerKey } from "./composerKeys.ts";
import { ModelPicker } from "./ModelPicker.tsx";
import { ModePicker } from "./ModePicker.tsx";
import { ThinkingPicker } from "./ThinkingPicker.tsx";
import { transferred } from "./transfer.ts";
import { useCompletion } from "./useCompletion.ts";
import { useDrop } from "./useDrop.ts";

/** Where the user writes. While a run goes on Enter queues and Ctrl+Enter steers. */
export function ComposerBox({ store }: { store: Store }) {
  const { composer, completing, attaching } = store;
  const isRunning = store.isRunning.value;
  const completion = useCompletion(store, () => send("queue"));
  const isDroppedOn = useDrop(attaching.take);

  function send(whenBusy: "queue" | "steer"): void {
    // What is still being read belongs to this message.
    if (attaching.reading.peek() > 0 || !composer.send(whenBusy)) return;
    attaching.forgive();
    completing.follow("", 0);
    store.sentCount.value++;
    // Who reads another agent would see neither these words nor their answer. What is queued is seen anywhere.
    store.showConversation();
  }

  function onKeyDown(event: KeyboardEvent, control: HTMLTextAreaElement): void {
    if (completion.onKey(event)) return;
    const action = composerKey(event, {
      isRunning: store.isRunning.peek(),
      isEmpty: composer.isEmpty,
      isAtStart: control.selectionStart === 0 && control.selectionEnd === 0,
      isAtEnd: control.selectionStart === control.value.length,
    });
    if (action === undefined) return;
    if (action === "older" || action === "newer") {
      if (!composer.recall(action === "older" ? 1 : -1, store.sentTexts())) return;
    } else send(action === "steer" ? "steer" : "queue");
    event.preventDefault();
  }

  function onCaret({ value, selectionStart, selectionEnd }: HTMLTextAreaElement): void {
    if (selectionStart === selectionEnd) completing.follow(value, selectionStart);
    else completing.follow("", 0);
  }

  function onPaste(event: ClipboardEvent): void {
    const given = event.clipboardData === null ? undefined : transferred(event.clipboardData);
    if (given !== undefined && attaching.take(given)) event.preventDefault();
  }

  const isBlank = composer.text.value.trim() === "" && composer.attachments.value.length === 0;
  const list = completing.list.value;
  return (
    <div class="composer-box" data-dropping={isDroppedOn}>
      <ComposerChips store={store} />
      <ComposerHint store={store} />
      <TextArea
        label={t("Ask Agent")}
        placeholder={isRunning ? t("Queue, or Ctrl+Enter to steer") : t("Ask… @ context, / commands")}
        value={composer.text.value}
        focusRequest={store.composerFocus.value}
        listbox={completion.listbox}
        control={completion.control}
        onInput={(value) => {
          attaching.forgive();
          composer.type(value);
        }}
        onKeyDown={onKeyDown}
        onCaret={onCaret}
        onBlur={() => {
          completing.follow("", 0);
          composer.flush();
        }}
        onPaste={onPaste}
      />
      {list !== undefined && (
        <CompletionList list={list} listRef={completion.listRef} point={completing.point} accept={completion.accept} />
      )}
      <div class="composer-bar">
        <ModePicker store={store} />
        <ModelPicker store={store} />
        <ThinkingPicker store={store} />
        <span class="spacer" />
        <Gauge store={store} />
        <IconButton
          icon="send"
          label={t("Send")}
          title={isRunning ? t("Queue (Enter), steer (Ctrl+Enter)") : t("Send (Enter)")}
          class="send"
          isDisabled={isBlank || attaching.reading.value > 0}
          onClick={() => send("queue")}
        />
      </div>
    </div>
  );
}
