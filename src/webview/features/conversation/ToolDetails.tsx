import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import { type FileEdit, fileEditsIn } from "../../../protocol/fileEdits.ts";
import type { ShownGrant } from "../../../protocol/grants.ts";
import type { Intent } from "../../../protocol/messages.ts";
import { type Omitted, omittedOf } from "../../../protocol/messageTexts.ts";
import { namedArguments } from "../../../protocol/namedArguments.ts";
import { allowedText } from "../../text/approvalTexts.ts";
import { formatTokens } from "../../text/format.ts";
import type { ToolTarget } from "../../text/target.ts";
import { visible, visibleLines } from "../../text/visible.ts";
import { Button, LinkButton } from "../../ui/Buttons.tsx";
import { LineCounts } from "../../ui/DiffLines.tsx";
import { Fold } from "../../ui/FoldHead.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { OmittedText } from "../../ui/OmittedText.tsx";
import { ScrollBox } from "../../ui/ScrollBox.tsx";
import { StatusIcon } from "../../ui/StatusIcon.tsx";
import { EditedFiles } from "./EditedFiles.tsx";
import { useStickyScroll } from "./scrolling.ts";
import type { CallView } from "./transcript.ts";
import { lastOutput, writtenSoFar } from "./writtenSoFar.ts";

interface ToolDetailsProps {
  call: CallView;
  target: ToolTarget;
  post(intent: Intent): void;
}

/** What a tool was asked, what it printed, what it answered. */
export function ToolDetails({ call, target, post }: ToolDetailsProps) {
  const { path, line } = target;
  const edits = fileEditsIn(call.details).filter(({ hunks }) => hunks !== undefined);
  const ofResult = omittedInResult(call);
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
            {ofResult && <OmittedText omitted={ofResult} post={post} />}
          </Fold>
        </>
      ) : (
        <>
          <Section
            title={t("Arguments")}
            text={visibleLines(namedArguments(call.args))}
            omitted={call.omitted}
            post={post}
          />
          {!isRepeated(call) && (
            <Section title={t("Output")} text={call.output} isLive={call.status === "running"} post={post} />
          )}
          <Section
            title={call.status === "error" ? t("Error") : t("Result")}
            text={call.result ?? ""}
            omitted={ofResult}
            post={post}
          />
        </>
      )}
    </div>
  );
}

function omittedInResult({ source }: CallView): Omitted | undefined {
  const result = source !== undefined && "role" in source ? source : source?.result;
  if (result === undefined || typeof result.content === "string") return result && omittedOf(result);
  return result.content.map(omittedOf).find((omitted) => omitted !== undefined);
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
  /** What is missing at its end. */
  omitted?: Omitted | undefined;
  post(intent: Intent): void;
}

function Section({ title, text, isLive = false, omitted, post }: SectionProps) {
  if (text === "" && omitted === undefined) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a part of a card is a group, not a field set.
    <div class="tool-section" role="group" aria-label={title}>
      <div class="tool-section-title">{title}</div>
      {isLive ? <LiveText text={text} /> : <LongText text={text} />}
      {omitted && <OmittedText omitted={omitted} post={post} />}
    </div>
  );
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

/**
 * The last lines of an edit that the model is writing, or of what a command that runs has printed. They change with each
 * piece, so they are not read aloud.
 */
export function WrittenSoFar({ call }: { call: CallView }) {
  const isOutput = call.output !== "";
  const { text, isRemoved } = isOutput
    ? { text: lastOutput(call.output), isRemoved: false }
    : writtenSoFar(typeof call.args === "string" ? call.args : "");
  if (text === "") return null;
  return (
    <pre class={`written-so-far${isOutput ? " printed" : isRemoved ? " removed" : ""}`} aria-hidden="true">
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

/** In place of the tick of a finished edit: what it changed, and whether the user wanted that. */
export function EditOutcome({ call }: { call: CallView }) {
  const edits = fileEditsIn(call.details);
  const accepted = sumOf(edits, "accepted");
  const rejected = sumOf(edits, "rejected");
  const isNothing = accepted === 0 && rejected > 0;
  const left = rejected > 0 ? leftText(edits, isNothing, rejected) : undefined;
  return (
    <>
      {left !== undefined && <span class="tool-outcome">{left}</span>}
      <span class="tool-lines">
        <LineCounts added={sumOf(edits, "added")} removed={sumOf(edits, "removed")} />
      </span>
      <StatusIcon status={call.status === "error" ? "error" : isNothing ? "aborted" : "done"} title={left} />
      {rejected === 0 && <span class="hidden-words">{call.status === "error" ? t("error") : t("done")}</span>}
    </>
  );
}

function leftText(edits: readonly FileEdit[], isNothing: boolean, count: number): string {
  const left = new Set(edits.flatMap(({ hunks = [] }) => hunks.flatMap((hunk) => hunk.left ?? [])));
  if (left.has("conflicted") || left.has("unanswered")) {
    return isNothing ? t("not written") : t("{0} not written", count);
  }
  return isNothing ? t("rejected") : t("{0} rejected", count);
}

function sumOf(edits: readonly FileEdit[], key: "accepted" | "rejected" | "added" | "removed"): number {
  return edits.reduce((sum, edit) => sum + edit[key], 0);
}
