import { t } from "@vscode/l10n";
import type { ApprovalFile } from "../../../protocol/hostEvents.ts";
import type { Intent } from "../../../protocol/messages.ts";
import { visible } from "../../text/visible.ts";
import { Button } from "../../ui/Button.tsx";
import { LinkButton } from "../../ui/LinkButton.tsx";
import { HunkView } from "./HunkView.tsx";

export interface FileChangeProps {
  approvalId: string;
  file: ApprovalFile;
  /** The approval has several hunks, so each gets buttons of its own. */
  isOneOfSeveral: boolean;
  /** Nothing of the approval waits to be written: its own diff would show nothing. */
  isOnDisk: boolean;
  post(intent: Intent): void;
}

const changeWords: Readonly<Record<ApprovalFile["change"], string>> = {
  add: t("new"),
  update: "",
  delete: t("deleted"),
};

export function FileChange({ approvalId, file, isOneOfSeveral, isOnDisk, post }: FileChangeProps) {
  const path = visible(file.path);
  const slash = path.lastIndexOf("/") + 1;
  return (
    <section class="file-change" aria-label={path}>
      <div class="file-head" title={path}>
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
        {changeWord(file) !== "" && (
          <span class={file.movedTo === undefined ? "file-kind" : "file-kind moved"}>{changeWord(file)}</span>
        )}
        <span class="added">+{lineCount(file, "newLines")}</span>
        <span class="removed">−{lineCount(file, "oldLines")}</span>
        {!isOnDisk && (
          <Button class="open-diff" onClick={() => post({ type: "openDiff", approvalId, path: file.path })}>
            {t("Open diff")}
          </Button>
        )}
      </div>
      {file.hunks.map((hunk, index) => (
        <HunkView
          key={hunk.id}
          hunk={hunk}
          position={index + 1}
          decide={
            isOneOfSeveral ? (decision) => post({ type: "decide", approvalId, hunkId: hunk.id, decision }) : undefined
          }
        />
      ))}
    </section>
  );
}

/** The file's own editor shows the same hunks, each where it belongs. */
function openFirstHunk({ path, hunks }: ApprovalFile): Intent {
  return { type: "openFile", path, line: Math.max(1, hunks[0]?.oldStart ?? 1) };
}

function changeWord({ change, movedTo }: ApprovalFile): string {
  return movedTo === undefined ? changeWords[change] : t("moved to {0}", visible(movedTo));
}

function lineCount(file: ApprovalFile, side: "newLines" | "oldLines"): number {
  return file.hunks.reduce((sum, hunk) => sum + hunk[side].length, 0);
}
