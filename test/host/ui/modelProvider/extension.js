import * as vscode from "vscode";

const about = { family: "rehearsed", version: "1", maxInputTokens: 50_000, maxOutputTokens: 4_000 };
const models = [
  { id: "reader", name: "Reader", capabilities: { toolCalling: true, imageInput: true }, ...about },
  { id: "unwilling", name: "Unwilling", capabilities: { toolCalling: true }, ...about },
];

function partsOf(messages, Part) {
  return messages.flatMap(({ content }) => content.filter((part) => part instanceof Part));
}

function textOf(parts) {
  return parts.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : "")).join("");
}

/** Reads a file by Arbor's tool, then says what it began with. */
function read(messages, { tools = [], toolMode }, progress) {
  const [result] = partsOf(messages, vscode.LanguageModelToolResultPart);
  if (result !== undefined) {
    const called = partsOf(messages, vscode.LanguageModelToolCallPart).some(({ callId }) => callId === result.callId);
    const hasName = textOf(result.content).includes("corner-shop");
    for (const word of ["The file ", hasName ? "names corner-shop" : "is another one", called ? "." : "?"]) {
      progress.report(new vscode.LanguageModelTextPart(word));
    }
    return;
  }
  const mayCall = toolMode === vscode.LanguageModelChatToolMode.Auto;
  const name = (mayCall && tools.find((tool) => tool.name === "read_file")?.name) || "no_tool";
  progress.report(new vscode.LanguageModelTextPart("I look into package.json."));
  progress.report(new vscode.LanguageModelToolCallPart("call-1", name, { path: "package.json" }));
}

export function activate(context) {
  const provider = {
    provideLanguageModelChatInformation: () => models,
    async provideLanguageModelChatResponse(model, messages, options, progress) {
      if (model.id === "unwilling") throw vscode.LanguageModelError.Blocked("Your monthly requests are used up");
      read(messages, options, progress);
    },
    provideTokenCount: async (_model, message) =>
      typeof message === "string" ? message.length : textOf(message.content).length,
  };
  context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider("rehearsed", provider));
}
