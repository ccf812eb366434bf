import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { UserError } from "../../../src/extension/common/userError.ts";
import { homeFiles } from "../../../src/extension/customization/customFiles.ts";
import { nothingCustom } from "../../../src/extension/customization/customization.ts";
import { loadCustom } from "../../../src/extension/customization/loadCustom.ts";
import { type MemoryWorkspaceOptions, memoryWorkspace } from "../../support/memoryWorkspace.ts";

const context = {
  builtInAgents: ["explore", "edit"],
  builtInCommands: ["review", "plan"],
  modelProblem: () => undefined,
};

/** An agent file with these fields after its description. */
const agentFile = (description: string, ...fields: string[]) =>
  ["---", `description: ${description}`, ...fields, "---", "Do it."].join("\n");

async function load(files: MemoryWorkspaceOptions["files"] = {}, options: MemoryWorkspaceOptions = {}) {
  return loadCustom({ workspace: memoryWorkspace({ files, ...options }) }, context);
}

const shown = (problems: Awaited<ReturnType<typeof load>>["problems"]) =>
  problems.map(({ path, range, severity, message }) => `${path}:${range.start.line + 1} ${severity} ${message}`);

describe("the agents of a workspace", () => {
  it("come from the folders of three programs, whatever .gitignore says of them", async () => {
    const { agents, problems } = await load({
      ".gitignore": ".claude/\n",
      ".agents/agents/one.md": agentFile("One."),
      ".claude/agents/two.md": agentFile("Two."),
      ".github/agents/three.agent.md": agentFile("Three."),
      ".github/agents/README.md": "# Our agents",
      ".github/agents/notes.txt": "x",
      "src/.claude/agents/four.md": agentFile("Four."),
    });
    assert.deepEqual(
      agents.map(({ name, path }) => `${name} ${path}`),
      ["one .agents/agents/one.md", "two .claude/agents/two.md", "three .github/agents/three.agent.md"],
    );
    assert.deepEqual(problems, []);
  });

  it("come from each of several folders", async () => {
    const files = { "a/.agents/agents/x.md": agentFile("X."), "b/.agents/agents/y.md": agentFile("Y.") };
    const { agents } = await load(files, { roots: ["a", "b"] });
    assert.deepEqual(
      agents.map(({ path }) => path),
      Object.keys(files),
    );
  });

  it("have different names: the first one counts, and the other file says so", async () => {
    const { agents, problems } = await load({
      ".agents/agents/tester.md": agentFile("First."),
      ".claude/agents/other.md": agentFile("Second.", "name: Tester"),
    });
    assert.deepEqual(
      agents.map(({ description }) => description),
      ["First."],
    );
    assert.deepEqual(shown(problems), [
      ".claude/agents/other.md:3 warning The agent Tester is described in .agents/agents/tester.md already. That one counts.",
    ]);
  });

  it("96 are named with what can't be seen in them, as teams, their prompts, skills and commands are", async () => {
    const team =
      "name: t\ndescription: T.\u2067\nmembers:\n  - type: orchestrator\n    system_prompt: x y\n  - type: w\n";
    const files = {
      ".agents/agents/a.md": "---\ndescription: A.\n---\nLook.\u202e",
      ".agents/agents/plain.md": "---\ndescription: P.\n---\nLook.",
      ".agents/skills/s/SKILL.md": "---\ndescription: S.\n---\nRead.\u{e0041}",
      ".agents/prompts/p.md": "Do it.\u2066",
      ".agents/teams/t.yaml": team,
      ".agents/teams/members/w.md": "Write.\u{e0042}",
    };
    const { problems } = await load(files);
    const hidden = problems.filter(({ message }) =>
      message.startsWith("Agents read characters here that can't be seen"),
    );
    assert.deepEqual(hidden.map(({ path, severity, range }) => [path, severity, range.start.line]).sort(), [
      [".agents/agents/a.md", "warning", 3],
      [".agents/prompts/p.md", "warning", 0],
      [".agents/skills/s/SKILL.md", "warning", 3],
      [".agents/teams/members/w.md", "warning", 0],
      [".agents/teams/t.yaml", "warning", 1],
    ]);
  });

  it("may take the place of built-in ones, which is said", async () => {
    const { agents, problems } = await load({ ".agents/agents/Explore.md": agentFile("Mine.") });
    assert.deepEqual(
      agents.map(({ name }) => name),
      ["explore"],
    );
    assert.deepEqual(shown(problems), [
      ".agents/agents/Explore.md:1 information This agent takes the place of the built-in agent explore.",
    ]);
  });

  it("that delegate in a circle or to no one say so, and work all the same", async () => {
    const { agents, problems } = await load({
      ".agents/agents/a.md": agentFile("A.", "agents: [b]"),
      ".agents/agents/b.md": agentFile("B.", "agents:", "  - c", "  - exlpore"),
      ".agents/agents/c.md": agentFile("C.", "agents: [a]"),
    });
    assert.deepEqual(
      agents.map(({ name }) => name),
      ["a", "b", "c"],
    );
    const circle = "is a cycle: an agent that is at work is not called again from below.";
    assert.deepEqual(shown(problems), [
      `.agents/agents/a.md:3 warning a → b → c → a ${circle}`,
      ".agents/agents/b.md:5 warning There is no agent exlpore.",
      `.agents/agents/b.md:4 warning b → c → a → b ${circle}`,
      `.agents/agents/c.md:3 warning c → a → b → c ${circle}`,
    ]);
    assert.deepEqual(problems[1]?.fix, {
      title: "Change to explore",
      text: "explore",
      range: { start: { line: 4, character: 4 }, end: { line: 4, character: 11 } },
    });
  });

  it("may delegate to agents of other programs", async () => {
    const files = { ".agents/agents/a.md": agentFile("A.", "agents: [claude]") };
    const workspace = memoryWorkspace({ files });
    const { problems } = await loadCustom({ workspace }, { ...context, foreignAgents: () => ["claude"] });
    assert.deepEqual(shown(problems), []);
    assert.deepEqual(shown((await load(files)).problems), [".agents/agents/a.md:3 warning There is no agent claude."]);
  });

  for (const name of ["a/b", "../../up", "\u202Ereviewer", "ревьюер", "x".repeat(300)]) {
    it(`96 are not called ${JSON.stringify(name.slice(0, 12))}, nor is anything else: each file says so, and the others are used`, async () => {
      const front = ["---", `name: ${JSON.stringify(name)}`, "description: D.", "---", "Do it."].join("\n");
      const rule = "error A name has letters a to z, digits, dots, hyphens and underscores, 64 at most.";
      const { agents, skills, prompts, problems } = await load({
        ".agents/agents/a.md": front,
        ".agents/agents/good.md": agentFile("Good."),
        ".agents/prompts/a.md": front,
        ".agents/prompts/good.md": "Good.",
        ".agents/skills/a/SKILL.md": front,
        ".agents/skills/good-skill/SKILL.md": agentFile("Good."),
        ".agents/teams/a.yaml": `name: ${JSON.stringify(name)}\nmembers:\n  - { type: orchestrator, system_prompt: x y }\n`,
      });
      assert.deepEqual(
        [agents.map((each) => each.name), skills.map(({ skill }) => skill.name), prompts.map((each) => each.name)],
        [["good"], ["good-skill"], ["good"]],
      );
      const isRule = shown(problems).filter((each) => each.endsWith(rule));
      assert.deepEqual(isRule.map((each) => each.split(" ")[0]).sort(), [
        ...[".agents/agents/a.md:2", ".agents/prompts/a.md:2", ".agents/skills/a/SKILL.md:2", ".agents/teams/a.yaml:1"],
      ]);
    });
  }

  it("that can't be read are named, and take nothing from the others", async () => {
    const workspace = memoryWorkspace({
      files: {
        ".agents/agents/big.md": agentFile("Big.") + "x".repeat(1_000_000),
        ".agents/agents/empty.md": "",
        ".agents/agents/good.md": agentFile("Good."),
        ".agents/agents/link.md": agentFile("Link."),
        ".agents/agents/picture.md": { mimeType: "image/png", data: "abcd" },
      },
    });
    const { stat } = workspace;
    workspace.stat = async (path) => {
      if (path.endsWith("link.md")) throw new UserError(`"${path}" is outside the workspace.`);
      return stat(path);
    };
    const { agents, problems } = await loadCustom({ workspace }, context);
    assert.deepEqual(
      agents.map(({ name }) => name),
      ["good"],
    );
    assert.deepEqual(shown(problems), [
      ".agents/agents/big.md:1 error .agents/agents/big.md is not used as an agent: it has more than 64 kB",
      '.agents/agents/link.md:1 error .agents/agents/link.md is not used as an agent: ".agents/agents/link.md" is outside the workspace.',
      ".agents/agents/picture.md:1 error .agents/agents/picture.md is not used as an agent: it is a picture",
    ]);
  });

  it("do not come from a folder that leads out of it or can't be listed, and the others do", async () => {
    for (const error of [new UserError("It is outside the workspace."), new Error("EACCES")]) {
      const files = { ".agents/agents/a.md": agentFile("A."), ".claude/agents/b.md": agentFile("B.") };
      const workspace = memoryWorkspace({ files });
      const { list } = workspace;
      workspace.list = (path, ...rest) => (path.startsWith(".agents") ? Promise.reject(error) : list(path, ...rest));
      const { agents, problems } = await loadCustom({ workspace }, context);
      assert.deepEqual([agents.map(({ name }) => name), problems], [["b"], []]);
    }
  });
});

