import { t } from "@vscode/l10n";
import type { QueuedMessage } from "../../../protocol/hostEvents.ts";
import type { Intent } from "../../../protocol/messages.ts";
import { agentTitle } from "../../model/agents.ts";
import type { ChatModel } from "../../model/chatModel.ts";
import { plural } from "../../text/format.ts";
import { visible } from "../../text/visible.ts";
import { IconButton } from "../../ui/Buttons.tsx";
import { Icon } from "../../ui/Icon.tsx";

export interface QueueProps {
  messages: readonly QueuedMessage[];
  isRunning: boolean;
  /** Ids of the agents that the root agent waits for. */
  awaited: readonly string[];
  agent: ChatModel["agent"];
  post(intent: Intent): void;
}

/** Messages that wait for the run: steering ones for the next turn, the others for its end. */
export function Queue({ messages, isRunning, awaited, agent, post }: QueueProps) {
  return (
    <section class="queue" aria-label={t("Queue")}>
      <ul>
        {messages.map((message) => (
          <li key={message.id} class={message.kind === "steering" && isRunning ? "queued steering" : "queued"}>
            <Icon name={message.kind === "steering" ? "compass" : "clock"} />
            <span class="queued-kind">
              {message.kind === "steering" && isRunning
                ? sendsWhen(message.to === undefined ? awaited.length : 0)
                : message.kind === "held"
                  ? t("Not sent yet")
                  : t("Queued")}
            </span>
            <span class="queued-rest">
              <span class="queued-text" title={message.text}>
                {message.to !== undefined && <strong>{receiverOf(message, agent)}</strong>} {message.text}
              </span>
              {message.attachmentCount !== undefined && (
                <span class="queued-attachments" title={t("{0} attached", message.attachmentCount)}>
                  <Icon name="attach" />
                  {message.attachmentCount}
                </span>
              )}
              {message.kind === "steering" && message.to === undefined && isRunning && awaited.length > 0 && (
                <IconButton
                  icon="debug-stop"
                  label={t("Interrupt")}
                  title={t("Interrupt: stops these agents, so that the message is read now")}
                  onClick={() => {
                    for (const agentId of awaited) post({ type: "stop", agentId });
                  }}
                />
              )}
              {message.kind !== "held" && (message.kind === "followUp" || !isRunning) && (
                <IconButton
                  icon={isRunning ? "compass" : "send"}
                  label={t("Send now")}
                  title={isRunning ? t("Send now, after the agent's current tools") : t("Send now")}
                  onClick={() => post({ type: "sendQueued", messageId: message.id })}
                />
              )}
              {message.kind !== "held" && message.to === undefined && (
                <IconButton
                  icon="edit"
                  label={t("Edit")}
                  title={t("Edit in the composer")}
                  onClick={() => post({ type: "editQueued", messageId: message.id })}
                />
              )}
              {message.kind !== "held" && (
                <IconButton
                  icon="close"
                  label={t("Remove")}
                  title={t("Remove from the queue")}
                  onClick={() => post({ type: "removeQueued", messageId: message.id })}
                />
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** When a message is read that is sent while the agent is at work. */
function sendsWhen(awaited: number): string {
  if (awaited === 0) return t("Sends after current tools");
  return plural(awaited, t("Sends when its agent returns"), t("Sends when its {0} agents return", awaited));
}

/** The sub-agent that a message is for, as its row names it. */
function receiverOf({ to = "", agentId = "" }: QueuedMessage, agent: ChatModel["agent"]): string {
  const node = agent(agentId);
  return node === undefined ? visible(to) : agentTitle(node.meta);
}
