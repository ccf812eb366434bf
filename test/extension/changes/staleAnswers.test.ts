import assert from "node:assert/strict";
import { ChatGrants } from "../../../src/extension/approvals/chatGrants.ts";
import { PermissionQueue } from "../../../src/extension/approvals/permissionQueue.ts";
import { Questions } from "../../../src/extension/chat/notices.ts";
import type { HostEvent } from "../../../src/protocol/hostEvents.ts";
import { rootMeta } from "../../support/events.ts";
import { reviewing } from "./support/reviewing.ts";

const before = "one\ntwo\n";
const change = { path: "a.ts", before, after: "ONE\ntwo\n" };
const other = { path: "b.ts", before, after: "one\nTWO\n" };

describe("an answer to what is not asked any more", () => {
  it("answers no other edit, by the edit's id or by a hunk's", async () => {
    const { reviews, propose, pending, workspace } = reviewing({ "a.ts": before, "b.ts": before });
    const first = await propose([change], "one");
    const hunkId = pending()[0]?.id ?? "";
    await reviews.accept({ proposalId: "p1" });
    await first.outcome;
    await propose([other], "two");
    await reviews.accept({ proposalId: "p1" });
    await reviews.reject({ proposalId: "p1" }, "no");
    await reviews.accept({ proposalId: "p1", hunkId });
    await reviews.reject({ hunkId });
    assert.equal(pending().length, 1);
    assert.equal(workspace.files.get("b.ts"), before);
  });

  it("allows no other command", async () => {
    const events: HostEvent[] = [];
    const emit = (event: HostEvent) => void events.push(event);
    let ids = 0;
    const queue = new PermissionQueue({ newId: () => `q${++ids}`, agentPath: () => ["main"], lineage: () => ["main"] });
    const chat = { id: "chat", emit, grants: new ChatGrants({ emit, newId: () => "grant" }) };
    const facts = { kind: "command", cwd: "", folder: "/", toolName: "run_command", agent: rootMeta } as const;
    const ask = (command: string) =>
      queue.askFor(chat)({ ...facts, command, callId: command }, new AbortController().signal);
    const first = ask("npm test");
    queue.decide("q1", "accepted");
    assert.deepEqual(await first, { allowed: true });
    void ask("rm -r .");
    const known = events.length;
    queue.decide("q1", "accepted", { scope: "session" });
    assert.equal(queue.has("q2"), true);
    assert.equal(events.length, known);
  });

  it("answers no other question", async () => {
    const events: HostEvent[] = [];
    let ids = 0;
    const questions = new Questions(
      (event) => void events.push(event),
      () => `q${++ids}`,
    );
    const asked = { agentId: "main", agentPath: ["main"], callId: "c", text: "Which?", options: [] };
    const { signal } = new AbortController();
    const first = questions.ask(asked, signal);
    assert.equal(questions.answer("q1", "this one"), true);
    assert.equal(await first, "this one");
    void questions.ask(asked, signal);
    assert.equal(questions.answer("q1", "that one"), false);
    assert.deepEqual(
      events.map(({ type }) => type),
      ["question_asked", "question_answered", "question_asked"],
    );
  });
});
