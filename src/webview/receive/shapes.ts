import { grantScopes } from "../../protocol/grants.ts";
import { chatStates } from "../../protocol/history.ts";
import { budgetFigures } from "../../protocol/runs.ts";
import {
  type Check,
  isFlag,
  isId,
  isNumber,
  isRecord,
  isText,
  listOf,
  oneOf,
  optional,
  shape,
  variant,
} from "./check.ts";

/** What of a log entry the folds and the components rely on. Unknown event types pass: the folds ignore them. */
const anything: Check = () => true;

const usage = shape({ input: isNumber, output: isNumber, cacheRead: isNumber, cacheWrite: isNumber, cost: isNumber });

const part = variant(
  "type",
  { text: shape({ text: isText }), thinking: shape({ text: isText }), toolCall: shape({ id: isText, name: isText }) },
  anything,
);

const withContent = shape({ id: isText, content: listOf(part) });
const withText = shape({ id: isText, text: isText });

export const isMessage = variant(
  "role",
  {
    user: withContent,
    assistant: withContent,
    toolResult: shape({ id: isText, content: listOf(part), callId: isText }),
    summary: withText,
    agentResponse: shape({ id: isText, text: isText, from: shape({ id: isText }) }),
  },
  () => false,
);

const meta = shape({
  id: isId,
  prefix: isText,
  depth: isNumber,
  name: optional(isText),
  parentId: optional(isId),
});
const content: Check = (value) => isText(value) || listOf(part)(value);
const toolResult = shape({ content });
const delta = shape({
  type: isText,
  index: (index) => isNumber(index) && Number(index) >= 0 && Number(index) < 10_000,
});

const eventBody = variant(
  "type",
  {
    agent_end: shape({ reason: isText, error: optional(shape({ message: isText })) }),
    message_start: shape({ message: isMessage }),
    message_end: shape({ message: isMessage }),
    message_update: shape({ messageId: isText, delta }),
    retry: shape({ attempt: isNumber, delayMs: isNumber, error: isText }),
    tool_execution_start: shape({ callId: isId, toolName: isText, label: optional(isText) }),
    tool_execution_update: shape({ callId: isId, partial: optional(toolResult), output: optional(isText) }),
    tool_execution_end: shape({ callId: isId, result: toolResult, isError: isFlag, durationMs: isNumber }),
    usage: shape({ delta: usage, own: usage, total: usage, contextTokens: isNumber, contextPercent: isNumber }),
    transcript: shape({ messages: listOf(isMessage), own: usage, total: usage }),
    agent_spawned: shape({ child: meta }),
    agent_exit: shape({ child: meta }),
  },
  anything,
);

const eventBase = shape({ agent: meta, seq: isNumber, timestamp: isNumber });
const isAgentEvent: Check = (value) => eventBase(value) && eventBody(value);

const lines = listOf(isText);
const hunk = shape({
  id: isText,
  oldStart: isNumber,
  oldLines: lines,
  newStart: isNumber,
  newLines: lines,
  decision: oneOf("pending", "accepted", "rejected"),
  onDisk: optional(oneOf("undecided", "kept", "undone", "changed", "gone")),
});
const scope = oneOf(...grantScopes);
const grant = shape({
  id: isText,
  kind: oneOf("edit", "command", "fetch", "read"),
  scope,
  text: isText,
  folder: optional(isText),
  agentPath: optional(listOf(isText)),
});
const approval = shape({
  id: isText,
  agentId: isId,
  agentPath: listOf(isText),
  others: optional(listOf(shape({ agentId: isId, agentPath: listOf(isText) }))),
  toolName: isText,
  files: listOf(shape({ path: isText, movedTo: optional(isText), hunks: listOf(hunk) })),
  request: optional(shape({ kind: oneOf("command", "fetch", "read"), text: isText, detail: optional(isText) })),
  scopes: optional(listOf(shape({ scope, pattern: optional(isText) }))),
  isInterrupted: optional(isFlag),
});
const question = shape({ id: isText, agentId: isId, agentPath: listOf(isText), text: isText, options: lines });
const context = shape({
  system: isNumber,
  tools: isNumber,
  messages: isNumber,
  files: isNumber,
  toolResults: isNumber,
  reserved: isNumber,
});

