import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { ComponentChildren } from "preact";
import type { ApprovalFile, ApprovalHunk, OnDisk } from "../../../protocol/hostEvents.ts";
import { lookalikes } from "../../../protocol/lookalikes.ts";
import type { Intent } from "../../../protocol/messages.ts";
import { visible } from "../../text/visible.ts";
import { Button, IconButton, LinkButton } from "../../ui/Buttons.tsx";
import { ChangeKind, DiffLines, LineCounts } from "../../ui/DiffLines.tsx";
import { Icon } from "../../ui/Icon.tsx";
import type { Decision } from "./approvals.ts";

export interface FileHunksProps {
  file: ApprovalFile;
  /** All files of the approval. */
  files: readonly ApprovalFile[];
  /** Nothing of the approval waits to be written: its own diff would show nothing. */
  isOnDisk: boolean;
  /** It takes answers now. */
  isReady: boolean;
  /** Of several files: one line each, which opens to its hunks. */
  isFolded: boolean;
  openDiff(): void;
  /** Undefined where the card's own buttons answer for its only hunk. */
  decide: ((part: { hunkId: string } | { path: string }, decision: Decision) => void) | undefined;
  /** Answers a hunk whose lines have changed: over what they are now, or not at all. */
  resolve(hunkId: string, decision: Decision): void;
  post(intent: Intent): void;
}

export function FileHunks(props: FileHunksProps) {
  const { file, files, isOnDisk, isReady, isFolded, openDiff, decide, resolve, post } = props;
  const isOpen = useSignal(!isFolded);
  const isConflicted = file.hunks.some(({ conflicted }) => conflicted === true);
  const path = visible(file.path);
  const slash = path.lastIndexOf("/") + 1;
  const odd = lookalikes(`${path} ${visible(file.movedTo ?? "")}`);
  const isOneOfSeveral = files.length > 1;
  // Its line, or the card, has the answer to its only hunk.
  const isOneHunk = isOneOfSeveral && file.hunks.length === 1 && file.hunks[0]?.onDisk === undefined;
  const isAnswered = decide === undefined || isOneHunk;
  return (
    <section class="file-change" aria-label={path}>
      <div class="file-head" title={path}>
        {isOneOfSeveral && (
          <IconButton
            icon={isOpen.value ? "chevron-down" : "chevron-right"}
            label={t("Changes of {0}", path)}
            isExpanded={isOpen.value}
            onClick={() => {
              isOpen.value = !isOpen.peek();
            }}
          />
        )}
        <span class="file-name">
          {file.change === "add" ? (
            path.slice(slash)
          ) : (
            <LinkButton title={t("Open {0}", path)} onClick={() => post(openFirstHunk(file))}>
              {path.slice(slash)}
            </LinkButton>
          )}
        </span>
        <span class="file-folder">{path.slice(0, Math.max(0, slash - 1))}</span>
        <ChangeKind change={file.change} movedTo={file.movedTo} />
        <LineCounts added={linesAdded(file.hunks)} removed={linesRemoved(file.hunks)} />
        {!isOnDisk && !isOneOfSeveral && (
          <Button class="open-diff" onClick={openDiff}>
            {t("Open diff")}
          </Button>
        )}
        {!isOnDisk && isOneOfSeveral && (
          <>
            <IconButton icon="diff" label={t("Open diff")} title={t("Open diff of {0}", path)} onClick={openDiff} />
            <FileAnswer {...props} />
          </>
        )}
      </div>
      {odd.length > 0 && <p class="file-concern">{t("Letters look like others in: {0}", odd.join(", "))}</p>}
      {(isOpen.value || isConflicted) &&
        file.hunks.map((hunk, index) => (
          <HunkView
            key={hunk.id}
            hunk={hunk}
            position={index + 1}
            waitsForMove={moveBefore(file, files)}
            isReady={isReady}
            openLine={file.change === "add" ? undefined : (line) => post({ type: "openFile", path: file.path, line })}
            decide={isAnswered ? undefined : (decision) => decide?.({ hunkId: hunk.id }, decision)}
            conflict={
              hunk.conflicted === true && (
                <ConflictAnswers file={file} isReady={isReady} resolve={(decision) => resolve(hunk.id, decision)}>
                  {file.change === "update" && (
                    <Button isUnavailable={!isReady} onClick={() => post({ type: "mergeHunk", hunkId: hunk.id })}>
                      {t("Merge…")}
                    </Button>
                  )}
                </ConflictAnswers>
              )
            }
          />
        ))}
    </section>
  );
}

