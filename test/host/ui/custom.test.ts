import assert from "node:assert/strict";
import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Step } from "../../support/fakeProvider/script.ts";
import { eventually } from "../eventually.ts";
import { root } from "../places.ts";
import { ask, seeThrough } from "../run.ts";
import { readStep, turn } from "./scripted.ts";
import { type Session, startAfresh, useSession } from "./wire/session.ts";

const hook = (matcher: string, command: string) => ({ matcher, hooks: [{ type: "command", command }] });
const changed = JSON.stringify({ hookSpecificOutput: { updatedInput: { command: "echo safely" } } });

const files: Record<string, string> = {
  ".agents/agents/finder.md":
    "---\ndescription: Finds things.\ntools: [read_file, list_files]\nskills: [house-style]\ncolor: green\nicon: 🔍\n---\nYou are the finder of this shop.",
  ".claude/agents/fixer.md":
    "---\nname: fixer\ndescription: Fixes things.\ntools: Read, Bash\nmodel: inherit\n---\nYou are the fixer of this shop.",
  ".agents/teams/audit.yaml": [
    "description: Audits the shop.",
    "members:",
    "  - type: orchestrator",
    "    system_prompt: You lead the audit.",
    "  - { type: reader, description: Reads., system_prompt: You read for the audit., tools: [read_file] }",
    "  - { type: judge, description: Judges., system_prompt: You judge for the audit. }",
  ].join("\n"),
  ".agents/skills/house-style/SKILL.md": "---\nname: house-style\ndescription: How we write.\n---\nUse tabs.",
  ".github/prompts/tidy.prompt.md": "---\ndescription: Tidies a file.\n---\nTidy $ARGUMENTS and report.",
  ".agentignore": "plans.txt\n",
  "plans.txt": "secret plans",
  ".agents/hooks.json": JSON.stringify({
    hooks: {
      UserPromptSubmit: [hook("", "echo 'The shop is closed today.'")],
      PreToolUse: [
        hook("Bash", `grep -q '"command":"rm' && { echo 'nothing is removed here' >&2; exit 2; }; exit 0`),
        hook("Bash", `grep -q '"command":"echo' && echo '${changed}'; exit 0`),
      ],
      PostToolUse: [hook("read_file", "cat >> seen.jsonl")],
    },
  }),
};

/** Each is named where it is written, and takes nothing from the files above. */
const broken: Record<string, string> = {
  ".agents/agents/broken.md": "---\ndescription: B.\nthinking: hihg\n---\nB.",
  ".agents/agents/wrong-tool.md": "---\ndescription: W.\ntools: [juggle]\n---\nW.",
  ".agents/prompts/long.md": "x".repeat(1_000_000),
  ".agents/teams/missing.yaml": "members:\n  - { type: orchestrator, system_prompt: x y }\n  - { type: absent }\n",
};
const skillSample = ".github/skills/page-tests";

const delegate = (agent: string, task: string): Step => ({
  tool: "delegate_to_agent",
  arguments: { agent, task, context: "" },
});
const run = (command: string): Step => ({ tool: "run_command", arguments: { command } });
const askMember = (identifier: string, question: string): Step => ({
  tool: "ask_agent",
  arguments: { identifier, identifier_type: "name", question },
});

interface Body {
  system?: unknown;
  tools?: { name: string }[];
  messages?: unknown[];
}

