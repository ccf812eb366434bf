import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { secretFileAt } from "../../../src/extension/approvals/editSensitivity.ts";
import type { PermissionAnswer, ReadPermission } from "../../../src/extension/approvals/permission.ts";
import { isSecretPath, secretGlob } from "../../../src/extension/approvals/sensitive.ts";
import { createReadVersions, editorTools } from "../../../src/extension/tools/index.ts";
import { SecretReads } from "../../../src/extension/tools/secretReads.ts";
import { expandGlobs, globMatcher } from "../../../src/extension/workspace/search/globs.ts";
import { type MemoryWorkspaceOptions, memoryWorkspace } from "../../support/memoryWorkspace.ts";
import { scriptedReview } from "../../support/scriptedReview.ts";
import { runTool, type ToolRunOptions } from "../../support/toolContext.ts";

const secret = "sk-0815";
const files = { ".env": `KEY=${secret}\n`, "src/a.ts": "const KEY = 1;\n" };

/** The tools with a user who answers as scripted, and what that user was asked. */
function bench(
  options: MemoryWorkspaceOptions = { files },
  answer: PermissionAnswer = { allowed: false },
  { granted = [], change }: { granted?: readonly string[]; change?: (text: string) => string } = {},
) {
  const workspace = memoryWorkspace(options);
  const asked: ReadPermission[] = [];
  const secrets = new SecretReads({
    secretFileAt: async (path) => (isSecretPath(path) ? {} : undefined),
    isGranted: ({ path }) => granted.includes(path),
    askPermission: async (request) => {
      if (request.kind === "read") asked.push(request);
      return answer;
    },
  });
  const review = scriptedReview(workspace, change && { change });
  const dependencies = { workspace, review, reads: createReadVersions(), agentPath: () => ["main"], secrets };
  const all = [...editorTools(dependencies).all, ...editorTools(dependencies, { patches: true }).all];
  const tools = new Map(all.map((tool) => [tool.name, tool]));
  return {
    ...{ workspace, asked, review },
    call(name: string, args: unknown, more?: ToolRunOptions) {
      const tool = tools.get(name) ?? assert.fail(`There is no tool ${name}.`);
      return runTool(tool, args, more);
    },
  };
}

describe("files that hold secrets", () => {
  const secretPaths = [
    ...[".env", "server/.env.local", ".env.production", ".envrc", "prod.env", ".ENV", ".env.", ".env::$DATA"],
    ...[".git/config", "web/.git/config", ".git/FETCH_HEAD", ".Git/config", "git~1/config"],
    ...[".npmrc", ".netrc", "_netrc", ".pypirc", ".pgpass", ".git-credentials", ".docker/config.json"],
    ...["id_rsa", "keys/id_ed25519", ".ssh/work", "server.pem", "tls/server.key", ".aws/credentials", ".kube/config"],
  ];
  for (const path of secretPaths) it(`are ${path}`, () => assert.equal(isSecretPath(path), true));

  const others = [
    ...[".env.example", ".env.sample", ".env.template", ".env.local.example", ".env.dist", "example.env"],
    ...["src/environment.ts", "vite-env.d.ts", ".gitignore", ".github/config", "id_rsa.pub", ".ssh/work.pub"],
    ...["package.json", "keys.ts", "credentials.ts", "docs/.git.md"],
  ];
  for (const path of others) it(`are not ${path}`, () => assert.equal(isSecretPath(path), false));

  it("are found by their glob, where a search may meet them", () => {
    const matches = globMatcher(expandGlobs(secretGlob()));
    const met = [
      ".env",
      "server/.env.local",
      "prod.env",
      ".npmrc",
      "keys/id_ed25519",
      "server.pem",
      ".aws/credentials",
    ];
    for (const path of met) assert.ok(matches(path), path);
    assert.ok(!matches("src/a.ts"));
  });
});

