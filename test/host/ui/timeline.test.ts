import assert from "node:assert/strict";
import path from "node:path";
import type { Step } from "../../support/fakeProvider/script.ts";
import { eventually } from "../eventually.ts";
import { type ArborPanel, arborPanel } from "../panel.ts";
import { readRows } from "../readPanel.ts";
import { ask } from "../run.ts";
import { workbenchIsDrawn } from "../workbench.ts";
import { readStep, turn } from "./scripted.ts";
import { useSession } from "./wire/session.ts";

const delegate = (title: string, task: string): Step => ({
  tool: "delegate_to_agent",
  arguments: { agent: "explore", title, task, context: "" },
});
/** An answer with so many tokens of input, by which agents cost more or less. */
const costing = (rule: ReturnType<typeof turn>, input: number) => ({
  ...rule,
  reply: { ...rule.reply, usage: { input, output: 10 } },
});
const longAnswer = (text: string) => [{ text: `${text} ${"It was looked at closely. ".repeat(200)}` }];

describe("Meters and timeline", () => {
  const session = useSession("anthropic");
  const timelineOf = ({ frame }: ArborPanel) => frame.getByRole("region", { name: "Timeline", exact: true });
  const chartOf = (panel: ArborPanel) => timelineOf(panel).getByRole("application", { name: "Timeline chart" });
  const barOf = (panel: ArborPanel) => timelineOf(panel).getByRole("status", { name: "Bar" });
  const tab = ({ frame }: ArborPanel, name: string) => frame.getByRole("tab", { name, exact: true });
  const names = async () => (await readRows(session().panel)).map(({ label }) => label.split(",")[0]);

  /** By the command the window saves editors and what their pages saved; a browser's reload does not wait for that. */
  async function reloadWindow(): Promise<void> {
    const { editor } = session();
    const marked = await editor.page.evaluateHandle(() => globalThis);
    await editor.runCommand("Developer: Reload Window");
    await eventually(() => assert.rejects(marked.evaluate(() => undefined)));
    await workbenchIsDrawn(editor.page);
  }

  before(async () => {
    const { fake, editor, panel } = session();
    await fake.script(
      costing(
        turn("Look around", 0, [delegate("Read the readme", "read it"), delegate("Read the offers", "see it")]),
        100,
      ),
      costing(turn("read it", 0, [readStep("README.md")]), 100),
      costing(turn("read it", 1, longAnswer("The readme is short.")), 100),
      costing(turn("see it", 0, [readStep("docs/discounts.md")]), 3_000),
      { when: { lastUser: "see it", turn: 1 }, reply: { status: 400, body: { error: { message: "Not this." } } } },
      costing(turn("Look around", 1, [{ text: "All was seen." }]), 100),
    );
    await editor.openPanel();
    await ask(panel, "Look around");
    await panel.conversation.getByText("All was seen.").waitFor();
    await panel.stop.waitFor({ state: "detached" });
  });

  it("sort and filter the tree, also over a reload", async () => {
    const { editor, panel } = session();
    const { frame } = panel;
    assert.deepEqual((await names()).toSorted(), ["Read the offers", "Read the readme", "main"].toSorted());
    const sorting = frame.getByRole("combobox", { name: "Sort by" });
    await sorting.selectOption("Cost");
    await eventually(async () => assert.deepEqual(await names(), ["main", "Read the offers", "Read the readme"]));
    await panel.button("Failed").click();
    await eventually(async () => assert.deepEqual(await names(), ["main", "Read the offers"]));
    await reloadWindow();
    await editor.openPanel();
    await eventually(async () => assert.deepEqual(await names(), ["main", "Read the offers"]));
    assert.equal(await panel.button("Failed").getAttribute("aria-pressed"), "true");
    await panel.button("Failed").click();
    await panel.button("Own").click();
    await eventually(async () => assert.deepEqual(await names(), ["main", "Read the offers", "Read the readme"]));
    await sorting.selectOption("Needs you first");
    await panel.button("Branch").click();
    // A narrow panel has room for all of it.
    await editor.setPanelWidth(320);
    const { width } = editor.page.viewportSize() ?? { width: 0 };
    await eventually(async () => {
      const box = await sorting.boundingBox();
      const right = box === null ? Number.POSITIVE_INFINITY : box.x + box.width;
      assert.ok(right <= width, `${right} of ${width} px`);
    });
    await editor.setPanelWidth(480);
  });

  it("have a lane for each agent, which is walked by keyboard and by mouse to the moment", async () => {
    const { editor, panel } = session();
    const { page } = editor;
    await tab(panel, "Timeline").click();
    const timeline = timelineOf(panel);
    for (const name of ["main", "Read the readme", "Read the offers"]) {
      await timeline.getByRole("button", { name, exact: true }).waitFor();
    }
    await timeline.getByText(/^Critical path /).waitFor();
    const chart = chartOf(panel);
    await chart.focus();
    await chart.press("Home");
    await eventually(async () => assert.match((await barOf(panel).textContent()) ?? "", /^main, /));
    // By keyboard: down to an agent's lane, along it to its call, and to where that is in the transcript.
    const walked: string[] = [];
    await chart.press("ArrowDown");
    for (let steps = 0; steps < 10 && !/, Read /.test(walked.at(-1) ?? ""); steps++) {
      walked.push((await barOf(panel).textContent()) ?? "");
      await chart.press("ArrowRight");
    }
    await chart.press("ArrowLeft");
    assert.ok(
      walked.some((text) => /^Read the (readme|offers), Model request/.test(text)),
      walked.join("\n"),
    );
    await chart.press("+");
    await timeline.getByRole("button", { name: "Show all" }).click();
    await chart.press("Enter");
    await panel.frame.locator(".conversation .at-moment").waitFor();
    // By mouse: another agent.
    const other = walked.some((text) => text.startsWith("Read the readme")) ? "Read the offers" : "Read the readme";
    await timeline.getByRole("button", { name: other, exact: true }).click();
    const shown = panel.frame.getByRole("navigation", { name: "Agent shown" });
    await shown.getByText(other).first().waitFor();
    // And a bar of the one before.
    const one = other === "Read the offers" ? "Read the readme" : "Read the offers";
    const lane = await timeline.getByRole("button", { name: one, exact: true }).boundingBox();
    const box = await chart.boundingBox();
    assert.ok(lane !== null && box !== null);
    const tip = timeline.locator(".timeline-tip");
    let tipText = "";
    for (let share = 0.05; share < 1 && !tipText.startsWith(one); share += 0.05) {
      await page.mouse.move(box.x + share * box.width, lane.y + lane.height / 2);
      tipText = (await tip.count()) > 0 ? ((await tip.textContent()) ?? "") : "";
    }
    assert.ok(tipText.startsWith(`${one}, `), tipText);
    // It is read whole, although the chart ends below.
    if (process.env.PICTURES !== undefined)
      await editor.screenshot(path.join(process.env.PICTURES, "timeline-tip.png"));
    assert.ok(await tip.evaluate((element) => element.matches(":popover-open")));
    await page.mouse.down();
    await page.mouse.up();
    await shown.getByText(one).first().waitFor();
  });

  it("are a table for screen readers, whose lines lead to the moment, too", async () => {
    const { panel } = session();
    const timeline = timelineOf(panel);
    await timeline.getByRole("button", { name: "Table", exact: true }).click();
    const rows = timeline.getByRole("table", { name: "Timeline" }).getByRole("row");
    await eventually(async () => assert.ok((await rows.count()) >= 8, `${await rows.count()} rows`));
    await timeline.getByRole("button", { name: "Model request: test-model, failed" }).first().click();
    await panel.frame.getByRole("navigation").getByText("Read the offers").first().waitFor();
    await timeline.getByRole("button", { name: "Table", exact: true }).click();
  });

  it("are shown in an editor tab, in both themes and widths, and again after a reload", async () => {
    const { editor, panel } = session();
    const folder = process.env.PICTURES;
    for (const theme of folder === undefined ? [] : (["dark", "light"] as const)) {
      await editor.setTheme(theme);
      for (const width of [320, 600]) {
        await editor.setPanelWidth(width);
        await timelineOf(panel).hover();
        await editor.screenshot(path.join(folder ?? "", `timeline-${theme}-${width}.png`));
        await tab(panel, "Tree").click();
        await tab(panel, "Tree").hover();
        await editor.screenshot(path.join(folder ?? "", `tree-${theme}-${width}.png`));
        await tab(panel, "Timeline").click();
      }
    }
    await panel.button("Open timeline in editor").click();
    const inTab = arborPanel(editor.page, "tab");
    await timelineOf(inTab)
      .getByText(/^Critical path /)
      .waitFor();
    await timelineOf(inTab).getByRole("button", { name: "Fold main" }).click();
    await timelineOf(inTab).getByRole("button", { name: "Read the offers" }).waitFor({ state: "detached" });
    await chartOf(inTab).focus();
    await chartOf(inTab).press("ArrowRight");
    await eventually(async () => assert.match((await barOf(inTab).textContent()) ?? "", /^main, /));
    if (folder !== undefined) await editor.screenshot(path.join(folder, "timeline-tab.png"));
    await reloadWindow();
    await timelineOf(inTab)
      .getByText(/^Critical path /)
      .waitFor();
    await timelineOf(inTab).getByRole("button", { name: "Read the offers" }).waitFor();
  });
});
