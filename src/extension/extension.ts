import "./common/words.ts";
import type * as vscode from "vscode";
import type { ArborExports } from "../../api/arbor.d.ts";
import { createChatting } from "./wiring/chatting.ts";
import { createCustomization } from "./wiring/customization.ts";
import { createEditing } from "./wiring/editing.ts";
import { registerEntryPoints } from "./wiring/entryPoints.ts";
import { createHost } from "./wiring/host.ts";
import { createMcp } from "./wiring/mcp.ts";
import { createModels } from "./wiring/models.ts";
import { createOtherExtensions } from "./wiring/otherExtensions.ts";

/**
 * The composition root: the only place that wires long-lived things. The SDKs behind the models load with the first
 * request that needs one.
 */
export async function activate(context: vscode.ExtensionContext): Promise<ArborExports> {
  const host = await createHost(context);
  const models = createModels(host);
  const mcp = createMcp(host, models);
  const editing = createEditing(host, models);
  const custom = createCustomization(host, models, editing);
  const extensions = createOtherExtensions(host, models);
  const chatting = createChatting({ host, models, editing, mcp, custom, extensions });
  registerEntryPoints(host, models, editing, chatting, mcp, extensions);
  return extensions.registry.exports;
}
