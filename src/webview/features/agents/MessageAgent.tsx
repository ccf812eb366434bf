import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import { IconButton } from "../../ui/Buttons.tsx";
import { TextField } from "../../ui/TextFields.tsx";

export interface MessageAgentProps {
  name: string;
  send(text: string): void;
  close(): void;
}

/** A line to a running agent, which reads it after its current tools. */
export function MessageAgent({ name, send, close }: MessageAgentProps) {
  const text = useSignal("");

  function submit(): void {
    const typed = text.peek().trim();
    if (typed === "") return;
    send(typed);
    close();
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === "Enter") submit();
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <div class="message-agent">
      <TextField
        label={t("Message {0}…", name)}
        value={text.value}
        isFocused
        onInput={(value) => {
          text.value = value;
        }}
        onKeyDown={onKeyDown}
      />
      <IconButton icon="send" label={t("Send to {0}", name)} isDisabled={text.value.trim() === ""} onClick={submit} />
      <IconButton icon="close" label={t("Cancel")} onClick={close} />
    </div>
  );
}
