import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Access, judgePath } from "../../../src/extension/approvals/paths.ts";
import { isSecretPath, isSensitivePath } from "../../../src/extension/approvals/sensitive.ts";
import { PausedCommands } from "../../../src/extension/terminal/pausedCommands.ts";
import { SecretReads } from "../../../src/extension/tools/secretReads.ts";
import { createInside, holdFolder, readInside } from "../../../src/extension/workspace/documents/heldFiles.ts";
import { replaceBytes } from "../../../src/extension/workspace/documents/replaceBytes.ts";
import { ignoreRules } from "../../../src/extension/workspace/search/ignoreRules.ts";
import { ripgrepSearch } from "../../../src/extension/workspace/search/ripgrepSearch.ts";
import type { FileContent } from "../../../src/extension/workspace/workspace.ts";
import { diskTree } from "../../support/diskTree.ts";
import { isFull, timeLimitMs, tries } from "../../support/soak.ts";
import { canExchange, exchangeCommand, moveCommand } from "../../support/swapping.ts";
import { snapshot } from "../sandbox/support.ts";
import { type CommandBench, commandBench } from "../terminal/support.ts";

const accesses: readonly Access[] = ["read", "write", "create", "delete", "search"];
const signal = new AbortController().signal;
const caller = { agent: { id: "main", depth: 0, prefix: "" }, callId: "call" };

/** Looks for a text by the names of files alone, as ripgrep does: what is swapped meanwhile, it reads. */
const naiveSearch = `#!${process.execPath}
const { readdirSync, readFileSync } = require("node:fs");
const print = (path, text) => text.split("\\n").forEach((each, index) => {
  if (each.includes("canary")) console.log(JSON.stringify({ type: "match", data: {
    path: { text: path }, lines: { text: each + "\\n" }, line_number: index + 1, submatches: [{ start: 0 }] } }));
});
const walk = (folder) => {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = folder + "/" + entry.name;
    try {
      if (entry.isDirectory()) walk(path);
      else if (entry.isFile()) print(path, readFileSync(path, "utf8"));
    } catch {}
  }
};
if (process.argv.at(-1) === "-") print("-", readFileSync(0, "utf8"));
else for (let round = 0; round < 20; round++) try { walk("."); } catch {}
`;

/** Ways out of `root`, or to what may not be touched unasked in it. */
function hostilePaths(root: string, outside: string): string[] {
  const targets = [
    ...[
      "../outside/f",
      "../../etc/passwd",
      "..",
      "../ws2/f",
      "../outside/new/x",
      "x/../../outside/f",
      "..\\outside\\f",
    ],
    ...[
      "out/f",
      "out/new/x",
      "out/deep/er/x",
      "out/../outside/f",
      "out/inner/../f",
      "outfile",
      "dangling",
      "dangling/x",
    ],
    ...["chain/f", "chain/new", "deep/out/f", "deep/out/new/x", "loop", "loop/x", "loopA/loopB/x", "self/self/out/f"],
    ...["d/f", "d/new", "d/new/deep/x", "d/../out/f", "d/../../outside/f", "d/./f", "d//f", "note", "note/x"],
    ...[
      "secretlink",
      "envlink/x",
      "hooks/pre-commit",
      "gitlink/config",
      ".env",
      ".git/hooks/pre-commit",
      ".git/config",
    ],
    ...["fifo", "/dev/zero", "/dev/tcp/evil/80", "/proc/self/environ", "/proc/1/root/etc/passwd", "/etc/passwd"],
    ...[
      "\0",
      "d/f\0.txt",
      "file:///etc/passwd",
      "//host/share/x",
      "\\\\host\\share",
      "~/.ssh/id_rsa",
      "d/\u202ef",
      "d/ ",
    ],
    ...[join(outside, "f"), join(root, "../outside/f"), join(root, "out/f"), `${root}2/f`, `${root}/d/../../outside/f`],
  ];
  return ["", "./", "d/../", "src/../", "src/./../", "deep/../d/../"].flatMap((prefix) =>
    targets.map((target) => (/^[/\\~\0]|^file:/.test(target) ? target : prefix + target)),
  );
}

