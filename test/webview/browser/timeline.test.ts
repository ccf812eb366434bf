import assert from "node:assert/strict";
import type { AgentEvent, AgentMeta } from "../../../src/agent/types.ts";
import type { TimedEntry } from "../../../src/protocol/messages.ts";
import { fourMinutes, recordingOf } from "../gallery/timelineScenes.ts";
import { chatId, startTime } from "../support/recording.ts";
import { usePanel } from "../support/usePanel.ts";

describe("the timeline, in the panel", function () {
  this.timeout(60_000);
  const showPanel = usePanel();

  async function show(width = 320) {
    const log = fourMinutes();
    const panel = await showPanel([log.chat()], { width });
    await panel.page.getByRole("tab", { name: "Timeline" }).click();
    await panel.drawn();
    const view = panel.page.getByRole("region", { name: "Timeline", exact: true });
    await view.waitFor();
    assert.deepEqual((await panel.intents()).at(-1), { type: "followRecording" });
    await panel.post(recordingOf(log));
    await panel.drawn();
    const chart = view.getByRole("application", { name: "Timeline chart" });
    const bar = view.getByRole("status", { name: "Bar" });
    return { ...panel, log, view, chart, bar };
  }

  it("says where the time went, and is walked by keyboard to the moment in the transcript", async () => {
    const { page, view, chart, bar, intents, drawn, problems } = await show();
    await view.getByText(/^Critical path 3m 49s: Tool \d+% · Model request \d+%/).waitFor();
    const kinds = view.getByRole("list", { name: "Kinds of bars" }).getByRole("listitem");
    assert.deepEqual(await kinds.allTextContents(), [
      ...["Model request", "Tool", "Agents at work", "Waiting for the provider", "Waiting for you"],
      ...["Failed", "Critical path"],
    ]);
    await chart.focus();
    const texts: (string | null)[] = [];
    for (const key of [
      "ArrowRight",
      "ArrowRight",
      "ArrowRight",
      "ArrowDown",
      "ArrowRight",
      "ArrowRight",
      "ArrowRight",
    ]) {
      await page.keyboard.press(key);
      texts.push(await bar.textContent());
    }
    assert.deepEqual(texts, [
      "main, Model request: claude-opus, 14 s, after 0.0 s",
      "main, Waiting for the provider, 3.0 s, after 0.0 s",
      "main, Agents at work: Start agents, 3m 17s, after 14 s",
      "Fix the totals, Model request: claude-opus, 15 s, after 14 s",
      "Fix the totals, Waiting for the provider, 9.0 s, after 14 s",
      "Fix the totals, Edit, 54 s, after 29 s",
      "Fix the totals, Waiting for you: src/cart/totals.ts, 54 s, after 29 s",
    ]);
    await page.keyboard.press("ArrowDown");
    assert.match(
      (await bar.textContent()) ?? "",
      /^Test the totals, Waiting for the provider: The provider is overloaded, 20 s/,
    );
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await drawn();
    await page.locator(".conversation .at-moment").waitFor();
    assert.equal(await page.locator(".at-moment").getAttribute("aria-label"), "Edit src/cart/totals.ts");
    assert.ok((await intents()).some((intent) => intent.type === "openAgent" && intent.agentId.includes("edit")));
    assert.equal(await view.count(), 1);
    assert.deepEqual(problems, []);
  });

  it("zooms, folds, names what is under the pointer, and is a table too", async () => {
    const { page, view, chart, drawn } = await show(600);
    const all = view.getByRole("button", { name: "Show all" });
    assert.equal(await all.isDisabled(), true);
    await chart.focus();
    await page.keyboard.press("+");
    assert.equal(await all.isDisabled(), false);
    await page.keyboard.press("-");
    await page.keyboard.press("0");
    assert.equal(await all.isDisabled(), true);
    const box = await chart.boundingBox();
    assert.ok(box !== null);
    await page.mouse.move(box.x + box.width * 0.6, box.y + 2.5 * 22);
    await drawn();
    assert.match((await view.locator(".timeline-tip").textContent()) ?? "", /^Test the totals, Run, failed, 2m 26s/);
    await view.getByRole("button", { name: "Fold main" }).click();
    assert.equal(await view.getByRole("button", { name: "Fix the totals" }).count(), 0);
    await view.getByRole("button", { name: "Table", exact: true }).click();
    const rows = view.getByRole("table", { name: "Timeline" }).getByRole("row");
    assert.equal(await rows.nth(0).textContent(), "AfterAgentWhatDuration");
    assert.equal(await rows.nth(1).textContent(), "0.0 smainModel request: claude-opus14 s");
  });

  it("is saved for the next page, and asks for the log as long as it is shown", async () => {
    const { page, intents, drawn } = await show();
    assert.equal(await page.evaluate(() => Reflect.get(Object(globalThis.savedState), "view")), "timeline");
    await page.getByRole("tab", { name: "Timeline" }).press("ArrowLeft");
    await page.getByRole("treeitem").first().waitFor();
    await drawn();
    assert.deepEqual((await intents()).at(-1), { type: "leaveRecording" });
  });

  it("draws 20,000 events of 100 agents with work that the pixels bound, half of the time in less than 50 ms", async () => {
    const { page, view, chart, post, drawn } = await show(600);
    await post({ type: "recording", chatId, isFirst: true, isWhole: true, entries: longLog() });
    await drawn();
    const canvas = view.locator("canvas");
    const drawings: { bars: number; ms: number }[] = [];
    await chart.focus();
    for (const key of ["+", "+", "+", "+", "End", "-", "-", "Home", "ArrowRight", "0"]) {
      await page.keyboard.press(key);
      await drawn();
      drawings.push(
        await canvas.evaluate((element) => ({
          bars: Number(element.dataset.bars),
          ms: Number(element.dataset.drawMs),
        })),
      );
    }
    const { width, lanes } = await canvas.evaluate((element) => ({
      width: element.clientWidth,
      lanes: Math.ceil(element.clientHeight / 22) + 1,
    }));
    for (const { bars } of drawings) assert.ok(bars > 0 && bars <= lanes * (width + 1), `${bars} bars`);
    const times = drawings.map(({ ms }) => ms).sort((a, b) => a - b);
    assert.ok((times[Math.floor(times.length / 2)] ?? 99) < 50, `${times.join(", ")} ms`);
  });
});

/** Calls of 100 agents side by side. */
function longLog(): TimedEntry[] {
  const main: AgentMeta = { id: "main", name: "main", prefix: "", depth: 0 };
  const agents = Array.from({ length: 100 }, (_, index): AgentMeta => {
    return { id: `agent ${index}`, name: `agent ${index}`, prefix: "", depth: 1, parentId: "main", toolCallId: "d" };
  });
  const entries: TimedEntry[] = [];
  const add = (agent: AgentMeta, after: number, body: object) => {
    const seq = entries.length + 1;
    const base = { agent, sessionId: "s", runId: "r", seq, timestamp: startTime + after };
    entries.push({ at: startTime + after, entry: { seq, agent: { ...base, ...body } as AgentEvent } });
  };
  for (const agent of [main, ...agents]) add(agent, 0, { type: "agent_start" });
  for (let step = 0; step < 10_000; step++) {
    const call = { callId: `c${step}`, toolName: "read_file" };
    const agent = agents[step % 100] ?? main;
    add(agent, step * 20, { type: "tool_execution_start", ...call, args: {} });
    add(agent, step * 20 + 10, {
      type: "tool_execution_end",
      ...call,
      result: { content: "" },
      isError: false,
      durationMs: 9,
    });
  }
  return entries;
}
