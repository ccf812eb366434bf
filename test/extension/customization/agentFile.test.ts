import assert from "node:assert/strict";
import { parseAgentFile } from "../../../src/extension/customization/agentFile.ts";
import { positionsOf } from "../../../src/extension/customization/frontMatter.ts";
import { knownToolNames } from "../../../src/extension/customization/toolNames.ts";

const context = {
  toolNames: knownToolNames(),
  modelProblem: (name: string) => (name.startsWith("none/") ? "There is no provider none." : undefined),
};

async function parse(lines: string | readonly string[], path = ".agents/agents/tester.md") {
  const text = typeof lines === "string" ? lines : lines.join("\n");
  const { agent, mistakes } = parseAgentFile(path, text, context);
  const at = mistakes.map(({ span, severity, message, fix }) => ({
    line: positionsOf(text, span).start.line + 1,
    severity,
    message,
    written: text.slice(span.start, span.end),
    ...(fix && { fixed: fix.text }),
  }));
  return { agent, mistakes: at };
}

const withFields = (...fields: string[]) => parse(["---", "description: Tests.", ...fields, "---", "Do it."]);

describe("an agent file", () => {
  it("describes an agent by its fields, and its text instructs it", async () => {
    const { agent, mistakes } = await parse([
      "---",
      "name: reviewer",
      "description: Reviews changes.",
      "tools: [read_file, search_text, delegate_to_agent]",
      "agents: [explore]",
      "skills: style",
      "model: [openai/gpt-5, inherit]",
      "thinking: high",
      "budget: 0.5",
      "limits: { turns: 20, tokens: 50000 }",
      "---",
      "",
      "Look at the diff.",
    ]);
    assert.deepEqual(mistakes, []);
    assert.deepEqual(agent, {
      name: "reviewer",
      description: "Reviews changes.",
      instructions: "Look at the diff.",
      path: ".agents/agents/tester.md",
      tools: ["read_file", "search_text", "delegate_to_agent"],
      deniedTools: [],
      agents: ["explore"],
      skills: ["style"],
      models: ["openai/gpt-5", "inherit"],
      thinking: "high",
      limits: { maxTurns: 20, maxCost: 0.5, maxTokens: 50_000 },
      isOffered: true,
      isMentioned: true,
    });
  });

  it("says how it looks, what is done with its context, and what must hold before it ends", async () => {
    const { agent, mistakes } = await parse([
      ...["---", "description: D.", "color: Green", "icon: 🔍", "isolation: worktree"],
      "effects: { trimToolResults: { maxLength: 300 } }",
      ...["validate:", "  - tests-run", "  - command: npm test", "---", "Do it."],
    ]);
    assert.deepEqual(mistakes, []);
    const { color, icon, isolation, effects, validate } = agent ?? {};
    assert.deepEqual(
      [color, icon, isolation, effects],
      ["green", "🔍", "worktree", { trimToolResults: { maxLength: 300 } }],
    );
    assert.deepEqual(validate, ["tests-run", { command: "npm test" }]);
  });

  it("names what Arbor does not have, and is used without it", async () => {
    const { agent, mistakes } = await parse([
      ...["---", "description: D.", "color: '#f00'", "icon: beaker", "isolation: remote", "---", "Do it."],
    ]);
    assert.deepEqual([agent?.color, agent?.icon], [undefined, undefined]);
    assert.deepEqual(
      mistakes.map(({ line, severity, written }) => `${line} ${severity} ${written}`),
      ["3 information '#f00'", "4 information beaker", "5 warning remote"],
    );
  });

  for (const [field, line] of [
    ["effects", "effects: { shrink: true }"],
    ["validate", "validate: [test-run]"],
  ] as const) {
    it(`is not used with a mistaken ${field}`, async () => {
      const { agent, mistakes } = await parse(["---", "description: D.", line, "---", "Do it."]);
      assert.equal(agent, undefined);
      assert.deepEqual(
        mistakes.map(({ line: at, severity }) => `${at} ${severity}`),
        ["3 error"],
      );
    });
  }

  it("may be one of Claude Code, whose description is no YAML", async () => {
    const { agent, mistakes } = await parse(
      [
        "---",
        "name: code-reviewer",
        'description: Use this agent when code was written. Examples: <example>user: "Add a sort"</example>',
        "tools: Read, Grep, Glob, Bash(git diff:*), WebSearch",
        "model: sonnet",
        "permissionMode: plan",
        "color: purple",
        "---",
        "You review code.",
      ],
      ".claude/agents/code-reviewer.md",
    );
    assert.equal(
      agent?.description,
      'Use this agent when code was written. Examples: <example>user: "Add a sort"</example>',
    );
    assert.deepEqual(agent?.tools, [
      ...["read_file", "search_text", "find_files", "list_files"],
      ...["run_command", "read_output", "stop_command"],
    ]);
    assert.equal(agent?.color, "purple");
    assert.deepEqual(agent?.agents, [], "without a tool for it, it can't delegate");
    assert.deepEqual([...new Set(mistakes.map(({ severity }) => severity))], ["information"]);
    const about = mistakes.map(({ line, written }) => `${line} ${written}`).filter((each) => each.length < 40);
    assert.deepEqual(about, ["6 permissionMode", "5 sonnet"]);
    assert.match(mistakes[0]?.fixed ?? "", /^"Use this agent when .*\\"Add a sort\\"/);
  });

  it("may be one of GitHub Copilot, with a name of several words", async () => {
    const { agent, mistakes } = await parse(
      [
        "---",
        "name: 'Code Reviewer'",
        "description: 'Reviews code.'",
        "tools: ['read', 'search/codebase', 'github/*', 'agent']",
        "agents: ['*']",
        "model: ['Claude Sonnet 4.5 (copilot)', 'GPT-5 (copilot)']",
        "user-invocable: false",
        "disable-model-invocation: true",
        "handoffs:",
        "  - label: Start",
        "    agent: implementation",
        "---",
        "# Review",
      ],
      ".github/agents/code-reviewer.agent.md",
    );
    assert.equal(agent?.name, "Code-Reviewer");
    assert.ok(agent.tools?.includes("read_file") && agent.tools?.includes("search_text"));
    assert.ok(agent.tools?.includes("github/*"), "the tools of a server come with it");
    assert.deepEqual([agent.agents, agent.isOffered, agent.isMentioned, agent.models], ["*", false, false, []]);
    assert.deepEqual(
      mistakes.map(({ line, severity, written }) => `${line} ${severity} ${written}`),
      ["9 information handoffs", "6 information 'Claude Sonnet 4.5 (copilot)'", "6 information 'GPT-5 (copilot)'"],
    );
  });

  it("is called like its file where it has no name", async () => {
    const text = "---\ndescription: Tests.\n---\n";
    assert.equal((await parse(text, ".github/agents/test-writer.agent.md")).agent?.name, "test-writer");
    assert.equal((await parse(text, "~/.agents/agents/Doc Writer.md")).agent?.name, "Doc-Writer");
  });

  it("has all tools and may delegate to everybody where it says nothing of either", async () => {
    const { agent } = await withFields();
    assert.deepEqual([agent?.tools, agent?.deniedTools, agent?.agents], [undefined, [], "*"]);
    const denied = (await withFields("disallowedTools: Write, Edit")).agent;
    assert.deepEqual([denied?.tools, denied?.deniedTools], [undefined, ["write_file", "edit_file"]]);
    assert.deepEqual((await withFields("tools: Read, Task(explore, edit)")).agent?.agents, ["explore", "edit"]);
    assert.deepEqual((await withFields("tools: []")).agent?.tools, []);
  });

  it("reads lines that end in any way, and a mark at its start", async () => {
    for (const end of ["\n", "\r\n", "\r"]) {
      const { agent } = await parse(
        ["---", "description: Tests.", "tools:", "  - Read", "---", "One", "two"].join(end),
      );
      assert.deepEqual([agent?.tools, agent?.instructions], [["read_file"], `One${end}two`]);
    }
  });
});

describe("a mistake in an agent file", () => {
  it("is named at its line, with what was probably meant", async () => {
    const { agent, mistakes } = await withFields(
      "tools: [read_fil, search_text, juggle]",
      "modle: a/b",
      "thinking: hihg",
    );
    assert.equal(agent, undefined);
    assert.deepEqual(mistakes, [
      { line: 4, severity: "warning", message: "Arbor does not use modle.", written: "modle", fixed: "model" },
      {
        ...{ line: 5, severity: "error", written: "hihg", fixed: "high" },
        message: "thinking must be one of off, minimal, low, medium, high, xhigh, max.",
      },
      { line: 3, severity: "warning", message: "There is no tool read_fil.", written: "read_fil", fixed: "read_file" },
      { line: 3, severity: "warning", message: "There is no tool juggle.", written: "juggle" },
    ]);
  });

  it("in its tools never gives it more of them", async () => {
    const { agent } = await withFields("tools: [juggle]");
    assert.deepEqual(agent?.tools, []);
    for (const broken of ["tools: [Read, Edit", "tools: 5", "tools: { a: b }", "disallowedTools: [Write"]) {
      const { agent: none, mistakes } = await withFields(broken);
      assert.equal(none, undefined, broken);
      assert.ok(mistakes.some(({ line, severity }) => line === 3 && severity === "error"));
    }
  });

  it("in a limit is an error, so that no run goes on without it", async () => {
    for (const broken of ["budget: much", "budget: -1", "limits: 5", "limits: { turn: 5 }", "maxTurns: 0"]) {
      const { agent, mistakes } = await withFields(broken);
      assert.equal(agent, undefined, broken);
      assert.deepEqual([mistakes[0]?.line, mistakes[0]?.severity], [3, "error"], broken);
    }
  });

  it("is a missing description, a missing end, or no front matter at all", async () => {
    const cases: [string, number, string][] = [
      ["---\nname: a\n---\nDo it.", 1, "A description is missing: it says when to use the agent."],
      ["---\nname: a\ndescription:\n---\n", 3, "A description is missing: it says when to use the agent."],
      ["---\ndescription: A.\nDo it.", 1, "The front matter has no end: a line of three hyphens is missing."],
      ["Do it.", 1, "This file describes no agent: it has no front matter with a description."],
    ];
    for (const [text, line, message] of cases) {
      const { agent, mistakes } = await parse(text);
      assert.equal(agent, undefined);
      assert.deepEqual([mistakes[0]?.line, mistakes[0]?.message], [line, message]);
    }
  });

  it("96 may be a name that can be neither typed nor trusted", async () => {
    const rightToLeft = "\u202Ereviewer";
    const rule = "A name has letters a to z, digits, dots, hyphens and underscores, 64 at most.";
    for (const name of ["a/b", "../../up", rightToLeft, "x".repeat(300), "ревьюер", "-"]) {
      const { agent, mistakes } = await withFields(`name: ${JSON.stringify(name)}`);
      assert.equal(agent, undefined, name);
      assert.deepEqual([mistakes[0]?.line, mistakes[0]?.message], [3, rule]);
    }
    const { mistakes } = await withFields("name: a/b");
    assert.equal(mistakes[0]?.fixed, "a-b");
    const reserved = await withFields("name: Main");
    assert.equal(reserved.mistakes[0]?.message, "Main means something else. Choose another name.");
  });

  it("takes nothing from the fields beside it", async () => {
    const { agent, mistakes } = await withFields("nonsense", "x: [", "name: a", "name: b");
    assert.equal(agent?.name, "a");
    assert.deepEqual(
      mistakes.map(({ line, severity, message }) => `${line} ${severity} ${message}`),
      [
        "3 warning This line is not used: it is neither a field nor a part of one.",
        "6 warning name is there twice. The first one counts.",
        "4 information Arbor does not use x.",
      ],
    );
  });

  it("is a model that there is not: the next one counts", async () => {
    const { agent, mistakes } = await withFields("model: [none/x, openai/gpt-5]");
    assert.deepEqual(agent?.models, ["openai/gpt-5"]);
    assert.deepEqual(mistakes, [
      { line: 3, severity: "warning", message: "There is no provider none.", written: "none/x" },
    ]);
  });

  it("87 may be a model that only the user could choose, in a file of the workspace", async () => {
    const modelProblem = (_name: string, by: string) => (by === "workspace" ? "Not yours to choose." : undefined);
    const parse = (path: string) =>
      parseAgentFile(path, "---\ndescription: Looks.\nmodel: ollama/x\n---\nLook.\n", { ...context, modelProblem });
    assert.deepEqual(parse(".agents/agents/a.md").agent?.models, []);
    assert.deepEqual(parse("~/.agents/agents/a.md").agent?.models, ["ollama/x"]);
  });

  it("can't be an endless value: aliases that multiply are refused", async () => {
    const bomb = ["x: &a [y, y, y, y, y, y, y, y]", "tools: [*a, *a]"];
    const { agent, mistakes } = await withFields(...bomb);
    assert.equal(agent, undefined);
    assert.ok(mistakes.some(({ line, severity }) => line === 4 && severity === "error"));
  });
});