describe("Hostile paths", function () {
  this.timeout(timeLimitMs(120_000));
  let scratch: string;
  let root: string;
  let outside: string;
  let bench: CommandBench;

  before(async function () {
    if (process.platform !== "linux") return this.skip();
    scratch = await realpath(await mkdtemp(join(tmpdir(), "arbor-hostile-")));
    [root, outside] = [join(scratch, "ws"), join(scratch, "outside")];
    for (const folder of ["ws/d", "ws/src", "ws/deep", "ws/.git/hooks", "outside/inner", "ws2"])
      await mkdir(join(scratch, folder), { recursive: true });
    for (const file of ["outside/f", "outside/inner/f", "ws2/f", "ws/.env", "ws/.git/config"])
      await writeFile(join(scratch, file), "canary outside\n");
    for (const file of ["ws/d/f", "ws/src/a.ts", "ws/note"]) await writeFile(join(scratch, file), "canary inside\n");
    for (const [link, to] of Object.entries({
      ...{
        out: outside,
        outfile: join(outside, "f"),
        dangling: join(outside, "none"),
        chain: "out",
        "deep/out": "../out",
      },
      ...{ loop: "loop", loopA: "loopB", loopB: "loopA", self: ".", secretlink: ".env", envlink: ".env" },
      ...{ hooks: ".git/hooks", gitlink: ".git" },
    }))
      await symlink(to, join(root, link));
    execFileSync("mkfifo", [join(root, "fifo")]);
    await writeFile(join(scratch, "rg"), naiveSearch);
    await chmod(join(scratch, "rg"), 0o755);
    bench = await commandBench();
  });
  after(async () => {
    await bench?.close();
    if (scratch !== undefined) await rm(scratch, { recursive: true, force: true });
  });

  it("1–15 lead nowhere outside for any access, while folders and files are swapped for links", async () => {
    const before = await snapshot(outside);
    const count = join(scratch, "count");
    const swapFolder = canExchange() ? exchangeCommand : moveCommand;
    const swapping = await bench.start(
      `(${swapFolder(join(root, "d"), outside, count)}) & ${moveCommand(join(root, "note"), join(root, ".env"))}`,
    );
    while (!existsSync(count)) await delay(5);
    const swaps = async () => Number(await readFile(count, "utf8"));
    const swapsBefore = await swaps();
    const paused = new PausedCommands();
    paused.include(swapping.processes);
    const paths = hostilePaths(root, outside);
    assert.ok(new Set(paths).size >= 250, String(new Set(paths).size));
    const pairs = paths.flatMap((path) => accesses.map((access) => ({ path, access })));
    const { numRuns } = tries("hostilePaths");
    const done: Record<string, number> = {};
    const startedAt = performance.now();
    for (let run = 0; run < numRuns; run++) {
      // Steps without a common factor with their number: a sample meets all kinds of both.
      const { path, access } = pairs[(run * 7) % pairs.length] ?? assert.fail();
      const { verdict, resolved } = await judgePath(path, access, [root]);
      const outcome = verdict === "inside" ? await use(resolved, access, paused).catch(() => "failed") : verdict;
      assert.ok(!outcome.includes("outside"), `${access} ${JSON.stringify(path)}: ${outcome}`);
      const key = `${access} ${outcome.startsWith("canary") ? "found" : outcome}`;
      done[key] = (done[key] ?? 0) + 1;
    }
    await swapping.stop("stopped");
    assert.deepEqual(await snapshot(outside), before);
    assert.deepEqual(await snapshot(join(scratch, "ws2")), { [join(scratch, "ws2/f")]: "canary outside\n" });
    for (const file of [".env", ".git/config"])
      assert.equal(await readFile(join(root, file), "utf8"), "canary outside\n");
    for (const kind of ["read found", "write done", "create done", "delete done", "search found", "read refuse"])
      assert.ok((done[kind] ?? 0) > 0, `${kind}: ${JSON.stringify(done)}`);
    if (!isFull) return;
    const perSecond = ((await swaps()) - swapsBefore) / ((performance.now() - startedAt) / 1_000);
    console.log(`    ${numRuns} uses, ${Math.round(perSecond)} swaps per second: ${JSON.stringify(done)}`);
  });

  /** As the tools do it, after the path was judged. */
  async function use(path: string, access: Access, paused: PausedCommands): Promise<string> {
    const file = { root, path };
    const within = relative(root, path);
    switch (access) {
      case "read": {
        const found = await readInside(file, 10_000);
        if (found === undefined) return "nothing";
        const text = { kind: "text" as const, text: String(found.bytes), version: "1", unsaved: false, languageId: "" };
        const content: FileContent = found.real === within ? text : { ...text, leadsTo: found.real };
        return (await new SecretReads().mayShow(within, content, caller)) ? text.text : "withheld";
      }
      case "write": {
        const real = await realpath(path);
        const folder = await holdFolder({ root, path: real });
        try {
          refuseSensitive(within, folder.real, basename(real));
          await replaceBytes(folder.at(basename(real)), Buffer.from("canary inside\n"));
        } finally {
          await folder.close();
        }
        return "done";
      }
      case "create":
        await createInside(file, Buffer.from("canary inside\n"), {
          check: (folder, name) => refuseSensitive(within, folder, name),
        });
        return "done";
      case "delete":
        // By its name, as the editor does.
        return paused.during(async () => {
          if ((await judgePath(path, access, [root])).verdict !== "inside") return "refuse";
          await rm(path);
          await writeFile(path, "canary inside\n");
          return "done";
        });
      case "search": {
        const query = { query: "canary", regex: false, caseSensitive: true, contextLines: 0, limit: 1_000 };
        const rules = ignoreRules(diskTree(root), []);
        const found: string[] = [];
        for await (const match of ripgrepSearch(
          { binary: join(scratch, "rg"), folder: root, always: [], rules },
          query,
          signal,
        ))
          if (!isSecretPath(match.path)) found.push(match.text);
        return [...new Set(found)].join("\n");
      }
      default:
        access satisfies never;
        return "";
    }
  }

  function refuseSensitive(within: string, folder: string, name: string): void {
    const real = folder === "" ? name : `${folder}/${name}`;
    if (real !== within && isSensitivePath(real)) throw new Error("It decides what runs.");
  }
});