describe("a link", () => {
  let root: string;
  before(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), "arbor-secrets-")));
    await mkdir(join(root, ".aws"));
    await writeFile(join(root, ".env"), "");
    await writeFile(join(root, ".env.example"), "");
    await writeFile(join(root, ".aws/credentials"), "");
    await symlink(".env", join(root, "notes.txt"));
    await symlink(".aws", join(root, "cloud"));
  });
  after(() => rm(root, { recursive: true }));
  const at = (path: string) => secretFileAt(path, { root, relative: path });

  it("counts as the file that it leads to", async () => {
    assert.deepEqual(await at("notes.txt"), { leadsTo: ".env" });
    assert.deepEqual(await at("cloud/credentials"), { leadsTo: ".aws/credentials" });
  });

  it("that is none leaves the file as it is", async () => {
    assert.deepEqual(await at(".env"), {});
    assert.equal(await at(".env.example"), undefined);
  });

  it("into a folder of keys that is itself open does not hide what it is", async () => {
    assert.deepEqual(
      await secretFileAt("credentials.old", { root: join(root, ".aws"), relative: "credentials.old" }),
      {},
    );
  });
});

describe("reading a file that holds secrets", () => {
  it("is asked for, and nothing of it is said when the user says no", async () => {
    const { call, asked } = bench({ files }, { allowed: false, reason: "not that one" });
    const { text, result } = await call("read_file", { path: ".env" });
    assert.equal(result.isError, true);
    assert.match(text, /declined saying: "not that one"/);
    assert.ok(!text.includes(secret));
    assert.deepEqual(
      asked.map(({ path, toolName }) => [path, toolName]),
      [[".env", "read_file"]],
    );
  });

  it("happens once the user allows it, and is asked for again the next time", async () => {
    const { call, asked } = bench({ files }, { allowed: true });
    assert.ok((await call("read_file", { path: ".env" })).text.includes(secret));
    await call("read_file", { path: ".env" });
    assert.equal(asked.length, 2);
  });

  it("15 is refused when the path became a link to one after it was judged", async () => {
    const { workspace, call, asked } = bench({ files: { "notes.txt": `KEY=${secret}\n` } });
    const { read } = workspace;
    workspace.read = async (path, signal) => ({ ...(await read(path, signal)), leadsTo: ".env" });
    const { text } = await call("read_file", { path: "notes.txt" });
    assert.match(text, /link to another file than the one that was asked for/);
    assert.equal(text.includes(secret), false);
    assert.equal(asked.length, 0);
  });

  it("is refused where no one can be asked", async () => {
    const workspace = memoryWorkspace({ files });
    const dependencies = { workspace, review: scriptedReview(workspace), reads: createReadVersions() };
    const { all } = editorTools({ ...dependencies, agentPath: () => ["main"] });
    const tool = all.find(({ name }) => name === "read_file") ?? assert.fail();
    assert.ok(!(await runTool(tool, { path: ".env" })).text.includes(secret));
  });

  const attempts: [string, unknown][] = [
    ["edit_file", { path: ".env", edits: [{ old_text: "KEY=sk-0816", new_text: "KEY=" }] }],
    ["write_file", { path: ".env", content: "KEY=\n" }],
    ["apply_patch", { patch: "*** Begin Patch\n*** Update File: .env\n@@\n-KEY=sk-0816\n+KEY=\n*** End Patch" }],
    ["find_symbols", { query: "", path: ".env" }],
    ["find_references", { path: ".env", line: 1, symbol: "KEY" }],
    ["go_to_definition", { path: ".env", line: 1, symbol: "KEY" }],
    ["rename_symbol", { path: ".env", line: 1, symbol: "KEY", new_name: "TOKEN" }],
    ["get_diagnostics", { path: ".env" }],
  ];
  const diagnostics = [
    { path: ".env", line: 1, column: 1, severity: "error" as const, message: `${secret} is no name` },
    { path: "src/a.ts", line: 1, column: 1, severity: "error" as const, message: "KEY is never used" },
  ];
  for (const [name, args] of attempts) {
    it(`is asked for when ${name} would show it`, async () => {
      const { call, asked } = bench({ files, diagnostics });
      const { text } = await call(name, args);
      assert.ok(!text.includes(secret), text);
      assert.deepEqual(
        asked.map(({ path }) => path),
        [".env"],
      );
    });
  }

  it("is one question for one call, also of a patch of two files", async () => {
    const patch =
      "*** Begin Patch\n*** Update File: .env\n@@\n-KEY=sk-0815\n+KEY=\n*** Update File: src/a.ts\n@@\n-const KEY = 1;\n+const KEY = 2;\n*** End Patch";
    const { call, asked, workspace } = bench({ files }, { allowed: true });
    await call("apply_patch", { patch });
    assert.equal(workspace.files.get(".env"), "KEY=\n");
    assert.equal(asked.length, 1);
  });

  it("is not asked for again by an edit of what the agent has read", async () => {
    const { call, asked } = bench({ files }, { allowed: true });
    await call("read_file", { path: ".env" });
    await call("edit_file", { path: ".env", edits: [{ old_text: secret, new_text: "x" }] });
    assert.equal(asked.length, 1);
  });
});

