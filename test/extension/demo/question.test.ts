import assert from "node:assert/strict";
import fc from "fast-check";
import { demoWorld } from "../../support/demoWorld.ts";
import { randomWorkspace } from "../../support/randomWorkspace.ts";

const files = {
  "src/ovens/calibrate.ts": [
    'import { heat } from "../heat.ts";',
    "",
    "/** Brings a zorbat to its right temperature. */",
    "export function calibrateZorbat(zorbat: Zorbat): number {",
    "  return heat(zorbat) * 2;",
    "}",
    "",
  ].join("\n"),
  "src/heat.ts": "export function heat(zorbat: Zorbat): number {\n  return zorbat.heat;\n}\n",
  "src/main.ts": 'import { calibrateZorbat } from "./ovens/calibrate.ts";\n\ncalibrateZorbat(first);\n',
  "test/calibrate.test.ts": 'it("calibrates a zorbat", () => {\n  calibrateZorbat(zorbat);\n});\n',
  "docs/zorbats.md": "# Zorbats\n\nEach zorbat is calibrated before use.\n",
};

describe("the demo model, asked a question", () => {
  it("names the file and line first", async () => {
    const answer = await demoWorld({ files }).ask("Where is the zorbat calibrated?");
    assert.match(answer, /^Most likely in `src\/ovens\/calibrate\.ts:4`/);
  });

  it("sends several explorers at once, each from another side", async () => {
    const world = demoWorld({ files });
    await world.ask("Where is the zorbat calibrated?");
    const explorers = world.agents("explore");
    assert.equal(explorers.length, 3);
    assert.equal(new Set(explorers.map((node) => node.meta.toolCallId)).size, 1);
    const tools = explorers.map((node) => Object.values(node.tools).map((tool) => tool.toolName));
    assert.equal(new Set(tools.map((names) => names.join())).size, 3);
    assert.ok(tools.every((names) => names.includes("read_file")));
  });

  it("reports usage that grows from turn to turn", async () => {
    const world = demoWorld({ files });
    await world.ask("Where is the zorbat calibrated?");
    for (const node of Object.values(world.tree().nodes)) {
      const inputs = node.messages.flatMap((message) =>
        message.role === "assistant" ? [message.usage?.input ?? 0] : [],
      );
      assert.ok(inputs.length >= 2);
      assert.deepEqual(
        inputs,
        inputs.toSorted((a, b) => a - b),
      );
      assert.ok(node.contextPercent > 0);
    }
  });

  it("says that there is nothing rather than guess", async () => {
    const answer = await demoWorld({ files }).ask("Where are quinces peeled?");
    assert.match(answer, /I found nothing about “quinces” or “peeled”/);
  });

  it("looks on its own when it may not delegate", async () => {
    const world = demoWorld({ files, maxDepth: 0 });
    assert.match(await world.ask("Where is the zorbat calibrated?"), /^Most likely in `src\/ovens\/calibrate\.ts:4`/);
    assert.equal(Object.keys(world.tree().nodes).length, 1);
  });

  it("finds the line in workspaces of any names", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const { files: random, question, answer } = randomWorkspace(seed);
        const text = await demoWorld({ files: random }).ask(question);
        assert.ok(text.startsWith(`Most likely in \`${answer}\``), `${question} ${answer}\n${text}`);
      }),
      { numRuns: 25 },
    );
  }).timeout(120_000);

  const inOtherLanguages: [string, string, string, string][] = [
    [
      "a method",
      "Where are gizmos counted?",
      "src/g.ts:2",
      "class GizmoStore {\n  count(list: Gizmo[]): number {\n    return list.length;\n  }\n}\n",
    ],
    [
      "Python",
      "Where do we validate emails?",
      "a/b.py:3",
      "import re\n\ndef validate_email(text):\n    return re.match('@', text)\n",
    ],
    ["Go", "Where is the queue flushed?", "q.go:3", "package q\n\nfunc (q *Queue) Flush() error {\n\treturn nil\n}\n"],
    [
      "a comment alone",
      "Where is the crane rotated?",
      "c.ts:2",
      "/** Rotates the crane. */\nexport function swing(by: number): number {\n  return by;\n}\n",
    ],
  ];
  for (const [what, question, place, text] of inOtherLanguages) {
    it(`finds a declaration by ${what}`, async () => {
      const path = place.slice(0, place.lastIndexOf(":"));
      const answer = await demoWorld({ files: { [path]: text, "other.txt": "nothing here\n" } }).ask(question);
      assert.ok(answer.startsWith(`Most likely in \`${place}\``), answer);
    });
  }

  it("names what a question is about, and not what has only its other words", async () => {
    const files = {
      "src/pricing.ts":
        "/** Works out the price. */\nexport function applyPricing(items: number[]): number {\n  return items.length;\n}\n",
      "src/window.ts": 'export function shopWindowLine(): string {\n  return "This shop works.";\n}\n',
    };
    const answer = await demoWorld({ files }).ask("How does pricing work in this shop?");
    assert.ok(answer.startsWith("Most likely in `src/pricing.ts:2`"), answer);
  });
});
