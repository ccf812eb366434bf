import type { EditorMcp } from "../mcp/editorMcp.ts";
import type { Host } from "./host.ts";
import type { Models } from "./models.ts";

/** MCP servers. What knows the protocol, and the formats of its files, is loaded when there is a server or who asks for one. */
export function createMcp({ context, own, warn }: Host, { settings }: Models) {
  let loading: Promise<EditorMcp> | undefined;
  let loaded: EditorMcp | undefined;
  const load = async () => {
    loading ??= import("../mcp/editorMcp.ts").then(({ createEditorMcp }) =>
      createEditorMcp({ context, settings, warn }),
    );
    loaded = await loading;
    return loaded;
  };
  own({ dispose: () => loaded?.servers.dispose() });
  return {
    showServers: async () => (await load()).showServers(),
  };
}
export type Mcp = ReturnType<typeof createMcp>;
