import assert from "node:assert/strict";
import * as z from "zod";
import { type CommandRules, defaultCommandRules, judgeCommand } from "../../../src/extension/approvals/commands.ts";
import { readCorpus } from "../../support/corpora.ts";

const rowSchema = z.object({
  command: z.string(),
  shell: z.string(),
  verdict: z.enum(["safe", "ask", "deny-or-ask"]),
  harmless: z.boolean().optional(),
  disputed: z.boolean().optional(),
  context: z.object({ cwd: z.string().nullish(), workspaceFolders: z.array(z.string()).optional() }).optional(),
});
type Row = z.infer<typeof rowSchema>;
const schema = z.object({
  rows: z.array(rowSchema),
  otherShells: z.array(rowSchema),
  ruleTables: z.object({
    tables: z.array(
      z.object({
        name: z.string(),
        rules: z.record(z.string(), z.union([z.boolean(), z.object({ approve: z.boolean() })])),
        shell: z.string(),
        match: z.string(),
        cases: z.array(z.object({ command: z.string(), approved: z.boolean() })),
      }),
    ),
  }),
});

/** Where we decide otherwise than the corpus. */
const decided: readonly { commands: readonly string[]; reason: string }[] = [
  {
    commands: ['cd /Users/pakrym/code/codex && rg -n "codex_api" codex-rs -S | head -n 50', "cd /tmp; ls; pwd"],
    reason: "what lies outside the workspace is not listed or read unasked",
  },
  { commands: ["Compare-Object $a $b"], reason: "a variable is not plain in PowerShell" },
];
/** Rows that one source asks for and that do no harm. They run; all others of their kind are asked for. */
const harmlessThatRun: readonly { commands: readonly string[]; reason: string }[] = [
  {
    commands: ["git grep TODO src", "git grep -l TODO src", "git ls-files", "git ls-files src"],
    reason: "git reads here, and its settings are looked at",
  },
  {
    commands: ["git ls-files --exclude target src", "tree -L 2 src", "du -d 2 .", "egrep -R TODO src"],
    reason: "the tables know the option and its value",
  },
  { commands: ["fgrep -l TODO src"], reason: "the same as grep" },
  { commands: ["(ls)", "ls || (pwd && echo hi)"], reason: "each command in a subshell is judged" },
  {
    commands: [
      'printf "\\n===== ansi-escape/Cargo.toml =====\\n"; cat -- ansi-escape/Cargo.toml',
      'bash -c "echo hello"',
    ],
    reason: "each command is judged, those of a script in quotes, too",
  },
  {
    commands: ['sed -e "s/a/b/" file.txt', 'sed --expression "s/a/b/" file.txt'],
    reason: "what the expressions of sed do is read off",
  },
];
const decidedTables: readonly { tables: readonly string[]; reason: string }[] = [
  { tables: ["regex s i g flags"], reason: "a line break ends a command in bash: the second line has no rule" },
  {
    tables: ["path rule, slash", "path rule, backslash", "path rule with special characters"],
    reason: "in bash, a backslash outside quotes is no separator, and a bracket no character of a name",
  },
  { tables: ["pwsh opening bracket", "pwsh regex is case-insensitive"], reason: "what is not plainly simple is asked" },
];

function shellOf({ shell }: Pick<Row, "shell">): "bash" | "zsh" | "powershell" | "cmd" {
  return shell === "pwsh" ? "powershell" : shell === "zsh" || shell === "cmd" ? shell : "bash";
}

async function judge(row: Row, rules = defaultCommandRules) {
  const { cwd, workspaceFolders } = row.context ?? {};
  const options = { ...(cwd ? { cwd } : {}), ...(workspaceFolders && { roots: workspaceFolders }) };
  return (await judgeCommand(row.command, rules, { shell: shellOf(row), ...options })).verdict;
}

describe("the corpus of shell commands", () => {
  const read = readCorpus("shell-commands.json");
  if (read === undefined) return;
  const corpus = schema.parse(read);
  const all = [...corpus.rows, ...corpus.otherShells];
  const isDecided = ({ command }: Row) => decided.some(({ commands }) => commands.includes(command));

  const asking = all.filter(({ verdict }) => verdict !== "safe");
  /** Disputed rows count as well: whatever writes, if in the workspace alone, is asked for outside the sandbox. */
  async function runUnasked(judgeRow: (row: Row) => Promise<string>): Promise<string[]> {
    const run: string[] = [];
    for (const row of asking) {
      const mayRun = row.harmless && harmlessThatRun.some(({ commands }) => commands.includes(row.command));
      if (!mayRun && (await judgeRow(row)) === "allow") run.push(row.command);
    }
    return run;
  }

  it("runs none of the commands that need a person", async () => {
    assert.deepEqual(await runUnasked(judge), []);
  });

  it("names each of the harmless ones that it runs", async () => {
    for (const command of harmlessThatRun.flatMap(({ commands }) => commands)) {
      const row = asking.find((each) => each.command === command) ?? assert.fail(command);
      assert.equal(await judge(row), "allow", command);
    }
  });

  it("notices a judge that allows everything on 95 % of the rows that are to be asked for", async () => {
    const noticed = await runUnasked(async () => "allow");
    assert.ok(noticed.length >= 0.95 * asking.length, `${noticed.length} of ${asking.length}`);
  });

  it("asks for none of the safe ones but those in the table of decisions", async () => {
    const safe = all.filter(({ verdict }) => verdict === "safe");
    const asked: Row[] = [];
    for (const row of safe) if ((await judge(row)) !== "allow") asked.push(row);
    assert.deepEqual(
      asked.filter((row) => !isDecided(row)).map(({ command }) => command),
      [],
    );
    assert.equal(asked.length, decided.flatMap(({ commands }) => commands).length);
    assert.ok(asked.length <= safe.length / 10);
  });

  it("keeps asking for what destroys under rules that allow nearly all", async () => {
    for (const row of corpus.rows.filter(({ verdict, harmless }) => verdict === "deny-or-ask" && !harmless)) {
      for (const rule of ["rm *", "rm", "bash *", "/.*/"]) {
        const rules = { ...defaultCommandRules, allow: [...defaultCommandRules.allow, rule] };
        assert.notEqual(await judge(row, rules), "allow", `${row.command} with ${rule}`);
        assert.notEqual(
          await judge(row, { allow: [rule], ask: [], deny: [] }),
          "allow",
          `${row.command} with only ${rule}`,
        );
      }
    }
  });

  for (const table of corpus.ruleTables.tables.filter(({ match }) => match !== "commandLine")) {
    it(`decides by rules: ${table.name}`, async () => {
      const rules: CommandRules = { allow: [], ask: [], deny: [] };
      for (const [key, rule] of Object.entries(table.rules)) {
        const isAllowed = rule === true || (rule !== false && rule.approve);
        rules[isAllowed ? "allow" : "deny"].push(...(key === "" || key.startsWith("/") ? [key] : [key, `${key} *`]));
      }
      const isStricter = decidedTables.some(({ tables }) => tables.includes(table.name));
      for (const { command, approved } of table.cases) {
        const startedAt = performance.now();
        const { verdict } = await judgeCommand(command, rules, { shell: shellOf(table) });
        assert.ok(performance.now() - startedAt < 1_000, command);
        if (isStricter && approved) continue;
        assert.equal(verdict === "allow", approved, command);
      }
    });
  }
});
