import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { ScriptEntry, Step } from "../../support/fakeProvider/script.ts";
import { eventually } from "../eventually.ts";
import { ask } from "../run.ts";
import { openTerminal } from "../terminal.ts";
import { startAfresh, useSession } from "./wire/session.ts";

const bursts = 5;
const editsPerBurst = 10;
const original = "one\ntwo\nthree\n";
const proposedFile = (index: number) => `many/file${String(index).padStart(2, "0")}.txt`;
const typedFile = (index: number) => `typed${index}.txt`;

/** Files to propose edits of and files to type in. */
async function prepare(workspace: string): Promise<void> {
  await mkdir(path.join(workspace, "many"));
  for (let index = 0; index < bursts * editsPerBurst; index++) {
    await writeFile(path.join(workspace, proposedFile(index)), original);
  }
  for (let index = 0; index < bursts; index++) await writeFile(path.join(workspace, typedFile(index)), "");
}

const gate = (burst: number) => `burst ${burst}`;
const editsOf = (burst: number): Step[] =>
  Array.from({ length: editsPerBurst }, (_, index) => ({
    tool: "edit_file",
    arguments: {
      path: proposedFile(burst * editsPerBurst + index),
      edits: [{ old_text: "two", new_text: `two of ${burst}` }],
    },
  }));

/** An agent per burst, each of which proposes its edits at once when its gate opens. */
const script: ScriptEntry[] = [
  {
    when: { lastUser: "Change many", turn: 0 },
    reply: {
      steps: [
        {
          tool: "spawn_agents",
          arguments: {
            tasks: Array.from({ length: bursts }, (_, burst) => ({ agent: "edit", task: gate(burst), context: "." })),
          },
        },
      ],
    },
  },
  ...Array.from(
    { length: bursts },
    (_, burst): ScriptEntry => ({
      when: { lastUser: gate(burst), turn: 0 },
      reply: { steps: editsOf(burst), holdAt: gate(burst) },
    }),
  ),
];

describe("Somebody who types while proposals arrive", () => {
  const session = useSession("anthropic", prepare);
  const page = () => session().editor.page;
  const textOf = (file: string) => readFile(path.join(session().workspace, file), "utf8");

  async function start(): Promise<void> {
    const { fake, panel } = session();
    await startAfresh(session());
    await fake.script(...script);
    await ask(panel, "Change many");
    for (let burst = 0; burst < bursts; burst++) await fake.reached(gate(burst));
  }

  /**
   * Types until the proposals of the burst are all shown, and some more; or only then, where the first keystroke makes a
   * preview a lasting tab. Gives what was typed.
   */
  async function typeThrough(burst: number, from: "before" | "after" = "before"): Promise<string> {
    const { fake, panel } = session();
    const shown = panel.frame.getByText(`of ${(burst + 1) * editsPerBurst} pending`);
    let typed = "";
    const type = async () => {
      const word = `w${burst}x${typed.length} `;
      await page().keyboard.type(word);
      typed += word;
    };
    if (from === "before") await type();
    await fake.release(gate(burst));
    if (from === "after") await shown.waitFor();
    while (!(await shown.isVisible())) await type();
    for (let more = 0; more < 5; more++) await type();
    return typed;
  }

  async function typeThroughAll(): Promise<string> {
    let typed = "";
    for (let burst = 0; burst < bursts; burst++) typed += await typeThrough(burst);
    return typed;
  }

  /** Nothing was written, and no edit is left waiting. */
  async function stop(): Promise<void> {
    const { panel } = session();
    await panel.stop.click();
    await panel.stop.waitFor({ state: "detached" });
    await panel.approvals.first().waitFor({ state: "detached" });
    for (let index = 0; index < bursts * editsPerBurst; index++) {
      assert.equal(await textOf(proposedFile(index)), original);
    }
  }

  it("in another file, finds every keystroke there", async () => {
    await session().editor.openFile(typedFile(0));
    await start();
    await page().locator(".editor-instance .view-lines").first().click();
    const typed = await typeThroughAll();
    await page().keyboard.press("Control+s");
    await eventually(async () => assert.equal(await textOf(typedFile(0)), typed));
    await stop();
  });

  it("in a preview tab, finds every keystroke there", async () => {
    await session().editor.runCommand("View: Close All Editors");
    await start();
    for (let burst = 0; burst < bursts; burst++) {
      const file = typedFile(burst);
      const before = await textOf(file);
      await page().locator(".explorer-folders-view .monaco-list-row", { hasText: file }).click();
      await page().getByRole("tab", { name: file, selected: true }).waitFor();
      await page().locator(".editor-instance .view-lines").first().click();
      await page().keyboard.press("Control+End");
      const typed = await typeThrough(burst, burst % 2 === 0 ? "after" : "before");
      await page().keyboard.press("Control+s");
      await eventually(async () => assert.equal(await textOf(file), before + typed));
    }
    await stop();
  });

  it("in the terminal, finds every keystroke there", async () => {
    const { editor } = session();
    await editor.runCommand("View: Close All Editors");
    await start();
    await openTerminal(page());
    await page().keyboard.type("cat > terminal.txt\n");
    await eventually(async () => assert.equal(await textOf("terminal.txt"), ""));
    const typed = await typeThroughAll();
    await page().keyboard.press("Enter");
    await eventually(async () => assert.equal(await textOf("terminal.txt"), `${typed}\n`));
    await page().keyboard.press("Control+d");
    await editor.runCommand("View: Hide Panel");
    await stop();
  });

  it("in the composer, finds every keystroke there", async () => {
    const { editor, panel } = session();
    await editor.runCommand("View: Close All Editors");
    await start();
    await panel.composer.click();
    const typed = await typeThroughAll();
    assert.equal(await panel.composer.inputValue(), typed);
    await stop();
  });
});
