import assert from "node:assert/strict";
import { access } from "node:fs/promises";
import path from "node:path";
import type { Reply, ScriptEntry } from "../../support/fakeProvider/script.ts";
import { eventually } from "../eventually.ts";
import { readRows } from "../readPanel.ts";
import { ask } from "../run.ts";
import { startAfresh, useSession } from "./wire/session.ts";

const whole = "Here is the whole answer.";
const answering: Reply = { steps: [{ text: whole }] };
const error = (type: string, message: string, code: string) => ({ error: { type, message, code } });
const limited = (seconds: number): Reply => ({
  status: 429,
  body: error("rate_limit_error", "Slow down", "rate_limit_exceeded"),
  headers: { "retry-after": String(seconds) },
});

for (const wire of ["anthropic", "openai-chat"] as const) {
  describe(`Faults in an editor, with a provider that speaks "${wire}"`, () => {
    const session = useSession(wire);
    beforeEach(() => startAfresh(session()));

    async function meet(...script: ScriptEntry[]): Promise<void> {
      await session().fake.script(...script);
      await ask(session().panel, "Say something.");
    }
    const says = (words: string | RegExp) => session().panel.conversation.getByText(words).first().waitFor();
    const problem = (words: RegExp) => session().panel.problems.filter({ hasText: words }).first().waitFor();
    const requests = async () => (await session().fake.requests()).length;
    const ends = (status: string) =>
      eventually(async () => assert.equal((await readRows(session().panel))[0]?.status, status));

    if (wire === "anthropic") {
      it("a pause that the provider asks for is counted down, and kept", async () => {
        await meet(limited(3), answering);
        await says(/Retrying in \d s: fake limits the rate of requests \(Slow down\)\./);
        await session()
          .panel.row("main")
          .getByText(/Retrying in \d s/)
          .first()
          .waitFor();
        await says(whole);
        await ends("done");
        assert.equal(await requests(), 2);
      });

      it("a run that waits is stopped at once; who asks next waits for the rest of the pause", async () => {
        const { fake, panel } = session();
        await meet(limited(9), answering);
        await says(/Retrying in \d s/);
        await panel.stop.click();
        await ends("aborted");
        assert.equal(await requests(), 1);
        await ask(panel, "And now?");
        await says(/Waiting \d s: fake limits/);
        await says(whole);
        await ends("done");
        assert.equal((await fake.requests()).length, 2);
      });

      it("an overloaded provider is asked again, and the answer follows", async () => {
        await meet({ status: 529, body: error("overloaded_error", "Overloaded", "server_overloaded") }, answering);
        await says(whole);
        await ends("done");
        assert.equal(await requests(), 2);
      });

      it("an answer that is cut off stays to be read, and is asked again", async () => {
        await meet({ steps: [{ text: "Half an answer" }, { gate: "read" }, { cut: true }] }, answering);
        await says("Half an answer");
        await session().fake.release("read");
        await says(whole);
        await says("Half an answer");
        await says("Answer cut off. Retried.");
        await ends("done");
        assert.equal(await requests(), 2);
      });

      it("sub-agents that are sent away wait together, and say so in their rows", async () => {
        const { fake, panel } = session();
        const tasks = [1, 2, 3].map((n) => ({
          tool: "delegate_to_agent",
          arguments: { agent: "explore", task: `Look at part ${n}`, context: "None." },
        }));
        await fake.script(
          { when: { lastUser: "Look at part" }, reply: { ...limited(4), holdAt: "all sent" }, times: 3 },
          { when: { lastUser: "Look at part" }, reply: { steps: [{ text: "Looked." }] } },
          { steps: tasks },
          answering,
        );
        await ask(panel, "Have a look.");
        await fake.reached("all sent", 3);
        await fake.release("all sent");
        await eventually(async () => {
          const waiting = panel.rows.filter({ hasText: /Retrying in \d s: fake limits/ });
          assert.equal(await waiting.count(), 3);
        });
        assert.equal(await requests(), 4);
        await says(whole);
        assert.equal(await requests(), 4 + 3 + 1);
      });
    } else {
      it("used-up credit is reported with what to do, and not asked again", async () => {
        await meet({ when: {}, reply: { status: 429, body: error("billing", "No credit", "insufficient_quota") } });
        await problem(/Credit or spending limit of fake is used up \(No credit\)\. Add credit/);
        await session().panel.button("Choose a model").waitFor();
        assert.equal(await requests(), 1);
      });

      it("a web page is not taken for an answer", async () => {
        await meet({ when: {}, reply: { status: 200, body: "<!doctype html><title>Sign in</title>" } });
        await problem(/answered with a web page instead of a model's answer/);
        assert.equal(await requests(), 1);
      });

      it("a call whose arguments are cut off runs nothing", async () => {
        const cut = '{"path":"cut.txt","content":"half';
        await meet({ steps: [{ tool: "write_file", rawArguments: cut }, { cut: true }] }, answering);
        await says(whole);
        assert.equal(await session().panel.approvals.count(), 0);
        await assert.rejects(access(path.join(session().workspace, "cut.txt")));
        assert.equal(await requests(), 2);
      });

      it("a call that the output limit cuts is not run, and the model gets to know so", async () => {
        const cut = '{"path":"cut.txt","content":"half';
        await meet({ steps: [{ tool: "write_file", rawArguments: cut }], finish: "length" }, answering);
        await says(whole);
        assert.equal(await session().panel.approvals.count(), 0);
        await assert.rejects(access(path.join(session().workspace, "cut.txt")));
        const [, second] = await session().fake.requests();
        assert.match(JSON.stringify(second?.body), /cut by the output limit/);
      });

      it("a refusal is shown, with what had been said before it", async () => {
        await meet({ steps: [{ text: "Well, I" }], finish: "refusal" });
        await problem(/test-model declined to answer .*Change the request, or pick another model\./);
        await says("Well, I");
        await ends("error");
        assert.equal(await requests(), 1);
      });
    }
  });
}
