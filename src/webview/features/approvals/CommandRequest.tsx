import { t } from "@vscode/l10n";
import { useRef } from "preact/hooks";
import type { ApprovalRequest } from "../../../protocol/hostEvents.ts";
import { visibleLines } from "../../text/visible.ts";
import { IconButton } from "../../ui/Buttons.tsx";
import { ScrollBox } from "../../ui/ScrollBox.tsx";
import { TextArea } from "../../ui/TextArea.tsx";
import type { ApprovalsModel } from "./approvals.ts";

interface RequestProps {
  id: string;
  request: ApprovalRequest;
  /** By approval: what is to run in place of its command. */
  edited: ApprovalsModel["editedCommands"];
}

/** The whole of a command, an address or a path, as it will be run, fetched or read: nothing of it is cut off. */
export function ApprovalRequestView({ id, request, edited }: RequestProps) {
  const command = edited.value.get(id);
  return (
    <div class="request">
      {command === undefined ? (
        <div class="request-shown">
          <ScrollBox class="request-text">
            <pre>{visibleLines(request.text)}</pre>
          </ScrollBox>
          {request.mayEdit === true && (
            <IconButton icon="edit" label={t("Edit command")} onClick={() => setCommand(edited, id, request.text)} />
          )}
        </div>
      ) : (
        <CommandEditor id={id} command={command} edited={edited} />
      )}
      {request.detail !== undefined && request.detail !== "" && (
        <p class="request-detail">{visibleLines(request.detail)}</p>
      )}
    </div>
  );
}

function setCommand(edited: RequestProps["edited"], id: string, command: string | undefined): void {
  const commands = new Map(edited.peek());
  if (command === undefined) commands.delete(id);
  else commands.set(id, command);
  edited.value = commands;
}

interface CommandEditorProps {
  id: string;
  command: string;
  edited: RequestProps["edited"];
}

/** The command as a text to change. Escape leaves it as it was; Ctrl+Enter runs it, as anywhere in the card. */
function CommandEditor({ id, command, edited }: CommandEditorProps) {
  // The same object each time: it gets the focus once.
  const focusRequest = useRef({}).current;
  function onKeyDown(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === "Escape") {
      event.preventDefault();
      setCommand(edited, id, undefined);
    }
    // All other keys belong to the text, Ctrl+Backspace too.
    if (!(event.key === "Enter" && (event.ctrlKey || event.metaKey))) event.stopPropagation();
  }
  return (
    <div class="request-editor">
      <TextArea
        label={t("Command to run")}
        placeholder={t("Command to run")}
        value={command}
        focusRequest={focusRequest}
        onInput={(value) => setCommand(edited, id, value)}
        onKeyDown={onKeyDown}
      />
      <IconButton
        icon="discard"
        label={t("Undo changes of the command")}
        onClick={() => setCommand(edited, id, undefined)}
      />
    </div>
  );
}