/** One answer for a file of several, as long as something of it waits; afterwards, what became of it. */
function FileAnswer({ file, files, isReady, decide }: FileHunksProps) {
  const { path, hunks } = file;
  if (decide === undefined || hunks.some(({ onDisk }) => onDisk !== undefined)) return null;
  const isPending = hunks.some(({ decision }) => decision === "pending");
  if (!isPending) return <span class="hunk-decision">{decidedText(hunks)}</span>;
  const waitsForMove = moveBefore(file, files);
  return (
    <>
      <IconButton
        icon="check"
        label={t("Accept {0}", visible(path))}
        isUnavailable={!isReady}
        {...(waitsForMove !== undefined && moveFirst(waitsForMove))}
        onClick={() => decide({ path }, "accepted")}
      />
      <IconButton
        icon="close"
        label={t("Reject {0}", visible(path))}
        isUnavailable={!isReady}
        onClick={() => decide({ path }, "rejected")}
      />
    </>
  );
}

function decidedText(hunks: readonly ApprovalHunk[]): string {
  const accepted = hunks.filter(({ decision }) => decision === "accepted").length;
  if (accepted === hunks.length) return t("accepted");
  return accepted === 0 ? t("rejected") : t("partly accepted");
}

function moveFirst(path: string): { isDisabled: true; title: string } {
  return { isDisabled: true, title: t("Accept the move of {0} first: this change belongs to it.", visible(path)) };
}

/** The path whose move has to be accepted before a change of this file. */
function moveBefore({ follows }: ApprovalFile, files: readonly ApprovalFile[]): string | undefined {
  const moved = files.find(({ path, movedTo }) => path === follows && movedTo !== undefined);
  return moved?.hunks.some(({ decision }) => decision !== "accepted") === true ? follows : undefined;
}

/** The file's own editor shows the same hunks, each where it belongs. */
function openFirstHunk({ path, hunks }: ApprovalFile): Intent {
  return { type: "openFile", path, line: Math.max(1, hunks[0]?.oldStart ?? 1) };
}

/** Lines that are proposed. */
export function linesAdded(hunks: readonly ApprovalHunk[]): number {
  return hunks.reduce((sum, { newLines }) => sum + newLines.length, 0);
}

/** Lines that they replace. */
export function linesRemoved(hunks: readonly ApprovalHunk[]): number {
  return hunks.reduce((sum, { oldLines }) => sum + oldLines.length, 0);
}

interface HunkProps {
  hunk: ApprovalHunk;
  /** From 1, in its file. */
  position: number;
  /** The path of the file whose move has to be accepted first. */
  waitsForMove: string | undefined;
  isReady: boolean;
  /** Shows a line of the file; undefined for one that is not there yet. */
  openLine: ((line: number) => void) | undefined;
  /** Undefined when the card's own buttons answer for it. */
  decide: ((decision: Decision) => void) | undefined;
  /** What there is to answer where its lines have changed. */
  conflict: ComponentChildren;
}

