import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findRipgrep, ripgrepCandidates } from "../../../../src/extension/workspace/search/ripgrep.ts";
import { ripgrepLines, ripgrepProblem } from "../../../../src/extension/workspace/search/ripgrepProcess.ts";
import { matchesOf } from "../../../../src/extension/workspace/search/ripgrepSearch.ts";

const signal = new AbortController().signal;

async function* lines(...texts: string[]) {
  yield* texts;
}

async function gathered<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

describe("Finding ripgrep", () => {
  const places = {
    setting: "",
    appRoot: "/editor",
    searchPath: "/bin:/usr/bin",
    platform: "linux",
    arch: "x64",
  } as const;

  it("tries the setting, then the editor's own, then the PATH", () => {
    assert.deepEqual(ripgrepCandidates({ ...places, setting: "/my/rg" }), [
      "/my/rg",
      "/editor/node_modules/@vscode/ripgrep-universal/bin/linux-x64/rg",
      "/editor/node_modules/@vscode/ripgrep/bin/rg",
      "/editor/node_modules.asar.unpacked/@vscode/ripgrep-universal/bin/linux-x64/rg",
      "/editor/node_modules.asar.unpacked/@vscode/ripgrep/bin/rg",
      "/bin/rg",
      "/usr/bin/rg",
    ]);
  });

  it("takes the first that can be run, and none where there is none", async () => {
    const scratch = await mkdtemp(join(tmpdir(), "arbor-rg-"));
    try {
      const own = join(scratch, "node_modules/@vscode/ripgrep/bin");
      await mkdir(own, { recursive: true });
      await writeFile(join(scratch, "not-executable"), "", { mode: 0o644 });
      await writeFile(join(own, "rg"), "", { mode: 0o755 });
      const here = { ...places, searchPath: "", appRoot: scratch };
      assert.equal(await findRipgrep({ ...here, setting: join(scratch, "missing") }), join(own, "rg"));
      assert.equal(await findRipgrep({ ...here, appRoot: "/nowhere" }), undefined);
    } finally {
      await rm(scratch, { recursive: true });
    }
  });
});

describe("What ripgrep writes", () => {
  it("becomes matches and lines around them, whatever its encoding", async () => {
    const event = (type: string, text: object, line: number) =>
      JSON.stringify({ type, data: { path: { text: "./src/a.ts" }, lines: text, line_number: line, submatches: [] } });
    const found = await gathered(
      matchesOf(
        lines(
          '{"type":"begin","data":{"path":{"text":"./src/a.ts"}}}',
          event("context", { text: "before\r\n" }, 1),
          event("match", { text: "one\ntwo\n" }, 2),
          event("match", { bytes: Buffer.from("caf\xe9\n", "latin1").toString("base64") }, 9),
          '{"type":"end","data":{}}',
        ),
      ),
    );
    assert.deepEqual(found, [
      { path: "src/a.ts", line: 1, text: "before", isMatch: false },
      { path: "src/a.ts", line: 2, text: "one", isMatch: true },
      { path: "src/a.ts", line: 3, text: "two", isMatch: true },
      { path: "src/a.ts", line: 9, text: "café", isMatch: true },
    ]);
  });

  it("is cut around the match where a line is long, also behind letters of several bytes", async () => {
    const text = `${"слово ".repeat(40)}needle ${"слово ".repeat(100)}\n`;
    const start = Buffer.byteLength("слово ".repeat(40));
    const data = { path: { text: "./a.md" }, lines: { text }, line_number: 1, submatches: [{ start }] };
    const [found] = await gathered(matchesOf(lines(JSON.stringify({ type: "match", data }))));
    assert.match(found?.text ?? "", /needle/);
  });

  for (const [query, errors, expected] of [
    [
      "ab[a",
      "rg: regex parse error:\n    (?:ab[a)\n         ^\nerror: unclosed character class\n",
      /at character 3 \("\[a"\): unclosed character class/,
    ],
    [
      "x(a|",
      "rg: regex parse error:\n    (?:x(a|)\n    ^\nerror: unclosed group\n",
      /at character 2 \("\(a\|"\): unclosed group/,
    ],
    [
      "foo)",
      "rg: regex parse error:\n    (?:foo))\n           ^\nerror: unopened group\n",
      /at character 4 \("\)"\): unopened group/,
    ],
    [
      "*a",
      "rg: regex parse error:\n    (?:*a)\n       ^\nerror: repetition operator missing expression\n",
      /at character 1 \("\*a"\)/,
    ],
  ] as const) {
    it(`says where the regex ${query} is wrong`, () => {
      assert.match(String(ripgrepProblem(errors, query)?.message), expected);
    });
  }

  it("says when the regex is too large", () => {
    const problem = ripgrepProblem("rg: compiled regex exceeds size limit of 104857600\n", "a{9999999}");
    assert.match(String(problem?.message), /^The regex "a\{9999999\}" is too large\./);
  });

  it("says which glob is wrong", () => {
    const problem = ripgrepProblem("rg: error parsing glob 'src/[': unclosed character class; missing ']'\n", "x");
    assert.match(String(problem?.message), /The glob "src\/\[" is invalid: unclosed character class/);
  });

  it("is no problem where single files could not be read", () => {
    assert.equal(ripgrepProblem("rg: ./x: Permission denied (os error 13)\n", "x"), undefined);
  });
});

