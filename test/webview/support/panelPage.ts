import { readFileSync } from "node:fs";
import path from "node:path";
import type { Browser, Page, Route } from "playwright-core";
import { bundle } from "../../../scripts/words/source.mjs";
import { panelHtml } from "../../../src/extension/panel/panelHtml.ts";
import type { HostMessage, Intent } from "../../../src/protocol/messages.ts";
import { buildPanel, type PanelFiles } from "./build.ts";
import { defaultStyles } from "./defaultStyles.ts";

export const themeNames = ["dark", "light", "hcDark", "hcLight"] as const;
type ThemeName = (typeof themeNames)[number];

/** Values read from a real workbench. */
const themes: Record<ThemeName, Record<string, string>> = JSON.parse(
  readFileSync(path.join(import.meta.dirname, "themes.json"), "utf8"),
);
const kinds: Record<ThemeName, string> = {
  dark: "vscode-dark",
  light: "vscode-light",
  hcDark: "vscode-high-contrast",
  hcLight: "vscode-high-contrast-light",
};

const origin = "http://panel.test";
const nonce = "0123456789abcdef";

export interface PanelPage {
  readonly page: Page;
  /** What the panel asked of the host, in order. */
  intents(): Promise<Intent[]>;
  /** Addresses that were asked for and are not the panel's own. */
  readonly strangeRequests: string[];
  readonly dialogs: string[];
  /** Errors, and what the content security policy refused. */
  readonly problems: string[];
  post(message: HostMessage): Promise<void>;
  postText(text: string): Promise<void>;
  /** As when the user chooses another theme of the editor. */
  setTheme(theme: ThemeName): Promise<void>;
  /** Resolves when what was posted is on the screen. */
  drawn(): Promise<void>;
  /** Resolves when the cards that ask for an answer have been in view long enough to take one. */
  answerable(): Promise<void>;
  close(): Promise<void>;
}

export interface PanelOptions {
  theme?: ThemeName;
  width?: number;
  height?: number;
  reducedMotion?: boolean;
  /** Of the panel. Default: English. */
  language?: string;
  /** What an earlier page left with `setState`. */
  saved?: unknown;
  /** What loads at first use is answered only then. */
  chunksReady?: Promise<void>;
  /** Whether this request for a script fails. */
  fails?(url: string): boolean;
}

let files: Promise<PanelFiles> | undefined;

/** The built panel in the page that the extension makes for it, with a host that only takes notes. */
export async function openPanel(browser: Browser, options: PanelOptions = {}): Promise<PanelPage> {
  const {
    theme = "dark",
    width = 320,
    height = 720,
    reducedMotion = true,
    language = "en",
    saved,
    chunksReady,
    fails = () => false,
  } = options;
  files ??= buildPanel();
  const built = await files;
  const context = await browser.newContext({
    viewport: { width, height },
    reducedMotion: reducedMotion ? "reduce" : "no-preference",
  });
  const page = await context.newPage();
  const strangeRequests: string[] = [];
  const dialogs: string[] = [];
  const problems: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    return dialog.dismiss();
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  let loading = 0;
  page.on("request", () => loading++);
  page.on("requestfinished", () => loading--);
  page.on("requestfailed", () => loading--);
  const html = await pageHtml(theme, language);
  await page.route("**/*", async (route) => {
    if (route.request().url().includes("/chunks/onDemand")) await chunksReady;
    if (fails(route.request().url())) await route.abort();
    else await answer(route, built, html, strangeRequests);
  });
  await page.addInitScript(fakeEditor, { variables: themes[theme], kind: kinds[theme], saved });
  await page.goto(`${origin}/`);
  return {
    page,
    strangeRequests,
    dialogs,
    problems,
    intents: () => page.evaluate(() => globalThis.posted),
    post: (message) => page.evaluate((json) => globalThis.postMessage(json, "*"), JSON.stringify(message)),
    postText: (text) => page.evaluate((json) => globalThis.postMessage(json, "*"), text),
    setTheme: (next) => page.evaluate(wearTheme, { variables: themes[next], kind: kinds[next] }),
    async drawn() {
      // Parts that are seldom shown are loaded first, and drawn afterwards.
      let wasLoading: boolean;
      do {
        wasLoading = loading > 0;
        await page.evaluate(nextFrames);
      } while (wasLoading || loading > 0);
    },
    async answerable() {
      await page.waitForFunction(() => document.querySelector(".approval [aria-disabled=true]") === null);
    },
    close: () => context.close(),
  };
}

