import { parentPort, workerData } from "node:worker_threads";
import * as z from "zod";
import { markdownOf } from "./markdown.ts";

/** A thread for one page: converting can take long, and a hostile page makes it take for ever. */
const { html, page } = z.object({ html: z.string(), page: z.url() }).parse(workerData);
parentPort?.postMessage(markdownOf(html, new URL(page)));
