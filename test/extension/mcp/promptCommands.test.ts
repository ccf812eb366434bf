import assert from "node:assert/strict";
import { UserError } from "../../../src/extension/common/userError.ts";
import { promptCommands, promptText } from "../../../src/extension/mcp/promptCommands.ts";
import { regular, TestServers } from "./support/servers.ts";

const made = new TestServers();
const { signal } = new AbortController();

async function start(name: string) {
  const server = made.create(regular(), { name });
  await server.start(signal);
  return server;
}

describe("The prompts of MCP servers", () => {
  afterEach(() => made.dispose());

  it("are commands that the composer can complete", async () => {
    const commands = promptCommands([await start("my shop")]);
    assert.deepEqual(commands, [
      { name: "my_shop__greet", description: "Greets somebody.", takesText: true, group: "server" },
      { name: "my_shop__travel", description: "Plans a journey.", takesText: true, group: "server" },
    ]);
    for (const { name } of commands) assert.match(name, /^[\w-]+$/);
  });

  it("get the words after the command as their arguments", async () => {
    const servers = [await start("shop")];
    const text = (name: string, words: string) => promptText(servers, { name, text: words }, signal);
    assert.equal(await text("shop__greet", "Ann Lee"), "Greet Ann Lee.");
    assert.equal(await text("shop__travel", '"New York" Rome by train'), "From New York to Rome by train");
    assert.equal(await text("shop__other", ""), undefined);
    await assert.rejects(
      text("shop__travel", "Rome"),
      (error) => error instanceof UserError && /<to>/.test(error.message),
    );
  });

  it("are none of a server that does not run, and a failure is the user's to read", async () => {
    const server = await start("shop");
    const servers = [server];
    await assert.rejects(promptText(servers, { name: "shop__greet", text: "" }, signal), UserError);
    assert.deepEqual(promptCommands([made.create(regular())]), []);
  });
});
