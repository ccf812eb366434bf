import { t } from "@vscode/l10n";
import type { Target } from "../../text/target.ts";
import { visibleLines } from "../../text/visible.ts";
import { Button } from "../../ui/Button.tsx";
import { LinkButton } from "../../ui/LinkButton.tsx";
import { LongText } from "./LongText.tsx";
import type { ToolCardProps } from "./ToolCard.tsx";

/** What a tool was asked, what it printed, what it answered. */
export function ToolDetails({ call, target, post }: Omit<ToolCardProps, "background"> & { target: Target }) {
  const { path, line } = target;
  return (
    <div class="tool-details">
      {path !== undefined && (
        <LinkButton
          onClick={() => post(line === undefined ? { type: "openFile", path } : { type: "openFile", path, line })}
        >
          {t("Open {0}", target.text)}
        </LinkButton>
      )}
      {call.name === "run_command" && call.status !== "pending" && (
        <Button onClick={() => post({ type: "showInTerminal", callId: call.id })}>{t("Show in terminal")}</Button>
      )}
      <Section title={t("Arguments")} text={visibleLines(argumentsText(call.args))} />
      <Section title={t("Output")} text={call.output} />
      <Section title={call.status === "error" ? t("Error") : t("Result")} text={call.result ?? ""} />
    </div>
  );
}

function Section({ title, text }: { title: string; text: string }) {
  if (text === "") return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a part of a card is a group, not a field set.
    <div class="tool-section" role="group" aria-label={title}>
      <div class="tool-section-title">{title}</div>
      <LongText text={text} />
    </div>
  );
}

/** One `name: value` a line: easier to read than JSON, and texts keep their line breaks. */
function argumentsText(args: unknown): string {
  if (typeof args === "string") return args;
  if (typeof args !== "object" || args === null) return args === undefined ? "" : JSON.stringify(args);
  return Object.entries(args)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value, null, 2)}`)
    .join("\n");
}
