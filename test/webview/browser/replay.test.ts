import assert from "node:assert/strict";
import path from "node:path";
import type { Browser } from "playwright-core";
import type { TimedEntry } from "../../../src/protocol/messages.ts";
import { scenes } from "../gallery/scenes.ts";
import { fourMinutes, recordingOf } from "../gallery/timelineScenes.ts";
import { launchBrowser } from "../support/browser.ts";
import { openPanel } from "../support/panelPage.ts";
import { startTime, text } from "../support/recording.ts";
import { openReplayPage, type ReplayPage } from "../support/replayPage.ts";

const canary = "canary-5eafd00d";

function timedOf(log: ReturnType<typeof fourMinutes>): TimedEntry[] {
  const part = recordingOf(log);
  return part.type === "recording" ? part.entries : [];
}

describe("an exported replay, in a browser without a network", function () {
  this.timeout(120_000);
  let browser: Browser;
  let opened: ReplayPage | undefined;

  before(async () => {
    browser = await launchBrowser();
  });
  afterEach(async () => {
    await opened?.close();
    opened = undefined;
  });
  after(() => browser.close());

  async function open(...[entries, options]: [readonly TimedEntry[], Parameters<typeof openReplayPage>[2]?]) {
    opened = await openReplayPage(browser, entries, options);
    const { page } = opened;
    const controls = page.getByRole("region", { name: "Replay" });
    const slider = controls.getByRole("slider", { name: "Moment" });
    await slider.waitFor();
    return { ...opened, controls, slider, moment: controls.getByRole("status", { name: "Moment shown" }) };
  }

  const rowsOf = (page: ReplayPage["page"]) =>
    page
      .getByRole("treeitem")
      .evaluateAll((rows) =>
        rows.map((row) => [
          row.getAttribute("data-agent"),
          row.getAttribute("data-status"),
          row.getAttribute("aria-level"),
        ]),
      );

  it("shows at its end the tree that the panel shows", async () => {
    const log = fourMinutes();
    const panel = await openPanel(browser, { width: 600 });
    await panel.post(log.chat());
    await panel.drawn();
    const live = await rowsOf(panel.page);
    const transcript = (await panel.page.locator(".conversation").textContent()) ?? "";
    await panel.close();
    const { page, requests, problems } = await open(timedOf(log));
    assert.ok(live.length === 3, JSON.stringify(live));
    assert.deepEqual(await rowsOf(page), live);
    assert.ok(transcript.includes("Two tests expected the old sum."));
    assert.ok(((await page.locator(".conversation").textContent()) ?? "").includes("Two tests expected the old sum."));
    assert.deepEqual([requests, problems], [[], []]);
  });

  it("is moved by the slider, by keys and by steps, and plays; a screen reader announces the moment", async () => {
    const log = fourMinutes();
    const { page, controls, slider, moment, problems } = await open(timedOf(log));
    const count = log.entries.length;
    const at = async () => Number(await slider.inputValue());
    assert.equal(await at(), count);
    await page.keyboard.press("Home");
    assert.equal(await at(), 0);
    assert.deepEqual(await rowsOf(page), []);
    await controls.getByRole("combobox", { name: "Step by" }).selectOption("Approval");
    await slider.focus();
    await page.keyboard.press("ArrowRight");
    assert.match((await moment.textContent()) ?? "", /Fix the totals: waits for you: src\/cart\/totals\.ts/);
    assert.match((await slider.getAttribute("aria-valuetext")) ?? "", /after \d+ s, Fix the totals/);
    // The proposed diff of the moment, and who waits.
    const approval = page.getByRole("group", { name: /^Approval/ });
    await approval.getByText("return sum * count;").waitFor();
    assert.ok((await rowsOf(page)).some(([, status]) => status === "waiting"));
    await controls.getByRole("combobox", { name: "Step by" }).selectOption("Event");
    await controls.getByRole("button", { name: "Step forward" }).click();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("End");
    await approval.waitFor({ state: "detached" });
    assert.equal(await at(), count);
    await page.keyboard.press("+");
    await page.keyboard.press("+");
    assert.equal(await controls.getByRole("combobox", { name: /^Speed/ }).inputValue(), "5");
    await page.keyboard.press("-");
    assert.equal(await controls.getByRole("combobox", { name: /^Speed/ }).inputValue(), "2");
    await slider.fill(String(count - 2));
    await slider.focus();
    await page.keyboard.press("Space");
    await page.waitForFunction(
      (end) => document.querySelector<HTMLInputElement>(".replay-slider")?.value === end,
      String(count),
    );
    await controls.getByRole("button", { name: "Play" }).waitFor();
    // A bar of the timeline leads to its moment.
    await page.getByRole("tab", { name: "Timeline" }).click();
    const chart = page.getByRole("application", { name: "Timeline chart" });
    await chart.focus();
    await chart.press("ArrowRight");
    await chart.press("Enter");
    assert.ok((await at()) < count);
    assert.deepEqual(problems, []);
  });

  it("has no button that acts, whatever went on", async () => {
    for (const name of ["running", "approval", "question", "plan", "notices", "tools", "titled-approval", "compare"]) {
      const [message] = scenes[name]?.().messages ?? [];
      assert.ok(message?.type === "chat", name);
      const { page, refused, problems } = await open(message.entries.map((entry) => ({ at: startTime, entry })));
      const seen = page.locator(
        ".replay > :not(.replay-controls) :is(button, vscode-button):visible:not(:disabled):not([disabled])",
      );
      for (let index = 0; index < (await seen.count()); index++) {
        const button = seen.nth(index);
        if ((await button.getAttribute("role")) === "tab") continue;
        await button.click({ timeout: 2_000, force: true }).catch(() => undefined);
      }
      await page.keyboard.press("Control+Enter");
      await page.keyboard.press("Escape");
      await page.keyboard.press("Escape");
      assert.deepEqual([name, refused, problems], [name, [], []]);
      await opened?.close();
      opened = undefined;
    }
  });

  it("holds no secret of outputs, files and the environment", async () => {
    const log = fourMinutes();
    const main = log.agent("main");
    log.user(main, `Use API_KEY=${canary}, and what https://me:${canary}@lab.test says`);
    log.toolStart(main, "x1", "run_command", "Run", {
      command: `curl -H "Authorization: Bearer ${canary}"`,
      env: { TOKEN: canary },
    });
    log.toolEnd(main, "x1", "run_command", `SECRET=${canary}\nstored-canary-77 environment-canary-88 sk-ant-${canary}`);
    log.answer(main, [text(`The password: "${canary}"`)]);
    log.host({ type: "chat_titled", title: `token=${canary}` });
    const { html, page, requests, problems } = await open(timedOf(log), {
      secrets: ["stored-canary-77"],
      environment: { LAB_TOKEN: "environment-canary-88" },
    });
    assert.doesNotMatch(html, /canary/);
    assert.doesNotMatch(await page.content(), /canary/);
    assert.ok(((await page.locator(".conversation").textContent()) ?? "").includes("•••"));
    assert.deepEqual([requests, problems], [[], []]);
  });

  it("runs nothing of what it shows, and opens cut-off logs and logs without times", async () => {
    const log = fourMinutes();
    const main = log.agent("main");
    log.user(main, "</script><script>document.title = 'run'</script><!-- <img src=https://lab.test/x.png onerror=1>");
    const cut = timedOf(log)
      .slice(20)
      .map(({ entry }): TimedEntry => ({ entry }));
    const untimed = cut.map(
      ({ entry }): TimedEntry =>
        "agent" in entry ? { entry: { ...entry, agent: { ...entry.agent, timestamp: 0 } } } : { entry },
    );
    const { page, moment, requests, problems } = await open(untimed);
    assert.match((await moment.textContent()) ?? "", new RegExp(`^${untimed.length} of ${untimed.length}, `));
    assert.equal(await page.title(), "Replay");
    await page.getByText("onerror=1").first().waitFor();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    assert.deepEqual([requests, problems], [[], []]);
  });

  it("is drawn in dark and light, narrow and wide, in German", async () => {
    for (const theme of ["dark", "light"] as const) {
      for (const width of [320, 600]) {
        opened = await openReplayPage(browser, timedOf(fourMinutes()), {
          theme,
          width,
          language: width === 320 ? "de" : "en",
        });
        const { page, problems } = opened;
        const slider = page.getByRole("slider");
        await slider.fill("24");
        const box = await page.locator(".replay-controls").boundingBox();
        assert.ok(
          box !== null && box.x >= 0 && box.x + box.width <= width && box.y + box.height <= 720,
          JSON.stringify(box),
        );
        if (process.env.PICTURES !== undefined)
          await page.screenshot({ path: path.join(process.env.PICTURES, `replay-${theme}-${width}.png`) });
        assert.deepEqual(problems, []);
        await opened.close();
        opened = undefined;
      }
    }
  });
});
