import * as vscode from "vscode";
import type { Attachment } from "../../../protocol/attachments.ts";
import { UserError } from "../../common/userError.ts";
import { mainAgent } from "../../customization/agents.ts";
import type { Conversation } from "../conversation.ts";
import { type AskArguments, type NamedPlace, parseAskArguments } from "./askCommand.ts";
import { attachmentNamed } from "./attach/mentions.ts";
import type { Composing } from "./composing.ts";
import { selectionAttachment } from "./editorContext.ts";

export interface AskAnswer {
  sessionId: string;
  text: string;
}

/**
 * `arbor.ask`: asks for the words unless they are given, attaches the selection, and resolves when the run has ended.
 * Undefined when the user left. A signal withdraws the question.
 */
export function createAsk({
  conversationOf,
  composing,
  pathOf,
  reveal,
}: {
  conversationOf(): Conversation;
  composing: Pick<Composing, "attachments" | "dropped">;
  pathOf(uri: vscode.Uri): string | undefined;
  reveal(): Promise<void>;
}) {
  return async (input: unknown, signal?: AbortSignal): Promise<AskAnswer | undefined> => {
    const given = parseAskArguments(input);
    refuseStranger(given, composing.attachments.agents());
    const selection = selectionAttachment(pathOf);
    const attachments = await attachmentsOf(given, composing, selection);
    const prompt = given.prompt ?? (await askWords(attachments));
    if (prompt === undefined || signal?.aborted === true) return undefined;
    await reveal();
    const conversation = conversationOf();
    const { id } = conversation.current;
    const addressed = addressedBy(given);
    const summary = await conversation.send(prompt, [...attachments, ...addressed], "queue", signal);
    return { sessionId: id, text: summary?.text ?? "" };
  };
}

function refuseStranger({ agent }: AskArguments, agents: readonly { name: string }[]): void {
  const known = [mainAgent, ...agents].map(({ name }) => name);
  if (agent === undefined || known.includes(agent)) return;
  throw new UserError(`There is no agent "${agent}" to ask. There are ${known.join(", ")}.`);
}

/** Without a list the selection is meant. */
async function attachmentsOf(
  { attachments }: AskArguments,
  composing: Pick<Composing, "attachments" | "dropped">,
  selection: Attachment | undefined,
): Promise<Attachment[]> {
  if (attachments === undefined) return selection === undefined ? [] : [selection];
  return Promise.all(attachments.map((each) => ("kind" in each ? each : attachmentAt(each, composing))));
}

async function attachmentAt(
  { name, startLine, endLine }: NamedPlace,
  { attachments, dropped }: Pick<Composing, "attachments" | "dropped">,
): Promise<Attachment> {
  const uri = addressIn(name);
  const [found] = uri === undefined ? [await attachmentNamed(name, attachments)] : await dropped([uri]);
  if (found === undefined) {
    throw new UserError(vscode.l10n.t("{0} does not exist in the workspace, so it can't be attached.", name));
  }
  if (startLine === undefined || found.kind !== "file") return found;
  return { kind: "selection", path: found.path, startLine, endLine: Math.max(startLine, endLine ?? startLine) };
}

/** An absolute path is an address too; the path of the workspace comes from where its folders lie. */
function addressIn(name: string): string | undefined {
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(name)) return name;
  return /^(?:\/|[a-z]:[\\/])/i.test(name) ? vscode.Uri.file(name).toString() : undefined;
}

function askWords(attachments: readonly Attachment[]): Thenable<string | undefined> {
  const names = attachments.map(
    (each) => ("path" in each ? each.path : "name" in each ? each.name : undefined) ?? each.kind,
  );
  return vscode.window.showInputBox({
    title: vscode.l10n.t("Arbor: Ask Agent"),
    placeHolder: vscode.l10n.t("What should we work on?"),
    ...(names.length > 0 && { prompt: vscode.l10n.t("Attached: {0}", names.join(", ")) }),
  });
}

/** Another agent than `main` is addressed as with `@` in the composer. */
function addressedBy({ agent }: AskArguments): Attachment[] {
  return agent === undefined || agent === mainAgent.name ? [] : [{ kind: "agent", name: agent }];
}