describe("what holds secrets", () => {
  it("is left out of a search, which says so whether or not it would have matched", async () => {
    for (const query of ["KEY", "const"]) {
      const { call } = bench();
      const { text, output } = await call("search_text", { query });
      assert.equal(
        text,
        "src/a.ts\n  1: const KEY = 1;\n(Not searched, since they may hold secrets: .env. read_file asks the user.)",
      );
      assert.equal(output, "src/a.ts:1: const KEY = 1;\n");
    }
  });

  it("does not use up the limit of a search", async () => {
    const { call } = bench({ files: { ".env": "KEY\nKEY\nKEY\n", "a.ts": "KEY\n" } });
    assert.match((await call("search_text", { query: "KEY", limit: 1 })).text, /^a.ts\n {2}1: KEY\n\(Not searched/);
  });

  it("is searched once the user has allowed it for more than once", async () => {
    const { call } = bench({ files }, { allowed: false }, { granted: [".env"] });
    const { text } = await call("search_text", { query: "KEY" });
    assert.equal(text, `.env\n  1: KEY=${secret}\nsrc/a.ts\n  1: const KEY = 1;`);
  });

  it("is left out of the search for words where no language server helps", async () => {
    const { call } = bench({ files: { ...files, ".env": `const KEY = ${secret}\n` }, withoutLanguage: true });
    for (const name of ["find_references", "go_to_definition"]) {
      const { text } = await call(name, { path: "src/a.ts", line: 1, symbol: "KEY" });
      assert.ok(!text.includes(secret), text);
    }
    assert.ok(!(await call("find_symbols", { query: "KEY" })).text.includes(secret));
  });

  it("is left out of the problems of all files, which are listed by name", async () => {
    const message = `${secret} is no name`;
    const { call } = bench({
      files,
      diagnostics: [{ path: ".env", line: 1, column: 1, severity: "error", message }],
    });
    const { text } = await call("get_diagnostics", {});
    assert.ok(!text.includes(secret));
    assert.match(text, /may hold secrets: \.env/);
  });

  it("can be deleted unread, and the result does not show what it held", async () => {
    const { call, asked, workspace } = bench();
    const { text } = await call("delete_file", { path: ".env" });
    assert.equal(workspace.files.has(".env"), false);
    assert.ok(!text.includes(secret), text);
    assert.equal(asked.length, 0);
  });

  it("that the user writes into an agent's proposal does not reach the agent, and not to its next edit", async () => {
    const { call, asked, workspace } = bench({ files: {} }, { allowed: false }, { change: () => `KEY=${secret}\n` });
    const { text } = await call("write_file", { path: ".env", content: "KEY=\n" });
    assert.equal(workspace.files.get(".env"), `KEY=${secret}\n`);
    assert.match(text, /^Created \.env/);
    assert.ok(!text.includes(secret), text);
    const again = await call("edit_file", { path: ".env", edits: [{ old_text: "KEY=x", new_text: "KEY=y" }] });
    assert.ok(!again.text.includes(secret), again.text);
    assert.equal(asked.length, 1);
  });
});
