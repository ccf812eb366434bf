import type { PanelOptions, PanelPage } from "./panelPage.ts";
import { openScene } from "./scene.ts";
import { usePages } from "./usePages.ts";

/** Opens scenes of the gallery in one browser for the suite it is called in, and closes them after each test. */
export function useScene(): (name: string, options?: PanelOptions) => Promise<PanelPage> {
  const open = usePages();
  return (name, options) => open((browser) => openScene(browser, name, options));
}
