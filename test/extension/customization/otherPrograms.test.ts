import assert from "node:assert/strict";
import { listCustomCommands } from "../../../src/extension/customization/customCommands.ts";
import { loadCustom } from "../../../src/extension/customization/loadCustom.ts";
import { memoryWorkspace } from "../../support/memoryWorkspace.ts";

const context = { builtInAgents: ["explore", "edit"], builtInCommands: ["review"], modelProblem: () => undefined };

/** As other programs write one. */
const variable = (name: string) => `$\{${name}}`;

const file = (...lines: string[]) => `${lines.join("\n")}\n`;

async function load(files: Record<string, string>) {
  const custom = await loadCustom({ workspace: memoryWorkspace({ files }) }, context);
  const named = custom.problems.map(({ severity, message }) => `${severity}: ${message}`);
  /** Fields and names that are said to be ignored. */
  const ignored = custom.problems.flatMap(
    ({ message }) =>
      /^Arbor does not use (.+)\.$/.exec(message)?.[1] ??
      /^Arbor has no tool that does what (.+) does\.$/.exec(message)?.[1] ??
      /^Arbor has no event (.+)\. Its/.exec(message)?.[1] ??
      [],
  );
  const severities = [...new Set(custom.problems.map(({ severity }) => severity))];
  return { ...custom, named, ignored, severities };
}

