import { t } from "@vscode/l10n";
import type { Store } from "../../shell/store.ts";
import { visible } from "../../text/visible.ts";
import { Icon } from "../../ui/Icon.tsx";
import { IconButton } from "../../ui/IconButton.tsx";

/** Messages that wait for the run: steering ones for the next turn, the others for its end. */
export function Queue({ store }: { store: Store }) {
  const { queue } = store.hostState.value;
  return (
    <section class="queue" aria-label={t("Queue")}>
      <ul>
        {queue.map((message) => (
          <li key={message.id} class="queued">
            <Icon name={message.kind === "steering" ? "compass" : "clock"} />
            <span class="queued-kind">{message.kind === "steering" ? t("Next turn") : t("Queued")}</span>
            <span class="queued-rest">
              <span class="queued-text" title={message.text}>
                {message.to !== undefined && <strong>{visible(message.to)}</strong>} {message.text}
              </span>
              {message.attachmentCount !== undefined && (
                <span class="queued-attachments" title={t("{0} attached", message.attachmentCount)}>
                  <Icon name="attach" />
                  {message.attachmentCount}
                </span>
              )}
              {message.kind === "followUp" && (
                <IconButton
                  icon="compass"
                  label={t("Send now")}
                  title={t("Send now: the agent hears it after its current tools")}
                  onClick={() => store.post({ type: "sendQueued", messageId: message.id })}
                />
              )}
              {message.to === undefined && (
                <IconButton
                  icon="edit"
                  label={t("Edit")}
                  title={t("Take it back into the composer")}
                  onClick={() => store.post({ type: "editQueued", messageId: message.id })}
                />
              )}
              <IconButton
                icon="close"
                label={t("Remove")}
                title={t("Remove from the queue")}
                onClick={() => store.post({ type: "removeQueued", messageId: message.id })}
              />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
