import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { chatCommands } from "../../../src/extension/wiring/commands/chatCommands.ts";
import type { CommandParts } from "../../../src/extension/wiring/commands/defineCommand.ts";
import { editCommands } from "../../../src/extension/wiring/commands/editCommands.ts";
import { editorCommands } from "../../../src/extension/wiring/commands/editorCommands.ts";
import { startCommands } from "../../../src/extension/wiring/commands/startCommands.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const commands = [...chatCommands, ...editCommands, ...editorCommands, ...startCommands];

interface Entry {
  command: string;
  key?: string;
  group?: string;
}

interface Contributions {
  commands: Entry[];
  keybindings: Entry[];
  menus: Record<string, Entry[]>;
}

const readJson = async (file: string) => JSON.parse(await readFile(path.join(root, file), "utf8"));
const contributed = async (): Promise<Contributions> => (await readJson("package.json")).contributes;

/** In one order, and without what is undefined: the order in `package.json` means nothing. */
function sorted(entries: readonly Entry[]): Entry[] {
  const nameOf = (entry: Entry) => JSON.stringify(Object.entries(entry).sort());
  const plain: Entry[] = JSON.parse(JSON.stringify(entries));
  return plain.sort((a, b) => nameOf(a).localeCompare(nameOf(b)));
}

describe("The commands of the package", () => {
  it("are those that are defined", async () => {
    const defined = commands.map(({ id, icon, enablement }) => ({
      command: id,
      title: `%command.${id.replace(/^arbor\./, "")}%`,
      category: "%category%",
      ...(icon !== undefined && { icon: `$(${icon})` }),
      enablement,
    }));
    assert.deepEqual(sorted((await contributed()).commands), sorted(defined));
  });

  it("have the titles that are defined", async () => {
    const texts = await readJson("package.nls.json");
    const prefix = "command.";
    const titles = Object.entries(texts).filter(([key]) => key.startsWith(prefix));
    const defined = commands.map(({ id, title }) => [id.replace("arbor.", prefix), title]);
    assert.deepEqual(Object.fromEntries(titles), Object.fromEntries(defined));
  });

  it("have the keys that are defined", async () => {
    const defined = commands.flatMap(({ id, keys = [] }) => keys.map((key) => ({ command: id, ...key })));
    assert.deepEqual(sorted((await contributed()).keybindings), sorted(defined));
  });

  it("are in the menus that are defined", async () => {
    const { menus } = await contributed();
    const inMenus = Object.entries(menus).flatMap(([menu, entries]) => entries.map((entry) => ({ menu, ...entry })));
    const defined = commands.flatMap(({ id, palette, menus: entries = [] }) => [
      ...entries.map((entry) => ({ command: id, ...entry })),
      ...(palette === "hidden" ? [{ command: id, menu: "commandPalette", when: "false" }] : []),
    ]);
    assert.deepEqual(sorted(inMenus), sorted(defined));
  });

  it("have one that shows the panel and puts the focus into its composer, by a key of two strokes", async () => {
    const { keys, run } = commands.find(({ id }) => id === "arbor.focusComposer") ?? assert.fail();
    assert.deepEqual(
      keys?.map(({ key, mac }) => [key, mac]),
      [["ctrl+k a", "cmd+k a"]],
    );
    const done: unknown[] = [];
    const view = { send: (message: unknown) => void done.push(message) };
    // What this command does not use is not there.
    const parts = { chatting: { panels: { view } }, focusPanel: async () => void done.push("panel") } as unknown;
    await run(parts as CommandParts);
    assert.deepEqual(done, ["panel", { type: "focus", target: "composer" }]);
  });

  it("are registered in one place, each once", async () => {
    const folder = path.join(root, "src/extension");
    const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".ts"));
    const callers: string[] = [];
    const lists: string[] = [];
    for (const file of files) {
      const text = await readFile(path.join(folder, file), "utf8");
      if (/\bregister(?:TextEditor)?Command\(/.test(text)) callers.push(file);
      if (/\bdefineCommand\(\{/.test(text)) lists.push(path.basename(file));
    }
    assert.deepEqual(callers, [path.join("wiring", "entryPoints.ts")]);
    assert.deepEqual(lists.sort(), ["chatCommands.ts", "editCommands.ts", "editorCommands.ts", "startCommands.ts"]);
    assert.equal(new Set(commands.map(({ id }) => id)).size, commands.length);
  });
});
