import assert from "node:assert/strict";
import { createRepairs } from "../../../../src/agent/providers/shared/repair.ts";
import type { AssistantMessage } from "../../../../src/agent/vocabulary/messages.ts";
import { type FakeProvider, startFakeProvider } from "../../../support/fakeProvider/startFakeProvider.ts";
import { asking, assistant, hear, providerAt, textOf, toolResult, user } from "../support.ts";

const call = { type: "toolCall" as const, id: "c1", name: "read", arguments: {} };
const thought: AssistantMessage = assistant({ type: "thinking", text: "Hm.", signature: "old" }, call);
const history = () => asking(user("Go"), thought, toolResult("c1", "done"), user("And now?"));
const rejection = { status: 400, body: { error: { type: "invalid_request_error", message: "Invalid signature." } } };

describe("a history that the provider rejects", () => {
  let server: FakeProvider;
  before(async () => {
    server = await startFakeProvider();
  });
  beforeEach(() => server.reset());
  after(() => server.stop());
  const bodies = async () => (await server.requests()).map(({ body }) => JSON.stringify(body));

  for (const wire of ["anthropic", "responses"] as const) {
    it(`is sent once more over ${wire} without the thinking that may be refused, and so from then on`, async () => {
      await server.script(rejection, { steps: [{ text: "Now." }] }, { steps: [{ text: "Again." }] });
      const stream = providerAt(wire, server.url);
      const request = history();
      const first = await hear(stream, request);
      assert.equal(textOf(first.message), "Now.");
      assert.deepEqual(
        first.events.flatMap((event) => (event.type === "retry" ? [event.error] : [])),
        ["test rejected the request (Invalid signature)."],
      );
      assert.equal((await hear(stream, request)).terminal, "done");
      assert.deepEqual(
        (await bodies()).map((body) => body.includes('"old"')),
        [true, false, false],
      );
    });

    it(`is not sent a third time over ${wire}`, async () => {
      await server.script({ when: {}, reply: { ...rejection, status: 422 } });
      const { message } = await hear(providerAt(wire, server.url), history());
      assert.equal(message.errorKind, "rejected");
      assert.match(message.errorMessage ?? "", /rejected the request \(Invalid signature\)/);
      assert.equal((await server.requests()).length, 2);
    });
  }

  it("is sent no second time where there is nothing to leave out", async () => {
    await server.script({ when: {}, reply: rejection });
    await hear(providerAt("anthropic", server.url));
    assert.equal((await server.requests()).length, 1);
  });

  it("is not held against a history that another reason refused", async () => {
    const noKey = { status: 401, body: { error: { type: "authentication_error", message: "Who?" } } };
    await server.script({ when: {}, reply: noKey });
    await hear(providerAt("anthropic", server.url), history());
    assert.equal((await server.requests()).length, 1);
  });

  it("gets a result for every call, loses results without one, and begins with the user", () => {
    const broken = asking(
      assistant({ type: "text", text: "Hello" }),
      user("Go"),
      assistant(call),
      toolResult("c9", "?"),
    );
    const repaired = createRepairs().repaired(broken)?.messages ?? [];
    assert.deepEqual(
      repaired.map((message) => [message.role, message.role === "toolResult" ? message.callId : ""]),
      [
        ["user", ""],
        ["assistant", ""],
        ["toolResult", "c1"],
      ],
    );
  });

  it("keeps the messages that it changed the same objects, so that their text stays written", () => {
    const repairs = createRepairs();
    const [first, second] = [repairs.repaired(history()), repairs.repaired(history())];
    assert.equal(first?.messages[1], second?.messages[1]);
  });
});
