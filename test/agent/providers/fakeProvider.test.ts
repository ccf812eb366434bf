import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import {
  connectFakeProvider,
  type FakeProvider,
  startFakeProvider,
} from "../../support/fakeProvider/startFakeProvider.ts";
import { asking, assistant, callsOf, hear, model, providerAt, textOf, toolResult, user, wireNames } from "./support.ts";

describe("the fake provider", () => {
  let server: FakeProvider;
  before(async () => {
    server = await startFakeProvider();
  });
  beforeEach(() => server.reset());
  after(() => server.stop());

  const say = (text: string) => ({ steps: [{ text }] });

  for (const wire of wireNames) {
    it(`answers ${wire} by what a rule matches, and else with bare replies in their order`, async () => {
      await server.script(
        { when: { lastUser: "count", turn: 0 }, reply: { steps: [{ tool: "count", arguments: {} }] } },
        { when: { lastToolResult: "three", turn: 1 }, reply: say("It is three.") },
        { when: { system: "You explore", model: "test-model", wire }, reply: say("Explored."), times: 1 },
        say("First."),
        say("Second."),
      );
      const ask = async (...messages: Parameters<typeof asking>) =>
        textOf((await hear(providerAt(wire, server.url), asking(...messages))).message);
      const counting = await hear(providerAt(wire, server.url), asking(user("Please count.")));
      const [call] = callsOf(counting.message);
      assert.ok(call);
      assert.equal(
        await ask(user("Please count."), assistant(call), toolResult(call.id, "three files")),
        "It is three.",
      );
      const explore = { ...asking(), systemPrompt: "You explore the workspace." };
      const explored = [];
      for (let n = 0; n < 2; n += 1) explored.push(textOf((await hear(providerAt(wire, server.url), explore)).message));
      assert.deepEqual(explored, ["Explored.", "First."]);
      assert.equal(await ask(user("Hello")), "Second.");
    });
  }

  it("refuses what no reply is left for, and shows the request", async () => {
    const { message } = await hear(providerAt("chat", server.url));
    assert.match(message.errorMessage ?? "", /The script has no reply for .*"lastUser":"Hello"/);
  });

  it("holds streams at a gate until it is released", async () => {
    await server.script({ when: {}, reply: { steps: [{ text: "a" }, { gate: "middle" }, { text: "b" }] } });
    const held = [1, 2, 3].map(() => hear(providerAt("anthropic", server.url)));
    await server.reached("middle", 3);
    const open = (await server.requests()).map((request) => request.settled);
    assert.deepEqual(open, ["open", "open", "open"]);
    await server.release("middle");
    for (const { message } of await Promise.all(held)) assert.equal(textOf(message), "ab");
    assert.equal(await server.settled(2), "finished");
  });

  it("records every request", async () => {
    await server.script(say("Noted."));
    await hear(providerAt("responses", server.url));
    const [request] = await server.requestCount(1);
    assert.ok(request);
    assert.equal(request.path, "/v1/responses");
    assert.match(request.headers.authorization ?? "", /^Bearer /);
    assert.match(JSON.stringify(request.body), new RegExp(`"model":"${model.id}"`));
  });

  it("runs as a command of its own, which prints the URL to speak to", async () => {
    const main = fileURLToPath(new URL("../../support/fakeProvider/main.ts", import.meta.url));
    const child = spawn(process.execPath, [main, "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
    const exited = once(child, "exit");
    try {
      const [line] = await once(createInterface(child.stdout), "line");
      const own = connectFakeProvider(String(line));
      await own.script(say("Alone."));
      assert.equal(textOf((await hear(providerAt("chat", own.url))).message), "Alone.");
      assert.equal((await own.requests()).length, 1);
    } finally {
      child.kill();
      await exited;
    }
  });

  it("drops what is open when it is reset", async () => {
    await server.script({ steps: [{ text: "a" }, { gate: "never" }] });
    const heard = hear(providerAt("chat", server.url));
    await server.reached("never");
    await server.reset();
    assert.equal((await heard).terminal, "error");
    assert.deepEqual(await server.requests(), []);
  });

  for (const perEvent of [false, true]) {
    it(`floods with deltas, ${perEvent ? "one write each" : "in bulk"}`, async () => {
      await server.script({ steps: [{ flood: 2_000, text: "ab ", perEvent }] });
      const { events, message } = await hear(providerAt("anthropic", server.url));
      assert.equal(events.filter((event) => event.type === "text_delta").length, 2_000);
      assert.equal(textOf(message).length, 6_000);
    });
  }
});