/** Old lines, new lines, and where they are. */
function HunkView({ openLine, conflict, ...answer }: HunkProps) {
  const { hunk, decide } = answer;
  return (
    <div class="hunk" data-decision={hunk.onDisk === "undecided" ? "pending" : hunk.decision}>
      {decide !== undefined && (
        <div class="hunk-head">
          <span class="hunk-place">
            {openLine === undefined ? (
              t("Line {0}", hunk.oldStart)
            ) : (
              <LinkButton onClick={() => openLine(Math.max(1, hunk.oldStart))}>
                {t("Line {0}", hunk.oldStart)}
              </LinkButton>
            )}
          </span>
          {answer.hunk.conflicted !== true && <HunkAnswer {...answer} />}
        </div>
      )}
      {conflict}
      <DiffLines oldLines={hunk.oldLines} newLines={hunk.newLines} />
    </div>
  );
}

interface ConflictProps {
  file: ApprovalFile;
  isReady: boolean;
  resolve(decision: Decision): void;
  /** Further answers. */
  children: ComponentChildren;
}

/** What there is to answer where the lines that a hunk replaces have changed. */
function ConflictAnswers({ file: { change, movedTo }, isReady, resolve, children }: ConflictProps) {
  const canReplace = change !== "add" && movedTo === undefined;
  return (
    <div class="hunk-conflict">
      <p>
        <Icon name="warning" />
        {change === "update" ? t("The lines this replaces have changed.") : t("This file has changed.")}
      </p>
      {canReplace && (
        <Button appearance="primary" isUnavailable={!isReady} onClick={() => resolve("accepted")}>
          {t("Use agent's lines")}
        </Button>
      )}
      <Button isUnavailable={!isReady} onClick={() => resolve("rejected")}>
        {t("Keep mine")}
      </Button>
      {children}
    </div>
  );
}

function HunkAnswer({ hunk, position, waitsForMove, isReady, decide }: Omit<HunkProps, "openLine" | "conflict">) {
  if (decide === undefined) return null;
  if (hunk.onDisk !== undefined) return <OnDiskAnswer {...{ hunk, position, isReady, decide }} />;
  if (hunk.decision !== "pending") {
    return (
      <span class="hunk-decision">
        <Icon name={hunk.decision === "accepted" ? "check" : "close"} />
        {hunk.decision === "accepted" ? t("accepted") : t("rejected")}
      </span>
    );
  }
  return (
    <>
      <IconButton
        icon="check"
        label={t("Accept hunk {0}", position)}
        isUnavailable={!isReady}
        {...(waitsForMove !== undefined && moveFirst(waitsForMove))}
        onClick={() => decide("accepted")}
      />
      <IconButton
        icon="close"
        label={t("Reject hunk {0}", position)}
        isUnavailable={!isReady}
        onClick={() => decide("rejected")}
      />
    </>
  );
}

interface OnDiskAnswerProps {
  hunk: ApprovalHunk;
  /** From 1, in its file. */
  position: number;
  isReady: boolean;
  /** Accepted: it is kept. Rejected: it is undone. */
  decide(decision: Decision): void;
}

const onDiskWords: Readonly<Record<Exclude<OnDisk, "undecided">, string>> = {
  kept: t("kept"),
  undone: t("undone"),
  changed: t("on disk, changed since"),
  gone: t("not in the file any more"),
};

/** A hunk that was written when the editor ended: what became of it, or the buttons to decide that. */
function OnDiskAnswer({ hunk: { onDisk = "undecided" }, position, isReady, decide }: OnDiskAnswerProps) {
  if (onDisk !== "undecided") return <span class="hunk-decision">{onDiskWords[onDisk]}</span>;
  return (
    <>
      <span class="hunk-decision">{t("on disk")}</span>
      <IconButton
        icon="check"
        label={t("Keep hunk {0}", position)}
        isUnavailable={!isReady}
        onClick={() => decide("accepted")}
      />
      <IconButton
        icon="discard"
        label={t("Undo hunk {0}", position)}
        isUnavailable={!isReady}
        onClick={() => decide("rejected")}
      />
    </>
  );
}
