import assert from "node:assert/strict";
import { isMatch } from "../../../src/extension/customization/hookDefinition.ts";
import { loadCustom } from "../../../src/extension/customization/loadCustom.ts";
import { memoryWorkspace } from "../../support/memoryWorkspace.ts";

const context = { builtInAgents: [], builtInCommands: [], modelProblem: () => undefined };
const load = (files: Record<string, string>) => loadCustom({ workspace: memoryWorkspace({ files }) }, context);
const shown = (problems: Awaited<ReturnType<typeof load>>["problems"]) =>
  problems.map(({ range, severity, message }) => `${range.start.line + 1} ${severity} ${message}`);

const one = { type: "command", command: "./x.sh" };

describe("files of hooks", () => {
  it("are read as Claude Code documents them, whatever else its settings hold", async () => {
    const settings = {
      $schema: "https://json.schemastore.org/claude-code-settings.json",
      permissions: { allow: ["Bash(npm run lint)"], deny: ["Read(./.env)"] },
      env: { FOO: "bar" },
      hooks: {
        PreToolUse: [
          {
            matcher: "Edit|Write",
            hooks: [{ type: "command", command: '"$CLAUDE_PROJECT_DIR"/.claude/hooks/check-style.sh', timeout: 30 }],
          },
        ],
        PostToolUse: [{ matcher: "mcp__memory__.*", hooks: [one] }],
        Stop: [{ hooks: [{ ...one, async: true, statusMessage: "Checking" }] }],
        // biome-ignore lint/suspicious/noTemplateCurlyInString: as its users write it.
        SubagentStop: [{ hooks: [{ type: "command", command: "node", args: ["${CLAUDE_PROJECT_DIR}/it's.mjs"] }] }],
      },
    };
    const { hooks, problems } = await load({ ".claude/settings.json": JSON.stringify(settings, undefined, 2) });
    assert.deepEqual(problems, []);
    assert.deepEqual(
      hooks.map(({ event, matcher, timeoutMs, isAsync, names }) => [event, matcher, timeoutMs, isAsync, names]),
      [
        ["PreToolUse", "Edit|Write", 30_000, false, "claude"],
        ["PostToolUse", "mcp__memory__.*", 60_000, false, "claude"],
        ["Stop", "", 60_000, true, "claude"],
        ["SubagentStop", "", 60_000, false, "claude"],
      ],
    );
    assert.equal(hooks[3]?.command, `'node' ''"$CLAUDE_PROJECT_DIR"'/it'\\''s.mjs'`);
  });

  it("are put right by quick fixes: events, types and times that are misspelled, and hooks without a group", async () => {
    const text = `{
      "PreToolUs": [],
      "Stop": [{ "hooks": [{ "type": "comand", "command": "x" }, { "type": "command", "command": "y", "timeout": "30" }] }],
      "PostToolUse": [{ "matcher": "Edit", "command": "./z.sh" }]
    }`;
    const { problems } = await load({ ".agents/hooks.json": text });
    const lines = text.split("\n");
    const fixed = problems.map(({ fix }) => {
      if (fix === undefined) return undefined;
      const { start, end } = fix.range;
      const line = lines[start.line] ?? "";
      assert.equal(end.line, start.line);
      return `${line.slice(start.character, end.character)} -> ${fix.text}`;
    });
    assert.deepEqual(fixed, [
      "PreToolUs -> PreToolUse",
      "comand -> command",
      '"30" -> 30',
      '{ "matcher": "Edit", "command": "./z.sh" } -> {"matcher":"Edit","hooks":[{"type":"command","command":"./z.sh"}]}',
    ]);
  });

  it("are read in the user's own folder too, after those of the workspace", async () => {
    const text = JSON.stringify({ Stop: [{ hooks: [one] }] });
    const workspace = memoryWorkspace({ files: { ".agents/hooks.json": text } });
    const home = memoryWorkspace({ files: { "~/.agents/hooks.json": text, "~/.claude/settings.json": text } });
    const { hooks } = await loadCustom({ workspace, home }, context);
    assert.deepEqual(
      hooks.map(({ path }) => path),
      [".agents/hooks.json", "~/.agents/hooks.json"],
    );
  });

  it("that are too many are not dropped unnoticed", async () => {
    const text = JSON.stringify({ Stop: [{ hooks: Array.from({ length: 101 }, () => one) }] });
    const { hooks, problems } = await load({ ".agents/hooks.json": text });
    assert.equal(hooks.length, 100);
    assert.deepEqual(shown(problems), ["1 error There are more than 100 hooks: the last ones are not used."]);
  });

  it("may be of hooks alone, and may all be switched off", async () => {
    const bare = { Stop: [{ hooks: [one] }] };
    assert.equal((await load({ ".agents/hooks.json": JSON.stringify(bare) })).hooks.length, 1);
    const off = JSON.stringify({ disableAllHooks: true, hooks: bare });
    assert.deepEqual((await load({ ".claude/settings.json": off })).hooks, []);
    assert.deepEqual(await load({ ".claude/settings.json": '{ "model": "opus" }' }), await load({}));
  });

  const bad: [string, unknown, string[]][] = [
    [
      "an event of Claude Code alone",
      { SessionStart: [] },
      ["3 information Arbor has no event SessionStart. Its hooks are ignored."],
    ],
    [
      "an event that is mistaken",
      { PreTooluse: [] },
      ["3 warning There is no event PreTooluse. Its hooks are not used."],
    ],
    ["no list", { Stop: {} }, ["3 error Stop must be a list."]],
    ["a group without hooks", { Stop: [{ matcher: "x" }] }, ["4 error hooks must be a list."]],
    [
      "a matcher that is no expression",
      { PreToolUse: [{ matcher: "(", hooks: [one] }] },
      ["5 error This matcher can't be used: Invalid regular expression: /(/: Unterminated group"],
    ],
    [
      "a hook of another type",
      { Stop: [{ hooks: [{ type: "prompt", prompt: "x" }] }] },
      ["7 information Arbor runs commands only: a hook of the type prompt is ignored."],
    ],
    ["no command", { Stop: [{ hooks: [{ type: "command" }] }] }, ["6 error A command is missing."]],
    [
      "a timeout that is too long",
      { Stop: [{ hooks: [{ ...one, timeout: 3_600 }] }] },
      ["9 error timeout must be 0-600."],
    ],
  ];
  for (const [what, hooks, expected] of bad) {
    it(`with ${what} are named at the line, and the others are used`, async () => {
      const text = JSON.stringify({ hooks }, undefined, 2);
      const { problems, hooks: used } = await load({
        ".agents/hooks.json": text,
        ".claude/settings.json": JSON.stringify({ hooks: { Stop: [{ hooks: [one] }] } }),
      });
      assert.deepEqual(shown(problems), expected);
      assert.equal(used.length, 1);
    });
  }

  it("may be listed without groups, with a command for each system, as VS Code writes them", async () => {
    const forSystems = { linux: "./linux.sh", osx: "./osx.sh", windows: "windows.ps1" };
    const { hooks, problems } = await load({
      ".agents/hooks.json": JSON.stringify({
        Stop: [one, { type: "command", ...forSystems }],
        PreToolUse: [{ ...one, matcher: "Bash" }],
      }),
    });
    const own = { linux: "./linux.sh", darwin: "./osx.sh", win32: "windows.ps1" }[process.platform as "linux"];
    assert.deepEqual(
      hooks.map(({ event, matcher, command }) => [event, matcher, command]),
      [
        ["Stop", "", "./x.sh"],
        ["Stop", "", own],
        ["PreToolUse", "Bash", "./x.sh"],
      ],
    );
    assert.deepEqual(problems, []);
  });

  it("name tools that calls have, or are named with what was probably meant", async () => {
    const matchers = ["Bash|Wirte", "bash", "shell", "run_comand", "read_file, Grep", "WebSearch|NotebookEdit"];
    const others = ["my_tool", "mcp__memory__.*", "Edit.*", "*"];
    const groups = [...matchers, ...others].map((matcher) => ({ matcher, hooks: [one] }));
    const text = JSON.stringify(
      { PreToolUse: groups, SubagentStop: [{ matcher: "bash", hooks: [one] }] },
      undefined,
      1,
    );
    const { hooks, problems } = await load({ ".agents/hooks.json": text });
    assert.equal(hooks.length, groups.length + 1, "what it is for may come from a server: it is used");
    const lines = text.split("\n");
    const fixed = problems.map(({ severity, fix }) => {
      const { start, end } = fix?.range ?? assert.fail("it has no fix");
      return `${severity} ${lines[start.line]?.slice(start.character, end.character)} -> ${fix?.text}`;
    });
    assert.deepEqual(fixed, [
      "warning Wirte -> Write",
      "warning bash -> Bash",
      "warning shell -> run_command|read_output|stop_command",
      "warning run_comand -> run_command",
    ]);
    assert.equal(problems[0]?.message, "No call has the name Wirte. Is Write meant?");
  });

  it("that are no JSON are named, and so are those with 1 MB", async () => {
    const { problems } = await load({
      ".agents/hooks.json": "{ oops",
      ".claude/settings.json": `"${"x".repeat(1_000_000)}"`,
    });
    assert.match(
      shown(problems).join("\n"),
      /1 error The hooks of this file are not used: .*\n1 error The hooks of \.claude\/settings\.json are not used: it has more than 64 kB/,
    );
  });
});

describe("a matcher", () => {
  it("lists whole names, or is an expression", () => {
    const matches = (matcher: string, name: string) => isMatch({ matcher }, [name]);
    assert.deepEqual([matches("Edit|Write", "Write"), matches("Edit|Write", "WriteAll")], [true, false]);
    assert.deepEqual([matches("mcp__.*", "mcp__a__b"), matches("^Note", "Read")], [true, false]);
    assert.deepEqual([matches("", "x"), matches("*", "x")], [true, true]);
  });

  it("that takes too long lets nothing past it", () => {
    assert.equal(isMatch({ matcher: "(a+)+$" }, [`${"a".repeat(40)}!`]), true);
  });
});
