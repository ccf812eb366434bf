import { useSignal } from "@preact/signals";
import type { Approval } from "../../protocol/hostEvents.ts";
import type { Intent } from "../../protocol/messages.ts";
import { approvalKey } from "../state/approvalKeys.ts";
import { visible } from "../text/visible.ts";
import { Button } from "../ui/Button.tsx";
import { Icon } from "../ui/Icon.tsx";
import { TextField } from "../ui/TextField.tsx";
import { ApprovalRequestView } from "./ApprovalRequestView.tsx";
import { FileChange } from "./FileChange.tsx";

export interface ApprovalCardProps {
  approval: Approval;
  post(intent: Intent): void;
}

/** An edit that waits for an answer: who wants it, what would change, and the buttons. */
export function ApprovalCard({ approval, post }: ApprovalCardProps) {
  const reason = useSignal("");
  const { id, agentPath, files, request } = approval;
  const hunkCount = files.reduce((sum, file) => sum + file.hunks.length, 0);

  function decide(decision: "accepted" | "rejected"): void {
    const words = reason.peek().trim();
    const isTold = decision === "rejected" && words !== "";
    post({ type: "decide", approvalId: id, decision, ...(isTold ? { reason: words } : {}) });
  }

  function onKeyDown(event: KeyboardEvent): void {
    const decision = approvalKey(event);
    if (decision === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    decide(decision);
  }

  function onReasonKeyDown(event: KeyboardEvent): void {
    if (event.isComposing) return;
    // In this field every key belongs to the words that are typed; what is sent from here is a rejection.
    event.stopPropagation();
    if (event.key !== "Enter" || reason.peek().trim() === "") return;
    event.preventDefault();
    decide("rejected");
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a card is a group, not a field set.
    <div class="approval" role="group" aria-label={approvalName(approval)} tabIndex={-1} onKeyDown={onKeyDown}>
      <p class="approval-lineage">
        <Icon name="report" />
        <span>
          <strong>{agentPath.map(visible).join(" › ")}</strong> wants to{" "}
          {request === undefined ? "change" : requestVerbs[request.kind]}
        </span>
      </p>
      {request !== undefined && <ApprovalRequestView request={request} />}
      <div class="approval-files">
        {files.map((file) => (
          <FileChange key={file.path} approvalId={id} file={file} isOneOfSeveral={hunkCount > 1} post={post} />
        ))}
      </div>
      <div class="approval-answer">
        <Button appearance="primary" title="Accept (Ctrl+Enter)" onClick={() => decide("accepted")}>
          Accept
        </Button>
        <Button title="Reject (Ctrl+Backspace)" onClick={() => decide("rejected")}>
          Reject
        </Button>
        <TextField
          label="Reject and say why…"
          value={reason.value}
          onInput={(value) => {
            reason.value = value;
          }}
          onKeyDown={onReasonKeyDown}
        />
      </div>
    </div>
  );
}

const requestVerbs = { command: "run", fetch: "fetch" } as const;

function approvalName({ toolName, files, request }: Approval): string {
  if (request !== undefined) return `Approval: ${visible(toolName)} ${visible(request.text)}`;
  const [first, ...others] = files;
  const rest = others.length === 0 ? "" : ` and ${others.length} more`;
  return `Approval: ${visible(toolName)} ${visible(first?.path ?? "")}${rest}`.trim();
}
