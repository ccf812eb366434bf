import { Worker } from "node:worker_threads";
import * as z from "zod";
import { onAbort } from "../common/abort.ts";
import { builtFile } from "../common/builtFile.ts";

const defaultTimeMs = 10_000;
const maxMemoryMb = 512;
/** Longer pages are hardly read to their end; of those the start is. */
const maxHtmlLength = 2 * 1_024 * 1_024;

/**
 * The text of a web page as markdown; as plain text when that takes too long. The converter works in a thread of its
 * own, so that nothing waits for it, and is loaded there.
 */
export async function convertPage(
  html: string,
  page: URL,
  { signal, timeMs = defaultTimeMs }: { signal: AbortSignal; timeMs?: number },
): Promise<string> {
  const start = html.slice(0, maxHtmlLength);
  const text =
    (await inThread(start, page, AbortSignal.any([signal, AbortSignal.timeout(timeMs)]))) ?? plainTextOf(start);
  signal.throwIfAborted();
  const title = titleOf(start);
  return title === "" ? text : `Title: ${title}\n\n${text}`;
}

/** Undefined when the thread came to no end in time, or ran out of memory or stack. */
async function inThread(html: string, page: URL, inTime: AbortSignal): Promise<string | undefined> {
  const file = builtFile("markdownWorker.js", import.meta.url) ?? new URL("./markdownWorker.ts", import.meta.url);
  const worker = new Worker(file, {
    workerData: { html, page: page.href },
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb },
  });
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const giveUp = () => resolve(undefined);
  const listening = onAbort(inTime, giveUp);
  worker
    .on("message", (message: unknown) => resolve(z.string().parse(message)))
    .on("error", giveUp)
    .on("exit", giveUp);
  try {
    return await promise;
  } finally {
    listening.dispose();
    await worker.terminate();
  }
}

/** The words of a page without its elements: no entity is read and no shape kept, but nothing makes this slow. */
function plainTextOf(html: string): string {
  const visible = ["script", "style", "head"].reduce(withoutElement, html);
  return visible
    .replace(/<[^<>]*>/g, " ")
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n[ \n]*/g, "\n")
    .trim();
}

function titleOf(html: string): string {
  const start = html.slice(0, 100_000).search(/<title\b/i);
  if (start < 0) return "";
  const words = /^<title[^<>]*>([^<]*)/i.exec(html.slice(start, start + 2_000))?.[1] ?? "";
  return words.replace(/\s+/g, " ").trim();
}

function withoutElement(html: string, name: string): string {
  const lower = html.toLowerCase();
  let text = "";
  for (let at = 0; ; ) {
    const start = lower.indexOf(`<${name}`, at);
    if (start < 0) return text + html.slice(at);
    text += html.slice(at, start);
    const end = lower.indexOf(`</${name}`, start);
    if (end < 0) return text;
    at = end;
  }
}
