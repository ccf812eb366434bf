import type { HostMessage } from "../../../src/protocol/messages.ts";
import { scenes } from "../gallery/scenes.ts";
import { openPanel, type PanelOptions, type PanelPage } from "./panelPage.ts";
import { usePages } from "./usePages.ts";

/** Opens panels in one browser for the suite it is called in, and closes them after each test. */
export function usePanel(): (messages?: string | readonly HostMessage[], options?: PanelOptions) => Promise<PanelPage> {
  const open = usePages();
  return async (messages = [], options) => {
    const panel = await open((browser) => openPanel(browser, options));
    const posted = typeof messages === "string" ? (scenes[messages]?.().messages ?? []) : messages;
    for (const message of posted) await panel.post(message);
    await panel.drawn();
    if (posted.length > 0) await panel.answerable();
    return panel;
  };
}
