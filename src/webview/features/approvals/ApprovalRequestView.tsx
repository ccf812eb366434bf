import type { ApprovalRequest } from "../../../protocol/hostEvents.ts";
import { visibleLines } from "../../text/visible.ts";
import { ScrollBox } from "../../ui/ScrollBox.tsx";

/** The whole of a command, an address or a path, as it will be run, fetched or read: nothing of it is cut off. */
export function ApprovalRequestView({ request }: { request: ApprovalRequest }) {
  return (
    <div class="request">
      <ScrollBox class="request-text">
        <pre>{visibleLines(request.text)}</pre>
      </ScrollBox>
      {request.detail !== undefined && request.detail !== "" && (
        <p class="request-detail">{visibleLines(request.detail)}</p>
      )}
    </div>
  );
}
