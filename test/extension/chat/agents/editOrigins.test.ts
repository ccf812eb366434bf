import assert from "node:assert/strict";
import { editOrigins } from "../../../../src/extension/chat/agents/editOrigins.ts";

describe("the origin of an edit", () => {
  it("is read again where its session could not be read, and nothing is left unhandled", async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", listen);
    let read = 0;
    const origins = editOrigins({
      messagesOf: async () => {
        read += 1;
        if (read === 1) throw new Error("EIO");
        return [];
      },
    });
    const author = { agentIds: ["m"], agentPath: ["main"], editId: "1", chatId: "c", callId: "k" };
    await assert.rejects(origins.of(author), /EIO/);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(await origins.of(author), {});
    process.off("unhandledRejection", listen);
    assert.deepEqual(unhandled, []);
  });
});
