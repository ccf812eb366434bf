import type { Browser, Page } from "playwright-core";
import { EventLog } from "../../../src/extension/chat/log/eventLog.ts";
import type { HostMessage } from "../../../src/protocol/messages.ts";
import { openPanel } from "../../webview/support/panelPage.ts";
import { type Recording, recording, text } from "../../webview/support/recording.ts";
import { installBench } from "./measure.ts";
import { deltaCharacters, deltasOf, markdownOf } from "./texts.ts";

const size = { width: 320, height: 720 };
const streamed = 8_000 + deltaCharacters;

export interface OpenPage {
  page: Page;
  firstFrameMs: number;
  /** From the post until every row has been drawn. */
  allDrawnMs: number;
  /** Of the tasks until then. */
  longestTaskMs: number;
  close(): Promise<void>;
}

/** A chat with this many messages, half of them the user's. */
function longChat(messages: number): { log: Recording; main: ReturnType<Recording["agent"]> } {
  const log = recording();
  const main = log.agent("main");
  for (let turn = 0; turn < messages / 2; turn++) {
    log.user(main, `Question ${turn}: what does part ${turn} do?`);
    log.answer(main, [text(answerOf(turn))]);
  }
  return { log, main };
}

const answerOf = (turn: number) => `Part **${turn}**:\n\n${markdownOf(600)}`;

/** The panel with a chat and an answer of `characters` that is still being written; each step posts one more delta. */
export async function panelPage(
  browser: Browser,
  { messages, characters, count }: { messages: number; characters: number; count: number },
): Promise<OpenPage> {
  const { log, main } = longChat(messages);
  const messageId = log.streaming(main, markdownOf(characters));
  const panel = await openPanel(browser, size);
  const json = JSON.stringify(asSent(log));
  const drawn = await panel.page.evaluate(drawChat, { json, rows: messages + 1 });
  await panel.page.evaluate(installBench);
  await queue(panel.page, postsOf({ log, main, messageId, count }));
  return { page: panel.page, ...drawn, close: () => panel.close() };
}

/** The chat as the host's log gives it, which has dropped what later entries say again. */
function asSent(log: Recording): HostMessage {
  const kept = new EventLog();
  for (const entry of log.entries) if ("agent" in entry) kept.appendAgent(entry.agent);
  const chat = log.chat();
  return chat.type === "chat" ? { ...chat, entries: kept.entriesAfter(0) ?? [] } : chat;
}

interface Streamed {
  log: Recording;
  main: ReturnType<Recording["agent"]>;
  messageId: string;
  count: number;
}

/** What the host posts for each delta. */
function postsOf({ log, main, messageId, count }: Streamed): string[] {
  return deltasOf(markdownOf(streamed), count).map((delta) => {
    const before = log.lastSeq;
    log.event(main, { type: "message_update", messageId, delta: { type: "text_delta", index: 0, delta } });
    return JSON.stringify(log.since(before));
  });
}

/** Runs in the page: from the post to the end of the frame that shows it, and on until the last row is there. */
async function drawChat({ json, rows }: { json: string; rows: number }) {
  const tasks: number[] = [];
  new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
    type: "longtask",
  });
  /** Laid out and painted: a task that is behind the next frame. */
  const frame = () =>
    new Promise<void>((resolve) => {
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve();
        port2.postMessage(0);
      });
    });
  const from = performance.now();
  window.dispatchEvent(new MessageEvent("message", { data: json }));
  await frame();
  await frame();
  const firstFrameMs = performance.now() - from;
  // Kept by the browser: to search the page in each frame is work as well.
  const drawnRows = document.querySelector("[role=log]")?.getElementsByTagName("article");
  while ((drawnRows?.length ?? 0) < rows) {
    await frame();
    if (performance.now() - from > 60_000) throw new Error(`${rows} rows have not been drawn within a minute.`);
  }
  await frame();
  const allDrawnMs = performance.now() - from;
  // Long tasks are reported after they have ended.
  await new Promise((resolve) => setTimeout(resolve, 100));
  return { firstFrameMs, allDrawnMs, longestTaskMs: Math.max(0, ...tasks) };
}

/** The same words from the same messages as plain text: a block per line, kept at its end. */
export async function plainPage(
  browser: Browser,
  { messages, characters, count }: { messages: number; characters: number; count: number },
): Promise<OpenPage> {
  const context = await browser.newContext({ viewport: size });
  const page = await context.newPage();
  await page.setContent(
    '<style>body{margin:0}#log{height:720px;overflow:auto;font:13px/1.5 sans-serif}#log div{white-space:pre-wrap;overflow-wrap:anywhere;padding:3px 12px}</style><div id="log"><section></section></div>',
  );
  const { log } = longChat(messages);
  const texts = log.entries.flatMap((entry) => {
    if (!("agent" in entry) || entry.agent.type !== "message_end") return [];
    const { message } = entry.agent;
    return "content" in message ? [message.content.map((part) => ("text" in part ? part.text : "")).join("")] : [];
  });
  const firstFrameMs = await page.evaluate(plainList, [...texts, ...markdownOf(characters).split("\n")]);
  await page.evaluate(installBench);
  await page.evaluate(installPlain);
  // The text alone: to read what a host posts is no work of a plain list.
  await queue(page, deltasOf(markdownOf(streamed), count));
  return { page, firstFrameMs, allDrawnMs: firstFrameMs, longestTaskMs: 0, close: () => context.close() };
}

async function plainList(texts: string[]): Promise<number> {
  const log = document.querySelector("#log");
  const content = document.querySelector("#log section");
  const from = performance.now();
  for (const words of texts) {
    const row = document.createElement("div");
    row.textContent = words;
    content?.append(row);
  }
  if (log !== null) log.scrollTop = log.scrollHeight;
  await new Promise<void>((resolve) => {
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve();
        port2.postMessage(0);
      }),
    );
  });
  return performance.now() - from;
}

function installPlain(): void {
  const log = document.querySelector("#log");
  const content = document.querySelector("#log section");
  let words = new Text("");
  content?.append(document.createElement("div"));
  content?.lastElementChild?.append(words);
  window.addEventListener("message", ({ data }) => {
    const delta: string = data;
    const [first = "", ...lines] = delta.split("\n");
    words.appendData(first);
    for (const line of lines) {
      words = new Text(line);
      const row = document.createElement("div");
      row.append(words);
      content?.append(row);
    }
  });
  // What the panel does as well: it stays at the end.
  if (log !== null && content !== null) {
    new ResizeObserver(() => log.scrollTo(0, log.scrollHeight)).observe(content);
  }
}

/** How many deltas stream all of the text once. */
export const deltasPerRound = (streamed - deltaCharacters) / deltaCharacters;

async function queue(page: Page, items: string[]): Promise<void> {
  await page.evaluate((all) => {
    globalThis.bench.queue = all;
  }, items);
}
