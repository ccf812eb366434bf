import assert from "node:assert/strict";
import { recording, text, toolCall } from "../support/recording.ts";
import { usePanel } from "../support/usePanel.ts";

const refusal = `The provider refused the request.\n${"It names a reason at length. ".repeat(40)}\nThe end of it.`;

function failed() {
  const log = recording();
  const main = log.agent("main");
  log.user(main, "Hello");
  log.answer(main, [text("Half an ans")], { stopReason: "error", errorMessage: refusal });
  log.end(main, "error", refusal);
  return log;
}

describe("failed request in the panel", function () {
  this.timeout(60_000);
  const show = usePanel();

  it("says why in the transcript, once: in the notice that offers to try again, and without it as well", async () => {
    const log = failed();
    const notice = { id: "n1", level: "error" as const, text: refusal, actions: ["retry" as const] };
    log.host({ type: "notice_shown", notice });
    const panel = await show([log.chat()]);
    const { page } = panel;
    const article = page.getByRole("article", { name: "main" });
    await article.getByText("Half an ans").waitFor();
    const conversation = page.getByRole("log", { name: "Conversation" });
    const problem = conversation.getByRole("note", { name: "Problem" });
    await problem.getByText("The provider refused the request.").waitFor();
    await problem.getByRole("button", { name: "Retry", exact: true }).waitFor();
    assert.equal(await page.getByText("The provider refused the request.").count(), 1);
    const seq = log.lastSeq;
    log.host({ type: "notice_closed", noticeId: "n1" });
    await panel.post(log.since(seq));
    await problem.waitFor({ state: "detached" });
    await article.getByText("The provider refused the request.").waitFor();
    await page.getByRole("button", { name: "Retry", exact: true }).click();
    assert.deepEqual((await panel.intents()).at(-1), { type: "noticeAction", action: "retry" });
  });

  it("says why below the transcript of another agent that is shown", async () => {
    const log = failed();
    const main = { id: "main", name: "main", prefix: "", depth: 0 };
    log.end(log.agent("explore", main, "c1", "Find the callers"), "done");
    log.host({ type: "notice_shown", notice: { id: "n1", level: "error", text: refusal, actions: ["retry"] } });
    const { page, drawn } = await show([log.chat()]);
    await page.getByRole("treeitem", { name: /^Find the callers/ }).click();
    await drawn();
    await page.locator(".dock").getByText("The provider refused the request.").waitFor();
    assert.equal(await page.getByText("The provider refused the request.").count(), 1);
  });

  it("of a sub-agent can be tried again with the same task, by another model too", async () => {
    const log = recording();
    const main = log.agent("main");
    const child = log.agent("explore", main, "c1", "Find the callers");
    log.user(child, "Find all callers");
    log.end(child, "error", refusal);
    log.end(main, "done");
    const panel = await show([log.chat()]);
    const { page } = panel;
    await page.getByRole("treeitem", { name: /^Find the callers/ }).click();
    await page.getByRole("button", { name: "Retry", exact: true }).click();
    await page.getByRole("button", { name: "Retry with…", exact: true }).click();
    const asked = (await panel.intents()).filter(({ type }) => type === "retryAgent");
    assert.deepEqual(asked, [
      { type: "retryAgent", agentId: child.id },
      { type: "retryAgent", agentId: child.id, asksForModel: true },
    ]);
  });

  it("is no stop: that is shown once, where it happened, and not as a failure", async () => {
    const log = recording();
    const main = log.agent("main");
    log.user(main, "Hello");
    log.answer(main, [text("Half an ans")], { stopReason: "aborted", errorMessage: "The answer was aborted." });
    log.end(main, "aborted");
    const { page } = await show([log.chat()]);
    const conversation = page.getByRole("log");
    await conversation.getByText("Half an ans").waitFor();
    assert.equal(await conversation.getByText("Stopped.").count(), 1);
    assert.equal(await conversation.getByText("aborted").count(), 0);
  });

  it("is no stop, which stays where it happened when the chat goes on, as an interruption does", async () => {
    const log = recording();
    const main = log.agent("main");
    const work = (id: string) => {
      log.answer(main, [toolCall(id, "run_command", { command: "npm test" })]);
      log.toolStart(main, id, "run_command", "Run command", { command: "npm test" });
      log.toolEnd(main, id, "run_command", "ended", true);
    };
    log.user(main, "Hello");
    work("c1");
    log.end(main, "aborted");
    log.event(main, { type: "agent_start" });
    log.user(main, "Go on");
    work("c2");
    log.end(main, "aborted", "The run was interrupted.");
    const panel = await show([log.chat()]);
    const ends = () => panel.page.getByRole("log").locator(".cut").allInnerTexts();
    await panel.page.getByRole("log").getByText("Stopped.").first().waitFor();
    const seq = log.lastSeq;
    log.event(main, { type: "agent_start", resumes: true });
    log.end(main, "aborted", "The run was interrupted.");
    await panel.post(log.since(seq));
    await panel.drawn();
    assert.equal((await ends()).length, 2, "what ended twice at one place says so once");
    log.event(main, { type: "agent_start", resumes: true });
    log.answer(main, [text("It is done.")]);
    log.end(main, "done");
    await panel.post(log.since(seq));
    await panel.page.getByRole("log").getByText("It is done.").waitFor();
    await panel.page.getByRole("log").getByText("Interrupted.").waitFor();
    assert.deepEqual(await ends(), ["Stopped.", "Interrupted."]);
    const order = await panel.page.getByRole("log").textContent();
    assert.match(order ?? "", /Stopped\..*Go on.*Interrupted\..*It is done\./s);
  });

  it("does not fill the panel: a long text shows its start, and the rest on demand", async () => {
    const panel = await show([failed().chat()]);
    const article = panel.page.getByRole("article", { name: "main" });
    const height = () => article.evaluate((element) => element.clientHeight);
    assert.ok((await height()) < 170, `${await height()} px`);
    assert.equal(await article.getByText("The end of it.").count(), 0);
    await article.getByRole("button", { name: "Show more" }).click();
    await article.getByText("The end of it.").waitFor();
    await article.getByRole("button", { name: "Show less" }).click();
    await panel.drawn();
    assert.ok((await height()) < 170, `${await height()} px`);
  });
});
