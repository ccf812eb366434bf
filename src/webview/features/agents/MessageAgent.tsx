import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import { agentTitle } from "../../model/agents.ts";
import { IconButton } from "../../ui/Buttons.tsx";
import { TextField } from "../../ui/TextFields.tsx";
import type { TreeModel } from "./treeModel.ts";

export interface MessageAgentProps {
  agentId: string;
  model: Pick<TreeModel, "node" | "unsent" | "sendMessage">;
  close(): void;
}

/** A line to a running agent, which reads it after its current tools. */
export function MessageAgent({ agentId, model, close }: MessageAgentProps) {
  const { unsent } = model;
  const text = useSignal(unsent.get(agentId) ?? "");
  const meta = model.node(agentId)?.meta;
  if (meta === undefined) return null;
  const name = agentTitle(meta);

  function leave(): void {
    unsent.delete(agentId);
    close();
  }

  function submit(): void {
    const typed = text.peek().trim();
    if (typed === "") return;
    model.sendMessage(agentId, typed);
    leave();
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === "Enter") submit();
    else if (event.key === "Escape") leave();
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
          unsent.set(agentId, value);
        }}
        onKeyDown={onKeyDown}
      />
      <IconButton icon="send" label={t("Send to {0}", name)} isDisabled={text.value.trim() === ""} onClick={submit} />
      <IconButton icon="close" label={t("Cancel")} onClick={leave} />
    </div>
  );
}
