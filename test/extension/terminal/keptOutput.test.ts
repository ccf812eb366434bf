import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import os from "node:os";
import { join } from "node:path";
import { KeptOutput } from "../../../src/extension/terminal/keptOutput.ts";
import { OutputStore, removeOldOutputs } from "../../../src/extension/terminal/outputStore.ts";

describe("kept output", () => {
  let folder: string;
  let store: OutputStore;
  before(async () => {
    folder = await mkdtemp(join(os.tmpdir(), "arbor-output-"));
    store = new OutputStore(join(folder, "a", "b"));
  });
  afterEach(() => Promise.all(opened.splice(0).map((output) => output.close())));
  after(() => rm(folder, { recursive: true, force: true }));

  const opened: KeptOutput[] = [];
  const keep = (...args: ConstructorParameters<typeof KeptOutput>) => {
    const output = new KeptOutput(...args);
    opened.push(output);
    return output;
  };

  const lines = (count: number, text = "line") =>
    Array.from({ length: count }, (_, i) => `${text} ${i + 1}\n`).join("");

  it("makes no file while it is short", async () => {
    const output = keep(store.place("short.txt"));
    await output.write("one\n");
    await output.write("two\n");
    assert.deepEqual(await output.excerpt(), { head: "one\ntwo\n", tail: "", omittedBytes: 0 });
    assert.equal(output.isSpilled, false);
  });

  it("shows the start and the end of a long one at whole lines, and counts what is between", async () => {
    const output = keep(store.place("long.txt"));
    const text = lines(50_000);
    await output.write(text);
    const { head, tail, omittedBytes } = await output.excerpt();
    assert.ok(text.startsWith(head) && head.endsWith("\n"));
    assert.ok(text.endsWith(tail) && tail.startsWith("line "));
    assert.equal(head.length + tail.length + omittedBytes, text.length);
    assert.ok(head.length + tail.length < 50_000);
    assert.ok(`${head}${tail}`.split("\n").length < 1_950);
  });

  it("has all of it in its file", async () => {
    const place = store.place("whole.txt");
    const output = keep(place);
    const text = lines(20_000, "ü🙂");
    for (const piece of text.match(/(?:.+\n){100}/g) ?? []) await output.write(piece);
    await output.close();
    assert.equal(await readFile(await place.file(), "utf8"), text);
    assert.ok((await output.excerpt()).head.startsWith("ü🙂 1\n"));
  });

  it("cuts between characters where there is no line end", async () => {
    const output = keep(store.place("one-line.txt"));
    await output.write(`a${"🙂".repeat(50_000)}`);
    const { head, tail } = await output.excerpt();
    assert.match(head, /^a🙂+$/u);
    assert.match(tail, /^🙂+$/u);
  });

  it("gives what came after a place, out of memory and out of the file", async () => {
    const output = keep(store.place("since.txt"), { tailBytes: 1_000 });
    await output.write(lines(9_000));
    const from = output.length;
    await output.write(lines(3_000, "new"));
    const { head, tail } = await output.excerpt(from);
    assert.ok(head.startsWith("new 1\nnew 2\n"));
    assert.ok(`${head}${tail}`.endsWith("new 3000\n"));
    assert.deepEqual(await output.excerpt(output.length), { head: "", tail: "", omittedBytes: 0 });
  });

  it("goes on when the disk takes no more, and says so", async () => {
    const place = { name: "x", file: () => Promise.reject(new Error("ENOSPC: no space left on device")) };
    const output = keep(place);
    await output.write(lines(20_000));
    assert.match(output.problem ?? "", /no space left/);
    assert.ok((await output.excerpt()).tail.endsWith("line 20000\n"));
  });
});

