import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import { join } from "node:path";
import { feedTerminal } from "../../../../src/extension/chat/processes/chatCommands.ts";
import { Commands } from "../../../../src/extension/terminal/commands.ts";
import { OutputStore } from "../../../../src/extension/terminal/outputStore.ts";
import { patienceMs, untilPrinted } from "../../terminal/support.ts";

describe("what a terminal is fed of a command", function () {
  this.timeout(patienceMs);
  let folder: string;
  let commands: Commands;
  before(async () => {
    folder = await mkdtemp(join(os.tmpdir(), "arbor-feed-"));
    const environment = { ...process.env, SHELL: "/bin/bash" };
    commands = new Commands({ outputs: new OutputStore(folder), environment, keyNames: () => [], graceMs: 50 });
  });
  after(async () => {
    commands.dispose();
    await rm(folder, { recursive: true, force: true });
  });
  const start = (command: string) => commands.start({ command, folder, agentId: "main", callId: "call" });

  it("is what it printed before, what it prints from then on, and how it ended", async () => {
    const command = await start("echo first; until [ -e go ]; do sleep 0.05; done; echo second; exit 3");
    await untilPrinted(command.output, /first/);
    const written: string[] = [];
    feedTerminal(command, (text) => written.push(text));
    const shown = `$ ${command.command}\r\nfirst\r\n`;
    assert.equal(written.join(""), shown);
    await (await start("touch go")).ended;
    await command.ended;
    assert.match(written.join("").slice(shown.length), /^second\r\n\r\n\[Exit code 3 after \d+\.\d s\.\]\r\n$/);
  });

  it("is the same for one that has ended, of a long output the end", async () => {
    const command = await start("seq 1 200000");
    await command.ended;
    const written: string[] = [];
    feedTerminal(command, (text) => written.push(text));
    await command.ended;
    const text = written.join("");
    assert.match(text, /^\$ seq 1 200000\r\n\[… \d+ bytes before this are not shown\.\]\r\n/);
    assert.match(text, /\r\n199999\r\n200000\r\n\r\n\[Exit code 0 after /);
    assert.ok(text.length < 700_000, `${text.length} characters`);
  });

  it("holds nothing that a terminal would obey", async () => {
    const command = await start("printf '\\033]0;title\\007\\033[2Jred\\b'; : '\u001b[2J\u202e'");
    await command.ended;
    const written: string[] = [];
    feedTerminal(command, (text) => written.push(text));
    await command.ended;
    assert.ok(!written.join("").includes("\u001b"));
    assert.match(written.join(""), /⟨U\+001B⟩\[2J⟨U\+202E⟩'\r\nred␈\r\n/);
  });

  it("ends when the terminal is closed", async () => {
    const command = await start("until [ -e on ]; do sleep 0.05; done; echo more");
    const written: string[] = [];
    const stop = feedTerminal(command, (text) => written.push(text));
    stop();
    await (await start("touch on")).ended;
    await command.ended;
    assert.deepEqual(written.join(""), `$ ${command.command}\r\n`);
  });
});
