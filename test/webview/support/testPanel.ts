import type { Intent } from "../../../src/protocol/messages.ts";
import { createPanelHost, type SavedState } from "../../../src/webview/host.ts";
import { createPanel, type Panel } from "../../../src/webview/shell/panel.ts";
import { type ManualTiming, manualTiming } from "./manualTiming.ts";

export interface TestPanel {
  panel: Panel;
  timing: ManualTiming;
  /** What the page saved last. */
  saved(): SavedState;
}

/** The panel without a page, its clock in the test's hands. `state` is what an earlier page saved. */
export function testPanel(post: (intent: Intent) => void, state?: unknown): TestPanel {
  let saved: unknown = state;
  const timing = manualTiming();
  const api = {
    // What is posted is JSON; the panel sends nothing but intents.
    postMessage: (message: unknown) => post(message as Intent),
    getState: () => saved,
    setState: (next: unknown) => {
      saved = next;
    },
  };
  return { panel: createPanel(createPanelHost(api), timing), timing, saved: () => saved as SavedState };
}
