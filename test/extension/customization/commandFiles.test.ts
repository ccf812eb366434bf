import assert from "node:assert/strict";
import { UserError } from "../../../src/extension/common/userError.ts";
import { attachmentsOfCommand, listCustomCommands } from "../../../src/extension/customization/customCommands.ts";
import { loadCustom } from "../../../src/extension/customization/loadCustom.ts";
import { type MemoryWorkspaceOptions, memoryWorkspace } from "../../support/memoryWorkspace.ts";

const context = { builtInAgents: ["explore"], builtInCommands: ["review", "plan"], modelProblem: () => undefined };

const load = (files: MemoryWorkspaceOptions["files"] = {}) =>
  loadCustom({ workspace: memoryWorkspace({ files }) }, context);
const shown = (problems: Awaited<ReturnType<typeof load>>["problems"]) =>
  problems.map(({ path, range, severity, message }) => `${path}:${range.start.line + 1} ${severity} ${message}`);

/** A skill as its specification has it. */
const pdfSkill = [
  "---",
  "name: pdf-processing",
  "description: Extracts text and tables from PDF files. Use when the user mentions PDFs.",
  "license: Apache-2.0",
  "metadata:",
  "  author: example-org",
  '  version: "1.0"',
  "---",
  "",
  "# PDF processing",
  "See [the reference](references/REFERENCE.md), then run `scripts/extract.py`.",
].join("\n");

describe("skills", () => {
  it("come from folders with a SKILL.md, which say where their other files are", async () => {
    const { skills, problems } = await load({
      ".agents/skills/pdf-processing/SKILL.md": pdfSkill,
      ".agents/skills/pdf-processing/references/REFERENCE.md": "…",
      ".claude/skills/Style/SKILL.md": "# Style rules\nUse tabs.",
      ".github/skills/empty/notes.md": "x",
    });
    assert.deepEqual(problems, []);
    assert.deepEqual(
      skills.map(({ skill, isOffered, isCommand }) => [skill.name, skill.description, skill.dir, isOffered, isCommand]),
      [
        [
          "pdf-processing",
          "Extracts text and tables from PDF files. Use when the user mentions PDFs.",
          ".agents/skills/pdf-processing",
          ...[true, true],
        ],
        ["Style", "Style rules", ".claude/skills/Style", true, true],
      ],
    );
  });

  it("that can't be used are named, and take nothing from the others", async () => {
    const workspace = memoryWorkspace({
      files: {
        ".agents/skills/a/SKILL.md": "---\nname: ../up\ndescription: A.\n---\nx",
        ".agents/skills/b/SKILL.md": "---\nname: style\ndescription: B.\n---\nx",
        ".agents/skills/big/SKILL.md": "x".repeat(1_000_000),
        ".agents/skills/linked/SKILL.md": "---\ndescription: L.\n---\nx",
        ".claude/skills/style/SKILL.md": "---\ndescription: C.\nallowed-tools: Read\n---\nx",
        ".claude/skills/review/SKILL.md": "---\ndescription: R.\n---\nx",
      },
    });
    const { stat } = workspace;
    workspace.stat = async (path) => {
      if (path.includes("linked")) throw new UserError("It is outside the workspace.");
      return stat(path);
    };
    const { skills, problems } = await loadCustom({ workspace }, context);
    assert.deepEqual(
      skills.map(({ skill, isCommand }) => `${skill.name} ${isCommand}`),
      ["style true", "review false"],
    );
    assert.deepEqual(shown(problems), [
      ".agents/skills/a/SKILL.md:2 error A name has letters a to z, digits, dots, hyphens and underscores, 64 at most.",
      ".agents/skills/big/SKILL.md:1 error .agents/skills/big/SKILL.md is not used as a skill: it has more than 64 kB",
      ".agents/skills/linked/SKILL.md:1 error .agents/skills/linked/SKILL.md is not used as a skill: It is outside the workspace.",
      ".claude/skills/review/SKILL.md:1 information /review is a command of Arbor. Give this one another name to use it as a command.",
      ".claude/skills/style/SKILL.md:3 information Arbor does not use allowed-tools.",
      ".claude/skills/style/SKILL.md:1 warning The skill style is described in .agents/skills/b/SKILL.md already. That one counts.",
    ]);
  });

  it("that an agent names must be there", async () => {
    const { agents, problems } = await load({
      ".agents/skills/style/SKILL.md": "---\ndescription: S.\n---\nx",
      ".agents/agents/a.md": "---\ndescription: A.\nskills: [style, stile]\n---\n",
    });
    assert.deepEqual(agents[0]?.skills, ["style", "stile"]);
    assert.deepEqual(shown(problems), [".agents/agents/a.md:3 warning There is no skill stile."]);
    assert.equal(problems[0]?.fix?.text, "style");
  });

  it("that only the user may call are no more than a command", async () => {
    const custom = await load({
      ".claude/skills/deploy/SKILL.md":
        "---\ndescription: Deploys.\nargument-hint: [environment]\ndisable-model-invocation: true\n---\nDeploy to $0.",
      ".claude/skills/legacy/SKILL.md": "---\ndescription: Knows.\nuser-invocable: false\n---\nx",
    });
    assert.deepEqual(
      custom.skills.map(({ skill, isOffered }) => `${skill.name} ${isOffered}`),
      ["deploy false", "legacy true"],
    );
    assert.deepEqual(listCustomCommands(custom), [
      { name: "deploy", description: "[environment] · Deploys.", takesText: true, group: "skill" },
    ]);
    assert.deepEqual(attachmentsOfCommand("deploy", "staging now", custom, {}), [
      {
        kind: "text",
        name: ".claude/skills/deploy/SKILL.md",
        text: "The user calls the skill deploy with: staging now\nDo what it says:\n\nDeploy to staging.\n\nFiles that this skill mentions are in .claude/skills/deploy",
      },
    ]);
    assert.equal(attachmentsOfCommand("legacy", "", custom, {}), undefined);
  });
});

