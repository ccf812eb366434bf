import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { loadCustom } from "../../../src/extension/customization/loadCustom.ts";
import { planToolNames } from "../../../src/extension/tools/index.ts";
import { memoryWorkspace } from "../../support/memoryWorkspace.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const samples = path.join(root, "test/fixtures/other-programs");
const context = {
  builtInAgents: ["explore", "edit", "review", "plan"],
  builtInCommands: ["review", "team"],
  modelProblem: () => undefined,
};

async function filesOf(program: string): Promise<Record<string, string>> {
  const folder = path.join(samples, program);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
  const texts = await Promise.all(
    paths.map(async (file) => [path.relative(folder, file), await readFile(file, "utf8")] as const),
  );
  return Object.fromEntries(texts);
}

async function load(program: string) {
  const files = await filesOf(program);
  const workspace = memoryWorkspace({ files });
  const { agents, skills, prompts, hooks, problems } = await loadCustom({ workspace }, context);
  assert.deepEqual(Object.fromEntries(workspace.files), files, "they are unchanged");
  const ignored: Record<string, string[]> = {};
  for (const { path: file, severity, message } of problems) {
    assert.equal(severity, "information", `${file}: ${message}`);
    const said =
      /^Arbor does not use (.+)\.$/.exec(message) ??
      /^Arbor has no tool that does what (.+) does\.$/.exec(message) ??
      /^Arbor has no event (.+)\. Its/.exec(message) ??
      /^Arbor runs commands only: a hook of the type (.+) is ignored\.$/.exec(message) ??
      /^(.+) is not written as provider/.exec(message) ??
      /^(Arbor has the colors|argument-hint is taken as it is written)/.exec(message);
    assert.ok(said?.[1] !== undefined, message);
    ignored[file] = [...(ignored[file] ?? []), said[1]];
  }
  return {
    agents: agents.map(({ name, tools, deniedTools, agents: others, isOffered, limits, isolation }) =>
      [
        ...[name, `has ${tools?.join(" ") ?? "all"}`],
        ...(deniedTools.length > 0 ? [`not ${deniedTools.join(" ")}`] : []),
        ...(others.length > 0 ? [`asks ${[...others].join(" ")}`] : []),
        ...(limits.maxTurns === undefined ? [] : [`${limits.maxTurns} turns`]),
        ...(isolation === undefined ? [] : [isolation]),
        ...(isOffered ? [] : ["when mentioned"]),
      ].join(", "),
    ),
    skills: skills.map(({ skill, isOffered, isCommand }) =>
      [skill.name, ...(isOffered ? ["loaded"] : []), ...(isCommand ? ["typed"] : [])].join(", "),
    ),
    prompts: prompts.map(({ name, argumentHint }) => (argumentHint === undefined ? name : `${name} ${argumentHint}`)),
    hooks: hooks.map(({ event, matcher, timeoutMs }) =>
      [event, matcher, `${timeoutMs / 1_000} s`].join(" ").replace("  ", " "),
    ),
    ignored,
    descriptions: Object.fromEntries(skills.map(({ skill }) => [skill.name, skill.description])),
  };
}

const reading = "read_file search_text find_files list_files";
const commands = "run_command read_output stop_command";
const searching = "search_text find_files list_files find_symbols find_references go_to_definition";

