import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import { fileEditsIn } from "../../../protocol/fileEdits.ts";
import type { ShownGrant } from "../../../protocol/grants.ts";
import type { Intent } from "../../../protocol/messages.ts";
import { allowedText } from "../../text/approvalTexts.ts";
import { formatTokens } from "../../text/format.ts";
import type { ToolTarget } from "../../text/target.ts";
import { visible, visibleLines } from "../../text/visible.ts";
import { Button, LinkButton } from "../../ui/Buttons.tsx";
import { Fold } from "../../ui/FoldHead.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { ScrollBox } from "../../ui/ScrollBox.tsx";
import { EditedFiles } from "./EditedFiles.tsx";
import { useStickyScroll } from "./scrolling.ts";
import type { CallView } from "./transcript.ts";
import { writtenSoFar } from "./writtenSoFar.ts";

export { EditOutcome } from "./EditedFiles.tsx";

interface ToolDetailsProps {
  call: CallView;
  target: ToolTarget;
  post(intent: Intent): void;
}

/** What a tool was asked, what it printed, what it answered. */
export function ToolDetails({ call, target, post }: ToolDetailsProps) {
  const { path, line } = target;
  const edits = fileEditsIn(call.details).filter(({ hunks }) => hunks !== undefined);
  return (
    <div class="tool-details">
      {path !== undefined && edits.length === 0 && (
        <LinkButton
          onClick={() => post(line === undefined ? { type: "openFile", path } : { type: "openFile", path, line })}
        >
          {t("Open {0}", target.text)}
        </LinkButton>
      )}
      {call.name === "run_command" && call.status !== "pending" && (
        <Button onClick={() => post({ type: "showInTerminal", callId: call.id })}>{t("Show in terminal")}</Button>
      )}
      {edits.length > 0 ? (
        <>
          <EditedFiles edits={edits} post={post} />
          <Fold label={t("Result")}>
            <LongText text={call.result ?? ""} />
          </Fold>
        </>
      ) : (
        <>
          <Section title={t("Arguments")} text={visibleLines(argumentsText(call.args))} />
          {!isRepeated(call) && <Section title={t("Output")} text={call.output} isLive={call.status === "running"} />}
          <Section title={call.status === "error" ? t("Error") : t("Result")} text={call.result ?? ""} />
        </>
      )}
    </div>
  );
}

/** The result has all of the output already. */
function isRepeated({ output, result = "" }: CallView): boolean {
  return output.trim() !== "" && result.includes(output.trim());
}

interface SectionProps {
  title: string;
  text: string;
  /** More is to come: its end is what matters. Default: false. */
  isLive?: boolean;
}

function Section({ title, text, isLive = false }: SectionProps) {
  if (text === "") return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a part of a card is a group, not a field set.
    <div class="tool-section" role="group" aria-label={title}>
      <div class="tool-section-title">{title}</div>
      {isLive ? <LiveText text={text} /> : <LongText text={text} />}
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

const headCharacters = 4_000;
const tailCharacters = 2_000;

/** The end of a text that grows, followed until the reader scrolls up. */
function LiveText({ text }: { text: string }) {
  const { scroller, content, onScroll } = useStickyScroll(undefined);
  const shown = text.slice(-headCharacters);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <div class="long-text" tabIndex={0} ref={scroller} onScroll={onScroll}>
      <div ref={content}>
        <pre>{shown.length < text.length ? `…${shown}` : shown}</pre>
      </div>
    </div>
  );
}

/** Text as it is, in a box that scrolls; of a very long one the head and the tail until all of it is asked for. */
function LongText({ text }: { text: string }) {
  const isWhole = useSignal(false);
  const isShort = text.length <= headCharacters + tailCharacters;
  if (isShort || isWhole.value) {
    return (
      <ScrollBox class="long-text">
        <pre>{text}</pre>
      </ScrollBox>
    );
  }
  const left = text.length - headCharacters - tailCharacters;
  return (
    <ScrollBox class="long-text">
      <pre>{text.slice(0, headCharacters)}</pre>
      <button
        type="button"
        class="link more"
        onClick={() => {
          isWhole.value = true;
        }}
      >
        {t("Show {0} more characters", formatTokens(left))}
      </button>
      <pre>{text.slice(-tailCharacters)}</pre>
    </ScrollBox>
  );
}

/** The last lines of an edit that the model is writing. They change with each piece, so they are not read aloud. */
export function WrittenSoFar({ call }: { call: CallView }) {
  const { text, isRemoved } = writtenSoFar(typeof call.args === "string" ? call.args : "");
  if (text === "") return null;
  return (
    <pre class={isRemoved ? "written-so-far removed" : "written-so-far"} aria-hidden="true">
      {visibleLines(text)}
    </pre>
  );
}

/** Below a tool's card: what allowed the call without asking. */
export function AllowedNote({ grant }: { grant: ShownGrant }) {
  return (
    <p class="allowed-note" title={visible(grant.text)}>
      <Icon name="pass" />
      <span>{allowedText(grant)}</span>
    </p>
  );
}
