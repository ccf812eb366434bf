import type { Intent } from "../protocol/messages.ts";

/** What the panel saves for itself over a reload of its page. */
export interface SavedState {
  chatId?: string;
  draft?: string;
  /** In ms since the epoch. */
  draftTypedAt?: number;
  selectedAgentId?: string;
  collapsed?: string[];
  /** How the user wants the rows of the tree. */
  meters?: string;
  /** Pixels. */
  treeHeight?: number;
  /** What is shown in place of the conversation, or of the tree. */
  view?: "changes" | "comparisons" | "timeline";
}

/** The panel's only way out: intents to the host, and a little memory. */
export interface PanelHost {
  post(intent: Intent): void;
  save(state: SavedState): void;
  readonly saved: SavedState;
}

/** What the editor gives to a webview's page, once. */
export interface WebviewApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

export function createPanelHost(api: WebviewApi): PanelHost {
  return {
    post: (intent) => api.postMessage(intent),
    save: (state) => api.setState(state),
    saved: readSaved(api.getState()),
  };
}

/** An older version of the panel may have saved something else. */
function readSaved(value: unknown): SavedState {
  if (typeof value !== "object" || value === null) return {};
  const saved: SavedState = {};
  for (const name of ["chatId", "draft", "selectedAgentId", "meters"] as const) {
    const text: unknown = Reflect.get(value, name);
    if (typeof text === "string") saved[name] = text;
  }
  if ("draftTypedAt" in value && typeof value.draftTypedAt === "number") saved.draftTypedAt = value.draftTypedAt;
  if ("collapsed" in value && Array.isArray(value.collapsed)) {
    saved.collapsed = value.collapsed.filter((id) => typeof id === "string");
  }
  if ("treeHeight" in value && typeof value.treeHeight === "number" && value.treeHeight > 0) {
    saved.treeHeight = value.treeHeight;
  }
  if ("view" in value && (value.view === "changes" || value.view === "comparisons" || value.view === "timeline"))
    saved.view = value.view;
  return saved;
}