describe("What files of a workspace add, in an editor", () => {
  const prepare = async (workspace: string) => {
    for (const [file, text] of Object.entries({ ...files, ...broken })) {
      await mkdir(path.dirname(path.join(workspace, file)), { recursive: true });
      await writeFile(path.join(workspace, file), text);
    }
    const sample = path.join(root, "test/fixtures/other-programs/copilot", skillSample);
    await cp(sample, path.join(workspace, skillSample), { recursive: true });
    const outside = path.join(workspace, "../outside");
    await mkdir(outside);
    await writeFile(path.join(outside, "SKILL.md"), "---\nname: outside\ndescription: Outside.\n---\nOutside.");
    await symlink(outside, path.join(workspace, ".agents/skills/outside"));
  };
  // As users get it, so that nothing is missing in the package.
  const session = useSession("anthropic", prepare, {}, undefined, { isInstalled: true });
  beforeEach(() => startAfresh(session()));

  /** The requests whose system prompt has this text. */
  const requestsOf = async ({ fake }: Session, instructions: string) =>
    (await fake.requests())
      .map(({ body }) => body as Body)
      .filter(({ system }) => JSON.stringify(system ?? "").includes(instructions));
  const toolsOf = (body: Body | undefined) => (body?.tools ?? []).map(({ name }) => name).sort();

  it("hooks block, change, observe and add, each allowed once with its text", async () => {
    const { fake, panel, workspace } = session();
    await fake.script(
      turn("Clean up", 0, [run("rm -rf src")]),
      turn("Clean up", 1, [run("echo wildly")]),
      turn("Clean up", 2, [readStep("package.json"), readStep("plans.txt")]),
      turn("Clean up", 3, [{ text: "Cleaned." }]),
      turn("Again", 0, [{ text: "Nothing to do." }]),
    );
    await ask(panel, "Clean up");
    const card = panel.approval("UserPromptSubmit echo 'The shop is closed today.'");
    await card.getByText("A hook at UserPromptSubmit, from .agents/hooks.json").waitFor();
    await card.getByRole("button", { name: "Allow", exact: true }).click();
    assert.deepEqual(await seeThrough(panel, "all"), { ok: true });
    const sent = JSON.stringify((await fake.requests()).at(-1)?.body);
    assert.match(sent, /The shop is closed today/);
    assert.match(sent, /A hook of the user's blocked run_command: nothing is removed here/);
    assert.match(sent, /changed the arguments of this call to .{0,10}command.{0,10}echo safely/);
    assert.ok(!sent.includes("secret plans"), ".agentignore does not hold");
    const seen = await readFile(path.join(workspace, "seen.jsonl"), "utf8");
    assert.match(seen, /"tool_name":"read_file".*package\.json/);
    await panel.button("Details of main").click();
    // Hooks of one call end in any order, and of many only the first are shown.
    const blocked = panel.frame.getByText("PreToolUse: blocked");
    const more = panel.frame.getByRole("button", { name: "Show more", exact: true });
    await blocked.or(more).first().waitFor();
    if (!(await blocked.isVisible())) await more.first().click();
    await blocked.waitFor();
    await ask(panel, "Again");
    await panel.conversation.getByText("Nothing to do.").waitFor();
  });

  it("an agent that was chosen to answer has its tools, its skill and its instructions, and no others", async () => {
    const { fake, panel } = session();
    await fake.script(
      turn("Look around", 0, [delegate("finder", "see the cart")]),
      turn("Look around", 1, [delegate("fixer", "mend the cart")]),
      turn("Look around", 2, [{ text: "All is well." }]),
      turn("see the cart", 0, [{ text: "Seen." }]),
      turn("mend the cart", 0, [{ text: "Mended." }]),
    );
    const picker = panel.frame.getByRole("combobox", { name: "Who answers", exact: true });
    await picker.click();
    await picker.getByRole("option", { name: "finder", exact: true }).click();
    await ask(panel, "Look around");
    assert.deepEqual(await seeThrough(panel, "all"), { ok: true });
    await picker.click();
    await picker.getByRole("option", { name: "main", exact: true }).click();
    const [finder] = await requestsOf(session(), "You are the finder of this shop.");
    assert.deepEqual(toolsOf(finder), ["list_files", "load_skill", "read_file"]);
    assert.match(JSON.stringify(finder?.system), /house-style/);
    assert.doesNotMatch(JSON.stringify(finder?.system), /page-tests|You are the fixer/);
    const [fixer] = await requestsOf(session(), "You are the fixer of this shop.");
    assert.deepEqual(toolsOf(fixer), ["load_skill", "read_file", "read_output", "run_command", "stop_command"]);
    assert.match(JSON.stringify(fixer?.system), /page-tests/);
    const [main] = await fake.requests();
    assert.match(JSON.stringify(main?.body), /for_agent name=\\"finder\\"/);
    assert.match(await panel.row("finder").innerText(), /🔍/u);
    assert.equal(await panel.row("finder").locator('.agent-name[data-color="green"]').count(), 1);
  });

  it("a team answers, whose workers are in the tree and remember; a prompt file and a skill are commands", async () => {
    const { fake, panel } = session();
    await fake.script(
      turn("/team audit", 0, [delegate("audit", "audit the cart")]),
      turn("/team audit", 1, [{ text: "The audit is done." }]),
      turn("audit the cart", 0, [askMember("reader", "what is in it?"), askMember("judge", "is it good?")]),
      turn("audit the cart", 1, [askMember("reader", "and what else?")]),
      turn("audit the cart", 2, [{ text: "Audited." }]),
      turn("what is in it?", 0, [{ text: "Apples." }]),
      turn("is it good?", 0, [{ text: "It is." }]),
      turn("and what else?", 0, [{ text: "Pears." }]),
      turn("/tidy", 0, [{ text: "Tidied." }]),
    );
    await ask(panel, "/team audit the cart");
    assert.deepEqual(await seeThrough(panel, "all"), { ok: true });
    await panel.row("audit").waitFor();
    await panel.row("reader").waitFor();
    await panel.row("judge").waitFor();
    assert.equal(await panel.row("reader").count(), 1);
    const reader = await requestsOf(session(), "You read for the audit.");
    assert.deepEqual(
      reader.map((body) => [toolsOf(body), body.messages?.length]),
      [
        [["ask_agent", "list_team", "load_skill", "read_file"], 1],
        [["ask_agent", "list_team", "load_skill", "read_file"], 3],
      ],
    );
    await ask(panel, "/tidy cart.ts");
    await panel.conversation.getByText("Tidied.").waitFor();
    assert.match(JSON.stringify((await fake.requests()).at(-1)?.body), /Tidy cart\.ts and report/);
  });

  it("a skill in the public format is loaded, its files are read and its script runs as any command", async () => {
    const { fake, panel } = session();
    await fake.script(
      turn("Test the page", 0, [{ tool: "load_skill", arguments: { name: "page-tests" } }]),
      turn("Test the page", 1, [readStep(`${skillSample}/scripts/run.sh`), run(`sh ${skillSample}/scripts/run.sh`)]),
      turn("Test the page", 2, [{ text: "Tested." }]),
      turn("/page-tests", 0, [{ text: "Tested again." }]),
    );
    await ask(panel, "Test the page");
    assert.deepEqual(await seeThrough(panel, "all"), { ok: true });
    const sent = JSON.stringify((await fake.requests()).at(-1)?.body);
    assert.match(sent, /on the page\..{0,40}Files that this skill mentions are in \.github\/skills\/page-tests/);
    assert.match(sent, /1\\techo \\"no browser\\"/);
    assert.match(sent, /Exit code 0 after[^"]*no browser/);
    await ask(panel, "/page-tests the cart");
    await panel.conversation.getByText("Tested again.").waitFor();
    const last = (await fake.requests()).at(-1);
    assert.match(JSON.stringify(last?.body), /The user calls the skill page-tests with: the cart/);
    assert.doesNotMatch(JSON.stringify(last?.body), /Outside\./, "a skill that a link leads out to");
  });

  it("an agent is addressed by its name, and as its file is when the message is sent", async () => {
    const { fake, panel, workspace } = session();
    const file = path.join(workspace, ".agents/agents/finder.md");
    await fake.script(
      turn("@finder the till", 0, [delegate("finder", "see the till")]),
      turn("@finder the till", 1, [{ text: "It is there." }]),
      turn("see the till", 0, [{ text: "Seen." }]),
    );
    const before = files[".agents/agents/finder.md"] ?? "";
    await writeFile(file, before.replace("You are the finder of this shop.", "You find with a lamp."));
    await ask(panel, "@finder the till");
    assert.deepEqual(await seeThrough(panel, "all"), { ok: true });
    const [main] = await fake.requests();
    assert.match(JSON.stringify(main?.body), /for_agent name=\\"finder\\"/);
    assert.deepEqual((await requestsOf(session(), "You find with a lamp.")).map(toolsOf), [
      ["list_files", "load_skill", "read_file"],
    ]);
    await writeFile(file, before);
  });

  it("what is mistaken is named among the problems, each with its file", async () => {
    const { editor } = session();
    const { page } = editor;
    await editor.runCommand("Problems: Focus on Problems View");
    const rows = page.locator(".markers-panel .monaco-list-row");
    for (const text of [
      "thinking must be one of off, minimal",
      "There is no tool juggle.",
      ".agents/prompts/long.md is not used as a command: it has more than 64 kB",
      "The instructions of absent can't be read: .agents/teams/members/absent.md does not exist",
      'is not used as a skill: ".agents/skills/outside/SKILL.md" is outside the workspace.',
    ])
      await rows.filter({ hasText: text }).first().waitFor();
    await editor.runCommand("View: Hide Panel");
  });

  it("a new agent is made of a template by its name, and by a model of a sentence", async () => {
    const { editor, fake, workspace } = session();
    const { page } = editor;
    const input = page.locator(".quick-input-widget input");
    const newAgent = async (text: string) => {
      await editor.runCommand("Arbor: New Agent…");
      await page.locator(".quick-input-widget", { hasText: "The agent's name, for example" }).waitFor();
      await input.fill(text);
      await page.keyboard.press("Enter");
      await page.locator(".quick-input-list .monaco-list-row", { hasText: "for everybody who works on it" }).click();
    };
    const made = (name: string) =>
      eventually(() => readFile(path.join(workspace, `.agents/agents/${name}.md`), "utf8"));
    await newAgent("helper");
    await page.getByRole("tab", { name: /helper\.md/ }).waitFor();
    assert.match(await made("helper"), /^---\nname: helper\ndescription: Say here when to use this agent/);
    const draft = {
      name: "Price Checker",
      description: "Checks prices.",
      tools: ["read_file"],
      instructions: "Check.",
    };
    await fake.script(turn("Looks for prices that differ", 0, [{ text: JSON.stringify(draft) }]));
    await newAgent("Looks for prices that differ");
    await page.getByRole("tab", { name: /price-checker\.md/ }).waitFor();
    assert.match(
      await made("price-checker"),
      /name: price-checker\ndescription: "Checks prices\."\ntools: \[read_file\]/,
    );
    const picker = session().panel.frame.getByRole("combobox", { name: "Who answers", exact: true });
    await picker.click();
    for (const name of ["helper", "price-checker"]) await picker.getByRole("option", { name, exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await editor.runCommand("View: Close All Editors");
  });
});