/** Files in the shapes that the documentation of other programs describes, in our own words. */
describe("samples of other programs' files, unchanged", () => {
  it("of Claude Code are agents, skills, commands and hooks", async () => {
    const { agents, skills, prompts, hooks, ignored, descriptions } = await load("claude-code");
    assert.deepEqual(agents, [
      "shift-lead, has delegate_to_agent spawn_agents read_file update_plan, asks till-reviewer stock-keeper, worktree",
      `stock-keeper, has ${commands} read_file, not write_file edit_file mcp__shop__delete_item, 12 turns`,
      `till-reviewer, has ${reading} ${commands}`,
    ]);
    assert.deepEqual(skills, ["close-issue, typed", "price-rules, loaded", "summarize-pull, loaded, typed"]);
    assert.equal(descriptions["price-rules"], "How prices are rounded and shown. Prices are computed or printed.");
    assert.deepEqual(prompts, ["speed-up", "add-item [name] [price]"]);
    assert.deepEqual(hooks, [
      ...["PreToolUse Bash 60 s", "PreToolUse mcp__shop__.* 60 s", "PostToolUse Edit|Write|NotebookEdit 20 s"],
      "UserPromptSubmit 60 s",
    ]);
    assert.deepEqual(ignored, {
      ".claude/skills/close-issue/SKILL.md": ["arguments", "allowed-tools", "model", "effort", "shell"],
      ".claude/skills/summarize-pull/SKILL.md": ["context", "agent", "allowed-tools", "paths", "hooks"],
      ".claude/commands/till/add-item.md": [
        ...["argument-hint is taken as it is written", "allowed-tools", "disable-model-invocation"],
      ],
      ".claude/agents/shift-lead.md": ["initialPrompt", "WebSearch", "opus"],
      ".claude/agents/stock-keeper.md": [
        ...["permissionMode", "effort", "background", "memory", "mcpServers", "hooks", "haiku"],
      ],
      ".claude/settings.json": ["SessionStart", "once", "http", "prompt", "agent", "PreCompact"],
      ".claude/settings.local.json": ["Notification"],
    });
  });

  it("of GitHub Copilot, in the editor and in the cloud, are agents, skills and prompt files", async () => {
    const { agents, skills, prompts, hooks, ignored } = await load("copilot");
    const editing = "edit_file write_file delete_file move_file rename_symbol";
    assert.deepEqual(agents, [
      `Accessibility-Tester, has read_file get_diagnostics ${searching} ${editing} ${commands} browser/click, when mentioned`,
      `Planner, has ${searching} read_file get_diagnostics fetch_url github/* delegate_to_agent spawn_agents, asks Accessibility-Tester`,
    ]);
    assert.deepEqual(skills, ["page-tests, loaded, typed"]);
    assert.deepEqual(prompts, ["new-form formName=MyForm", "notes"]);
    assert.deepEqual(hooks, []);
    assert.deepEqual(ignored, {
      ".github/skills/page-tests/SKILL.md": ["allowed-tools"],
      ".github/agents/accessibility-tester.md": ["metadata", "mcp-servers"],
      ".github/agents/planner.agent.md": [
        ...["argument-hint", "target", "handoffs", "hooks", "Claude Opus 4.5 (copilot)", "GPT-5.2 (copilot)"],
      ],
    });
  });

  it("of VS Code are hooks, which have no groups and a command for each system", async () => {
    const { hooks, ignored } = await load("vscode-hooks");
    assert.deepEqual(hooks, ["PreToolUse 15 s", "Stop 60 s"]);
    assert.deepEqual(ignored, { ".agents/hooks.json": ["SessionStart", "cwd", "env"] });
  });

  it("of Cursor are agents, skills and commands, and one that only reads has no other tool", async () => {
    const { agents, skills, prompts, ignored } = await load("cursor");
    assert.deepEqual(agents, [
      "test-runner, has all, asks *",
      `verifier, has ${[...planToolNames, "load_skill"].join(" ")}`,
    ]);
    assert.deepEqual([skills, prompts], [["set-up-shop, typed"], ["look-over"]]);
    assert.deepEqual(ignored, {
      ".agents/skills/set-up-shop/SKILL.md": ["paths"],
      ".agents/agents/verifier.md": ["is_background", "fast"],
    });
  });

  it("of opencode are agents and commands, whose tools are switched on and off", async () => {
    const { agents, prompts, ignored } = await load("opencode");
    assert.deepEqual(agents, [
      `docs-writer, has all, not ${commands} fetch_url, asks *`,
      "looker, has read_file get_diagnostics search_text list_files",
    ]);
    assert.deepEqual(prompts, ["cover"]);
    assert.deepEqual(ignored, {
      ".agents/prompts/cover.md": ["subtask"],
      ".agents/agents/docs-writer.md": [
        ...["mode", "temperature", "top_p", "steps", "hidden", "permission", "Arbor has the colors"],
      ],
    });
  });

  it("are all read, or in places that the documentation says are not", async () => {
    const unread = ["output-styles", "chatmodes", "instructions", ".github/hooks"];
    const documented = await readFile(path.join(root, "docs/agents.md"), "utf8");
    for (const place of unread) assert.ok(documented.includes(place), place);
    for (const program of await readdir(samples)) {
      const files = Object.keys(await filesOf(program)).filter((file) => !unread.some((part) => file.includes(part)));
      const reads: string[] = [];
      const workspace = memoryWorkspace({ files: await filesOf(program) });
      const { read } = workspace;
      workspace.read = async (file, ...rest) => {
        reads.push(file);
        return read(file, ...rest);
      };
      await loadCustom({ workspace }, context);
      const beside = files.filter((file) => /\/skills\/[^/]+\/(?!SKILL\.md)/.test(file));
      assert.deepEqual(reads.sort(), files.filter((file) => !beside.includes(file)).sort(), program);
    }
  });

  it("in the documentation of Arbor itself have no mistakes", async () => {
    const blocks = async (page: string, language: string) => {
      const text = await readFile(path.join(root, `docs/${page}.md`), "utf8");
      return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap(([, of, block = ""]) =>
        of === language ? [block] : [],
      );
    };
    const [agent = ""] = await blocks("agents", "text");
    const [team = ""] = await blocks("agents", "yaml");
    const [skill = ""] = await blocks("skills", "text");
    const [hooks = ""] = await blocks("hooks", "json");
    const files = {
      ".agents/agents/reviewer.md": agent,
      ".agents/teams/audit.yaml": team,
      ".agents/teams/members/reader.md": "Read.",
      ".agents/skills/release-notes/SKILL.md": skill,
      ".agents/hooks.json": hooks,
    };
    const custom = await loadCustom({ workspace: memoryWorkspace({ files }) }, context);
    assert.deepEqual(custom.problems, []);
    const { agents, skills, hooks: read } = custom;
    assert.deepEqual([agents.length, skills.length, read.length], [2, 1, 1]);
    assert.equal(agents[0]?.thinking, "high");
  });

  it("name no field that is ignored and is not in the documentation", async () => {
    const pages = await Promise.all(
      ["agents", "skills", "hooks"].map((page) => readFile(path.join(root, `docs/${page}.md`), "utf8")),
    );
    const documented = pages.join("\n");
    for (const program of await readdir(samples)) {
      const { ignored } = await load(program);
      const fields = Object.values(ignored).flat();
      const isField = (name: string) => /^[a-z][\w-]*$/i.test(name) && !["opus", "haiku", "fast"].includes(name);
      for (const field of fields.filter(isField))
        assert.ok(documented.includes(`\`${field}\``), `${program}: ${field}`);
    }
  });
});
