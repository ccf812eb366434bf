import { t } from "@vscode/l10n";
import type { Notice, NoticeAction } from "../../../protocol/hostEvents.ts";
import type { Store } from "../../shell/store.ts";
import { Button } from "../../ui/Button.tsx";
import { ClippedText } from "../../ui/ClippedText.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { IconButton } from "../../ui/IconButton.tsx";

const actionWords: Readonly<Record<NoticeAction, string>> = {
  setUp: t("Set up"),
  useDemo: t("Try the demo"),
  selectModel: t("Choose a model"),
  setApiKey: t("Enter API key"),
  openSettings: t("Open settings"),
  retry: t("Retry"),
  showLog: t("Show log"),
  resume: t("Resume"),
  fork: t("Fork"),
  continueHere: t("Continue here"),
  compact: t("Compact and retry"),
  openFolder: t("Open a folder"),
};

/** What most want after a run that broke off. */
const goesOn: ReadonlySet<NoticeAction> = new Set(["retry", "resume"]);

/** Problems that a person can do something about. */
export function Notices({ store }: { store: Store }) {
  return (
    <>
      {store.hostState.value.notices.map((notice) => (
        <NoticeLine key={notice.id} notice={notice} store={store} />
      ))}
    </>
  );
}

function NoticeLine({ notice, store }: { notice: Notice; store: Store }) {
  return (
    <div
      class="notice"
      role="note"
      data-level={notice.level}
      aria-label={notice.level === "info" ? t("Note") : t("Problem")}
    >
      <Icon name={notice.level} />
      <div class="notice-body">
        <p>
          <ClippedText text={notice.text} lines={4} />
        </p>
        {notice.actions.length > 0 && (
          <div class="buttons">
            {notice.actions.map((action) => (
              <Button
                key={action}
                appearance={goesOn.has(action) ? "primary" : "secondary"}
                onClick={() => store.post({ type: "noticeAction", noticeId: notice.id, action })}
              >
                {actionWords[action]}
              </Button>
            ))}
          </div>
        )}
      </div>
      <IconButton
        icon="close"
        label={t("Dismiss")}
        onClick={() => store.post({ type: "dismissNotice", noticeId: notice.id })}
      />
    </div>
  );
}
