import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { settingDefaults } from "../../src/extension/settings/settings.ts";
import { readManifest } from "../support/manifest.ts";
import { contextKeys, referenceText } from "./reference.ts";

const root = path.resolve(import.meta.dirname, "../..");
const pages = (await readdir(path.join(root, "docs"))).filter((file) => file.endsWith(".md"));
const documents = [
  ...["README.md", "CONTRIBUTING.md", "SECURITY.md", "src/agent/README.md"],
  ...pages.map((file) => `docs/${file}`),
];
const userPages = ["README.md", "docs/guide.md", "docs/tour.md", "docs/permissions.md", "docs/privacy.md"];
const readDocument = (file: string) => readFile(path.join(root, file), "utf8");

type Contributes = Awaited<ReturnType<typeof readManifest>>["contributes"];

/** Paths of this repository in code spans, and targets of links. */
function pathsIn(text: string): string[] {
  const spans = [
    ...text.matchAll(/`((?:src|test|docs|l10n|scripts|media)\/[\w./-]+|(?:package|tsconfig|biome|knip)[\w.]*\.json)`/g),
  ];
  return spans.map(([, found]) => found ?? "").filter((found) => !found.startsWith("workspace"));
}
const linksIn = (text: string) => [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, target]) => target ?? "");

describe("The documents", () => {
  for (const document of documents) {
    it(`name files that exist: ${document}`, async () => {
      const text = await readFile(path.join(root, document), "utf8");
      const named = pathsIn(text).map((found) => path.join(root, found));
      const linked = linksIn(text).map((target) => path.join(root, path.dirname(document), target));
      for (const file of [...named, ...linked]) assert.ok(existsSync(file), path.relative(root, file));
    });
  }

  it("count the files of each way of the data as they list them", async () => {
    const counted = await readFile(path.join(root, "docs/architecture.md"), "utf8");
    const rows = [...counted.matchAll(/^\| (An? [^|]+?) +\| (\d+) +\| \d+ +\|$/gm)];
    const listed = await readFile(path.join(root, "docs/ways.md"), "utf8");
    const ways = [...listed.matchAll(/^## (.+)$[^`]*(?:`\w+`[^`]*)*^```\n([^`]+)^```$/gm)];
    const sizes = ways.map(([, name, files = ""]) => [name, files.trim().split("\n").length]);
    assert.equal(sizes.length, 5);
    assert.deepEqual(
      rows.map(([, name, count]) => [name, Number(count)]),
      sizes,
    );
    for (const [, , files = ""] of ways) {
      const named = files.trim().split("\n");
      assert.equal(new Set(named).size, named.length);
      for (const file of named) assert.ok(existsSync(path.join(root, file)), file);
    }
  });

  it("name the rooms of each layer, and no others", async () => {
    const text = await readFile(path.join(root, "docs/architecture.md"), "utf8");
    for (const layer of ["agent", "extension"]) {
      const section = text.split(`**\`src/${layer}\`**`)[1]?.split("\n**`src/")[0] ?? "";
      const documented = [...section.matchAll(/^\| `(\w+)`/gm)].map(([, room]) => room).sort();
      const entries = await readdir(path.join(root, "src", layer), { withFileTypes: true });
      const rooms = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
      assert.deepEqual(documented, rooms.sort(), layer);
    }
  });

  it("promise of Restricted Mode what the editor's page of trust does", async () => {
    for (const file of ["SECURITY.md", "docs/permissions.md", "package.nls.json"]) {
      const text = (await readDocument(file)).replace(/\s+/g, " ");
      assert.match(
        text,
        /\bIn (?:Restricted Mode|a workspace that is not trusted) agents [^.:]+, and nothing of the workspace is attached/,
        file,
      );
    }
  });

  it("are each reached from the guide", async () => {
    const guide = await readDocument("docs/guide.md");
    const unreached = pages.filter((page) => page !== "guide.md" && !guide.includes(page));
    assert.deepEqual(unreached, []);
  });

  it("name commands by titles that they have, and settings and shortcuts that there are", async () => {
    const { contributes } = await readManifest();
    const titles = contributes.commands.map(({ title }) => title);
    const keys = new Set(contributes.keybindings.map(({ key }) => key));
    for (const document of documents) {
      const text = (await readDocument(document)).replace(/\s+/g, " ");
      for (const [, title = ""] of text.matchAll(/\*\*Arbor: ([^*]+)\*\*/g)) {
        assert.ok(titles.includes(title), `${document}: there is no command "Arbor: ${title}"`);
      }
      for (const [, key = ""] of text.matchAll(/`(arbor\.[A-Za-z.]+)`/g)) {
        assert.ok(isKnown(key, contributes), `${document}: there is no ${key}`);
      }
      for (const [, shortcut = ""] of text.matchAll(/`(Ctrl\+Alt\+\w+)`/g)) {
        assert.ok(keys.has(shortcut.toLowerCase()), `${document}: there is no ${shortcut}`);
      }
    }
  });

  it("name tools that agents have in the rules that they show", async () => {
    const tools = await readDocument("test/extension/prompts/golden/tools.txt");
    const names = new Set([...tools.matchAll(/^ {2}"name": "(\w+)"/gm)].map(([, name = ""]) => name));
    for (const document of [...userPages, "docs/agents.md", "docs/skills.md", "docs/sandbox.md"]) {
      const text = await readDocument(document);
      const shown = [...text.matchAll(/\b(\w+_\w+)\([^)]+\)/g)].map(([, name = ""]) => name);
      for (const name of shown) assert.ok(names.has(name), `${document}: there is no tool ${name}`);
    }
  });

  it("refer to every setting, command, shortcut, context key and tool as the code has them", async () => {
    const text = await referenceText();
    const file = path.join(root, "docs/reference.md");
    if (process.env.ARBOR_GOLDEN === "write") await writeFile(file, text);
    assert.equal(await readFile(file, "utf8"), text, "ARBOR_GOLDEN=write writes docs/reference.md again");
    const { contributes } = await readManifest();
    const named = [...Object.keys(settingDefaults), ...contributes.commands.map(({ command }) => command)];
    for (const name of named) assert.ok(text.includes(`\`${name}\``), name);
  });

  it("say of each context key what it means", async () => {
    const folder = path.join(root, "src/extension");
    const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".ts"));
    const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), "utf8")));
    const set = texts.flatMap((text) => [...text.matchAll(/"setContext", "(arbor\.[\w.]+)"/g)].map(([, key]) => key));
    const milestones = await readDocument("src/extension/start/milestones.ts");
    const reached = [...milestones.matchAll(/^ {2}\| "(arbor\.\w+)"/gm)].map(([, key]) => key);
    assert.deepEqual([...set, ...reached].sort(), Object.keys(contextKeys).sort());
  });

  it("show pictures that there are, and one short animation of less than a megabyte", async () => {
    const animation = await readFile(path.join(root, "media/tour.png"));
    assert.ok(animation.length < 1_000_000, `${animation.length} bytes`);
    assert.ok(animation.includes("acTL") && animation.includes("fdAT"), "it does not move");
    for (const document of documents) {
      const text = await readDocument(document);
      for (const [, source = ""] of text.matchAll(/<img src="([^"]+)"/g))
        assert.ok(existsSync(path.join(root, path.dirname(document), source)), source);
    }
  });
});

function isKnown(name: string, { commands, configuration, views }: Contributes): boolean {
  const settings = configuration.flatMap(({ properties }) => Object.keys(properties));
  const isPart = (setting: string) => setting.startsWith(`${name}.`);
  return (
    commands.some(({ command }) => command === name) ||
    settings.includes(name) ||
    settings.some(isPart) ||
    name in contextKeys ||
    Object.values(views)
      .flat()
      .some(({ id }) => id === name)
  );
}
