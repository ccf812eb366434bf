import type { RunResult } from "../agent/runLoop.ts";
import { type AgentError, errorText } from "../vocabulary/errors.ts";
import type { EventBody, SerializedError } from "../vocabulary/events.ts";
import { plainJson } from "../vocabulary/plainJson.ts";

/** The last event of a run, from its result. */
export function agentEnd(run: RunResult): EventBody {
  const result = plainJson(run.result);
  return {
    type: "agent_end",
    reason: run.reason,
    messages: run.messages,
    ...(run.finalMessage === undefined ? {} : { finalMessage: run.finalMessage }),
    ...(result === undefined ? {} : { result }),
    usage: run.usage,
    ...(run.error === undefined ? {} : { error: serializeError(run.error) }),
  };
}

/** An error as events carry it; the text of its cause is told once. */
function serializeError(error: AgentError): SerializedError {
  const { code, message, cause } = error;
  const causeText = cause === undefined ? "" : errorText(cause);
  return { code, message: message.includes(causeText) ? message : `${message}: ${causeText}` };
}

/** The result of a run that went well; throws the error of one that did not. */
export function succeeded(result: RunResult): RunResult {
  if (result.error !== undefined) throw result.error;
  return result;
}
