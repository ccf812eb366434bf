import { t } from "@vscode/l10n";
import type { AgentMessage } from "../../../agent/index.ts";
import type { RemovedMessages } from "../../changes/rewind/rewinds.ts";
import { UserError } from "../../common/userError.ts";
import type { AgentTranscript } from "../log/chatRecording.ts";
import type { EventLog } from "../log/eventLog.ts";
import type { EarlierAgent } from "../restore/restoredChat.ts";
import type { Resumption } from "../restore/resumption.ts";
import type { RootAgent } from "./rootAgent.ts";

interface TranscriptParts {
  root: RootAgent;
  /** The number of the latest event of its agents. */
  lastSeq(): number;
  log: EventLog;
  earlier: EarlierAgent | undefined;
  /** Sub-agents that the end of the editor cut off: the session's file has what they said. */
  cutOff: ReadonlySet<string>;
  resumption: Resumption | undefined;
  /** Runs a step whose rewinds are not in the log: what follows them is. */
  withoutRewinds(step: () => Promise<void>): Promise<void>;
}

/** What the agents of a chat have said, read and rewound. */
export class ChatTranscript {
  readonly #parts: TranscriptParts;

  constructor(parts: TranscriptParts) {
    this.#parts = parts;
  }

  /** Undefined where the session's file has it. */
  of(agentId: string): AgentTranscript | undefined {
    const { root, lastSeq, cutOff, log, earlier } = this.#parts;
    const live = root.messagesOf(agentId);
    if (live === undefined && cutOff.has(agentId)) return undefined;
    const messages = live ?? (agentId === earlier?.id ? earlier.messages : log.messagesOf(agentId));
    return messages.length === 0 ? undefined : { messages, upToSeq: lastSeq() };
  }

  /** Removes a message of the user's with all that followed, and gives what was removed. */
  async rewindTo(messageId: string): Promise<RemovedMessages> {
    const { root, log, resumption } = this.#parts;
    const agent = root.known();
    const before = agent?.messages ?? [];
    const index = before.findIndex((message) => message.id === messageId && message.role === "user");
    if (agent === undefined || index < 0)
      throw new UserError(t("This message is not in the conversation any more. Choose another one."));
    const seq = log.lastSeq + 1;
    await agent.rewindTo(messageId);
    resumption?.rewound(agent);
    return { messages: before.slice(index), after: before[index - 1]?.id ?? "", seq };
  }

  /** Adds messages again that a rewind removed: behind the one that was left before them, ahead of what came since. */
  async putBack(messages: readonly AgentMessage[], after?: string): Promise<void> {
    const agent = this.#parts.root.known();
    if (agent === undefined) return;
    const known = new Set(agent.messages.map(({ id }) => id));
    const missing = messages.filter(({ id }) => !known.has(id));
    if (missing.length === 0) return;
    const since =
      after === undefined ? [] : agent.messages.slice(agent.messages.findIndex(({ id }) => id === after) + 1);
    const [next] = since;
    // One entry of the log: with two, the end of the editor between them would lose what came since.
    await this.#parts.withoutRewinds(async () => {
      if (next !== undefined) await agent.rewindTo(next.id);
      agent.addMessage([...missing, ...since]);
    });
  }
}
