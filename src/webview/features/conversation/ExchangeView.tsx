import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { ComponentChildren } from "preact";
import type { ReportCheck } from "../../../protocol/hostEvents.ts";
import { formatCost, formatTokens, numberText, plural, tokensText } from "../../text/format.ts";
import { Button } from "../../ui/Buttons.tsx";
import { ClippedText } from "../../ui/ClippedText.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { TextField } from "../../ui/TextFields.tsx";
import type { ConversationModel } from "./conversationModel.ts";
import { exchangeOf } from "./exchange.ts";

type Exchange = NonNullable<ReturnType<typeof exchangeOf>>;

/** What is between backticks, as code. */
export function withCode(text: string): ComponentChildren {
  return text.split(/`([^`\n]+)`/).map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
}

interface ExchangeViewProps {
  agentId: string;
  model: Pick<ConversationModel, "post" | "runs" | "hasEarlier">;
}

/** Without a text Arbor says what the report lacks. */
function askAgain({ post }: ExchangeViewProps["model"], agentId: string, text = ""): void {
  post({ type: "askAgain", agentId, ...(text !== "" && { text }) });
}

/** What a delegation opens to: what was asked, what was done for it, and what the parent got. */
export function ExchangeView({ agentId, model }: ExchangeViewProps) {
  const exchange = exchangeOf(agentId, { ...model.runs.value, hasEarlier: model.hasEarlier.value });
  if (exchange === undefined) return null;
  const { brief, briefTokens, report, flag, canAsk } = exchange;
  return (
    <div class="exchange">
      <Part name={t("Brief")} amount={aboutTokens(briefTokens)}>
        <ClippedText text={brief} lines={3} draw={withCode} />
      </Part>
      <Part name={t("Work")} amount={workText(exchange)} />
      <Part name={t("Report")} amount={reportText(exchange)}>
        {flag !== undefined && <FlagText flag={flag} />}
        {report !== undefined && report !== "" && <ClippedText text={report} lines={3} draw={withCode} />}
        {canAsk && <AskAgain ask={(text) => askAgain(model, agentId, text)} />}
      </Part>
    </div>
  );
}

function Part({ name, amount, children }: { name: string; amount: string; children?: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a part of a delegation is a group, not a field set.
    <div class="exchange-part" role="group" aria-label={name}>
      <p class="exchange-head">
        <strong>{name}</strong> <span class="exchange-amount">{amount}</span>
      </p>
      {children}
    </div>
  );
}

const aboutTokens = (count: number) => t("≈ {0} tokens", formatTokens(count));

function workText({ calls, filesRead, filesChanged, tokens, cost }: Exchange): string {
  return [
    plural(calls, t("{0} call", calls), t("{0} calls", calls)),
    filesRead > 0 ? plural(filesRead, t("{0} file read", filesRead), t("{0} files read", filesRead)) : "",
    filesChanged > 0
      ? plural(filesChanged, t("{0} file changed", filesChanged), t("{0} files changed", filesChanged))
      : "",
    tokens > 0 ? tokensText(tokens) : "",
    formatCost(cost) ?? "",
  ]
    .filter((part) => part !== "")
    .join(" · ");
}

/** In percent. */
const leastShare = 0.1;

const missingTexts: Readonly<Record<NonNullable<Exchange["missing"]>, string>> = {
  "not yet": t("not there yet"),
  removed: t("Undone by rewind"),
  none: t("none"),
  "not loaded": t("not loaded"),
};

function reportText({ missing, reportTokens, share }: Exchange): string {
  if (missing !== undefined) return missingTexts[missing];
  const text = aboutTokens(reportTokens);
  if (share === undefined) return text;
  const ofWork =
    share > 0 && share < leastShare
      ? t("under {0}% of its work", numberText(leastShare, 1))
      : t("{0}% of its work", numberText(share, share < 10 ? 1 : 0));
  return `${text} · ${ofWork}`;
}

const flagTexts: Readonly<Record<NonNullable<ReportCheck["flag"]>, string>> = {
  empty: t("The report is empty."),
  cut: t("The report is cut off."),
  pointer: t("The report only points elsewhere."),
};

function FlagText({ flag }: { flag: NonNullable<ReportCheck["flag"]> }) {
  return (
    <p class="report-flag">
      <Icon name="warning" />
      <span>{flagTexts[flag]}</span>
    </p>
  );
}

/** What is wrong with a report, in sight also where its delegation is closed. */
export function FlaggedReport({ agentId, model }: ExchangeViewProps) {
  const exchange = exchangeOf(agentId, model.runs.value);
  if (exchange?.flag === undefined) return null;
  return (
    <div class="flagged-report">
      <FlagText flag={exchange.flag} />
      {exchange.canAsk && <Button onClick={() => askAgain(model, agentId)}>{t("Ask again")}</Button>}
    </div>
  );
}

/** What is asked beside what the report lacks. */
function AskAgain({ ask }: { ask(text: string): void }) {
  const text = useSignal("");
  function submit(): void {
    ask(text.peek().trim());
    text.value = "";
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.isComposing || event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    submit();
  }
  return (
    <div class="ask-again">
      <TextField
        label={t("What is missing?")}
        value={text.value}
        onInput={(value) => {
          text.value = value;
        }}
        onKeyDown={onKeyDown}
      />
      <Button onClick={submit}>{t("Ask again")}</Button>
    </div>
  );
}