describe("a page of a kept output", () => {
  let folder: string;
  let store: OutputStore;
  let five: string;
  let wide: string;
  before(async () => {
    folder = await mkdtemp(join(os.tmpdir(), "arbor-output-"));
    store = new OutputStore(folder);
    five = await store.keep("lines", "txt", "one\ntwo ü\n\nfour\nlast without end");
    wide = await store.keep("wide", "txt", `${"ü".repeat(100_000)}\nnext\n`);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const all = { lines: 100, bytes: 1_000 };

  it("has the lines from its start on", async () => {
    const page = await store.lines(five, 2, all);
    assert.deepEqual(page, { lines: ["two ü", "", "four", "last without end"], total: 5, cutBytes: 0 });
  });

  it("ends where the limits are, at a whole line", async () => {
    assert.deepEqual((await store.lines(five, 1, { lines: 2, bytes: 1_000 })).lines.length, 2);
    assert.deepEqual((await store.lines(five, 1, { lines: 9, bytes: 11 })).lines, ["one", "two ü"]);
  });

  it("cuts a line that is longer than a page between characters", async () => {
    const page = await store.lines(wide, 1, { lines: 5, bytes: 101 });
    assert.deepEqual(page, { lines: ["ü".repeat(50)], total: 2, cutBytes: 199_900 });
  });

  it("is empty past the end, with the number of lines", async () => {
    assert.deepEqual(await store.lines(five, 6, all), { lines: [], total: 5, cutBytes: 0 });
  });

  for (const name of ["arbor-output:/", "arbor-output:/../lines.txt", "arbor-output://etc/passwd"]) {
    it(`refuses ${name}, which no result names`, async () => {
      await assert.rejects(store.lines(name, 1, all), { name: "ToolError", message: /is no output of this chat/ });
    });
  }
});

describe("outputs that a resumed chat names", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(os.tmpdir(), "arbor-output-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const all = { lines: 100, bytes: 1_000 };
  const spilled = async (store: OutputStore, text: string) => {
    const output = new KeptOutput(store.place("command-1.txt"));
    await output.write(`${text}\n`.repeat(2_000));
    await output.close();
    return output.name;
  };
  const firstLine = async (store: OutputStore, name: string) => (await store.lines(name, 1, all)).lines[0];

  it("are the same after a reload, and new ones have other names", async () => {
    const before = new OutputStore(folder);
    const command = await spilled(before, "old");
    const page = await before.keep("page", "md", "old page");
    const after = new OutputStore(folder);
    const newCommand = await spilled(after, "new");
    const newPage = await after.keep("page", "md", "new page");
    assert.equal(await firstLine(after, command), "old");
    assert.equal(await firstLine(after, page), "old page");
    assert.equal(await firstLine(after, newCommand), "new");
    assert.equal(await firstLine(after, newPage), "new page");
  });

  it("are said to be gone once they are removed, also where new ones were kept since", async () => {
    const before = new OutputStore(folder);
    const names = [await spilled(before, "old"), await before.keep("page", "md", "old page")];
    await rm(folder, { recursive: true });
    const after = new OutputStore(folder);
    await spilled(after, "new");
    await after.keep("page", "md", "new page");
    const [command = "", page = ""] = names;
    await assert.rejects(after.lines(command, 1, all), {
      name: "ToolError",
      message: `The output ${command} is no longer kept. Run the command again.`,
    });
    await assert.rejects(after.lines(page, 1, all), {
      name: "ToolError",
      message: `The output ${page} is no longer kept. Call its tool again.`,
    });
  });

  it("are not those whose names an earlier version gave more than once", async () => {
    await writeFile(join(folder, "command-1.txt"), "one of several");
    await assert.rejects(new OutputStore(folder).lines("arbor-output:/command-1.txt", 1, all), /is no longer kept/);
  });

  it("are files of the chat alone, no links", async function () {
    if (process.platform === "win32") return this.skip();
    const store = new OutputStore(folder);
    const name = await store.keep("page", "md", "text");
    const [file = ""] = await readdir(folder);
    await rm(join(folder, file));
    await writeFile(join(folder, "elsewhere"), "secret");
    await symlink(join(folder, "elsewhere"), join(folder, file));
    await assert.rejects(store.lines(name, 1, all), /is no longer kept/);
  });
});

describe("outputs of long ago", () => {
  it("are removed, those of the last days stay", async () => {
    const folder = await mkdtemp(join(os.tmpdir(), "arbor-output-"));
    for (const chat of ["old", "new"]) await new OutputStore(join(folder, chat)).keep("page", "md", "text");
    const now = Date.now();
    await utimes(join(folder, "old"), now / 1_000, now / 1_000 - 8 * 86_400);
    await removeOldOutputs(folder, now);
    assert.deepEqual(await readdir(folder), ["new"]);
    await rm(folder, { recursive: true });
  });

  it("are none where nothing was kept", () => removeOldOutputs(join(os.tmpdir(), "arbor-never-made"), 0));
});
