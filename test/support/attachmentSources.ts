import type { AttachmentSources } from "../../src/extension/chat/compose/attach/sources.ts";
import { memoryWorkspace } from "./memoryWorkspace.ts";

/** An editor in which nothing is selected, changed or run, by default. */
export function attachmentSources(changes: Partial<AttachmentSources> = {}): AttachmentSources {
  return {
    isTrusted: () => true,
    workspace: memoryWorkspace(),
    selection: () => undefined,
    terminal: () => undefined,
    changes: async () => undefined,
    resources: () => [],
    readResource: async () => "",
    agents: () => [{ name: "explore", description: "Looks around." }],
    ...changes,
  };
}
