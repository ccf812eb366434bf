import assert from "node:assert/strict";
import { ToolError } from "../../../src/extension/common/userError.ts";
import { readAttachedResource, resourceAttachments } from "../../../src/extension/mcp/resourceAttachments.ts";
import { regular, TestServers } from "./support/servers.ts";

const made = new TestServers();
const { signal } = new AbortController();

describe("The resources of MCP servers", () => {
  afterEach(() => made.dispose());

  it("can be attached, and bring their text", async () => {
    const server = made.create(regular(), { name: "shop" });
    await server.start(signal);
    const [note] = resourceAttachments([server]);
    assert.ok(note);
    assert.deepEqual(note, { kind: "resource", server: "shop", uri: "note://1", name: "note" });
    assert.equal(await readAttachedResource([server], note, signal), "Buy milk.");
  });

  it("are read from a server that does not run yet, and from none that is not allowed", async () => {
    const note = { kind: "resource", server: "shop", uri: "note://1", name: "note" } as const;
    const server = made.create(regular(), { name: "shop" });
    assert.equal(await readAttachedResource([server], note, signal), "Buy milk.");
    await assert.rejects(readAttachedResource([], note, signal), ToolError);
    await assert.rejects(readAttachedResource([server], { ...note, uri: "note://none" }, signal), ToolError);
  });
});
