import assert from "node:assert/strict";
import type { RecordedRequest, Step } from "../../support/fakeProvider/script.ts";
import { eventually } from "../eventually.ts";
import { ask } from "../run.ts";
import { editStep, readStep, turn } from "./scripted.ts";
import { startAfresh, useSession } from "./wire/session.ts";

interface Task {
  task: string;
  agent?: string;
  budget?: object;
}

const spawn = (...tasks: Task[]): Step => ({
  tool: "spawn_agents",
  arguments: {
    tasks: tasks.map(({ task, ...more }) => ({ agent: "explore", title: task, task, context: "", ...more })),
  },
});
const list: Step = { tool: "list_files", arguments: {} };

describe("What the parent got, envelopes and collisions, in an editor", () => {
  const session = useSession("openai");
  beforeEach(() => startAfresh(session()));

  const bodyOf = (request: RecordedRequest | undefined) => JSON.stringify(request?.body);
  const row = (title: string) => session().panel.frame.getByRole("treeitem", { name: new RegExp(`^${title}`) });

  it("What the parent got: a report that only points elsewhere is flagged, and asked for again before the parent goes on", async () => {
    const { fake, panel } = session();
    await fake.script(
      turn("Survey", 0, [spawn({ task: "Look left" }, { task: "Look right" })]),
      turn("Look left", 0, [list]),
      turn("Look left", 1, [{ text: "See notes.md." }]),
      turn("Look right", 0, [{ gate: "right" }, { text: "Nothing there." }]),
      turn("Name the line", 0, [{ text: "The fault is in a.ts, line 3." }]),
      turn("Survey", 1, [{ text: "Surveyed." }]),
      turn("And the column", 0, [{ text: "In column 7." }]),
      turn("Sum up", 0, [{ text: "Summed up." }]),
    );
    await ask(panel, "Survey");
    await fake.reached("right");
    await eventually(async () =>
      assert.match((await row("Look left").getAttribute("aria-description")) ?? "", /report only points elsewhere/),
    );
    const conversation = panel.conversation;
    await conversation.getByRole("button", { name: /^2 agents/ }).click();
    const first = conversation.locator(".fan-out > li").first();
    await first.getByRole("group", { name: "Brief" }).getByText("Look left").waitFor();
    await first
      .getByRole("group", { name: "Work" })
      .getByText(/^1 call/)
      .waitFor();
    const report = first.getByRole("group", { name: "Report" });
    await report.getByText("The report only points elsewhere.").waitFor();
    const field = report.getByRole("textbox", { name: "What is missing?" });
    await field.fill("Name the line");
    await report.getByRole("button", { name: "Ask again", exact: true }).click();
    await eventually(async () =>
      assert.ok((await fake.requests()).some((each) => bodyOf(each).includes("Name the line"))),
    );
    const again = (await fake.requests()).find((each) => bodyOf(each).includes("Name the line"));
    assert.match(bodyOf(again), /Look left[\s\S]*See notes\.md\.[\s\S]*Name the line/, "in the context that it has");
    await fake.release("right");
    await panel.messagesOf("main").filter({ hasText: "Surveyed." }).waitFor();
    const last = bodyOf((await fake.requests()).at(-1));
    assert.match(last, /The fault is in a\.ts, line 3\./);
    assert.ok(!last.includes("See notes.md."), "the parent never got the first report");
    await report.getByText("The fault is in a.ts, line 3.").waitFor();
    await conversation.getByText("You told explore: Name the line").waitFor();

    await field.fill("And the column");
    await field.press("Enter");
    await report.getByText("In column 7.").waitFor();
    await ask(panel, "Sum up");
    await panel.messagesOf("main").filter({ hasText: "Summed up." }).waitFor();
    assert.match(
      bodyOf((await fake.requests()).at(-1)),
      /In column 7\.[\s\S]*Sum up/,
      "as a note, with the next message",
    );
  });

  it("Envelopes: the next request that would exceed one is not sent; that agent waits and the others go on", async () => {
    const { fake, panel } = session();
    await fake.script(
      turn("Audit", 0, [spawn({ task: "Be cheap", budget: { requests: 1 } }, { task: "Be thorough" })]),
      turn("Be cheap", 0, [{ text: "One look." }, list]),
      turn("Be cheap", 1, [{ text: "Two looks." }, list]),
      turn("Be thorough", 0, [list]),
      turn("Be thorough", 1, [list]),
      turn("Be thorough", 2, [{ gate: "thorough" }, { text: "All looked at." }]),
      turn("Audit", 1, [{ text: "Audited." }]),
    );
    await ask(panel, "Audit");
    await fake.reached("thorough");
    const card = panel.frame.getByRole("group", { name: /^Budget of .*Be cheap/ });
    await card.getByText("1 of 1 request used.").waitFor();
    await row("Be cheap").getByText("Budget 100%").waitFor({ state: "attached" });
    assert.equal(await row("Be cheap").getAttribute("data-status"), "waiting");
    assert.equal(await row("Be thorough").getAttribute("data-status"), "running");
    const cheap = async () =>
      (await fake.requests()).filter((each) => bodyOf(each).includes("Be cheap") && !bodyOf(each).includes("Audit"));
    assert.equal((await cheap()).length, 1);
    await card.getByText("Extend adds 1 request.").waitFor();
    await card.getByRole("button", { name: "Extend", exact: true }).click();
    await card.getByText("2 of 2 requests used.").waitFor();
    assert.equal((await cheap()).length, 2);
    await card.getByRole("button", { name: "Stop", exact: true }).click();
    await eventually(async () => assert.equal(await row("Be cheap").getAttribute("data-status"), "limit"));
    await fake.release("thorough");
    await panel.messagesOf("main").filter({ hasText: "Audited." }).waitFor();
    const last = bodyOf((await fake.requests()).at(-1));
    assert.match(last, /Two looks\.[\s\S]*budget of 2 requests is used up/);
    assert.match(last, /All looked at\./);
  });

  it("Collisions: who holds an older version is named before the write, at both rows and in its result", async () => {
    const { fake, panel } = session();
    const receipt = "src/orders/receipt.ts";
    await fake.script(
      turn("Do both", 0, [spawn({ task: "Study it" }, { task: "Widen it", agent: "edit" })]),
      turn("Study it", 0, [readStep(receipt)]),
      turn("Study it", 1, [{ gate: "studied" }, { text: "Studied." }]),
      turn("Widen it", 0, [readStep(receipt)]),
      turn("Widen it", 1, [{ gate: "read" }, editStep(receipt, ["const width = 48;", "const width = 60;"])]),
      turn("Widen it", 2, [{ gate: "widened" }, { text: "Widened." }]),
      turn("Do both", 1, [{ text: "Both are done." }]),
    );
    await ask(panel, "Do both");
    await Promise.all([fake.reached("studied"), fake.reached("read")]);
    await fake.release("read");
    const accept = panel.approval("edit_file").getByRole("button", { name: "Accept", exact: true });
    await accept.waitFor();
    const marked = panel.frame.getByRole("treeitem", { name: /works on a file of another agent/ });
    await eventually(async () => assert.equal(await marked.count(), 2));
    await accept.click();
    await fake.reached("widened");
    const heard = (await fake.requests()).map(bodyOf).find((body) => body.includes("older version")) ?? "";
    assert.match(heard, /Widen it[\s\S]*main › explore read an older version of src\/orders\/receipt\.ts/);
    await row("Study it").focus();
    await session().editor.page.keyboard.press("Alt+Enter");
    await panel.frame
      .getByRole("group", { name: "Details of Study it" })
      .getByText("main › edit wrote src/orders/receipt.ts · main › explore read an older version")
      .waitFor();
    for (const gate of ["widened", "studied"]) await fake.release(gate);
    await panel.messagesOf("main").filter({ hasText: "Both are done." }).waitFor();
    assert.equal(await marked.count(), 0);
  });
});
