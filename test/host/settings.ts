import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

export type Settings = Readonly<Record<string, unknown>>;

/** Each theme's name, and the class the workbench has once it is drawn in it. */
export const themes = {
  dark: { name: "Dark Modern", className: "vs-dark" },
  light: { name: "Light Modern", className: "vs" },
  "high-contrast": { name: "Default High Contrast", className: "hc-black" },
  "high-contrast-light": { name: "Default High Contrast Light", className: "hc-light" },
} as const;
export type Theme = keyof typeof themes;

/** A quiet editor: nothing opens, updates, asks or saves on its own. */
const quietSettings: Settings = {
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.enableExperiments": false,
  "workbench.secondarySideBar.defaultVisibility": "visible",
  "telemetry.telemetryLevel": "off",
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "git.openRepositoryInParentFolders": "never",
  "chat.disableAIFeatures": true,
  "files.autoSave": "off",
  // Drawn as text, which tests can read.
  "terminal.integrated.gpuAcceleration": "off",
  "security.workspace.trust.startupPrompt": "never",
};

/** What no test looks at is not drawn, and nothing is animated. */
export const plainSettings: Settings = {
  "workbench.reduceMotion": "on",
  "editor.cursorBlinking": "solid",
  "editor.minimap.enabled": false,
};

/** The user settings, as the editor finds them when it starts: this host does not see the file change later. */
export async function writeSettings(userDataDir: string, theme: Theme, settings: Settings): Promise<void> {
  const file = path.join(userDataDir, "User/settings.json");
  await mkdir(path.dirname(file), { recursive: true });
  const all = { ...quietSettings, "workbench.colorTheme": themes[theme].name, ...settings };
  await writeFile(file, JSON.stringify(all, undefined, 2));
}
