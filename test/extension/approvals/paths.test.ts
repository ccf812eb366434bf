import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import files, { mkdir, mkdtemp, realpath, rename, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as z from "zod";
import { isSensitiveEdit } from "../../../src/extension/approvals/editSensitivity.ts";
import { type Access, judgePath } from "../../../src/extension/approvals/paths.ts";
import { isSensitivePath } from "../../../src/extension/approvals/sensitive.ts";
import { UserError } from "../../../src/extension/common/userError.ts";
import { locate, refuseLinksOutside } from "../../../src/extension/workspace/paths.ts";
import { readCorpus } from "../../support/corpora.ts";

const accesses: readonly Access[] = ["read", "write", "create", "delete", "search"];

const rowSchema = z.object({
  id: z.string(),
  os: z.enum(["posix", "darwin", "windows"]),
  path: z.string(),
  verdict: z.string(),
  acceptable: z.array(z.string()).optional(),
  ops: z
    .array(
      z
        .enum(["read", "write", "create", "delete", "search", "glob"])
        .transform((op) => (op === "glob" ? "search" : op)),
    )
    .optional(),
  links: z.record(z.string(), z.string()).optional(),
  exists: z.array(z.string()).optional(),
  setup: z.string().optional(),
  resolved: z.string().optional(),
  why: z.string().optional(),
});
type Row = z.infer<typeof rowSchema>;

/** Rows that no look at a path can decide. */
const decided: readonly { why: string; reason: string }[] = [
  { why: 'write adds a remote "$schema"', reason: "it is about what is written; the tools that write judge it" },
  { why: "realpath fails with EIO", reason: "arranged in a test of its own below" },
  { why: "realpath fails with EACCES", reason: "arranged in a test of its own below" },
  { why: "directory replaced by a link between", reason: "arranged in a test of its own below" },
  { why: "file replaced by a link between", reason: "arranged in a test of its own below" },
  { why: "junction to the outside", reason: "needs Windows" },
  { why: "directory link to a UNC share", reason: "needs Windows" },
];

function namesOf(verdict: string): string[] {
  return verdict === "outside" || verdict === "ask-sensitive" ? ["ask"] : [verdict];
}

describe("judging a path", () => {
  let scratch = "";
  const at = (path: string) => scratch + path;

  beforeEach(async () => {
    scratch = await realpath(await mkdtemp(join(tmpdir(), "arbor-paths-")));
    await mkdir(at("/outside/dir"), { recursive: true });
    await mkdir(at("/home/u"), { recursive: true });
  });
  afterEach(async () => {
    execFileSync("chmod", ["-R", "u+rwX", scratch]);
    await rm(scratch, { recursive: true, force: true });
  });

  it("1–14 16 judges every row of the corpus by its text and by its links", async () => {
    const corpus = readCorpus("paths.json");
    if (corpus === undefined) return;
    const wrong: string[] = [];
    for (const row of z.object({ rows: z.array(rowSchema) }).parse(corpus).rows) {
      if (decided.some(({ why }) => row.why?.startsWith(why) || row.setup?.includes(why))) continue;
      // A pattern is judged like a path: one that is asked for finds nothing outside unasked.
      const isPattern = row.why?.startsWith("glob pattern");
      const acceptable = [...(row.acceptable ?? [row.verdict]).flatMap(namesOf), ...(isPattern ? ["ask"] : [])];
      for (const access of row.ops ?? accesses) {
        const { verdict, resolved, reason } = await judgeRow(row, access);
        if (!acceptable.includes(verdict))
          wrong.push(`${row.id} ${access} ${JSON.stringify(row.path)}: ${verdict}, not ${acceptable}`);
        const isSame =
          row.os === "windows" ? resolved.toLowerCase() === row.resolved?.toLowerCase() : resolved === row.resolved;
        if (verdict === "inside" && row.resolved !== undefined && !isSame) {
          wrong.push(`${row.id} ${JSON.stringify(row.path)}: ${resolved}, not ${row.resolved}`);
        }
        if (reason.includes("/outside")) wrong.push(`${row.id} says where a link leads`);
      }
    }
    assert.deepEqual(wrong, []);
  });

  it("1–14 16 has the tools refuse the same rows, and ask for the same files", async () => {
    const corpus = readCorpus("paths.json");
    if (corpus === undefined) return;
    const wrong: string[] = [];
    for (const row of z.object({ rows: z.array(rowSchema) }).parse(corpus).rows) {
      if (decided.some(({ why }) => row.why?.startsWith(why) || row.setup?.includes(why))) continue;
      // Patterns are no paths, the empty path is the folder itself, and what a file is shows when it is opened.
      if (row.why?.startsWith("glob") || row.path === "" || row.setup?.includes("is a ")) continue;
      const acceptable = row.acceptable ?? [row.verdict];
      const found = await toolsJudge(row);
      // Refused for less: what leaves the folder and comes back. Asked for more: a file that may decide what runs.
      const isStricter = found === "refuse" ? row.path.startsWith("/ws/../ws/") : acceptable.includes("inside");
      const right = found === "refuse" ? ["refuse", "outside"] : found === "ask" ? ["ask-sensitive"] : ["inside"];
      if (!isStricter && !right.some((each) => acceptable.includes(each)))
        wrong.push(`${row.id} ${JSON.stringify(row.path)}: ${found}, not ${acceptable}`);
    }
    assert.deepEqual(wrong, []);
  });

  const platforms = { posix: "linux", darwin: "darwin", windows: "win32" } as const;
  const needsDisk = (row: Row) => row.os !== "windows" && (row.links !== undefined || row.setup !== undefined);

  /** What becomes of a change of the file. */
  async function toolsJudge(row: Row): Promise<"refuse" | "ask" | "inside"> {
    const isOnDisk = needsDisk(row);
    if (isOnDisk) await arrange(row);
    const root = row.os === "windows" ? "C:/ws" : isOnDisk ? at("/ws") : "/ws";
    const path = isOnDisk && row.path.startsWith("/") ? at(row.path) : row.path;
    try {
      const location = locate(path, [{ name: "ws", path: root }], platforms[row.os]);
      if (!isOnDisk) return isSensitivePath(location.relative) ? "ask" : "inside";
      await refuseLinksOutside(location);
      const { relative } = location;
      return (await isSensitiveEdit(relative, { root, relative })) ? "ask" : "inside";
    } catch (error) {
      assert.ok(error instanceof UserError, String(error));
      assert.ok(row.path.startsWith("/") || !error.forModel.includes(scratch), `${row.id} names the folder`);
      return "refuse";
    }
  }

  async function judgeRow(row: Row, access: Access) {
    if (row.os === "windows") return judgePath(row.path, access, ["C:\\ws"], { platform: "win32" });
    if (row.os === "darwin" && !needsDisk(row)) return judgePath(row.path, access, ["/ws"], { platform: "darwin" });
    if (!needsDisk(row)) return judgePath(row.path, access, ["/ws"], { isOnDisk: false, platform: "linux" });
    await arrange(row);
    const path = row.path.startsWith("/") ? at(row.path) : row.path;
    const judged = await judgePath(path, access, [at("/ws")]);
    return { ...judged, resolved: judged.resolved.slice(scratch.length) };
  }

  async function arrange(row: Row): Promise<void> {
    await rm(at("/ws"), { recursive: true, force: true });
    await rm(at("/real"), { recursive: true, force: true });
    if (row.links?.["/ws"] === undefined) await mkdir(at("/ws"), { recursive: true });
    for (const [from, to] of Object.entries(row.links ?? {})) {
      const isLink = row.links?.[to] !== undefined;
      if (!isLink && (to.startsWith("/ws") || to.startsWith("/real")))
        await mkdir(at(/\.\w+$/.test(to) ? dirname(to) : to), { recursive: true });
      await mkdir(dirname(at(from)), { recursive: true });
      await symlink(
        to.startsWith("/") && !to.startsWith("/etc") && !to.startsWith("/proc") ? at(to) : to,
        at(from),
      ).catch(() => undefined);
    }
    for (const file of row.exists ?? []) {
      await mkdir(dirname(at(file)), { recursive: true });
      await writeFile(at(file), "x");
    }
    if (row.setup?.includes("is a directory")) await mkdir(at("/ws/dir"), { recursive: true });
    if (row.setup?.includes("is a FIFO")) execFileSync("mkfifo", [at("/ws/fifo")]);
    if (row.setup?.includes("is a socket")) {
      execFileSync("python3", [
        "-c",
        "import socket,sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])",
        at("/ws/sock"),
      ]);
    }
  }

  /** Calls `look` before each look at the disk meanwhile; it may throw. */
  async function lookingThrough<T>(look: (path: string) => void, run: () => Promise<T>): Promise<T> {
    const { lstat, realpath } = files;
    const looking = (real: (path: string) => Promise<unknown>) => async (path: string) => {
      look(path);
      return real(path);
    };
    Object.assign(files, { lstat: looking(lstat), realpath: looking(realpath) });
    syncBuiltinESMExports();
    try {
      return await run();
    } finally {
      Object.assign(files, { lstat, realpath });
      syncBuiltinESMExports();
    }
  }

  it("8 refuses what the disk can't be asked about, without a word of where it is", async () => {
    await mkdir(at("/ws/closed/deep"), { recursive: true });
    await writeFile(at("/ws/closed/f"), "x");
    await symlink(at("/ws/closed/f"), at("/ws/link"));
    const paths = ["closed/f", "closed/new", "closed/deep/new/f", "link", "closed/../closed/f"];
    for (const code of ["EIO", "EPERM", "EACCES"]) {
      const fail = (path: string) => {
        if (path.startsWith(at("/ws/closed/")) || path === at("/ws/link"))
          throw Object.assign(new Error(path), { code });
      };
      for (const path of paths) {
        for (const access of accesses) {
          const { verdict, reason } = await lookingThrough(fail, () => judgePath(path, access, [at("/ws")]));
          assert.equal(verdict, "refuse", `${access} ${path} ${code}`);
          assert.ok(!reason.includes(scratch), reason);
        }
        const location = locate(path, [{ name: "ws", path: at("/ws") }], "linux");
        await assert.rejects(
          lookingThrough(fail, () => refuseLinksOutside(location)),
          (error) => error instanceof UserError && !error.forModel.includes(scratch),
        );
      }
    }
  });

  it("12 refuses another machine's files and devices before any look at the disk", async () => {
    const paths = [
      "\\\\srv\\s\\f",
      "//srv/s/f",
      "\\??\\UNC\\srv\\s",
      "\\\\?\\C:\\ws\\a.txt",
      "\\\\.\\pipe\\x",
      "file://srv/s/f",
    ];
    for (const platform of ["linux", "darwin", "win32"] as const) {
      for (const path of paths) {
        const look = () => assert.fail(`looked for ${path}`);
        const judged = await lookingThrough(look, () =>
          judgePath(path, "read", [at("/ws")], { platform, isOnDisk: true }),
        );
        assert.equal(judged.verdict, "refuse", `${path} on ${platform}`);
      }
    }
  });

  it("15 sees a folder or a file that was replaced by a link since it was judged", async () => {
    await mkdir(at("/ws/swap"), { recursive: true });
    await writeFile(at("/ws/swap/f"), "x");
    assert.equal((await judgePath("swap/f", "write", [at("/ws")])).verdict, "inside");
    await rename(at("/ws/swap"), at("/ws/before"));
    await symlink(at("/outside"), at("/ws/swap"));
    assert.equal((await judgePath("swap/f", "write", [at("/ws")])).verdict, "refuse");
    assert.equal((await judgePath("swap/new/f", "create", [at("/ws")])).verdict, "refuse");
    await unlink(at("/ws/swap"));
    await writeFile(at("/outside/f"), "x");
    await symlink(at("/outside/f"), at("/ws/f.txt"));
    assert.equal((await judgePath("f.txt", "write", [at("/ws")])).verdict, "refuse");
  });

  it("takes the globs of the settings for sensitive, too", async () => {
    const options = { sensitive: ["infra/**", "*.tfvars"] };
    assert.equal((await judgePath("infra/main.tf", "read", ["/ws"], options)).verdict, "ask");
    assert.equal((await judgePath("prod.tfvars", "search", ["/ws"], options)).verdict, "ask");
    assert.equal((await judgePath("src/main.tf", "write", ["/ws"], options)).verdict, "inside");
  });
});