async function answer(route: Route, files: PanelFiles, html: string, strange: string[]): Promise<void> {
  const url = new URL(route.request().url());
  const name = url.pathname.slice(1);
  if (url.origin !== origin) {
    strange.push(url.href);
    await route.abort();
  } else if (name === "") {
    await route.fulfill({ contentType: "text/html", body: html });
  } else if (Object.hasOwn(files.scripts, name)) {
    await route.fulfill({ contentType: "text/javascript", body: files.scripts[name] ?? "" });
  } else if (Object.hasOwn(files.styles, name)) {
    await route.fulfill({ contentType: "text/css", body: files.styles[name] ?? "" });
  } else if (name === "codicon.ttf") {
    await route.fulfill({ contentType: "font/ttf", body: Buffer.from(files.codiconFont) });
  } else {
    if (name !== "favicon.ico") strange.push(url.href);
    await route.fulfill({ status: 404, body: "" });
  }
}

async function pageHtml(theme: ThemeName, language: string): Promise<string> {
  const html = panelHtml({
    place: "view",
    cspSource: origin,
    nonce,
    script: `${origin}/panel.js`,
    styles: [`${origin}/codicon.css`, `${origin}/panel.css`],
    language,
    ...(language !== "en" && { words: await bundle(language) }),
  });
  const background = `html { background: ${themes[theme]["--vscode-sideBar-background"] ?? ""}; }`;
  return html.replace("<head>", `<head><style nonce="${nonce}">${defaultStyles}\n${background}</style>`);
}

/** Runs in the page before the panel: the editor's variables, and a host that records what it gets. */
function fakeEditor(options: { variables: Record<string, string>; kind: string; saved: unknown }): void {
  let state = options.saved;
  globalThis.posted = [];
  Object.assign(globalThis, {
    acquireVsCodeApi: () => ({
      postMessage: (message: unknown) => {
        globalThis.posted.push(JSON.parse(JSON.stringify(message)));
      },
      getState: () => state,
      setState: (next: unknown) => {
        state = next;
        globalThis.savedState = next;
      },
    }),
  });
  document.addEventListener("DOMContentLoaded", () => {
    for (const [name, value] of Object.entries(options.variables)) {
      document.documentElement.style.setProperty(name, value);
    }
    document.body.classList.add(options.kind);
    document.body.dataset.vscodeThemeKind = options.kind;
  });
}

/**
 * Runs in the page. A message is a task of its own; it is folded then, and drawn in the frame after. A script that was
 * fetched may not have run yet, which is what its import waits for.
 */
async function nextFrames(): Promise<void> {
  const fetched = performance.getEntriesByType("resource").map(({ name }) => name);
  await Promise.allSettled(fetched.filter((name) => /\/chunks\/.*\.js$/.test(name)).map((name) => import(name)));
  await new Promise<void>((resolve) => {
    setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 0))), 0);
  });
}

/** Runs in the page: what the editor does to its webviews when the theme is changed. */
function wearTheme({ variables, kind }: { variables: Record<string, string>; kind: string }): void {
  const { documentElement, body } = document;
  for (const name of [...documentElement.style].filter((name) => name.startsWith("--vscode-"))) {
    documentElement.style.removeProperty(name);
  }
  for (const [name, value] of Object.entries(variables)) documentElement.style.setProperty(name, value);
  documentElement.style.background = variables["--vscode-sideBar-background"] ?? "";
  body.classList.remove(body.dataset.vscodeThemeKind ?? "");
  body.classList.add(kind);
  body.dataset.vscodeThemeKind = kind;
}

declare global {
  /** In the page: what was posted to the host. */
  var posted: Intent[];
  var savedState: unknown;
}
