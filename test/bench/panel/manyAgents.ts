import type { Browser } from "playwright-core";
import { openPanel } from "../../webview/support/panelPage.ts";
import { recording, toolCall } from "../../webview/support/recording.ts";
import { deltasOf, markdownOf } from "./texts.ts";

const agentCount = 20;
const size = { width: 400, height: 900 };
const takesMs = 6_000;
const postEachMs = 16;
const lineEachMs = 250;
const keyEachMs = 90;

/** While twenty agents stream and the user types: median frames a second, and how long 95 of 100 keys take at most. */
export interface Flow {
  framesPerSecond: number;
  keyMs: number;
}

/** What the host posts: all text of the agent that is shown, a line of each other one four times a second. */
function posts(): { first: string; deltas: string[]; lines: string[] } {
  const log = recording();
  const main = log.agent("main");
  log.user(main, "Review everything");
  log.answer(main, [toolCall("m1", "spawn_agents", { tasks: [] })]);
  log.toolStart(main, "m1", "spawn_agents", "Delegate", { tasks: [] });
  const agents = Array.from({ length: agentCount }, (_, index) => log.agent("review", main, "m1", `Review ${index}`));
  const messageId = log.streaming(main, "");
  const chat = log.chat();
  const count = Math.ceil(takesMs / postEachMs);
  const texts = deltasOf(markdownOf(20_000), 4 * count);
  const deltas = Array.from({ length: count }, (_, index) => {
    const before = log.lastSeq;
    for (const delta of texts.slice(4 * index, 4 * index + 4)) {
      log.event(main, { type: "message_update", messageId, delta: { type: "text_delta", index: 0, delta } });
    }
    return JSON.stringify(log.since(before));
  });
  const chatId = chat.type === "chat" ? chat.chatId : "";
  const lines = Array.from({ length: Math.ceil(takesMs / lineEachMs) }, (_, index) => {
    const written = agents.map(({ id }) => [id, { kind: "text", text: `Line ${index} of what ${id} writes now` }]);
    return JSON.stringify({ type: "activity", chatId, lines: Object.fromEntries(written) });
  });
  return { first: JSON.stringify(chat), deltas, lines };
}

export async function flowOfManyAgents(browser: Browser): Promise<Flow> {
  const panel = await openPanel(browser, size);
  const { page } = panel;
  const { first, deltas, lines } = posts();
  await panel.postText(first);
  await page.getByRole("treeitem").nth(agentCount).waitFor();
  await page.getByRole("textbox", { name: "Ask Agent" }).focus();
  const measured = page.evaluate(measureFlow, { deltas, lines, postEachMs, lineEachMs, takesMs });
  for (let key = 0; key * keyEachMs < takesMs - 500; key++) {
    await page.keyboard.press("a");
    await page.waitForTimeout(keyEachMs);
  }
  const flow = await measured;
  await panel.close();
  return flow;
}

interface Posting {
  deltas: string[];
  lines: string[];
  postEachMs: number;
  lineEachMs: number;
  takesMs: number;
}

/** Runs in the page. */
async function measureFlow({ deltas, lines, postEachMs, lineEachMs, takesMs }: Posting): Promise<Flow> {
  const frames: number[] = [];
  const keys: number[] = [];
  let before = performance.now();
  let isOver = false;
  const onFrame = (now: number) => {
    frames.push(now - before);
    before = now;
    if (!isOver) requestAnimationFrame(onFrame);
  };
  requestAnimationFrame(onFrame);
  // From the key to the end of the frame that shows it.
  addEventListener(
    "keydown",
    ({ timeStamp }) =>
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => keys.push(performance.now() - timeStamp);
        port2.postMessage(0);
      }),
    true,
  );
  const post = (list: string[]) => () => {
    const json = list.shift();
    if (json !== undefined) postMessage(json, "*");
  };
  const timers = [setInterval(post(deltas), postEachMs), setInterval(post(lines), lineEachMs)];
  await new Promise((resolve) => setTimeout(resolve, takesMs));
  isOver = true;
  for (const timer of timers) clearInterval(timer);
  const at = (values: number[], share: number) =>
    values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
  return { framesPerSecond: 1_000 / at(frames.slice(1), 0.5), keyMs: at(keys, 0.95) };
}