describe("A running ripgrep", () => {
  let scratch: string;
  before(async () => {
    scratch = await mkdtemp(join(tmpdir(), "arbor-rg-"));
  });
  after(() => rm(scratch, { recursive: true }));

  async function binary(name: string, script: string): Promise<string> {
    const path = join(scratch, name);
    await writeFile(path, `#!${process.execPath}\n${script}`);
    await chmod(path, 0o755);
    return path;
  }
  const runOf = (path: string) => ({ binary: path, args: [], folder: scratch, query: "x" });

  it("is killed when its reader stops", async () => {
    const endless = await binary(
      "endless.cjs",
      "process.stdout.write(process.pid + '\\n'); const more = () => process.stdout.write('x\\n', more); more();",
    );
    let pid = 0;
    for await (const line of ripgrepLines(runOf(endless), signal)) {
      pid = Number(line);
      break;
    }
    assert.ok(pid > 0);
    assert.throws(() => process.kill(pid, 0), /ESRCH/);
  });

  it("is killed by the abort, which its reader sees", async () => {
    const silent = await binary("silent.cjs", "process.stdout.write('up\\n'); setInterval(() => {}, 1e6);");
    const stop = new AbortController();
    await assert.rejects(async () => {
      for await (const line of ripgrepLines(runOf(silent), stop.signal))
        if (line === "up") stop.abort(new Error("stopped"));
    }, /stopped/);
  });

  it("gives lines whole whatever the chunks, and the text it was fed", async () => {
    const echo = await binary(
      "echo.cjs",
      "process.stdin.on('data', (d) => { for (const b of d) process.stdout.write(Buffer.of(b)); });",
    );
    const found = await gathered(ripgrepLines({ ...runOf(echo), input: "é😀\nend" }, signal));
    assert.deepEqual(found, ["é😀", "end"]);
  });

  it("fails with what it says about the query", async () => {
    const failing = await binary(
      "failing.cjs",
      "console.error('rg: regex parse error:\\n    (?:[)\\n       ^\\nerror: unclosed character class'); process.exitCode = 2;",
    );
    await assert.rejects(gathered(ripgrepLines(runOf(failing), signal)), /The regex "x" is invalid/);
  });

  it("fails when it can't be started", async () => {
    await assert.rejects(gathered(ripgrepLines(runOf(join(scratch, "missing")), signal)), /ENOENT/);
  });
});
