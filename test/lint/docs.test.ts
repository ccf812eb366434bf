import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../..");
const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "docs/agents.md",
  "docs/architecture.md",
  "docs/recipes.md",
  "docs/models.md",
  "docs/skills.md",
  "docs/ways.md",
  "src/agent/README.md",
];

/** Paths of this repository in code spans, and targets of links. */
function pathsIn(text: string): string[] {
  const spans = [...text.matchAll(/`((?:src|test|docs|l10n|scripts|media)\/[\w./-]+|[\w.]+\.json)`/g)];
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
    assert.equal(sizes.length, 4);
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
});
