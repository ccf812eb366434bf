import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { defaultCommandRules, judgeCommand } from "../../../src/extension/approvals/commands.ts";
import { timeLimitMs, tries } from "../../support/soak.ts";

/** What reads, to begin with. */
const reading = [
  ...["ls -la src", "cat README.md", "cat README.md | head -3 | sort -r", "git status --short", "git log --oneline -5"],
  ...["grep -rn text src", "find . -name '*.ts' -type f", "sed -n '1,3p' README.md", "sed 's/a/b/g' README.md"],
  ...["wc -l src/*.ts && pwd", 'echo "done: $?"', "cd src && ls", "git diff HEAD -- src/a.ts", "sort -u < README.md"],
  ...[
    "cut -d: -f1 README.md",
    "ls missing 2>/dev/null || echo none",
    "printf '%s\\n' a b",
    "bash -c 'ls src'",
    "date +%Y",
  ],
  ...[
    "diff README.md src/a.ts",
    "uniq README.md",
    "tree -L 1",
    "base64 README.md",
    "git show HEAD:README.md",
    "test -f a && ls",
  ],
];
/** What leaves a mark in the folder, all of it harmless to the machine. */
const leaving = [
  ...[
    "touch pwned",
    "./evil",
    "evil",
    "rm keep.txt",
    "tee pwned",
    "cp README.md pwned",
    "mv keep.txt pwned",
    "node x.js",
  ],
  ...["> pwned", ">> keep.txt", "&> pwned", ">| pwned", "-o pwned", "--output=pwned", "-exec ./evil {} +", "-delete"],
  ...[
    "-fprint pwned",
    "$(touch pwned)",
    "`touch pwned`",
    "<(touch pwned)",
    "$" + "{x:=$(touch pwned)}",
    "w pwned",
    "1e ./evil",
  ],
  ...[
    "s/a/b/w pwned",
    "s/a/.\\/evil/e",
    "-i",
    "--in-place",
    "--pre ./evil",
    "--ext-diff",
    "-c core.pager=./evil",
    "-l --paginate",
  ],
  ...[
    "--compress-program=./evil",
    "env ./evil",
    "xargs ./evil",
    "exec ./evil",
    "eval ./evil",
    "PATH=. evil",
    "trap ./evil EXIT",
  ],
  ...[
    "printf -v 'a[$(touch pwned)]' x",
    "test -v 'a[$(touch pwned)]'",
    "-O./evil",
    "--open-files-in-pager=./evil",
    "-R -H . -o pwned",
  ],
  ...[
    "{touch,pwned}",
    "a=$(touch pwned)",
    "touch\tpwned",
    "ls(){ ./evil; };ls",
    "alias ls=./evil",
    "uniq README.md pwned",
  ],
];
const joints = [
  " ",
  "",
  ";",
  "\n",
  "&&",
  "||",
  "|",
  "&",
  "|&",
  "\t",
  "\\\n",
  "'",
  '"',
  "\\",
  "$",
  "`",
  "(",
  ")",
  "{",
  "}",
];
const more = [
  "<",
  ">",
  "#",
  "!",
  "=",
  "~",
  "*",
  "?",
  "[",
  "]",
  ",",
  "-",
  "--",
  " -- ",
  "\r",
  "\u00a0",
  "\u200b",
  "$'",
  '$"',
  "<<<",
  "<<E\n",
];

/** Two or three of them, joined by what means something to a shell, with a few characters put in, taken out or doubled. */
const commands = fc
  .tuple(
    fc.array(
      fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...reading) },
        { weight: 1, arbitrary: fc.constantFrom(...leaving) },
      ),
      {
        minLength: 1,
        maxLength: 3,
      },
    ),
    fc.array(fc.constantFrom(...joints), { minLength: 2, maxLength: 2 }),
    fc.array(
      fc.record({
        at: fc.double({ min: 0, max: 1, noNaN: true }),
        what: fc.constantFrom("insert", "insert", "remove", "double"),
        text: fc.constantFrom(...joints, ...more, ...leaving),
      }),
      { maxLength: 3 },
    ),
  )
  .map(([parts, between, mutations]) => {
    let line = parts.reduce((left, right, index) => left + (between[index - 1] ?? " ") + right);
    for (const { at, what, text } of mutations) {
      const offset = Math.floor(at * line.length);
      const [before, after] = [line.slice(0, offset), line.slice(offset)];
      line =
        what === "insert"
          ? before + text + after
          : what === "remove"
            ? before + after.slice(1)
            : before + after.slice(0, 4) + after;
    }
    return line;
  })
  .filter((line) => line.trim() !== "" && !line.includes("\0"));

