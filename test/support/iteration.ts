import type { EventBody } from "../../src/agent/vocabulary/events.ts";
import type { IterationInfo } from "../../src/agent/vocabulary/hooks.ts";
import { type AgentMessage, estimateTokens } from "../../src/agent/vocabulary/messages.ts";
import type { Model, ModelRequest } from "../../src/agent/vocabulary/model.ts";
import { defaultConvertToLlm, repairTranscript } from "../../src/agent/vocabulary/projection.ts";
import { assistant } from "./events.ts";
import { testModel } from "./scriptedModel.ts";

export interface FakeIteration {
  info: IterationInfo;
  events: EventBody[];
  requests: ModelRequest[];
  /** Everything the effect appended, in order. */
  appended: AgentMessage[];
  list(): readonly AgentMessage[];
}

/** One iteration as an effect sees it, over a transcript of its own. `answers` are the texts of its requests. */
export function iteration(
  messages: AgentMessage[],
  more: Partial<IterationInfo> & { answers?: (string | Error)[]; inputTokens?: number } = {},
): FakeIteration {
  const { answers = [], inputTokens, ...fields } = more;
  let list: readonly AgentMessage[] = messages;
  const events: EventBody[] = [];
  const requests: ModelRequest[] = [];
  const appended: AgentMessage[] = [];
  const model: Model = fields.model ?? testModel;
  const info: IterationInfo = {
    phase: "before",
    iteration: 1,
    agent: { id: "a", prefix: "", depth: 0 },
    model,
    transcript: {
      list: () => list,
      replace: (next) => {
        list = next;
      },
      append: (...added) => {
        appended.push(...added);
        list = [...list, ...added];
      },
    },
    estimatedTokens: estimateTokens(messages),
    signal: new AbortController().signal,
    conversation: async (shown) => ({
      systemPrompt: "You are an agent.",
      messages: repairTranscript(defaultConvertToLlm(shown)),
      tools: [],
    }),
    async complete(request) {
      requests.push(request);
      const answer = answers.shift();
      if (answer === undefined) throw new Error("No answer was scripted for this request");
      if (answer instanceof Error) throw answer;
      return assistant("summary", answer);
    },
    emit: (event) => {
      events.push(event);
    },
    stop: () => {},
    ...fields,
  };
  if (inputTokens !== undefined) {
    info.lastUsage = { input: inputTokens, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, cost: 0 };
  }
  return { info, events, requests, appended, list: () => list };
}
