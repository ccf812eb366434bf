import type { Responses } from "openai/resources/responses/responses";
import type { ToolCall, ToolDefinition } from "../../vocabulary/messages.ts";
import type { Model } from "../../vocabulary/model.ts";
import { openaiFamily } from "../shared/modelFamily.ts";
import type { OptionalFields } from "../shared/optionalFields.ts";
import { argumentsObject, argumentsText, wireCallId, wireToolName } from "../shared/wireValues.ts";

/** Tools that are called by free text instead of JSON: by name, the argument that the text is. */
export type FreeTextTools = ReadonlyMap<string, string>;

const none: FreeTextTools = new Map();

/** Those of a request, where the model and the provider take them. */
export function freeTextTools({ id }: Model, tools: readonly ToolDefinition[], fields: OptionalFields): FreeTextTools {
  const named = freeTextArguments(tools);
  return named.size > 0 && openaiFamily(id)?.hasFreeText && fields.may("tools.custom") ? named : none;
}

export function freeTextArguments(tools: readonly ToolDefinition[]): FreeTextTools {
  return new Map(tools.flatMap(({ name, freeText }) => (freeText === undefined ? [] : [[name, freeText.argument]])));
}

export function freeTextTool({ name, description, freeText }: ToolDefinition): Responses.CustomTool {
  const definition = freeText?.grammar ?? "";
  return { type: "custom", name, description, format: { type: "grammar", syntax: "lark", definition } };
}

/** A call with the text that it was written as. Arguments of another form, as of a call that was cut, are shown as JSON. */
export function freeTextCall(call: ToolCall, argument: string): Responses.ResponseCustomToolCall {
  const value: unknown = Reflect.get(argumentsObject(call.arguments), argument);
  const input = typeof value === "string" ? value : argumentsText(call.arguments);
  return { type: "custom_tool_call", call_id: wireCallId(call.id), name: wireToolName(call.name), input };
}
