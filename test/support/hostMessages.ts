import assert from "node:assert/strict";
import { hostMessageSchema } from "../../src/protocol/hostMessageSchemas.ts";
import type { HostMessage, PanelStatus } from "../../src/protocol/messages.ts";

/** Of a window with the demo model alone. */
export const panelStatus: PanelStatus = {
  model: { id: "demo/demo", label: "Demo", isDemo: true, hasPrice: false },
  models: [],
  needsSetup: false,
  folderOpen: true,
  problemCount: 0,
  mode: "ask",
  thinking: "off",
};

/** A message as the panel gets it. Fails when it is not exactly what the protocol's schema says. */
export function receivedMessage(json: string): HostMessage {
  const posted: unknown = JSON.parse(json);
  const message = hostMessageSchema.parse(posted);
  assert.deepEqual(message, posted, "The message has properties that its schema lacks.");
  return message;
}