/** Files as their documentation and public repositories write them, in our own words. */
describe("a file of another program, unchanged", () => {
  it("is an agent of VS Code with the names that its tools have in all their sets", async () => {
    const { agents, ignored, severities } = await load({
      ".github/agents/debugging.agent.md": file(
        "---",
        'name: "Debugging"',
        'description: "Finds the cause of a bug, and mends it"',
        "tools: ['edit/editFiles', 'search', 'execute/getTerminalOutput', 'execute/runInTerminal',",
        "  'read/terminalLastCommand', 'read/problems', 'search/usages', 'execute/testFailure', 'web/fetch',",
        "  'web/githubRepo', 'execute/runTests', 'vscode/askQuestions', 'vscode/memory', 'todo', 'execute/createAndRunTask']",
        "---",
        "# Debugging",
        "Have it fail first.",
      ),
    });
    const [agent] = agents;
    assert.deepEqual(
      [
        "edit_file",
        "search_text",
        "run_command",
        "read_output",
        "get_diagnostics",
        "fetch_url",
        "ask_user",
        "update_plan",
      ].filter((tool) => agent?.tools?.includes(tool) !== true),
      [],
    );
    assert.ok(
      agent?.tools?.every((tool) => !tool.includes("/")),
      "nothing is taken for a tool of a server",
    );
    assert.deepEqual(ignored, [
      ...["read/terminalLastCommand", "execute/testFailure", "web/githubRepo", "execute/runTests"],
      ...["vscode/memory", "execute/createAndRunTask"],
    ]);
    assert.deepEqual(severities, ["information"]);
  });

  it("is an agent that hands work to another by that one's name of several words", async () => {
    const { agents, ignored, severities } = await load({
      ".github/agents/lead.agent.md": file(
        ...["---", "name: 'Release Lead'", "description: 'Plans a release, and has it reviewed.'"],
        ...["model: claude-sonnet-5", "tools:", "  - github", "  - read", "  - execute", "  - agent"],
        ...["agents: ['Plan Reviewer']", "mode: primary", "hidden: false", "user-invocable: true"],
        ...["disable-model-invocation: true", "argument-hint: Which release?", "target: vscode", "handoffs:"],
        ...["  - label: Review it", "    agent: Plan Reviewer", "    prompt: Review it.", "    send: false"],
        ...["hooks:", "  PostToolUse:", "    - type: command", '      command: "./format.sh"', "---", "# Lead"],
      ),
      ".github/agents/plan-reviewer.agent.md": file(
        ...["---", "name: 'Plan Reviewer'", "description: 'Says what a plan lacks.'", "tools: [read, search]"],
        ...["infer: true", "---", "Read it."],
      ),
    });
    assert.deepEqual(
      agents.map(({ name, agents: others, isOffered, models }) => [name, others, isOffered, models]),
      [
        ["Release-Lead", ["Plan-Reviewer"], false, []],
        ["Plan-Reviewer", [], true, []],
      ],
    );
    assert.deepEqual(ignored, [...["mode", "hidden", "argument-hint", "target", "handoffs", "hooks", "github"]]);
    assert.deepEqual(severities, ["information"], "a field of another program is no misspelling of ours");
  });

  it("is an agent with a server of its own, whose definition slipped to the left", async () => {
    const { agents, ignored, severities } = await load({
      ".github/agents/logs.agent.md": file(
        ...["---", "name: logs-agent", "description: Finds causes in logs (traces, metrics).", "tools:"],
        ...["  # Of the editor", "  - read", "  - shell", "  # All of one server", "  - logs-mcp/*", "mcp-servers:"],
        ...["  logs-mcp:", "    type: 'remote'", "    command: 'npx'", "args: [", "        'mcp-remote',"],
        ...[`        'Authorization: ApiKey ${variable("{ secrets.LOGS_KEY }")}'`, "      ]", "env:"],
        ...[`      AUTH_HEADER: ApiKey ${variable("{ secrets.LOGS_KEY }")}`, "---", "You read logs."],
      ),
    });
    assert.deepEqual(agents[0]?.tools, [
      ...["read_file", "get_diagnostics", "run_command", "read_output", "stop_command", "logs-mcp/*"],
    ]);
    assert.deepEqual([ignored, severities], [["mcp-servers", "args", "env"], ["information"]]);
  });

  it("is an agent of Claude Code with every field that it knows", async () => {
    const { agents, ignored, severities } = await load({
      ".claude/agents/verifier.md": file(
        ...["---", "name: verifier", "description: Use this agent to verify an application: it reads and reports."],
        ...["model: sonnet", "color: green", "memory: project", "background: true", "effort: high"],
        ...["isolation: worktree", "maxTurns: 20", "skills:", "  - style", "mcpServers:", "  - slack", "hooks:"],
        ...["  PreToolUse:", '    - matcher: "Bash"', "      hooks:", "        - type: command"],
        ...['          command: "./check.sh"', "disallowedTools: Write, Edit", "permissionMode: plan"],
        ...["initialPrompt: Begin", "---", "You verify."],
      ),
      ".claude/skills/style/SKILL.md": file("---", "name: style", "description: How we write.", "---", "Shortly."),
    });
    const [agent] = agents;
    assert.deepEqual(
      [agent?.isolation, agent?.limits, agent?.skills, agent?.deniedTools, agent?.color],
      ["worktree", { maxTurns: 20 }, ["style"], ["write_file", "edit_file"], "green"],
    );
    assert.match(agent?.description ?? "", /an application: it reads and reports\.$/);
    assert.deepEqual(ignored, [
      ...["memory", "background", "effort", "mcpServers", "hooks", "permissionMode", "initialPrompt"],
    ]);
    assert.deepEqual(severities, ["information"]);
  });

  it("is a skill with a folded description and fields of several programs", async () => {
    const { skills, ignored, severities } = await load({
      ".claude/skills/style/SKILL.md": file(
        ...["---", "name: style", "description: >-", "  How we write. Use it before a text is", "  changed."],
        ...["allowed-tools: Read, Bash(git log:*)", 'argument-hint: "[file]"', "model: opus", "context: fork"],
        ...["agent: Explore", 'paths: ["docs/**"]', "license: Complete terms in LICENSE.txt"],
        ...["compatibility: Needs python 3", "metadata:", "  short-description: Style", "user-invocable: true", "---"],
        "Write short sentences.",
      ),
    });
    assert.deepEqual(
      skills.map(({ skill, isOffered, isCommand }) => [skill.name, skill.description, isOffered, isCommand]),
      [["style", "How we write. Use it before a text is changed.", true, true]],
    );
    assert.deepEqual([ignored, severities], [["allowed-tools", "model", "context", "agent", "paths"], ["information"]]);
  });

  it("is a command of Claude Code and a prompt file of VS Code", async () => {
    const custom = await load({
      ".claude/commands/review-pull.md": file(
        ...[
          "---",
          "allowed-tools: Bash(gh pr view:*), mcp__github_comment__create",
          "description: Reviews a pull request",
        ],
        ...["argument-hint: [number] [--comment]", "model: haiku", "---", "Look at #$1: !`gh pr diff $1`"],
      ),
      ".claude/commands/git/commit.md": "Commit it: $ARGUMENTS\n",
      ".github/prompts/add-tests.prompt.md": file(
        ...["---", "mode: 'agent'", "model: GPT-4.1", "tools: ['changes', 'search/codebase', 'edit/editFiles']"],
        ...[
          "description: 'Adds tests to what was changed'",
          "---",
          `Write tests for ${variable("file")} with ${variable("input:framework")}.`,
        ],
      ),
    });
    assert.deepEqual(
      listCustomCommands(custom).map(({ name, description }) => `${name}: ${description}`),
      [
        "commit: Commit it: $ARGUMENTS",
        "review-pull: [number] [--comment] · Reviews a pull request",
        "add-tests: Adds tests to what was changed",
      ],
    );
    assert.deepEqual([custom.ignored, custom.severities], [["allowed-tools"], ["information"]]);
  });

  it("is a file of hooks with events and types that are newer, or of a plugin", async () => {
    const one = (command: string) => [{ matcher: "*", hooks: [{ type: "command", command, timeout: 10 }] }];
    const { hooks, ignored, severities, named } = await load({
      ".claude/settings.json": JSON.stringify({
        hooks: {
          ...{ SessionStart: one("echo hi"), PermissionRequest: one("ask.sh"), PostToolUseFailure: [] },
          PreToolUse: [
            {
              matcher: "Edit|Write|MultiEdit",
              hooks: [
                { type: "command", command: "python3 check.py", timeout: 10 },
                { type: "prompt", prompt: "Is it right? $ARGUMENTS" },
              ],
            },
          ],
        },
      }),
      ".agents/hooks.json": JSON.stringify({ PostToolUse: one("after.sh"), UserPromptSubmit: one("said.sh") }),
    });
    assert.deepEqual(
      hooks.map(({ event, matcher, command }) => `${event} ${matcher} ${command}`),
      ["PostToolUse * after.sh", "UserPromptSubmit * said.sh", "PreToolUse Edit|Write|MultiEdit python3 check.py"],
    );
    assert.deepEqual(ignored, ["SessionStart", "PermissionRequest", "PostToolUseFailure"]);
    assert.ok(named.some((each) => /a hook of the type prompt is ignored/.test(each)));
    assert.deepEqual(severities, ["information"]);
  });
});
