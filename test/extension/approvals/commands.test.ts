import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CommandRules, defaultCommandRules, judgeCommand } from "../../../src/extension/approvals/commands.ts";

const linesOf = (name: string) =>
  readFileSync(join(import.meta.dirname, `shell/${name}.txt`), "utf8")
    .split("\n")
    .filter((line) => line !== "");
const rulesOf = (rules: Partial<CommandRules>): CommandRules => ({ allow: [], ask: [], deny: [], ...rules });
const verdictOf = async (command: string, rules: CommandRules = defaultCommandRules) =>
  (await judgeCommand(command, rules)).verdict;

describe("judging a command", () => {
  let folder = "";

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "arbor-judge-")));
    execFileSync("git", ["init", "-q", folder]);
    await mkdir(join(folder, "src"));
    await mkdir(join(folder, "docs"));
    for (const file of ["src/a.ts", ".env", "README.md", "docs/b.md"]) await writeFile(join(folder, file), "text\n");
    await symlink("/etc", join(folder, "lnk"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("33 34 35 41 asks for each of a list of hostile commands, whatever is there", async () => {
    await writeFile(join(folder, "server.pem"), "key");
    const allowed: string[] = [];
    for (const command of linesOf("hostileCommands")) {
      const { verdict } = await judgeCommand(command, defaultCommandRules, { cwd: folder, roots: [folder] });
      if (verdict === "allow") allowed.push(command);
    }
    await rm(join(folder, "server.pem"));
    assert.deepEqual(allowed, []);
  });

  it("33 34 35 41 asks for them even where a rule allows the program", async () => {
    const programs = ["npm", "git", "find", "rg", "sed", "sort", "base64", "ls", "echo"];
    const rules = rulesOf({ allow: programs.map((program) => `${program} *`) });
    for (const plain of [
      "npm test",
      "git show",
      "find .",
      "rg x",
      "sed s/a/b/ f",
      "sort f",
      "base64 f",
      "ls",
      "echo x",
    ]) {
      assert.equal(await verdictOf(plain, rules), "allow", plain);
    }
    const wrapped = ["FOO=1", "env", "sudo", "timeout 5", "xargs", "nohup"].map((wrapper) => `${wrapper} npm test`);
    for (const command of [
      ...wrapped,
      ...["git show > ~/.ssh/id", "git show >> ~/.ssh/id", "git show >| x", "ls 2> x", "ls &> x"],
      ...["find . -delete", "find . -exec rm {} ';'", "find . -fprint x", "rg --pre cat x", "sed -i s/a/b/ f"],
      ...["sed s/x/id/e f", "sort -o x y", "base64 -o x y", "git -c core.pager=x log"],
      ...["ln -s /out l && echo x > l", "ln -s /out l"],
    ]) {
      assert.equal(await verdictOf(command, rules), "ask", command);
    }
  });

  it("asks for none of the everyday commands that only read", async () => {
    const asked: string[] = [];
    for (const command of linesOf("everydayCommands")) {
      const { verdict, reason } = await judgeCommand(command, defaultCommandRules, { cwd: folder, roots: [folder] });
      if (verdict !== "allow") asked.push(`${command}: ${reason}`);
    }
    assert.deepEqual(asked, []);
  });

  it("31 judges every part of a list, whatever separates them", async () => {
    for (const separator of [" && ", " || ", " ; ", " | ", "\n", " \\\n&& ", " |& "]) {
      assert.equal(await verdictOf(`ls${separator}pwd`), "allow", separator);
      assert.equal(await verdictOf(`ls${separator}rm x`), "ask", separator);
    }
    for (const line of ["ls\r\nrm x", "ls & rm x", "rm x & ls", "ls &rm x"])
      assert.equal(await verdictOf(line), "ask", line);
    const { parts } = await judgeCommand("ls && rm x", defaultCommandRules);
    assert.deepEqual(
      parts.map(({ text, verdict }) => [text, verdict]),
      [
        ["ls", "allow"],
        ["rm x", "ask"],
      ],
    );
  });

  it("32 asks where the shell replaces a part, even when a rule allows all", async () => {
    const rules = rulesOf({ allow: ["/.*/", "echo *"] });
    for (const text of [
      "$(id)",
      "`id`",
      "<(id)",
      "$" + "{x@P}",
      "$" + "{x:=y}",
      "$" + "{!x}",
      "$x",
      "$((1))",
      "{a,b}",
      "$'x'",
    ]) {
      assert.equal(await verdictOf(`echo ${text}`, rules), "ask", text);
    }
    assert.equal(await verdictOf("echo $?", rules), "allow");
  });

  it("32 asks where zsh alone replaces a part, in either shell, even when a rule allows all", async () => {
    const rules = rulesOf({ allow: ["/.*/", "echo *", "ls *", "cat *"] });
    const verdictIn = async (shell: "bash" | "zsh", command: string) =>
      (await judgeCommand(command, rules, { shell })).verdict;
    for (const shell of ["bash", "zsh"] as const) {
      assert.equal(await verdictIn(shell, "echo a"), "allow");
      for (const command of ["cat =(id)", "ls *(e:id:)", "[[ a =~ b ]]", "[[ $x =~ $y ]]", "cat <(id)"]) {
        assert.equal(await verdictIn(shell, command), "ask", `${shell}: ${command}`);
      }
    }
  });

  it("36 compares whole words, so that git logout is not git log", async () => {
    const rules = rulesOf({ allow: ["git log *", "mygit logs *"] });
    assert.equal(await verdictOf("git log -1", rules), "allow");
    for (const command of ["git logout", "git log2 -1", "mygit logsx"])
      assert.equal(await verdictOf(command, rules), "ask", command);
    assert.equal(await verdictOf("git logout"), "ask");
  });

  it("37 reads words as the shell does, so that quotes hide nothing from a rule that denies", async () => {
    const rules = rulesOf({ allow: ["/.*/"], deny: ["rm *"] });
    for (const command of [
      'r""m x',
      "r\\m x",
      "'rm' x",
      "/bin/rm x",
      "sudo rm x",
      "env A=1 rm x",
      "ls; rm x",
      "(rm x)",
    ]) {
      assert.equal(await verdictOf(command, rules), "deny", command);
    }
    for (const command of ["f() { rm x; }", "if true; then rm x; fi", 'echo "$(rm x)"', "bash -c 'rm x'"]) {
      assert.equal(await verdictOf(command, rules), "deny", command);
    }
  });

  it("37 asks for what it can't read or what gives a name another meaning, even when a rule allows all", async () => {
    const rules = rulesOf({ allow: ["/.*/", "ls *"] });
    assert.equal(await verdictOf("ls a", rules), "allow");
    for (const command of [
      ...['ls "', "ls 'a", "ls (", "ls &&", "ls |", "ls )", "if ls", "ls <<", "$(ls"],
      ...["alias ls='touch x'", "alias ls='touch x'; ls", "f() { touch x; }; f", "function ls { touch x; }; ls"],
    ]) {
      assert.equal(await verdictOf(command, rules), "ask", command);
    }
  });

  it("asks where a line is continued in the middle of a word, which bash joins", async () => {
    const verdicts = [
      "cat .e\\\nnv",
      "sort -r\\\nsort -u",
      "ls src;\\\ncat a",
      "ls \\\n  src",
      "ls src \\\n  | head",
    ].map((line) => verdictOf(line));
    assert.deepEqual(await Promise.all(verdicts), ["ask", "ask", "ask", "allow", "allow"]);
  });

  it("38 asks for a line of more than fifty commands", async () => {
    assert.equal(await verdictOf(Array(50).fill("ls").join("; ")), "allow");
    assert.equal(await verdictOf(Array(51).fill("ls").join("; ")), "ask");
    const rules = rulesOf({ allow: ["/.*/", "ls *"], deny: ["rm *"] });
    assert.equal(await verdictOf(Array(50).fill("ls").join("; "), rules), "allow");
    for (const separator of ["; ", " && ", " | ", "\n"]) {
      assert.equal(await verdictOf(Array(51).fill("ls").join(separator), rules), "ask", separator);
      assert.equal(await verdictOf(`${"ls; ".repeat(60)}rm x`, rules), "deny");
    }
  });

  it("39 asks for characters that can't be seen", async () => {
    for (const character of ["\u200b", "\u202e", "\u00a0", "\u001b", "\r", "\u2800", "\u{e0041}"]) {
      assert.equal(await verdictOf(`ls a${character}b`), "ask", JSON.stringify(character));
    }
  });

  it("40 ignores a pattern that is empty or never ends, and asks where it would have denied", async () => {
    const startedAt = performance.now();
    assert.equal(
      await verdictOf("npm aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", rulesOf({ allow: ["/(a+)+$/"] })),
      "ask",
    );
    assert.equal(
      await verdictOf(
        "npm aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!",
        rulesOf({ allow: ["npm *"], deny: ["/(a+)+$/"] }),
      ),
      "ask",
    );
    for (const pattern of ["//", "/(?:)/", "/a*/", "/[/", "/*/"]) {
      assert.equal(await verdictOf("a", rulesOf({ allow: [pattern] })), "ask", pattern);
    }
    assert.ok(performance.now() - startedAt < 3_000);
  });

  it("48 asks for git where the repository names programs that it would run", async () => {
    const options = { cwd: folder, roots: [folder] };
    const statusIs = async () => (await judgeCommand("git status", defaultCommandRules, options)).verdict;
    assert.equal(await statusIs(), "allow");
    for (const [key, value] of [
      ["core.fsmonitor", "./x"],
      ["diff.external", "./x"],
      ["filter.x.clean", "./x"],
      ["core.pager", "./x"],
      ["include.path", "../x"],
      ["core.worktree", "/"],
      ["diff.x.textconv", "./x"],
    ] as const) {
      execFileSync("git", ["-C", folder, "config", key, value]);
      assert.equal(await statusIs(), "ask", key);
      execFileSync("git", ["-C", folder, "config", "--unset", key]);
    }
    await writeFile(join(folder, ".git/hooks/post-index-change"), "");
    assert.equal(await statusIs(), "ask");
    await rm(join(folder, ".git/hooks/post-index-change"));
    assert.equal(await statusIs(), "allow");
    const bare = join(folder, "bare");
    execFileSync("git", ["init", "-q", "--bare", bare]);
    assert.equal((await judgeCommand("cd bare && git status", defaultCommandRules, options)).verdict, "ask");
    assert.equal((await judgeCommand("git status", defaultCommandRules, { ...options, cwd: bare })).verdict, "ask");
    await rm(bare, { recursive: true });
  });

  it("asks for a program of the workspace that replaces one that only reads", async () => {
    const bin = join(folder, "bin");
    await mkdir(bin);
    await symlink(bin, join(folder, "tools"));
    await writeFile(join(bin, "ls"), "#!/bin/sh\n");
    for (const entry of [bin, join(folder, "tools")]) {
      const options = { cwd: folder, roots: [folder], searchPath: `${entry}:/usr/bin` };
      const judged = ["ls", "pwd && ls", "bash -c ls", "/bin/ls", "pwd"].map((line) =>
        judgeCommand(line, defaultCommandRules, options),
      );
      assert.deepEqual(
        (await Promise.all(judged)).map(({ verdict }) => verdict),
        ["ask", "ask", "ask", "allow", "allow"],
      );
    }
    await rm(bin, { recursive: true });
    await rm(join(folder, "tools"));
  });

  it("puts deny before ask before allow, and asks for what no rule names", async () => {
    const rules = rulesOf({ allow: ["make *"], ask: ["make deploy *"], deny: ["make wipe"] });
    assert.equal(await verdictOf("make build", rules), "allow");
    assert.equal(await verdictOf("make deploy now", rules), "ask");
    assert.equal(await verdictOf("make wipe", rules), "deny");
    assert.equal(await verdictOf("just build", rules), "ask");
    assert.equal(await verdictOf("make build && make wipe", rules), "deny");
    assert.equal(await verdictOf("rm -rf /"), "deny");
    assert.equal(await verdictOf("rm -rf ~"), "deny");
  });

  it("lets an exact rule allow an option that is not known, and no rule one that writes or runs", async () => {
    assert.equal(await verdictOf("git push", rulesOf({ allow: ["git push"] })), "allow");
    assert.equal(await verdictOf("ls --new", rulesOf({ allow: ["ls *"] })), "ask");
    assert.equal(await verdictOf("ls --new", rulesOf({ allow: ["ls --new"] })), "allow");
    assert.equal(await verdictOf("find . -delete", rulesOf({ allow: ["find . -delete", "/.*/"] })), "ask");
    assert.equal(await verdictOf("echo 'a b'", rulesOf({ allow: ["echo a b"] })), "ask");
    assert.equal(await verdictOf("echo 'a b'", rulesOf({ allow: ["echo 'a b'"] })), "allow");
  });

  it("reads zsh as bash only where both mean the same, and asks for all in cmd", async () => {
    const inShell = async (command: string, shell: "zsh" | "cmd" | "powershell") =>
      (await judgeCommand(command, defaultCommandRules, { shell })).verdict;
    assert.equal(await inShell("ls -la src && git status", "zsh"), "allow");
    assert.equal(await inShell("cat =ls", "zsh"), "ask");
    assert.equal(await inShell("echo a^b", "zsh"), "ask");
    assert.equal(await inShell("dir", "cmd"), "ask");
    assert.equal(await inShell("Get-ChildItem Env:", "powershell"), "ask");
    assert.equal(await inShell("Get-Content ..\\x", "powershell"), "ask");
    assert.equal(await inShell("Get-Content .env", "powershell"), "ask");
    assert.equal(await inShell("Get-ChildItem \\\\server\\share", "powershell"), "ask");
    assert.equal(await inShell("Get-Content a.txt; Remove-Item a.txt", "powershell"), "ask");
    assert.equal(await inShell("Get-ChildItem (Remove-Item x)", "powershell"), "ask");
  });
});
