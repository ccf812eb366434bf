import "./words.ts";
import type * as vscode from "vscode";
import { createChatting } from "./composition/chatting.ts";
import { createEditing } from "./composition/editing.ts";
import { registerEntryPoints } from "./composition/entryPoints.ts";
import { createHost } from "./composition/host.ts";
import { createModels } from "./models/models.ts";

/**
 * The composition root: the only place that wires long-lived things. The SDKs behind the models load with the first
 * request that needs one.
 */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const host = await createHost(context);
  const models = createModels(host);
  const editing = createEditing(host, models);
  const chatting = createChatting(host, models, editing);
  registerEntryPoints(host, models, chatting);
}
