import path from "node:path";
import type { Page } from "playwright-core";
import type { EditorServer } from "./server.ts";

export interface WorkbenchOptions {
  /** A folder or a .code-workspace file; absent: an empty window. */
  readonly workspace?: string;
  /** Folder of the extension to load from its sources. */
  readonly extension?: string;
  readonly otherExtensions?: readonly string[];
  /** As if a pack of this language were installed that holds no words. */
  readonly language?: string;
  /** Module that runs inside the extension host; how it ended reaches `onTestsEnd`. */
  readonly tests?: string;
  readonly onTestsEnd?: (exitCode: number) => void;
  /** What the extension host writes to its console. */
  readonly onLog?: (level: string, args: unknown[]) => void;
}

/** How the workbench writes down the place of a file on its server. */
const remoteUri = (server: EditorServer, file: string) => ({
  $mid: 1,
  scheme: "vscode-remote",
  authority: server.authority,
  path: path.resolve(file),
});

export function workbenchUrl(server: Pick<EditorServer, "authority">, workspace: string | undefined): string {
  const query = new URLSearchParams();
  // Without this flag the server would lead to the folder it had last.
  if (workspace === undefined) query.set("ew", "true");
  else query.set(workspace.endsWith(".code-workspace") ? "workspace" : "folder", path.resolve(workspace));
  return `http://${server.authority}/?${query}`;
}

/**
 * Runs in the page before the workbench does. The served page has the workbench's configuration in an element;
 * the workbench reads there which extensions are under development.
 */
function addDevelopmentOptions(options: { extensions: unknown[]; extensionTestsPath?: unknown }): void {
  // The page's own globals: this function's text is what crosses over, and this project has no DOM types here.
  const scope = globalThis as unknown as {
    window: { top: unknown };
    Document: { prototype: { getElementById(id: string): ConfigurationElement | null } };
  };
  interface ConfigurationElement {
    dataset: Record<string, string>;
    getAttribute(name: string): string;
    setAttribute(name: string, value: string): void;
  }
  if (scope.window !== scope.window.top) return;
  const { prototype } = scope.Document;
  const original = prototype.getElementById;
  prototype.getElementById = function getElementById(id) {
    const element = original.call(this, id);
    if (id === "vscode-workbench-web-configuration" && element && element.dataset.arbor !== "added") {
      const configuration = JSON.parse(element.getAttribute("data-settings"));
      configuration.developmentOptions = { ...configuration.developmentOptions, ...options };
      element.setAttribute("data-settings", JSON.stringify(configuration));
      element.dataset.arbor = "added";
    }
    return element;
  };
}

/** Loads the workbench into `page` and waits until it is drawn. */
export async function openWorkbench(page: Page, server: EditorServer, options: WorkbenchOptions): Promise<void> {
  // The workbench calls these when a test runner has put them there.
  await page.exposeFunction("codeAutomationLog", (level: string, args: unknown[]) => options.onLog?.(level, args));
  await page.exposeFunction("codeAutomationExit", (exitCode: number) => options.onTestsEnd?.(exitCode));
  const { extension, otherExtensions = [] } = options;
  // Others are there beside a package that is installed, too.
  const extensions = [...(extension === undefined ? [] : [extension]), ...otherExtensions];
  if (extensions.length > 0) {
    await page.addInitScript(addDevelopmentOptions, {
      extensions: extensions.map((folder) => remoteUri(server, folder)),
      ...(options.tests !== undefined && { extensionTestsPath: remoteUri(server, options.tests) }),
    });
  }
  if (options.language !== undefined) {
    await page.addInitScript(
      (language) => Object.assign(globalThis, { _VSCODE_NLS_LANGUAGE: language }),
      options.language,
    );
  }
  await page.goto(workbenchUrl(server, options.workspace), { waitUntil: "domcontentloaded" });
  await workbenchIsDrawn(page);
}

export async function workbenchIsDrawn(page: Page): Promise<void> {
  await page.locator(".monaco-workbench .part.statusbar .statusbar-item").first().waitFor({ timeout: 60_000 });
}
