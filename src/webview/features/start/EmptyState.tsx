import { t } from "@vscode/l10n";
import type { VNode } from "preact";
import type { Intent, PanelStatus } from "../../../protocol/messages.ts";
import { visible } from "../../text/visible.ts";
import { Button } from "../../ui/Buttons.tsx";
import { Icon } from "../../ui/Icon.tsx";

export interface EmptyStateProps {
  status: PanelStatus | undefined;
  post(intent: Intent): void;
  /** Chats to go back to. */
  recent: VNode;
}

/** Before the first message: what could be done here, and what is missing for it. */
export function EmptyState({ status, post, recent }: EmptyStateProps) {
  if (status === undefined) return null;
  return (
    <div class="empty-state">
      <h2>{t("What should we work on?")}</h2>
      {status.needsSetup ? <Setup post={post} /> : <Offers status={status} post={post} />}
      {recent}
      {!status.folderOpen && (
        <p class="hint">{t("No folder is open: agents can talk, but not read or change files.")}</p>
      )}
    </div>
  );
}

function Setup({ post }: Pick<EmptyStateProps, "post">) {
  return (
    <div class="setup">
      <p>
        <Icon name="info" />
        <span>{t("Connect a model, or try the offline demo.")}</span>
      </p>
      <div class="buttons">
        <Button appearance="primary" onClick={() => post({ type: "noticeAction", action: "setUp" })}>
          {t("Set up")}
        </Button>
        <Button onClick={() => post({ type: "noticeAction", action: "useDemo" })}>{t("Try the demo")}</Button>
      </div>
    </div>
  );
}

function Offers({
  status: { offers = [], folderOpen },
  post,
}: { status: PanelStatus } & Pick<EmptyStateProps, "post">) {
  return (
    <div class="offers">
      {!folderOpen && (
        <Offer icon="folder-opened" onClick={() => post({ type: "noticeAction", action: "openFolder" })}>
          {t("Open a folder")}
        </Offer>
      )}
      {offers.map(({ icon, label, prompt, attachments }) => (
        <Offer
          key={prompt}
          icon={icon}
          onClick={() => post({ type: "send", text: prompt, attachments, whenBusy: "queue" })}
        >
          {visible(label)}
        </Offer>
      ))}
    </div>
  );
}

function Offer({ icon, children, onClick }: { icon: string; children: string; onClick(): void }) {
  return (
    <button type="button" class="offer" onClick={onClick}>
      <Icon name={icon} />
      <span>{children}</span>
    </button>
  );
}
