import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { readManifest, readSettings } from "../support/manifest.ts";

const root = path.resolve(import.meta.dirname, "../..");

describe("The settings of the package", () => {
  it("are in groups with titles, each at its position", async () => {
    const { configuration } = (await readManifest()).contributes;
    assert.ok(configuration.length > 4);
    const counted = (numbers: readonly (number | undefined)[]) =>
      assert.deepEqual(
        numbers,
        numbers.map((_, index) => index + 1),
      );
    counted(configuration.map(({ order }) => order));
    for (const { title, properties } of configuration) {
      assert.doesNotMatch(title, /%/);
      const settings = Object.values(properties);
      assert.ok(settings.length > 1, `${title} is a group of one`);
      counted(settings.map(({ order }) => order));
    }
  });

  it("are described in sentences of markdown, with a link to what belongs to them", async () => {
    const settings = await readSettings();
    const keys = settings.map(([key]) => key);
    const commands = (await readManifest()).contributes.commands.map(({ command }) => command);
    for (const [key, { description, markdownDescription: text = "" }] of settings) {
      assert.equal(description, undefined, key);
      assert.match(text, /^[A-Z].{30,}\.$/s, key);
      const linked = [...text.matchAll(/`#([\w.]+)#`/g)].map(([, name = ""]) => name);
      const called = [...text.matchAll(/\]\(command:([\w.]+)\)/g)].map(([, name = ""]) => name);
      assert.ok(linked.length + called.length > 0 || /\]\(https:/.test(text), `${key} links to nothing`);
      for (const name of linked) assert.ok(keys.includes(name), `${key} links to ${name}`);
      for (const name of called) assert.ok(commands.includes(name), `${key} links to ${name}`);
      assert.ok(!linked.includes(key), `${key} links to itself`);
    }
  });

  it("explain each of their values", async () => {
    for (const [key, { enum: values, enumDescriptions: texts }] of await readSettings()) {
      assert.equal(texts?.length, values?.length, key);
    }
  });

  /** What people type into the search of the settings, and what has to be found. */
  const searches: Record<string, string[]> = {
    "api key": ["arbor.providers"],
    "default model": ["arbor.model"],
    ollama: ["arbor.providers", "arbor.model"],
    "base url": ["arbor.providers"],
    "auto approve": ["arbor.permissions.mode", "arbor.permissions.allow"],
    yolo: ["arbor.permissions.mode"],
    "read only": ["arbor.permissions.mode"],
    diff: ["arbor.edits.review"],
    budget: ["arbor.limits.maxCost", "arbor.limits.maxTurns"],
    concurrency: ["arbor.limits.maxParallelAgents"],
    "rate limit": ["arbor.limits.maxParallelAgents"],
    "context window": ["arbor.compaction.threshold"],
    summarize: ["arbor.compaction.threshold"],
    privacy: ["arbor.context.editorState"],
    terminal: ["arbor.commands.sandbox"],
    allowlist: ["arbor.permissions.allow"],
    blocklist: ["arbor.permissions.deny"],
    "model context protocol": ["arbor.mcp.servers"],
    acp: ["arbor.foreignAgents"],
    "claude code": ["arbor.foreignAgents"],
    opentelemetry: ["arbor.trace.enabled"],
    rg: ["arbor.search.ripgrepPath"],
    subagent: ["arbor.subAgentModel"],
  };
  for (const [words, expected] of Object.entries(searches)) {
    it(`are found by "${words}": ${expected.join(", ")}`, async () => {
      const found = (await readSettings()).filter(([key, { markdownDescription = "", keywords = [] }]) => {
        const text = [key, markdownDescription, ...keywords].join("\n").toLowerCase();
        return words.split(" ").every((word) => new RegExp(`\\b${word}`).test(text));
      });
      const keys = found.map(([key]) => key);
      for (const key of expected) assert.ok(keys.includes(key), key);
    });
  }

  it("have words to be found by, and are each used", async () => {
    const source = await readFile(path.join(root, "src/extension/settings/settings.ts"), "utf8");
    for (const [key, { keywords = [] }] of await readSettings()) {
      assert.ok(keywords.length >= 3, `${key} has too few words to be found by`);
      assert.ok(source.includes(`"${key}"`), `${key} is not read`);
    }
  });
});

describe("The commands of the package", () => {
  it("have a category, a title in title case, and an icon for menus and toolbars of the user's", async () => {
    const { contributes } = await readManifest();
    for (const { command, title, category, icon } of contributes.commands) {
      assert.equal(category, "Arbor", command);
      assert.match(title, /^[A-Z]/, command);
      assert.doesNotMatch(title, /\.\.\.|Arbor/, command);
      // The title of a comment shows what has no icon in words.
      const isWords = /^arbor\.hunk\.(useAgent|keepMine|merge)$/.test(command);
      if (isWords) assert.equal(icon, undefined, command);
      else assert.match(icon ?? "", /^\$\([\w-]+\)$/, command);
    }
  });

  /** They need nothing that may be missing: no editor, folder, run or edit. */
  const alwaysEnabled = [
    ...["ask", "newChat", "openHistory", "openInEditor", "exportChat", "importChat", "compact", "deleteAllData"],
    ...[
      "view.newChat",
      "view.openHistory",
      "view.exportChat",
      "view.importChat",
      "focusComposer",
      "focusTree",
      "showChanges",
    ],
    ...["setApiKey", "removeApiKey", "selectModel", "selectSubAgentModel", "findLocalModels", "setUp", "mcpServers"],
    ...[
      "getStarted",
      "tryDemo",
      "doctor",
      "exportSettings",
      "importSettings",
      "cleanUpWorktrees",
      "showLog",
      "showTrace",
      "showTimeline",
      "replaySession",
      "view.replaySession",
    ],
  ].map((name) => `arbor.${name}`);

  it("are disabled where there is nothing for them, but those that need nothing", async () => {
    const { commands } = (await readManifest()).contributes;
    const without = commands.filter(({ enablement = "" }) => enablement === "").map(({ command }) => command);
    assert.deepEqual(without.sort(), alwaysEnabled.sort());
  });

  it("end in an ellipsis where they ask before they do anything", async () => {
    const { commands } = (await readManifest()).contributes;
    const asking = /^arbor\.((import|export)\w+|deleteAllData|newAgent|addForeignAgent|(review|keep|undo)AgentEdits)$/;
    for (const { command, title } of commands) if (asking.test(command)) assert.match(title, /…$/, command);
  });

  it("are enabled by context keys that are set, or that the editor has", async () => {
    const set = new Set(await contextKeysInSource());
    const { commands, keybindings, menus } = (await readManifest()).contributes;
    const conditions = [
      ...commands.map(({ enablement }) => enablement),
      ...keybindings.map(({ when }) => when),
      ...Object.values(menus).flatMap((entries) => entries.map(({ when }) => when)),
    ];
    for (const condition of conditions) {
      for (const [key] of (condition ?? "").matchAll(/(?<![\w.])arbor\.[\w.]+/g)) {
        const isView = key === "arbor.chat" || key === "arbor.review";
        assert.ok(isView || set.has(key), `${key} in "${condition}" is never set`);
      }
    }
  });
});

/** The names that are given to `setContext`. */
async function contextKeysInSource(): Promise<string[]> {
  const folder = path.join(root, "src/extension");
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".ts"));
  const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), "utf8")));
  return texts
    .filter((text) => text.includes('"setContext"'))
    .flatMap((text) => [...text.matchAll(/"(arbor\.[\w.]+)"/g)].map(([, name = ""]) => name));
}
