import { equal, ok } from "node:assert/strict";
import { MemorySessionStore } from "../../../src/agent/session/memory.ts";
import { readSession } from "../../../src/agent/session/sessionReading.ts";
import type { SessionRow } from "../../../src/agent/session/store.ts";
import { assistant, toolResult } from "../providers/support.ts";

describe("Reading what a session has of an agent", () => {
  it("looks at each message a few times, however many there are", async () => {
    const answers = 2_000;
    const store = new MemorySessionStore();
    for (let at = 0; at < answers; at += 1) {
      await store.append("a", assistant({ type: "toolCall", id: `c${at}`, name: "read", arguments: {} }));
      await store.append("a", toolResult(`c${at}`, "A"));
    }
    let looks = 0;
    const counted = <T extends object>(list: T[]): T[] =>
      new Proxy(list, {
        get: (target, name) => {
          if (typeof name === "string" && /^\d+$/.test(name)) looks += 1;
          return Reflect.get(target, name);
        },
      });
    const rows = await store.list();
    store.list = async () =>
      Object.assign([...rows], { map: (of: (row: SessionRow) => object) => counted(rows.map(of)) });
    const { messages } = await readSession(store, "a");
    equal(messages.length, 2 * answers);
    ok(looks < 20 * messages.length, `${looks} looks at ${messages.length} messages`);
  });
});