const pendingEdits = shape({
  path: isText,
  agentId: isText,
  agentPath: listOf(isText),
  movedFrom: optional(isText),
  hunks: isNumber,
  added: isNumber,
  removed: isNumber,
});

const backgroundCommand = shape({
  id: isId,
  callId: isId,
  agentId: isId,
  agentPath: listOf(isText),
  command: isText,
  startedAt: isNumber,
  chatTitle: optional(isText),
});
const commandOutcome = shape({
  cause: oneOf("exit", "timeout", "stopped", "user", "closed"),
  exitCode: optional(isNumber),
  signal: optional(isText),
  durationMs: optional(isNumber),
});

const budgetQuestion = shape({
  id: isText,
  agentId: isId,
  agentPath: listOf(isText),
  waitingId: isId,
  figure: oneOf(...budgetFigures),
  used: isNumber,
  allowed: isNumber,
  step: isNumber,
});
const figures = Object.fromEntries(budgetFigures.map((figure) => [figure, optional(isNumber)]));
const compaction = shape({ messageId: isId, before: isNumber, after: isNumber });
const runsEvents = {
  budget_changed: shape({ target: shape({ scope: isText }), limits: shape(figures) }),
  budget_asked: shape({ question: budgetQuestion }),
  budget_answered: shape({ questionId: isText }),
  compaction_started: shape({ agentId: isId }),
  compaction_ended: shape({ agentId: isId, result: optional(compaction) }),
};

const isHostEvent = variant(
  "type",
  {
    chat_titled: shape({ title: isText }),
    approval_requested: shape({ approval }),
    hunk_decided: shape({ approvalId: isText, hunkId: isText, decision: isText }),
    approval_closed: shape({ approvalId: isText }),
    queue_changed: shape({ items: listOf(shape({ id: isText, text: isText, kind: isText, to: optional(isText) })) }),
    context_measured: shape({ agentId: isId, context }),
    notice_shown: shape({
      notice: shape({ id: isText, level: isText, text: isText, actions: listOf(isText) }),
    }),
    notice_closed: shape({ noticeId: isText }),
    plan_changed: shape({ agentId: isId, items: listOf(shape({ text: isText, status: isText })) }),
    question_asked: shape({ question }),
    question_answered: shape({ questionId: isText }),
    ...runsEvents,
    interrupted: shape({ agentIds: listOf(isId) }),
    pending_edits_changed: shape({
      files: listOf(pendingEdits),
      undone: optional(shape({ files: isNumber, hunks: isNumber })),
    }),
    grants_changed: shape({ grants: listOf(grant) }),
    call_allowed: shape({ callId: isId, grant }),
    commands_changed: shape({ commands: listOf(backgroundCommand) }),
    command_ended: shape({ callId: isId, outcome: commandOutcome }),
    rewind_changed: shape({
      undoable: optional(shape({ messageId: isText, what: isText, id: optional(isText) })),
    }),
  },
  anything,
);

export const isEntry: Check = (value) =>
  isRecord(value) && isNumber(value.seq) && ("host" in value ? isHostEvent(value.host) : isAgentEvent(value.agent));

const model = shape({ id: isText, label: isText });
const command = shape({ name: isText, description: isText, takesText: isFlag });
export const isStatus = shape({
  model,
  models: listOf(model),
  activeFile: optional(isText),
  problemCount: isNumber,
  commands: optional(listOf(command)),
  budget: optional(shape(figures)),
});
const place = shape({ path: isText, name: optional(isText) });
const live = shape({ path: optional(isText) });
export const isAttachment = variant(
  "kind",
  {
    ...{ file: place, folder: place, selection: place, symbol: place },
    ...{ problems: live, terminal: live, diff: live },
    agent: shape({ name: isText, agentId: optional(isText) }),
    text: shape({ name: isText, text: isText }),
    image: shape({ name: isText, mimeType: isText, data: isText }),
  },
  () => false,
);
export const isSuggestion = shape({
  attachment: isAttachment,
  label: isText,
  detail: optional(isText),
  mention: isText,
});

export const isHistoryItem = shape({
  id: isText,
  title: isText,
  updatedAt: isNumber,
  tokens: isNumber,
  cost: optional(isNumber),
  state: oneOf(...chatStates),
});