describe("prompt files", () => {
  it("are commands, by the names of their files", async () => {
    const custom = await load({
      ".agents/prompts/release.md": "Write the release notes.",
      ".claude/commands/frontend/component.md": "---\ndescription: Makes a component.\n---\nMake $1.",
      ".github/prompts/new-form.prompt.md":
        "---\nagent: agent\ndescription: 'Makes a form'\ntools: ['edit']\n---\nMake it.",
      ".github/prompts/notes.md": "no prompt",
    });
    assert.deepEqual(custom.problems, []);
    assert.deepEqual(
      listCustomCommands(custom).map(({ name, description }) => `${name}: ${description}`),
      ["release: Write the release notes.", "component: Makes a component.", "new-form: Makes a form"],
    );
    assert.deepEqual(
      custom.prompts.map(({ agent }) => agent),
      [undefined, undefined, undefined],
      "the modes of other programs are no agents",
    );
  });

  it("are typed in small letters, with hyphens for dots", async () => {
    const custom = await load({
      ".claude/commands/Fix.Issue.md": "Fix it.",
      ".claude/commands/Plan.md": "Mine.",
      ".agents/skills/PDF/SKILL.md": "Read it.",
    });
    assert.deepEqual(
      listCustomCommands(custom).map(({ name }) => name),
      ["fix-issue", "pdf"],
    );
    for (const name of ["fix-issue", "pdf"]) assert.ok(attachmentsOfCommand(name, "", custom, {}), name);
    assert.match(shown(custom.problems).join(), /Plan\.md:1 warning \/Plan is a command of Arbor/);
  });

  it("take no other command's name, and are left out where they are too long", async () => {
    const { prompts, problems } = await load({
      ".agents/prompts/review.md": "Mine.",
      ".agents/prompts/fix-issue.md": "One.",
      ".agents/prompts/style.md": "Two.",
      ".agents/skills/style/SKILL.md": "---\ndescription: S.\n---\nx",
      ".claude/commands/Fix-Issue.md": "Three.",
      ".claude/commands/long.md": "x".repeat(1_000_000),
    });
    assert.deepEqual(
      prompts.map(({ path }) => path),
      [".agents/prompts/fix-issue.md"],
    );
    assert.deepEqual(shown(problems), [
      ".agents/prompts/review.md:1 warning /review is a command of Arbor. Give this one another name to use it as a command.",
      ".agents/prompts/style.md:1 warning The command style is described in .agents/skills/style/SKILL.md already. That one counts.",
      ".claude/commands/Fix-Issue.md:1 warning The command Fix-Issue is described in .agents/prompts/fix-issue.md already. That one counts.",
      ".claude/commands/long.md:1 error .claude/commands/long.md is not used as a command: it has more than 64 kB",
    ]);
  });

  /** As VS Code writes one. */
  const variable = (name: string) => `$\{${name}}`;

  const expanded = (text: string, typed: string, editor: Parameters<typeof attachmentsOfCommand>[3] = {}) => {
    const prompts = [{ name: "p", description: "", path: "p.md", text }];
    const attachments = attachmentsOfCommand("p", typed, { agents: [], skills: [], prompts }, editor) ?? [];
    const [first] = attachments;
    const body = first?.kind === "text" ? first.text.slice(first.text.indexOf("\n\n") + 2) : "";
    return { body, attachments };
  };

  it("take what was typed, in the spellings of other programs", () => {
    const cases: [string, string, string][] = [
      ["Fix issue #$ARGUMENTS.", "12 now", "Fix issue #12 now."],
      ["$1 then $2 and $3", '"one two" three', "one two then three and "],
      ["$0 then $ARGUMENTS[1]", "a b", "a then b"],
      ["Costs $100, $12", "x", "Costs $100, $12\n\nArguments: x"],
      [`Name: ${variable("input:formName:the form")}`, "MyForm", "Name: MyForm"],
      [`${variable("input:a")} ${variable("input:b")}`, "b=2 1", "1 2"],
      [`${variable("input:a:first")} ${variable("input:b")}`, "1", "1 (b: not given)"],
      ["Nothing to fill", "typed", "Nothing to fill\n\nArguments: typed"],
      ["Nothing to fill", "", "Nothing to fill"],
      ["$ARGUMENTS", `$1 ${variable("file")}`, `$1 ${variable("file")}`],
    ];
    for (const [text, typed, wanted] of cases) assert.equal(expanded(text, typed).body, wanted.trimEnd(), text);
  });

  it("bring what the editor shows, where they name it", () => {
    const selection = { kind: "selection" as const, path: "a.ts", startLine: 1, endLine: 2 };
    const { body, attachments } = expanded(`Explain ${variable("selection")} of ${variable("file")}`, "", {
      selection,
      activeFile: "a.ts",
    });
    assert.equal(body, "Explain (the attached selection) of a.ts");
    assert.deepEqual(attachments[1], selection);
    assert.equal(
      expanded(`${variable("selection")} ${variable("file")}`, "").body,
      "(nothing is selected) (no file is open)",
    );
  });

  it("go to the agent that they name", async () => {
    const custom = await load({ ".github/prompts/look.prompt.md": "---\nagent: Code Reviewer\n---\nLook." });
    assert.deepEqual(attachmentsOfCommand("look", "", custom, {})?.[1], { kind: "agent", name: "Code-Reviewer" });
  });

  it("say so where there is no agent of the name that they give, and work all the same", async () => {
    const files = {
      ".agents/agents/reviewer.md": "---\ndescription: R.\n---\nLook.",
      ".agents/prompts/a.md": "---\nagent: reviwer\n---\nA.",
      ".agents/prompts/b.md": "---\nagent: claude\n---\nB.",
      ".agents/prompts/c.md": "---\nagent: Reviewer\n---\nC.",
    };
    const workspace = memoryWorkspace({ files });
    const { prompts, problems } = await loadCustom({ workspace }, { ...context, foreignAgents: () => ["claude"] });
    assert.deepEqual(
      prompts.map(({ name, agent }) => `${name} ${agent}`),
      ["a reviwer", "b claude", "c Reviewer"],
    );
    assert.deepEqual(shown(problems), [".agents/prompts/a.md:2 warning There is no agent reviwer."]);
    assert.equal(problems[0]?.fix?.text, "reviewer");
  });
});
