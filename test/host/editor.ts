import type { Page } from "playwright-core";
import { aimAtExtensionHost } from "./crash.ts";
import { type EditorProcesses, type ProcessOptions, startProcesses } from "./editorProcesses.ts";
import { quickOpen, runCommand, runCommandAndChoose } from "./palette.ts";
import { type ArborPanel, arborPanel } from "./panel.ts";
import { dragPanelTo } from "./panelWidth.ts";
import { type Settings, type Theme, themes, writeSettings } from "./settings.ts";
import { stageExtension } from "./stagedExtension.ts";
import { openWorkbench, workbenchIsDrawn } from "./workbench.ts";

export interface EditorOptions {
  /** A folder or a .code-workspace file; absent: no folder is open. */
  readonly workspace?: string;
  readonly settings?: Settings;
  /** Environment of the extension host. */
  readonly env?: Readonly<Record<string, string>>;
  readonly theme?: Theme;
  /** What extensions take for the user's language; the editor itself stays English. Default: English. */
  readonly language?: string;
  readonly viewport?: { readonly width: number; readonly height: number };
  /** Of the panel. Default: as the editor opens it. */
  readonly width?: number;
  /** Folder of the development extension. Default: this repository. */
  readonly extension?: string;
  /** Arbor is packaged and installed as users get it, in place of a development extension. `ARBOR_INSTALLED=1` does so everywhere. */
  readonly isInstalled?: boolean;
  /** Puts into the user's data what earlier sessions of the editor left there. */
  prepare?(userDataDir: string): Promise<void>;
  /** Folders of further extensions, loaded from their sources. */
  readonly otherExtensions?: readonly string[];
  /** Folders are opened in Restricted Mode. */
  readonly workspaceTrust?: boolean;
  /** Extensions of the editor's own: few start in half the time. Default: all. */
  readonly builtIns?: "few" | "all";
}

/** A window of the editor: a page of the browser with an extension host of its own. */
interface EditorWindow {
  readonly page: Page;
  readonly panel: ArborPanel;
  /** What the extension host has written to its console. */
  readonly console: readonly string[];
  runCommand(title: string): Promise<void>;
  openFile(name: string, line?: number): Promise<void>;
  openPanel(): Promise<void>;
  setPanelWidth(px: number): Promise<void>;
  reload(): Promise<void>;
  screenshot(file: string): Promise<void>;
}

/** A real editor with Arbor in it, driven by a browser. */
export interface Editor extends EditorWindow {
  /** Where the server and the browser keep all that they write. */
  readonly home: string;
  /** Of the server, like `http://127.0.0.1:PORT`. */
  readonly address: string;
  /** What went wrong in the panel's own code, uncaught, in any window. */
  readonly faults: readonly string[];
  setTheme(theme: Theme): Promise<void>;
  /**
   * Ends the extension host, or the server with all that it has started, without a warning; then reloads the window.
   * `meanwhile` finds everything as the crash left it.
   */
  crash(what: "host" | "server", meanwhile?: () => Promise<void>): Promise<void>;
  /** The same in two steps: what is returned ends it without delay. */
  prepareCrash(what: "host" | "server", meanwhile?: () => Promise<void>): Promise<() => Promise<void>>;
  /** One more window, by default on the same workspace. */
  openWindow(workspace?: string): Promise<EditorWindow>;
  /** Ends browser and server and removes what they wrote. */
  close(): Promise<void>;
}

/** Opens an editor. It closes itself when this process is asked to end; else `close` does. */
export async function openEditor(options: EditorOptions = {}): Promise<Editor> {
  const processes = await startProcesses(processOptionsOf(options), (dir) => fillUserData(dir, options));
  try {
    const { context } = processes;
    return await openOn(processes, context.pages()[0] ?? (await context.newPage()), options, processes.close);
  } catch (error) {
    await processes.close();
    throw error;
  }
}

