import { parentPort, workerData } from "node:worker_threads";
import { markdownOf } from "./markdown.ts";

/** A thread for one page: converting can take long, and a hostile page makes it take for ever. */
// Only convertPage starts it, with this.
const { html, page } = workerData as { html: string; page: string };
parentPort?.postMessage(markdownOf(html, new URL(page)));
