import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ProcessRow, readProcesses } from "../../../src/extension/terminal/processTable.ts";
import { emptyHostState, reduceHost } from "../../../src/protocol/hostState.ts";
import { arrangeDelegations, changesIn } from "./delegations.ts";

/** Empty where the system does not have it as a file. */
function commandOf({ pid }: ProcessRow): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ").trim();
  } catch {
    return "";
  }
}

describe("an agent of another program as a sub-agent of ours", function () {
  this.timeout(15_000);

  it("gets the task, and its answer is the result", async () => {
    const { run, tree, emitted, main } = arrangeDelegations(["say hello there"]);
    assert.deepEqual(await run(), ["hello there"]);
    const child = Object.values(tree().nodes).find(({ meta }) => meta.name === "Tester");
    assert.deepEqual([child?.meta.parentId, child?.status, child?.own.input], [main.id, "done", 100]);
    const known = emitted.findLast((event) => event.type === "foreign_agent");
    assert.deepEqual(known?.type === "foreign_agent" && [known.program, known.supervision, known.reported], [
      "Tester",
      "unsupervised",
      { tokens: true, cost: false },
    ]);
  });

  it("is one whom agents can choose by name, unless the name is one of ours", async () => {
    const command = { command: process.execPath };
    const { delegation } = arrangeDelegations([], {
      setting: { Tester: command, explore: command, bad: 7, "a/b": command },
    });
    const names = delegation.directory.list().map(({ name }) => name);
    assert.deepEqual(names, ["Tester", "edit", "explore"]);
    const { effects } = delegation.directory.configuration("explore") ?? {};
    assert.ok(effects !== undefined);
    assert.equal(delegation.directory.configuration("explore")?.externalTurn, undefined);
  });

  it("asks like ours: a command as a command, an edit with its lines", async () => {
    const { run, asked } = arrangeDelegations(["tree"]);
    await run();
    assert.deepEqual(
      asked.map((request) => request.kind === "command" && [request.agent.name, request.command, request.cwd]),
      [["worker", "npm test", "ws"]],
    );
  });

  it("asks for a command as a command where it names the folder that it works in anyway, but not another one", async () => {
    const { run, asked } = arrangeDelegations([`command ${tmpdir()} npm test`, "command /elsewhere npm test"]);
    assert.deepEqual(await run(), ["ran", "ran"]);
    assert.deepEqual(
      asked.map((request) => (request.kind === "command" ? request.command : request.kind)),
      ["npm test", "foreign"],
    );
  });

  it("that gives up when something is not allowed is an error result that says so", async () => {
    const { run, tree } = arrangeDelegations([`command ${tmpdir()} npm test`, "give-up"], { allows: false });
    const [rejected = "", unasked = ""] = await run();
    assert.match(rejected, /Tester stopped because this was not allowed: npm test/);
    assert.match(unasked, /Tester stopped before it was done\./);
    const ended = Object.values(tree().nodes).filter(({ meta }) => meta.name === "Tester");
    assert.deepEqual(
      ended.map(({ status }) => status),
      ["error", "error"],
    );
  });

  it("has what it saves reviewed hunk by hunk, and knows afterwards what was written", async () => {
    const { run, workspace } = arrangeDelegations(["save a.ts"], {
      answer: { answer: ({ oldLines }) => (oldLines[0] === "one" ? { reject: "keep it" } : "accept") },
    });
    const [result = ""] = await run();
    assert.match(result, /^refused: Edited a\.ts: kept 1 change.*rejected 1/s);
    assert.match(result, /keep it/);
    const content = await workspace.read("a.ts", new AbortController().signal);
    assert.equal(content.kind === "text" && content.text, "one\ntwo\nTHREE\n");
  });

  it("is sent what came of its save as a message where its model does not learn it", async () => {
    const { run } = arrangeDelegations(["save a.ts"], {
      args: ["--name=gemini-cli", "--no-steering"],
      answer: { answer: () => ({ reject: "keep it" }) },
    });
    const [result = ""] = await run();
    assert.match(result, /came of your edit of a\.ts: The user rejected.*keep it/s);
  });

  it("learns that all is saved where all is accepted", async () => {
    const { run, workspace } = arrangeDelegations(["save a.ts"]);
    assert.deepEqual(await run(), ["saved"]);
    const content = await workspace.read("a.ts", new AbortController().signal);
    assert.equal(content.kind === "text" && content.text, "ONE\ntwo\nTHREE\n");
  });

  it("writes nothing outside the workspace through the editor", async () => {
    const { run } = arrangeDelegations(["save ../outside.ts"]);
    const [result = ""] = await run();
    assert.match(result, /^refused: /);
  });

  it("shows what it writes directly as its hunks, to be kept or undone", async () => {
    const bytes = (text: string) => new TextEncoder().encode(text);
    const found = new Map([
      ["a.ts", { before: { bytes: bytes("one\ntwo\nthree\n") }, after: { bytes: bytes("ONE\ntwo\nTHREE\n") } }],
      ["new.ts", { before: {}, after: { bytes: bytes("new\n") } }],
      ["image.png", { before: {}, after: { bytes: Uint8Array.of(0xff, 0xfe, 0x80) } }],
      ["reviewed.png", { before: {}, after: { bytes: Uint8Array.of(0xff, 0xfe, 0x80) } }],
      ["gone.ts", { before: { bytes: bytes("x\n"), mode: 0o755 }, after: {} }],
    ]);
    const changes = {
      begin: async () => async () => ({
        ...{ paths: ["big.bin"], isPartial: true, found },
        byEditor: new Set(["reviewed.png"]),
      }),
    };
    const { run, adopted, events } = arrangeDelegations(["say hi"], { changes });
    await run();
    assert.deepEqual(
      adopted.map(({ path, hunks }) => [path, hunks.length, hunks[0]?.kind, hunks[0]?.author.agentPath]),
      [
        ["a.ts", 2, "update", ["main", "Tester"]],
        ["new.ts", 1, "add", ["main", "Tester"]],
        ["gone.ts", 1, "delete", ["main", "Tester"]],
      ],
    );
    assert.deepEqual(adopted[2]?.hunks[0]?.removed, { bytes: "eAo=", mode: 0o755 });
    assert.deepEqual(
      events.flatMap((event) => (event.type === "warning" ? [event.message] : [])),
      [
        "Tester also changed files that can't be kept or undone one by one, but by a rewind: image.png",
        "Tester changed files whose earlier content is not known, so that no rewind restores them: big.bin",
        "The workspace has more files than Arbor compares, so that Tester may have changed files that are not shown.",
      ],
    );
  });

  it("that writes without a word is seen in whatever it writes, and leaves no process", async () => {
    const folder = await mkdtemp(join(tmpdir(), "arbor-hostile-"));
    await writeFile(join(folder, "a.ts"), "one\ntwo\n");
    const kept: string[] = [];
    const changes = changesIn(folder, (paths) => kept.push(...paths));
    const { run, adopted } = arrangeDelegations(
      [`overwrite ${join(folder, "a.ts")}`, `overwrite ${join(folder, "b.ts")}`, "fork"],
      { changes },
    );
    const results = await run();
    assert.deepEqual(results.slice(0, 2), ["written", "written"]);
    assert.deepEqual(
      adopted.map(({ path, hunks }) => [path, hunks.map(({ hunk }) => [hunk.oldText, hunk.newText])]),
      [
        ["a.ts", [["one\n", "ONE\n"]]],
        ["b.ts", [["", "new\n"]]],
      ],
    );
    assert.deepEqual(kept, ["a.ts", "b.ts"]);
    assert.ok(!readProcesses().some(({ pid }) => pid === Number(results[2])));
  });

  it("that changes files in whatever way shows each: as hunks, or by its name", async () => {
    const folder = await mkdtemp(join(tmpdir(), "arbor-hostile-"));
    for (const name of ["same-time.ts", "gone.ts", "old-name.ts", "link.ts", "target.ts"]) {
      await writeFile(join(folder, name), "one\n");
    }
    const { run, adopted, events, workspace } = arrangeDelegations([`ravage ${folder}`], {
      changes: changesIn(folder),
      answer: { answer: () => assert.fail("What is outside, or nobody's, is not offered for review.") },
    });
    assert.deepEqual(await run(), ["nothing happened"]);
    assert.deepEqual(adopted.map(({ path, hunks }) => `${path} ${hunks[0]?.kind}`).toSorted(), [
      ...["by-shell.ts add", "gone.ts delete", "new-name.ts add", "old-name.ts delete", "quiet.ts add"],
      ...["same-time.ts update", "target.ts update"],
    ]);
    const warnings = events.flatMap((event) => (event.type === "warning" ? [event.message] : [])).join("\n");
    assert.match(warnings, /kept or undone one by one.*: picture\.png$/m);
    assert.match(warnings, /no rewind restores them: link\.ts$/m);
    assert.equal(await workspace.stat("nobody.ts"), undefined);
  });

  it("that forks for ever leaves no process", async () => {
    if (process.platform === "win32") return;
    const mark = randomUUID();
    const { run } = arrangeDelegations([`forks ${mark}`]);
    const before = new Set(readProcesses().map(({ pid }) => pid));
    assert.deepEqual(await run(), ["forked"]);
    // Those that have no environment any more, by their arguments.
    const isLeft = (row: ProcessRow) => row.hasInEnvironment(mark) || commandOf(row) === "sleep 601";
    assert.deepEqual(
      readProcesses().filter((row) => !before.has(row.pid) && isLeft(row)),
      [],
    );
  });

  it("that can't be started is an error result with the reason", async () => {
    const { run } = arrangeDelegations(["hi"], { setting: { Tester: { command: "/no/such/program" } } });
    const [result = ""] = await run();
    assert.match(result, /Tester could not be started: spawn \/no\/such\/program ENOENT/);
  });

  it("learns which files the editor has not saved", async () => {
    const { run } = arrangeDelegations(["recall"], { unsaved: ["/ws/a.ts"] });
    assert.match((await run())[0] ?? "", /unsaved changes in \/ws\/a\.ts/);
  });

  it("goes on with its session after the window was reloaded", async () => {
    const store = join(await mkdtemp(join(tmpdir(), "arbor-acp-")), "sessions.json");
    const before = arrangeDelegations([], { args: [`--store=${store}`] });
    const first = before.worker();
    await first.prompt("say one");
    // As it is read back from the chat's log.
    const host = before.emitted.reduce(reduceHost, emptyHostState());
    const after = arrangeDelegations([], { args: [`--store=${store}`], host });
    assert.equal((await after.worker(first.messages).prompt("recall")).text, "say one | recall");
  });

  it("is a fresh one for each task", async () => {
    const { run } = arrangeDelegations(["say one", "recall"]);
    assert.deepEqual(await run(), ["one", "recall"]);
  });
});