/** What has to be the same for two editors to run on the same processes. */
export function processOptionsOf(options: EditorOptions): ProcessOptions {
  const { env = {}, viewport, workspaceTrust = false, builtIns = "all" } = options;
  // A test that brings its own extension tests that one.
  const installsAll = process.env.ARBOR_INSTALLED === "1" && options.extension === undefined;
  const isInstalled = options.isInstalled === true || installsAll;
  return { env, isInstalled, workspaceTrust, builtIns, ...(viewport && { viewport }) };
}

export async function fillUserData(userDataDir: string, { theme = "dark", settings = {}, prepare }: EditorOptions) {
  await writeSettings(userDataDir, theme, settings);
  await prepare?.(userDataDir);
}

const themeIsDrawn = (page: Page, theme: Theme) =>
  page.locator(`.monaco-workbench.${themes[theme].className}`).waitFor();

/** Opens an editor in a page of processes that run and whose user data are filled. */
export async function openOn(
  processes: EditorProcesses,
  firstPage: Page,
  options: EditorOptions,
  close: () => Promise<void>,
): Promise<Editor> {
  const { home, context } = processes;
  const server = await processes.server();
  const theme = options.theme ?? "dark";
  const faults: string[] = [];
  const { isInstalled } = processOptionsOf(options);
  const extension = isInstalled ? undefined : (options.extension ?? (await stageExtension()));

  async function openIn(page: Page, workspace: string | undefined): Promise<EditorWindow> {
    const lines: string[] = [];
    page.on("pageerror", ({ stack = "" }) => {
      if (stack.includes("/dist/webview/")) faults.push(stack);
    });
    await openWorkbench(page, server, {
      ...(workspace !== undefined && { workspace }),
      ...(extension !== undefined && { extension }),
      otherExtensions: options.otherExtensions ?? [],
      ...(options.language !== undefined && { language: options.language }),
      onLog: (level, args) => lines.push(`${level}: ${args.map(String).join(" ")}`),
    });
    await themeIsDrawn(page, theme);
    return windowOf(page, lines);
  }

  const window = await openIn(firstPage, options.workspace);
  const editor: Editor = {
    ...window,
    home,
    address: `http://${server.authority}`,
    faults,
    async setTheme(theme) {
      await runCommandAndChoose(window.page, "Preferences: Color Theme", themes[theme].name);
      await themeIsDrawn(window.page, theme);
    },
    crash: async (what, meanwhile) => (await editor.prepareCrash(what, meanwhile))(),
    async prepareCrash(what, meanwhile) {
      const running = await processes.server();
      const kill = what === "host" ? await aimAtExtensionHost(home) : running.kill;
      return async () => {
        await kill();
        await meanwhile?.();
        if (what === "server") await processes.restart();
        await editor.reload();
      };
    },
    openWindow: async (workspace = options.workspace) => openIn(await context.newPage(), workspace),
    close,
  };
  if (options.width !== undefined) {
    await editor.openPanel();
    await editor.setPanelWidth(options.width);
  }
  return editor;
}

function windowOf(page: Page, lines: readonly string[]): EditorWindow {
  const panel = arborPanel(page);
  return {
    page,
    panel,
    console: lines,
    runCommand: (title) => runCommand(page, title),
    openFile: (name, line) => quickOpen(page, name, line),
    async openPanel() {
      await runCommand(page, "Arbor: Focus on Chat View");
      await panel.composer.waitFor({ timeout: 30_000 }).catch((error: Error) => {
        // Whether the page of the panel is there at all, and what the extension said.
        const frames = page.frames().map((frame) => frame.url().slice(0, 200));
        error.message += `\nFrames:\n${frames.join("\n")}\nExtension host:\n${lines.slice(-20).join("\n")}`;
        throw error;
      });
    },
    setPanelWidth: (px) => dragPanelTo(page, px),
    async reload() {
      await page.reload({ waitUntil: "domcontentloaded" });
      await workbenchIsDrawn(page);
    },
    async screenshot(file) {
      // What fades or breathes is shown as it comes to rest.
      await page.screenshot({ path: file, animations: "disabled" });
    },
  };
}