describe("the agents of the user", () => {
  let home = "";
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), "arbor-home-"));
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  async function write(path: string, text: string | Uint8Array): Promise<void> {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), text);
  }
  const loadWith = (files: MemoryWorkspaceOptions["files"] = {}) =>
    loadCustom({ workspace: memoryWorkspace({ files }), home: homeFiles(home) }, context);

  it("come after those of the workspace", async () => {
    await write(".agents/agents/mine.md", agentFile("Mine."));
    await write(".agents/agents/tester.md", agentFile("Of the user."));
    await write(".claude/agents/other.md", agentFile("Not read."));
    const { agents, problems } = await loadWith({ ".agents/agents/tester.md": agentFile("Of the workspace.") });
    assert.deepEqual(
      agents.map(({ description, path }) => `${description} ${path}`),
      ["Of the workspace. .agents/agents/tester.md", "Mine. ~/.agents/agents/mine.md"],
    );
    assert.match(shown(problems).join(), /^~\/\.agents\/agents\/tester\.md:1 warning The agent tester is described/);
  });

  it("come with hooks of the user's own", async () => {
    await write(".agents/hooks.json", JSON.stringify({ Stop: [{ hooks: [{ type: "command", command: "./x.sh" }] }] }));
    const { hooks, problems } = await loadWith();
    assert.deepEqual(
      [hooks.map(({ path, command }) => [path, command]), problems],
      [[["~/.agents/hooks.json", "./x.sh"]], []],
    );
  });

  it("are none where there is no such folder", async () => {
    assert.deepEqual(await loadWith(), nothingCustom);
  });

  it("are not read through links out of their folder, nor from what is no text", async () => {
    await write("elsewhere/secret.md", agentFile("Secret."));
    await write(".agents/agents/binary.md", new Uint8Array([0, 1, 2, 255]));
    await symlink(join(home, "elsewhere/secret.md"), join(home, ".agents/agents/link.md"));
    const { agents, problems } = await loadWith();
    assert.deepEqual(agents, []);
    assert.deepEqual(shown(problems), [
      "~/.agents/agents/binary.md:1 error ~/.agents/agents/binary.md is not used as an agent: ~/.agents/agents/binary.md is a binary file: it has no text.",
      '~/.agents/agents/link.md:1 error ~/.agents/agents/link.md is not used as an agent: "agents/link.md" is outside the workspace.',
    ]);
  });
});
