import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { ScriptEntry } from "../support/fakeProvider/script.ts";
import { type FakeProvider, startFakeProvider } from "../support/fakeProvider/startFakeProvider.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const source = join(root, "src/agent");
// Below the repository, so that the examples find its packages.
const folder = join(root, "out/readme");

/** What the model says to each example, and what the example then prints. */
const examples: Record<string, { script: ScriptEntry[]; prints: RegExp }> = {
  "first.ts": {
    script: [{ steps: [{ tool: "clock", arguments: { city: "Rome" } }] }, { steps: [{ text: "Noon." }] }],
    prints: /^\ncalls clock\nNoon\.\n$/,
  },
  "subagents.ts": {
    script: [
      { steps: [{ tool: "research", arguments: { question: "Depth?" } }], usage: { output: 10 } },
      { steps: [{ text: "Eleven kilometres." }], usage: { output: 20 } },
      { steps: [{ text: "Deep." }], usage: { output: 30 } },
    ],
    prints:
      /^lead agent_start\n {2}researcher agent_start\n {2}researcher agent_end\nlead agent_end\n60 tokens, of which 40 its own\n$/,
  },
  "delegation.ts": {
    script: [
      { steps: [{ tool: "delegate_to_agent", arguments: { agent: "writer", task: "Rain.", context: "Short." } }] },
      { steps: [{ text: "It rains." }] },
      { steps: [{ text: "Here it is: it rains." }] },
    ],
    prints: /^Here it is: it rains\.\n$/,
  },
  "limits.ts": {
    script: [{ when: {}, reply: { steps: [{ text: "Still digging." }, { tool: "dig" }] } }],
    prints: /^limit Still digging\.\n$/,
  },
  "validators.ts": {
    script: [{ steps: [{ text: "Rome" }] }, { steps: [{ text: '{"city":"Rome"}' }] }],
    prints: /^true 2 \{"city":"Rome"\}\n$/,
  },
  "sessions.ts": {
    script: [{ steps: [{ text: "Hello, Ada." }] }, { steps: [{ text: "Ada." }] }],
    prints: /^2 messages are back\nAda\.\n$/,
  },
};

describe("the examples of the README", () => {
  let provider: FakeProvider;
  let blocks: Map<string, string>;

  before(async () => {
    blocks = codeBlocks(await readFile(join(source, "README.md"), "utf8"));
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    for (const [name, code] of blocks) await writeFile(join(folder, name), fromSource(code));
    provider = await startFakeProvider();
  });
  after(async () => {
    await provider.stop();
    await rm(folder, { recursive: true });
  });

  it("are all run here", () => {
    assert.deepEqual([...blocks.keys()].toSorted(), [...Object.keys(examples), "model.ts"].toSorted());
  });

  it("compile", async function () {
    this.timeout(60_000);
    const config = { extends: "../../tsconfig.json", include: ["*.ts"], exclude: [] };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const { stdout } = await run(process.execPath, [compiler, "-p", folder]).catch(
      (error: { stdout: string }) => error,
    );
    assert.equal(stdout, "");
  });

  it("take twenty lines for a first agent", () => {
    assert.ok((blocks.get("first.ts") ?? "").trim().split("\n").length <= 20);
  });

  for (const [name, { script, prints }] of Object.entries(examples)) {
    it(`print what they should: ${name}`, async function () {
      this.timeout(120_000);
      await provider.reset();
      await provider.script(...script);
      const env = { ...process.env, ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: "key" };
      const { stdout } = await run(process.execPath, [join(folder, name), join(folder, "session.jsonl")], { env });
      assert.match(stdout, prints);
    });
  }
});

/** TypeScript blocks by the file name in their first line. */
function codeBlocks(markdown: string): Map<string, string> {
  const found = markdown.matchAll(/```ts\n\/\/ (\S+)\n(.*?)```/gs);
  return new Map([...found].map(([, name = "", code = ""]) => [name, code]));
}

/** The README's imports are relative to its own folder. */
function fromSource(code: string): string {
  return code.replaceAll(/from "\.\/((?:providers\/)?index\.ts)"/g, (_match, file: string) => {
    return `from ${JSON.stringify(pathToFileURL(join(source, file)).pathname)}`;
  });
}
