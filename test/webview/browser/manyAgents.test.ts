import assert from "node:assert/strict";
import type { AgentMeta } from "../../../src/agent/types.ts";
import type { PanelPage } from "../support/panelPage.ts";
import { recording, toolCall } from "../support/recording.ts";
import { usePanel } from "../support/usePanel.ts";

/** A run with so many agents at work, and further rounds in which ten of them go on. */
function swarm(count: number) {
  const log = recording();
  const main = log.agent("main");
  log.user(main, "Review everything");
  log.answer(main, [toolCall("m1", "spawn_agents", { tasks: [] })]);
  log.toolStart(main, "m1", "spawn_agents", "Delegate", { tasks: [] });
  const agents: AgentMeta[] = [];
  for (let index = 0; index < count; index++) {
    const agent = log.agent(`review-${index}`, main, "m1");
    agents.push(agent);
    work(agent, 0);
  }

  function work(agent: AgentMeta, round: number): void {
    const id = `${agent.id}-${round}`;
    const args = { path: `src/${agent.name}/${round}.ts` };
    log.answer(agent, [toolCall(id, "read_file", args)]);
    log.toolStart(agent, id, "read_file", "Read", args);
    log.toolEnd(agent, id, "read_file", "text");
    log.spend(agent, { input: 1_000, output: 100, cost: 0.01 }, 5);
  }

  return {
    log,
    /** What ten agents do next, as one post; and who they are. */
    next(round: number) {
      const from = log.lastSeq;
      const busy = agents.slice((round * 10) % count, ((round * 10) % count) + 10);
      for (const agent of busy) work(agent, round);
      return { post: log.since(from), ids: busy.map(({ id }) => id) };
    },
  };
}

/** Seconds that the page's thread was at work. */
async function workOf({ page }: PanelPage, run: () => Promise<void>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const read = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    const value = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0;
    return value("ScriptDuration") + value("LayoutDuration") + value("RecalcStyleDuration");
  };
  const before = await read();
  await run();
  const spent = (await read()) - before;
  await session.detach();
  return spent;
}

describe("a tree of very many agents", function () {
  this.timeout(120_000);
  const show = usePanel();

  async function running(count: number) {
    const panel = await show();
    await panel.page.clock.install({ time: 0 });
    const { log, next } = swarm(count);
    await panel.post(log.chat());
    await panel.page.clock.runFor(1_000);
    // A frame, and what is shown calmly a moment later.
    const round = async (index: number) => {
      const { post, ids } = next(index);
      await panel.post(post);
      await panel.page.clock.runFor(500);
      return ids;
    };
    return { panel, round };
  }

  it("costs no more for each agent of two hundred at work than for each of twenty", async () => {
    const rounds = 20;
    async function cost(count: number): Promise<number> {
      const { panel, round } = await running(count);
      for (let index = 1; index <= 5; index++) await round(index);
      const spent = await workOf(panel, async () => {
        for (let index = 6; index < 6 + rounds; index++) await round(index);
      });
      return spent / rounds;
    }
    const [few, many] = [await cost(20), await cost(200)];
    // Ten times the agents; twice that leaves room for a busy machine, not for what grows with their square.
    assert.ok(many < few * 20, `${(many * 1e3).toFixed(1)} ms a round, of twenty ${(few * 1e3).toFixed(1)} ms`);
  });

  it("draws again the rows of those alone that went on", async () => {
    const { panel, round } = await running(200);
    await round(1);
    await panel.page.evaluate(() => {
      const touched = new Set<string>();
      const tree = document.querySelector("[role=tree]");
      new MutationObserver((changes) => {
        for (const { target } of changes) {
          const element = target instanceof Element ? target : target.parentElement;
          // The time of each goes on on its own.
          if (element?.closest(".row-time") !== null) continue;
          touched.add(element?.closest("[data-agent]")?.getAttribute("data-agent") ?? "the tree");
        }
      }).observe(tree ?? document, { subtree: true, childList: true, characterData: true, attributes: true });
      Object.assign(globalThis, { touched });
    });
    const ids = await round(2);
    const touched = await panel.page.evaluate(() => [...(Reflect.get(globalThis, "touched") as Set<string>)]);
    assert.deepEqual(touched.filter((id) => id !== "main").sort(), [...ids].sort());
  });

  it("leaves what is out of view to be laid out when it is scrolled to, and the transcript its room", async () => {
    const { panel } = await running(200);
    const { page } = panel;
    assert.equal(await page.getByRole("treeitem").count(), 201);
    const tree = page.getByRole("tree");
    const heightOf = (element: Element) => element.clientHeight;
    const conversation = page.getByRole("log", { name: "Conversation" });
    const heights = { tree: await tree.evaluate(heightOf), conversation: await conversation.evaluate(heightOf) };
    assert.ok(heights.tree < 0.45 * 720 && heights.conversation > 0.25 * 720, JSON.stringify(heights));
    assert.equal(
      await page
        .getByRole("treeitem")
        .last()
        .evaluate((row) => getComputedStyle(row).contentVisibility),
      "auto",
    );
    await page.getByRole("treeitem").first().focus();
    await page.keyboard.press("End");
    assert.match((await page.evaluate(() => document.activeElement?.textContent)) ?? "", /^.?review-199/);
    assert.ok(await page.getByRole("treeitem").last().isVisible());
  });
});
