import assert from "node:assert/strict";
import { ruleFor } from "../../../src/extension/demo/requests.ts";
import { findOffers, type WorkspaceFacts } from "../../../src/extension/start/offers.ts";
import { RecentFacts } from "../../../src/extension/start/recentFacts.ts";
import { searchFacts } from "../../../src/extension/start/searchFacts.ts";
import { memoryWorkspace } from "../../support/memoryWorkspace.ts";

const nothing: WorkspaceFacts = { problems: 0, changes: 0, hasReadme: true };
const everything: WorkspaceFacts = {
  ...{ problems: 3, changes: 4, hasReadme: true, testCommand: "npm test", activeFile: "src/a.ts" },
  todo: { path: "src/format/money.ts", line: 6, text: "// TODO: group thousands" },
};
const labels = (facts: WorkspaceFacts, isDemo = false) => findOffers(facts, isDemo).map(({ label }) => label);

describe("what an empty chat offers", () => {
  it("is three things that are there to do, what is wrong first", () => {
    assert.deepEqual(labels(everything), ["Fix 3 problems", "Review 4 changed files", "Show me around this project"]);
    assert.deepEqual(labels({ ...everything, problems: 0, changes: 0 }), [
      "Do the TODO in money.ts:6",
      "Run the tests and fix what fails",
      "Show me around this project",
    ]);
    assert.deepEqual(labels({ ...nothing, problems: 1, changes: 1 }).slice(0, 2), [
      "Fix 1 problem",
      "Review 1 changed file",
    ]);
  });

  it("is a README where there is none, and the open file where there is nothing else", () => {
    assert.deepEqual(labels({ ...nothing, hasReadme: false }), ["Write a README for this project"]);
    assert.deepEqual(labels({ ...nothing, activeFile: "src/a.ts" }), ["Show me around this project", "Explain a.ts"]);
  });

  it("is only what the demo can do where the demo answers, and it does each", async () => {
    assert.deepEqual(labels(everything, true), ["Show me around this project", "Explain a.ts", "Run the tests"]);
    assert.deepEqual(labels({ ...nothing, hasReadme: false }, true), ["Show me around this project"]);
    const offered = { tools: new Set(["run_command"]), agents: new Set<string>() };
    const asked = findOffers(everything, true).map(({ prompt }) => {
      const rule = ruleFor(prompt, offered);
      const first = typeof rule === "string" ? undefined : rule.next().value;
      return typeof first === "object" ? first.calls[0] : rule;
    });
    assert.deepEqual(asked, [
      { name: "list_files", arguments: { depth: 3 } },
      { name: "read_file", arguments: { path: "src/a.ts" } },
      { name: "run_command", arguments: { command: "npm test" } },
    ]);
  });

  it("attaches what it is about, and asks in words that name it", () => {
    const [problems, changes] = findOffers(everything, false);
    assert.deepEqual(problems?.attachments, [{ kind: "problems" }]);
    assert.deepEqual(changes?.attachments, [{ kind: "diff" }]);
    const [todo, tests] = findOffers({ ...everything, problems: 0, changes: 0 }, false);
    assert.match(todo?.prompt ?? "", /src\/format\/money\.ts:6 .*group thousands/);
    assert.match(tests?.prompt ?? "", /`npm test`/);
  });
});

describe("what is there to do in a workspace", () => {
  const { signal } = new AbortController();
  const search = (files: Record<string, string>) => searchFacts(memoryWorkspace({ files }), signal);

  it("is the first TODO of the code, how its tests run, and whether it has a README", async () => {
    const files = {
      "b.ts": "// FIXME later\n",
      "a.ts": "const x = 1;\n// TODO: group thousands\n",
      "README.md": "# TODO\n",
      "package.json": '{"scripts":{"test":"mocha"}}',
    };
    assert.deepEqual(await search(files), {
      todo: { path: "a.ts", line: 2, text: "// TODO: group thousands" },
      testCommand: "npm test",
      hasReadme: true,
    });
  });

  for (const [command, files] of Object.entries({
    "yarn test": { "package.json": '{"scripts":{"test":"x"}}', "yarn.lock": "" },
    "pnpm test": { "package.json": '{"scripts":{"test":"x"}}', "pnpm-lock.yaml": "" },
    "cargo test": { "Cargo.toml": "" },
    "go test ./...": { "go.mod": "" },
    pytest: { "pyproject.toml": "", "tests/test_a.py": "" },
  })) {
    it(`runs tests with ${command} where they are`, async () => {
      assert.equal((await search(files as Record<string, string>)).testCommand, command);
    });
  }

  it("is nothing where files are broken or say that there is nothing", async () => {
    assert.deepEqual(await search({ "package.json": "{" }), { hasReadme: false });
    const placeholder = '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}';
    assert.deepEqual(await search({ "package.json": placeholder, README: "" }), { hasReadme: true });
  });

  it("is searched for again when it is old and somebody looks, and reported when it differs", async () => {
    let now = 0;
    let isWanted = false;
    const found = [{ hasReadme: false }, { hasReadme: false }, { hasReadme: true }];
    let searches = 0;
    let changes = 0;
    const facts = new RecentFacts({
      search: async () => found[searches++] ?? { hasReadme: true },
      isWanted: () => isWanted,
      onChange: () => changes++,
      reportFailure: (error) => assert.fail(String(error)),
      now: () => now,
    });
    const look = async () => {
      facts.read();
      await new Promise(setImmediate);
      return [searches, changes, facts.read().hasReadme];
    };
    assert.deepEqual(await look(), [0, 0, true]);
    isWanted = true;
    assert.deepEqual(await look(), [1, 1, false]);
    assert.deepEqual(await look(), [1, 1, false]);
    now = 30_000;
    assert.deepEqual(await look(), [2, 1, false]);
    now = 60_000;
    assert.deepEqual(await look(), [3, 2, true]);
  });
});
