import type { AgentMessage } from "../../agent/vocabulary/messages.ts";
import type { PanelStatus } from "../../protocol/messages.ts";
import {
  type EditorState,
  type Environment,
  editorStateIn,
  editorStateText,
  environmentText,
} from "../prompts/contextBlocks.ts";

export interface SurroundingsSources {
  environment(): Promise<Environment>;
  /** Undefined where the user wants none of it sent. */
  editorState(): EditorState | undefined;
}

/** An agent as far as it matters for what it knows already. */
interface InformedAgent {
  sessionId: string;
  messages: readonly AgentMessage[];
}

/**
 * What agents get to know of where they work: of the environment once, with the first message of a chat; of the editor
 * with each message of the user's when it changed. What was sent is never rewritten.
 */
export class Surroundings {
  readonly #sources: SurroundingsSources;
  /** By chat: one text for all its agents, so that what they begin with is the same. */
  readonly #environments = new Map<string, { text: Promise<string>; ready?: string }>();

  constructor(sources: SurroundingsSources) {
    this.#sources = sources;
  }

  /** The environment as it was when it was first asked for in this chat. */
  environmentOf(chatId: string): Promise<string> {
    const known = this.#environments.get(chatId);
    if (known !== undefined) return known.text;
    const entry: { text: Promise<string>; ready?: string } = {
      text: this.#sources.environment().then((environment) => {
        entry.ready = environmentText(environment);
        return entry.ready;
      }),
    };
    this.#environments.set(chatId, entry);
    return entry.text;
  }

  forget(chatId: string): void {
    this.#environments.delete(chatId);
  }

  /** What goes beside the next message of the user's to a root agent, whose environment was asked for before. */
  notesFor({ sessionId, messages }: InformedAgent): string[] {
    const isFirst = !messages.some(({ role }) => role === "user" || role === "summary");
    const environment = isFirst ? this.#environments.get(sessionId)?.ready : undefined;
    const state = this.#sources.editorState();
    const known = knownState(messages);
    const isEmpty = state?.active === undefined && state?.open.length === 0 && state.problems.length === 0;
    const now = state === undefined || (isEmpty && known === undefined) ? undefined : editorStateText(state);
    const isNews = now !== undefined && now !== known;
    return [...(environment === undefined ? [] : [environment]), ...(isNews ? [now] : [])];
  }
}

/** What an agent was last informed of the editor; what was condensed is not shown any more. */
function knownState(messages: readonly AgentMessage[]): string | undefined {
  for (const message of messages.toReversed()) {
    if (message.role === "summary") return undefined;
    if (message.role !== "user" || message.meta?.noted !== true) continue;
    const last = message.content.at(-1);
    const state = last?.type === "text" ? editorStateIn(last.text) : undefined;
    if (state !== undefined) return state;
  }
  return undefined;
}

/** What a message says of the editor, in figures; undefined where there is nothing to say. */
export function shownEditorState({ active, open, problems }: EditorState, isSent: boolean): PanelStatus["editorState"] {
  const openFiles = open.length + (active === undefined ? 0 : 1);
  const problemCount = problems.reduce((sum, { count }) => sum + count, 0);
  return openFiles + problemCount === 0 ? undefined : { isSent, openFiles, problems: problemCount };
}
