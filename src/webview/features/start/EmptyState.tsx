import { t } from "@vscode/l10n";
import type { Attachment } from "../../../protocol/hostEvents.ts";
import type { PanelStatus } from "../../../protocol/messages.ts";
import { attachmentLabel } from "../../model/userMessage.ts";
import type { Store } from "../../shell/store.ts";
import { visible } from "../../text/visible.ts";
import { Button } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { RecentChats } from "../history/RecentChats.tsx";

/** Before the first message: what could be done here, and what is missing for it. */
export function EmptyState({ store }: { store: Store }) {
  const status = store.status.value;
  if (status === undefined) return null;
  return (
    <div class="empty-state">
      <h2>{t("What should we work on?")}</h2>
      {status.needsSetup ? <Setup store={store} /> : <Offers status={status} store={store} />}
      <RecentChats store={store} />
      {!status.folderOpen && (
        <p class="hint">{t("No folder is open: agents can talk, but not read or change files.")}</p>
      )}
    </div>
  );
}

function Setup({ store }: { store: Store }) {
  return (
    <div class="setup">
      <p>
        <Icon name="info" />
        <span>{t("No model yet. Set one up, or see everything work with the offline demo.")}</span>
      </p>
      <div class="buttons">
        <Button appearance="primary" onClick={() => store.post({ type: "noticeAction", action: "setUp" })}>
          {t("Set up")}
        </Button>
        <Button onClick={() => store.post({ type: "noticeAction", action: "useDemo" })}>{t("Try the demo")}</Button>
      </div>
    </div>
  );
}

function Offers({ status, store }: { status: PanelStatus; store: Store }) {
  const { activeFile, problemCount, folderOpen } = status;

  // The words are for the model, the demo's rules among them: they are English in every language.
  function ask(text: string, attachments: Attachment[] = []): void {
    store.post({ type: "send", text, attachments, whenBusy: "queue" });
  }

  const file: Attachment | undefined = activeFile === undefined ? undefined : { kind: "file", path: activeFile };
  return (
    <div class="offers">
      {file !== undefined && (
        <Offer icon="comment-discussion" onClick={() => ask(`Explain ${file.path}`, [file])}>
          {t("Explain {0}", visible(attachmentLabel(file)))}
        </Offer>
      )}
      {problemCount > 0 && (
        <Offer icon="wrench" onClick={() => ask("Fix the problems that the editor reports.")}>
          {problemCount === 1 ? t("Fix 1 problem") : t("Fix {0} problems", problemCount)}
        </Offer>
      )}
      {!folderOpen && (
        <Offer icon="folder-opened" onClick={() => store.post({ type: "noticeAction", action: "openFolder" })}>
          {t("Open a folder")}
        </Offer>
      )}
      {folderOpen && (
        <Offer icon="map" onClick={() => ask("Give me a tour of this project: what it does and where things are.")}>
          {t("Show me around this project")}
        </Offer>
      )}
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
