import { t } from "@vscode/l10n";
import type { Notice, NoticeAction } from "../../../protocol/hostEvents.ts";
import type { Intent } from "../../../protocol/messages.ts";
import { suggestedCostLimit } from "../../../protocol/runs.ts";
import { dollarText } from "../../text/format.ts";
import { Button, IconButton } from "../../ui/Buttons.tsx";
import { ClippedText } from "../../ui/ClippedText.tsx";
import { Icon } from "../../ui/Icon.tsx";

const actionTexts: Readonly<Record<Exclude<NoticeAction, "limitCost">, string>> = {
  setUp: t("Set up"),
  useDemo: t("Try the demo"),
  selectModel: t("Choose a model"),
  setApiKey: t("Enter API key"),
  openSettings: t("Open settings"),
  retry: t("Retry"),
  showLog: t("Show log"),
  noCostLimit: t("No limit"),
  resume: t("Resume"),
  fork: t("Fork"),
  continueHere: t("Continue here"),
  compact: t("Compact and retry"),
  openFolder: t("Open a folder"),
};

/** A sum of money is written when it is shown: the first format that is made takes longer than a frame. */
const textOf = (action: NoticeAction) =>
  action === "limitCost" ? t("Limit to {0}", dollarText(suggestedCostLimit, 0)) : actionTexts[action];

/** What most users want after a run that broke off, or could not begin. */
const primaryActions: ReadonlySet<NoticeAction> = new Set(["retry", "resume", "setApiKey"]);

export interface NoticesProps {
  notices: readonly Notice[];
  post(intent: Intent): void;
}

/** Problems that a person can do something about. */
export function Notices({ notices, post }: NoticesProps) {
  return (
    <>
      {notices.map((notice) => (
        <NoticeLine key={notice.id} notice={notice} post={post} />
      ))}
    </>
  );
}

function NoticeLine({ notice, post }: { notice: Notice; post(intent: Intent): void }) {
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
                appearance={primaryActions.has(action) ? "primary" : "secondary"}
                onClick={() => post({ type: "noticeAction", noticeId: notice.id, action })}
              >
                {textOf(action)}
              </Button>
            ))}
          </div>
        )}
      </div>
      <IconButton
        icon="close"
        label={t("Dismiss")}
        onClick={() => post({ type: "dismissNotice", noticeId: notice.id })}
      />
    </div>
  );
}
