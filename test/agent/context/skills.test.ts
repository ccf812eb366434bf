import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findAgentsMd } from "../../../src/agent/context/agentsMd.ts";
import { loadSkills } from "../../../src/agent/context/skills.ts";
import { memoryFiles } from "../../support/memoryFiles.ts";

async function loadOne(text: string) {
  const [skill] = await loadSkills(["/s"], { files: memoryFiles({ "/s/deploy/SKILL.md": text }), strict: true });
  assert.ok(skill);
  return skill;
}

describe("loadSkills", () => {
  it("B57: names a skill after its folder, gives its whole text and no description without front matter", async () => {
    assert.deepEqual(await loadOne("Run it.\n"), { name: "deploy", content: "Run it.\n", dir: "/s/deploy" });
  });

  it("B57: takes name and description from the front matter, and the body without it", async () => {
    const skill = await loadOne('---\nname: ship\ndescription: "How to: ship"\n---\nRun it.\n');
    assert.deepEqual(skill, { name: "ship", description: "How to: ship", content: "Run it.\n", dir: "/s/deploy" });
  });

  it("B57: reads front matter with Windows line ends and block texts", async () => {
    const skill = await loadOne("---\r\ndescription: >-\r\n  How to\r\n  ship\r\n---\r\nRun it.");
    assert.deepEqual([skill.name, skill.description, skill.content], ["deploy", "How to ship", "Run it."]);
  });

  it("B57: takes front matter that never closes for body", async () => {
    const text = "---\nname: ship\nRun it.";
    const { name, content } = await loadOne(text);
    assert.deepEqual([name, content], ["deploy", text]);
  });

  it("B57: refuses invalid YAML with the path of the file", async () => {
    await assert.rejects(loadOne("---\nname: [a\nb\n---\n"), /deploy\/SKILL\.md/);
  });

  it("E59: skips a bad file with a warning and loads the others", async () => {
    const warnings: string[] = [];
    const files = memoryFiles({ "/s/bad/SKILL.md": "---\nname: {}\n---\n", "/s/good/SKILL.md": "Fine." });
    const skills = await loadSkills(["/s"], { files, onWarning: (message) => warnings.push(message) });
    assert.deepEqual(
      skills.map((skill) => skill.name),
      ["good"],
    );
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? "", /bad\/SKILL\.md/);
  });

  it("E59: passes over a missing folder silently", async () => {
    const onWarning = (message: string) => assert.fail(message);
    assert.deepEqual(await loadSkills(["/nowhere"], { files: memoryFiles({}), onWarning, strict: true }), []);
  });

  it("B59: passes over subfolders without SKILL.md and plain files silently", async () => {
    const dir = await mkdtemp(join(tmpdir(), "skills-"));
    await mkdir(join(dir, "b"));
    await mkdir(join(dir, "empty"));
    await writeFile(join(dir, "b", "SKILL.md"), "B");
    await writeFile(join(dir, "README.md"), "not a skill");
    const onWarning = (message: string) => assert.fail(message);
    const skills = await loadSkills([dir], { strict: true, onWarning });
    await rm(dir, { recursive: true });
    assert.deepEqual(skills, [{ name: "b", content: "B", dir: join(dir, "b") }]);
  });

  it("takes the first of two skills with one name, and says so", async () => {
    const warnings: string[] = [];
    const files = memoryFiles({ "/user/a/SKILL.md": "user's", "/project/a/SKILL.md": "project's" });
    const skills = await loadSkills(["/project", "/user"], { files, onWarning: (message) => warnings.push(message) });
    assert.deepEqual(
      skills.map((skill) => skill.content),
      ["project's"],
    );
    assert.equal(warnings.length, 1);
  });
});

describe("findAgentsMd", () => {
  it("E57: finds the nearest AGENTS.md upward", async () => {
    const files = memoryFiles({ "/w/AGENTS.md": "far", "/w/a/AGENTS.md": "near", "/w/a/b/c.ts": "" });
    assert.equal(await findAgentsMd("/w/a/b", files), "near");
  });

  it("E57: looks in the folder that holds .git, and not above it", async () => {
    const files = memoryFiles({ "/w/AGENTS.md": "above", "/w/a/.git/HEAD": "", "/w/a/b/c.ts": "" });
    assert.equal(await findAgentsMd("/w/a/b", files), undefined);
    const inside = memoryFiles({ "/w/a/AGENTS.md": "inside", "/w/a/.git/HEAD": "", "/w/a/b/c.ts": "" });
    assert.equal(await findAgentsMd("/w/a/b", inside), "inside");
  });

  it("E57: ends at the root", async () => {
    assert.equal(await findAgentsMd("/w/a", memoryFiles({ "/w/a/b.ts": "" })), undefined);
    assert.equal(await findAgentsMd("/w/a", memoryFiles({ "/AGENTS.md": "top", "/w/a/b.ts": "" })), "top");
  });

  it("E57: reads this machine's files by default", async () => {
    const dir = await mkdtemp(join(tmpdir(), "agents-"));
    await writeFile(join(dir, "AGENTS.md"), "here");
    await mkdir(join(dir, "below"));
    const found = await findAgentsMd(join(dir, "below"));
    await rm(dir, { recursive: true });
    assert.equal(found, "here");
  });
});
