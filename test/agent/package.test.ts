import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import vm from "node:vm";
import { build } from "esbuild";
import type { ScriptEntry } from "../support/fakeProvider/script.ts";
import { type FakeProvider, startFakeProvider } from "../support/fakeProvider/startFakeProvider.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
// Below the repository, so that the package finds those that it needs.
const folder = join(root, "out/examples");
/** What runs the programs: another Node, where one is given. */
const node = process.env.LIBRARY_NODE ?? process.execPath;
const documents = ["src/agent/README.md", "docs/library.md"];

interface Example {
  /** What the model says to it. */
  script: ScriptEntry[];
  prints: RegExp;
  /** The arguments of each run; by default one run without any. The last one's output counts. */
  runs?: string[][];
}

const usage = (output: number) => ({ usage: { output } });
const rome = '{"city":"Rome","people":2800000}';

const examples: Record<string, Example> = {
  "first.ts": {
    script: [{ steps: [{ tool: "clock", arguments: { city: "Rome" } }] }, { steps: [{ text: "Noon." }] }],
    prints: /^\ncalls clock\nNoon\.\n$/,
  },
  "output.ts": {
    script: [{ steps: [{ text: rome }], ...usage(9) }, { steps: [{ text: '{"city":"Paris","people":2100000}' }] }],
    prints: /^Rome 2800000 9\n(?:.*\n)*Paris\n$/,
  },
  "batches.ts": {
    script: [{ steps: [{ text: "One, two, three." }] }],
    prints: /^turn_start\nturn_end\nagent_end\nOne, two, three\.\n$/,
  },
  "provider.ts": { script: [], prints: /^HELLO\? 6\n$/ },
  "approval.ts": {
    script: [{ steps: [{ tool: "remove", arguments: { path: "a.txt" } }] }, { steps: [{ text: "It is gone." }] }],
    prints: /^remove \{"path":"a.txt"\}\nIt is gone\.\n$/,
  },
  "subagents.ts": {
    script: [
      { steps: [{ tool: "research", arguments: { question: "Depth?" } }], ...usage(10) },
      { steps: [{ text: "Eleven kilometres." }], ...usage(20) },
      { steps: [{ text: "Deep." }], ...usage(30) },
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
  "hooks.ts": {
    script: [{ steps: [{ tool: "say", arguments: { text: "Hear, hear!" } }] }, { steps: [{ text: "Done." }] }],
    prints: /^Not so loud\.\n$/,
  },
  "tools.ts": {
    script: [
      { steps: [{ tool: "expert", arguments: { input: "a7" } }] },
      { steps: [{ tool: "look_up", arguments: { id: "a7" } }] },
      { steps: [{ text: "A road." }] },
      { steps: [{ tool: "complete_task", arguments: { result: "It is a road." } }] },
    ],
    prints: /^completed It is a road\.\n$/,
  },
  "skills.ts": { script: [], prints: /^load_skill\n$/ },
  "team.ts": {
    script: [
      {
        when: { system: "You lead.", turn: 0, lastUser: "Have a line" },
        reply: {
          steps: [
            { tool: "delegate_task", arguments: { identifier: "writer", identifier_type: "name", task: "A line." } },
          ],
        },
      },
      { when: { system: "You lead." }, reply: { steps: [{ text: "Good." }] } },
      {
        when: { system: "You write.", turn: 0 },
        reply: { steps: [{ tool: "send_response", arguments: { response: "It rains." } }] },
      },
      { when: { system: "You write." }, reply: { steps: [{ text: "Sent." }] } },
    ],
    // Both are at work when the writer has sent its line.
    prints: /^(?=[\s\S]*writer: done\n)(?=[\s\S]*lead: done\n)(?:(?:lead|writer): done\n){2,3}$/,
  },
  "mcp.ts": {
    script: [{ steps: [{ tool: "weather", arguments: { city: "Rome" } }] }, { steps: [{ text: "Wet." }] }],
    prints: /^\[ \{ type: 'text', text: 'Rain in Rome\.' \} \]\n$/,
  },
  "loop.ts": { script: [{ steps: [{ text: "Hi." }] }], prints: /^done Hi\.\n$/ },
  "testing.ts": { script: [], prints: /^2 tested agent_end done\n$/ },
  "validators.ts": {
    script: [{ steps: [{ text: "Rome" }] }, { steps: [{ text: '{"city":"Rome"}' }] }],
    prints: /^true 2 \{"city":"Rome"\}\n$/,
  },
  "sessions.ts": {
    script: [{ steps: [{ text: "Hello, Ada." }] }, { steps: [{ text: "Ada." }] }],
    prints: /^2 messages are back\nAda\.\n$/,
  },
  "research.ts": {
    script: [
      {
        when: { tool: "spawn_agents", turn: 0 },
        reply: {
          steps: [
            {
              tool: "spawn_agents",
              arguments: {
                tasks: ["biology", "history"].map((agent) => ({ agent, task: "The rat?", context: "" })),
              },
            },
          ],
        },
      },
      { when: { system: "Answer in one sentence." }, reply: { steps: [{ text: "It gnaws." }], ...usage(5) } },
      { when: { tool: "spawn_agents" }, reply: { steps: [{ text: "It gnaws everywhere." }], ...usage(5) } },
    ],
    prints: /^ {2}(\w+) agent_start\n(?: {2}\w+ agent_\w+\n){3}It gnaws everywhere\.\ndone, \d+ tokens\n$/,
  },
  "three.ts": {
    script: [
      {
        when: { system: "You lead", turn: 0, lastUser: "A haiku" },
        reply: {
          steps: [
            { tool: "delegate_task", arguments: { identifier: "writer", identifier_type: "type", task: "A haiku." } },
            { tool: "ask_agent", arguments: { identifier: "critic", identifier_type: "type", question: "Good?" } },
          ],
        },
      },
      { when: { system: "You lead" }, reply: { steps: [{ text: "Done." }] } },
      {
        when: { system: "You write", turn: 0 },
        reply: { steps: [{ tool: "send_response", arguments: { response: "Rain falls." } }] },
      },
      { when: {}, reply: { steps: [{ text: "Yes." }] } },
    ],
    prints: /^lead calls delegate_task\nlead calls ask_agent\n(?:.*\n)*lead: \d+, writer: 2, critic: 1\n$/,
  },
  "resume.ts": {
    script: [
      { steps: [{ tool: "step", arguments: { n: 1 } }], ...usage(10) },
      { steps: [{ tool: "step", arguments: { n: 2 } }], ...usage(10) },
      { steps: [{ text: "Both are taken." }], ...usage(10) },
    ],
    runs: [["resume.jsonl", "doomed"], ["resume.jsonl"]],
    prints: /^step 2\nBoth are taken\. 30\n$/,
  },
  "traced.ts": {
    script: [
      { when: {}, reply: { steps: [{ text: "Searching." }, { tool: "web_search", arguments: { q: "gold" } }] } },
    ],
    prints: /^The tool "broken" is left out\n0 searcher agent_start 0\n(?:.*\n)*limit turns Searching\.\n$/,
  },
};

describe("the library as a package", () => {
  let provider: FakeProvider;
  const blocks = new Map<string, string>();

  before(async function () {
    this.timeout(120_000);
    const installed = join(folder, "node_modules/arbor-agent-library");
    await rm(folder, { recursive: true, force: true });
    await mkdir(installed, { recursive: true });
    await run(process.execPath, [join(root, "scripts/packageLibrary.mjs")], { cwd: root });
    const archive = (await readdir(join(root, "out/library"))).find((name) => name.endsWith(".tgz")) ?? "";
    await run("tar", ["-xzf", join(root, "out/library", archive), "-C", installed, "--strip-components=1"]);
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    for (const file of documents) {
      for (const [name, code] of codeBlocks(await readFile(join(root, file), "utf8"))) blocks.set(name, code);
    }
    for (const [name, code] of blocks) await writeFile(join(folder, name), code);
    provider = await startFakeProvider();
  });
  after(async () => {
    await provider.stop();
    await rm(folder, { recursive: true });
  });

  it("has examples that are all run here, programs of at most forty lines", () => {
    assert.deepEqual([...blocks.keys()].toSorted(), [...Object.keys(examples), "model.ts"].toSorted());
    for (const [name, code] of blocks) assert.ok(code.trim().split("\n").length <= 41, name);
    assert.ok((blocks.get("first.ts") ?? "").trim().split("\n").length <= 20);
  });

  it("compiles for a stranger, whose compiler checks declarations too", async function () {
    this.timeout(120_000);
    const compilerOptions = {
      ...{ strict: true, skipLibCheck: false, noEmit: true, allowImportingTsExtensions: true },
      ...{ target: "ES2024", lib: ["ES2024", "ESNext"], module: "NodeNext", types: ["node"] },
    };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const { stdout } = await run(process.execPath, [compiler, "-p", folder]).catch(
      (error: { stdout: string }) => error,
    );
    assert.equal(stdout, "");
  });

  it("compiles for a browser's program too, which knows no types of Node", async function () {
    this.timeout(120_000);
    const compilerOptions = {
      ...{ strict: true, skipLibCheck: false, noEmit: true, target: "ES2024", types: [] },
      ...{ lib: ["ES2024", "ESNext", "DOM", "DOM.Iterable"], module: "ESNext", moduleResolution: "bundler" },
    };
    const entries = ["", "/mcp", "/node", "/testing", "/tree"].map((entry) => `arbor-agent-library${entry}`);
    const program = entries.map((entry, at) => `import * as entry${at} from "${entry}";\nconsole.log(entry${at});\n`);
    await mkdir(join(folder, "browser"), { recursive: true });
    await writeFile(join(folder, "browser/program.ts"), program.join(""));
    await writeFile(join(folder, "browser/tsconfig.json"), JSON.stringify({ compilerOptions }));
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const compiled = run(process.execPath, [compiler, "-p", join(folder, "browser")]);
    assert.equal((await compiled.catch((error: { stdout: string }) => error)).stdout, "");
  });

  it("says what it needs: zod, and of the SDKs only those that are used", async () => {
    const text = await readFile(join(folder, "node_modules/arbor-agent-library/package.json"), "utf8");
    const { sideEffects, type, dependencies, peerDependencies, peerDependenciesMeta, exports } = JSON.parse(text);
    assert.deepEqual(
      [sideEffects, type, Object.keys(dependencies)],
      [false, "module", ["@cfworker/json-schema", "eventsource-parser"]],
    );
    assert.match(peerDependencies.zod, /^\^4\./);
    const optional = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional === true);
    assert.deepEqual(optional, ["@anthropic-ai/sdk", "openai", "yaml"]);
    assert.deepEqual(Object.keys(exports), [".", "./providers", "./node", "./mcp", "./testing", "./tree"]);
  });

  it("bundles for a browser, and runs where there is no Node", async () => {
    const program = `
      import { Agent, textOf } from "arbor-agent-library";
      import { mcpTools } from "arbor-agent-library/mcp";
      import { JsonlSessionStore } from "arbor-agent-library/node";
      import { anthropicStream } from "arbor-agent-library/providers";
      import { call, scriptedModel, text } from "arbor-agent-library/testing";
      globalThis.done = (async () => {
        const client = {
          listTools: async () => ({ tools: [{ name: "t", inputSchema: { type: "object", not: { required: ["x"] } } }] }),
          callTool: async () => ({ content: [{ type: "text", text: "called" }] }),
        };
        const { model, streamFn } = scriptedModel([call("t"), text("from a browser")]);
        const agent = new Agent({ name: "a", model, streamFn, tools: await mcpTools(client) });
        const answer = textOf(await agent.run("go"));
        const refused = await JsonlSessionStore.open("a.jsonl").catch((error) => error.message);
        return JSON.stringify([answer, agent.messages.map(textOf), refused, typeof anthropicStream]);
      })();`;
    const bundled = await build({
      ...{ stdin: { contents: program, resolveDir: folder }, absWorkingDir: folder },
      ...{ bundle: true, write: false, platform: "browser", format: "iife", logLevel: "silent" },
    });
    const browser = {
      ...{ crypto, performance, setTimeout, clearTimeout, AbortController, AbortSignal, URL, Headers, Response },
      ...{ console, TextEncoder, TextDecoder },
    };
    const context: typeof browser & { done?: Promise<string> } = { ...browser };
    vm.runInNewContext(bundled.outputFiles[0]?.text ?? "", context);
    const [answer, said, refused, provider] = JSON.parse((await context.done) ?? "[]");
    assert.deepEqual([answer, said, provider], ["from a browser", ["go", "", "called", "from a browser"], "function"]);
    assert.match(refused, /Node/);
  });

  it("names the SDK that is not installed", async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), "library-"));
    const modules = join(elsewhere, "node_modules");
    try {
      await mkdir(modules, { recursive: true });
      const installed = join(folder, "node_modules/arbor-agent-library");
      await cp(installed, join(modules, "arbor-agent-library"), { recursive: true });
      await cp(join(root, "node_modules/eventsource-parser"), join(modules, "eventsource-parser"), { recursive: true });
      const program = `
        import { openaiStream } from "arbor-agent-library/providers";
        const request = { systemPrompt: "", messages: [], tools: [] };
        for await (const event of openaiStream({ apiKey: "k" })({ id: "m", provider: "openai" }, request, {})) {
          if (event.type === "error") console.log(event.message.errorMessage);
        }`;
      await writeFile(join(elsewhere, "a.mjs"), program);
      const { stdout } = await run(node, ["a.mjs"], { cwd: elsewhere });
      assert.match(stdout, /npm install openai/);
    } finally {
      await rm(elsewhere, { recursive: true, force: true });
    }
  });

  for (const [name, { script, prints, runs = [[]] }] of Object.entries(examples)) {
    it(`has an example that prints what it should: ${name}`, async function () {
      this.timeout(120_000);
      await provider.reset();
      await provider.script(...script);
      const env = { ...process.env, ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: "key" };
      let printed = "";
      for (const args of runs) {
        const ended = run(node, [name, ...args], { env, cwd: folder });
        printed = (await ended.catch((error: { stdout: string }) => error)).stdout;
      }
      assert.match(printed, prints);
    });
  }
});

/** TypeScript blocks by the file name in their first line. */
function codeBlocks(markdown: string): Map<string, string> {
  const found = markdown.matchAll(/```ts\n\/\/ (\S+)\n(.*?)```/gs);
  return new Map([...found].map(([, name = "", code = ""]) => [name, code]));
}
