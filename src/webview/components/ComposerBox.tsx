import { composerKey } from "../state/composerKeys.ts";
import type { Store } from "../store.ts";
import { IconButton } from "../ui/IconButton.tsx";
import { TextArea } from "../ui/TextArea.tsx";
import { ComposerChips } from "./ComposerChips.tsx";
import { Gauge } from "./Gauge.tsx";
import { ModelPicker } from "./ModelPicker.tsx";
import { ModePicker } from "./ModePicker.tsx";
import { ThinkingPicker } from "./ThinkingPicker.tsx";

/** Where the user writes. While a run goes on Enter queues and Ctrl+Enter steers. */
export function ComposerBox({ store }: { store: Store }) {
  const { composer } = store;
  const isRunning = store.isRunning.value;

  function send(whenBusy: "queue" | "steer"): void {
    if (composer.text.peek().trim() === "") return;
    composer.send(whenBusy);
    store.sentCount.value++;
  }

  function onKeyDown(event: KeyboardEvent, control: HTMLTextAreaElement): void {
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

  const isBlank = composer.text.value.trim() === "";
  return (
    <div class="composer-box">
      <ComposerChips store={store} />
      <TextArea
        label="Ask Agent"
        placeholder={isRunning ? "Queue, or Ctrl+Enter to steer" : "Ask Agent"}
        value={composer.text.value}
        focusRequest={store.composerFocus.value}
        onInput={(value) => composer.type(value)}
        onKeyDown={onKeyDown}
      />
      <div class="composer-bar">
        <ModePicker store={store} />
        <ModelPicker store={store} />
        <ThinkingPicker store={store} />
        <span class="spacer" />
        <Gauge store={store} />
        <IconButton
          icon="send"
          label="Send"
          title={isRunning ? "Queue (Enter), steer (Ctrl+Enter)" : "Send (Enter)"}
          class="send"
          isDisabled={isBlank}
          onClick={() => send("queue")}
        />
      </div>
    </div>
  );
}
