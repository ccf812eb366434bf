import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import esbuild from "esbuild";
import type { Browser, Page } from "playwright-core";
import { bundles } from "../../../scripts/build/bundles.mjs";
import { bundle } from "../../../scripts/words/source.mjs";
import { createMask } from "../../../src/extension/panel/replay/maskSecrets.ts";
import { pageData } from "../../../src/extension/panel/replay/pageData.ts";
import { replayHtml, withFiles } from "../../../src/extension/panel/replay/replayHtml.ts";
import type { TimedEntry } from "../../../src/protocol/messages.ts";
import { projectRoot } from "./projectRoot.ts";

const themes: Record<"dark" | "light", Record<string, string>> = JSON.parse(
  readFileSync(path.join(import.meta.dirname, "themes.json"), "utf8"),
);

export interface ReplayPage {
  readonly page: Page;
  readonly html: string;
  /** Addresses that the page asked for, beside its own. */
  readonly requests: string[];
  /** Errors, and what the content security policy refused. */
  readonly problems: string[];
  /** What a click or a key asked for that a replay refuses. */
  readonly refused: string[];
  close(): Promise<void>;
}

interface ReplayPageOptions {
  theme?: "dark" | "light";
  width?: number;
  height?: number;
  language?: string;
  secrets?: readonly string[];
  environment?: Readonly<Record<string, string>>;
}

let built: Promise<{ script: string; style: string }> | undefined;

/** An exported page of a log, opened from disk in a browser without a network. */
export async function openReplayPage(
  browser: Browser,
  entries: readonly TimedEntry[],
  options: ReplayPageOptions = {},
): Promise<ReplayPage> {
  const { theme = "dark", width = 600, height = 720, language = "en", secrets = [], environment = {} } = options;
  built ??= buildReplay();
  const { script, style } = await built;
  const codicons = path.join(projectRoot, "node_modules/@vscode/codicons/dist");
  const fonts = { "codicon.ttf": { type: "font/ttf", data: readFileSync(path.join(codicons, "codicon.ttf")) } };
  const mask = createMask(secrets, environment);
  const html = replayHtml({
    nonce: "0123456789abcdef",
    script,
    styles: [withFiles(readFileSync(path.join(codicons, "codicon.css"), "utf8"), fonts), withFiles(style, fonts)],
    theme: { kind: `vscode-${theme}`, variables: themes[theme] },
    data: await pageData(entries, mask),
    title: "Replay",
    words: language === "en" ? {} : await bundle(language),
    language,
  });
  const folder = await mkdtemp(path.join(os.tmpdir(), "arbor-replay-"));
  const file = path.join(folder, "replay.html");
  await writeFile(file, html);
  const context = await browser.newContext({ viewport: { width, height }, reducedMotion: "reduce", offline: true });
  const page = await context.newPage();
  const [requests, problems, refused]: [string[], string[], string[]] = [[], [], []];
  const address = pathToFileURL(file).href;
  page.on("request", (request) => {
    if (request.url() !== address && !request.url().startsWith("data:")) requests.push(request.url());
  });
  page.on("pageerror", (error) => {
    // A browser without a user has no clipboard.
    if (!String(error).startsWith("NotAllowedError")) problems.push(String(error));
  });
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
    if (message.text().startsWith("A replay does not act")) refused.push(message.text());
  });
  await page.goto(address);
  return {
    ...{ page, html, requests, problems, refused },
    async close() {
      await context.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function buildReplay(): Promise<{ script: string; style: string }> {
  const { replay } = bundles({ production: true });
  const { outputFiles } = await esbuild.build({ ...replay, absWorkingDir: projectRoot, write: false });
  const text = (ending: string) => outputFiles?.find(({ path: name }) => name.endsWith(ending))?.text ?? "";
  return { script: text(".js"), style: text(".css") };
}