const perBatch = 50;

describe("commands that are allowed unasked", function () {
  this.timeout(timeLimitMs(240_000));
  let folder = "";
  let hasJail = false;
  let searchPath = "";

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "arbor-fuzz-")));
    searchPath = `${folder}/bin:/usr/bin:/bin`;
    await mkdir(join(folder, "src"));
    await mkdir(join(folder, "bin"));
    for (const file of ["README.md", "src/a.ts", "src/b.ts", "keep.txt", "x.js"])
      await writeFile(join(folder, file), "a text\nb\n");
    await symlink("src", join(folder, "link"));
    // Programs of the workspace leave a mark, wherever they are found, also one that is called as one of the lists.
    for (const name of [
      "evil",
      "bin/evil",
      "bin/id",
      "bin/touch",
      "bin/tee",
      "bin/cp",
      "bin/mv",
      "bin/rm",
      "bin/node",
      "bin/env",
    ]) {
      await writeFile(join(folder, name), `#!/bin/sh\n/bin/echo "$0" >> ${folder}/marks\n`);
      await chmod(join(folder, name), 0o755);
    }
    const git = (...args: string[]) =>
      execFileSync("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);
    git("init", "-q");
    git("add", "README.md", "src");
    git("commit", "-qm", "first");
    try {
      execFileSync("bwrap", [...jail(folder), "true"], { stdio: "ignore" });
      hasJail = true;
    } catch {
      // Without one, what runs could at most do what is listed above.
    }
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Runs each in a shell of its own, as the tool does; what it prints counts for nothing. */
  function run(lines: readonly string[]): void {
    const each =
      'for line in "$@"; do timeout -k 1 2 bash --noprofile --norc -c "$line" </dev/null >/dev/null 2>&1; done; true';
    const [file = "", ...args] = [...(hasJail ? ["bwrap", ...jail(folder)] : []), "bash", "-c", each, "run", ...lines];
    const environment = { PATH: searchPath, HOME: folder, LANG: "C.UTF-8", GIT_OPTIONAL_LOCKS: "0" };
    execFileSync(file, args, { cwd: folder, env: environment, stdio: "ignore" });
  }

  it("write nothing and run nothing else, however they are mutated", async () => {
    const { numRuns, ...options } = tries("commands");
    let allowedCount = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(commands, { minLength: perBatch, maxLength: perBatch }), async (lines) => {
        const allowed: string[] = [];
        for (const line of lines) {
          const { verdict } = await judgeCommand(line, defaultCommandRules, {
            cwd: folder,
            roots: [folder],
            searchPath,
          });
          if (verdict === "allow") allowed.push(line);
        }
        allowedCount += allowed.length;
        const known = await contents(folder);
        run(allowed);
        if ((await contents(folder)) === known) return;
        for (const line of allowed) {
          const before = await contents(folder);
          run([line]);
          assert.equal(await contents(folder), before, `It changed something: ${JSON.stringify(line)}`);
        }
        assert.fail(`One of these changed something: ${JSON.stringify(allowed)}`);
      }),
      { ...options, numRuns: Math.max(1, Math.round(numRuns / perBatch)), endOnFailure: true },
    );
    assert.ok(allowedCount > numRuns / 20, `only ${allowedCount} were allowed: the test would show nothing`);
  });
});

function jail(folder: string): string[] {
  const shared = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", folder, folder];
  return [...shared, "--unshare-net", "--unshare-pid", "--die-with-parent", "--chdir", folder];
}

/** Names, modes and texts of all files below a folder. */
async function contents(folder: string): Promise<string> {
  const names = (await readdir(folder, { recursive: true })).sort();
  const rows = names.map(async (name) => {
    const found = await lstat(join(folder, name));
    return `${name} ${found.mode} ${found.isFile() ? await readFile(join(folder, name), "base64") : ""}`;
  });
  return (await Promise.all(rows)).join("\n");
}
