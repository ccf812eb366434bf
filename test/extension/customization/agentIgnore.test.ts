import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withMentions } from "../../../src/extension/chat/compose/attach/mentions.ts";
import { createFileIndex } from "../../../src/extension/chat/compose/suggest/fileIndex.ts";
import { composeUserMessage } from "../../../src/extension/chat/compose/userMessage.ts";
import { AgentIgnore, agentWorkspace } from "../../../src/extension/customization/agentIgnore.ts";
import { createReadVersions, editorTools } from "../../../src/extension/tools/index.ts";
import { scopeOf } from "../../../src/extension/workspace/search/ripgrepScope.ts";
import { attachmentSources } from "../../support/attachmentSources.ts";
import { type MemoryWorkspaceOptions, memoryWorkspace } from "../../support/memoryWorkspace.ts";
import { scriptedReview } from "../../support/scriptedReview.ts";
import { ripgrepRoot } from "../../support/searchTree.ts";
import { runTool } from "../../support/toolContext.ts";

const secret = "const launchCode = 4711;";
const files = {
  ".agentignore": "# not for agents\nprivate/\n*.secret.ts\n!open.secret.ts\n",
  ".gitignore": "!private/\n",
  "a.ts": "export const launchCode = 1;\n",
  "private/plan.ts": `${secret}\n`,
  "sub/b.secret.ts": `${secret}\n`,
  "open.secret.ts": "const open = 2;\n",
};
const hiddenPaths = ["private/plan.ts", "sub/b.secret.ts"];

function arrange(options: MemoryWorkspaceOptions = {}, links: Record<string, string> = {}) {
  const inner = memoryWorkspace({ files, ...options });
  const agentIgnore = new AgentIgnore({ workspace: inner, realPath: async (path) => links[path] ?? path });
  const workspace = agentWorkspace(inner, agentIgnore);
  const review = scriptedReview(workspace);
  const dependencies = { workspace, review, reads: createReadVersions(), agentPath: () => ["main"] };
  const tools = [...editorTools(dependencies).all, ...editorTools(dependencies, { patches: true }).all];
  const call = async (name: string, args: unknown) => {
    const tool = tools.find((each) => each.name === name);
    assert.ok(tool, name);
    return (await runTool(tool, args)).text;
  };
  return { inner, agentIgnore, workspace, review, call };
}

describe("what .agentignore names", () => {
  it("is refused by every tool that is given its path, with what to do instead", async () => {
    const { call, inner, review } = arrange();
    for (const path of [...hiddenPaths, "PRIVATE/Plan.ts", "./sub/../private/plan.ts"]) {
      const at = { path, line: 1, symbol: "launchCode" };
      const calls: [string, unknown][] = [
        ["read_file", { path }],
        ["edit_file", { path, edits: [{ old_text: "4711", new_text: "0" }] }],
        ["write_file", { path, content: "x" }],
        ["apply_patch", { patch: `*** Begin Patch\n*** Update File: ${path}\n@@\n-${secret}\n+x\n*** End Patch` }],
        ["delete_file", { path }],
        ["move_file", { path, to: "c.ts" }],
        ["move_file", { path: "a.ts", to: path }],
        ["get_diagnostics", { path }],
        ["find_symbols", { query: "launchCode", path }],
        ["find_references", at],
        ["go_to_definition", at],
        ["rename_symbol", { ...at, new_name: "code" }],
      ];
      for (const [name, args] of calls) {
        const text = await call(name, args);
        assert.match(text, /is hidden by \.agentignore: the user does not want/, `${name} ${path}`);
        assert.doesNotMatch(text, /4711/);
      }
    }
    assert.deepEqual(review.proposals, []);
    assert.equal(inner.files.get("private/plan.ts"), `${secret}\n`);
  });

  it("is neither listed nor found, whatever .gitignore says of it", async () => {
    const { call } = arrange();
    const found = await Promise.all([
      call("list_files", { depth: 5 }),
      call("find_files", { pattern: "**/*" }),
      call("search_text", { query: "launchCode" }),
      call("search_text", { query: "const", include: "private/**" }),
      call("find_symbols", { query: "launchCode" }),
      call("find_references", { path: "a.ts", line: 1, symbol: "launchCode" }),
      call("go_to_definition", { path: "a.ts", line: 1, symbol: "launchCode" }),
      call("read_file", { path: "plan.ts" }),
    ]);
    for (const text of found) assert.doesNotMatch(text, /4711|plan\.ts:|private\/|b\.secret/);
    assert.match(found[0] ?? "", /open\.secret\.ts/);
    assert.match(found[2] ?? "", /a\.ts/);
    assert.match(await call("list_files", { path: "private" }), /hidden by \.agentignore/);
  });

  it("has no problems that are shown, and is not renamed along with others", async () => {
    const problem = (path: string) => ({ path, line: 1, column: 1, severity: "error" as const, message: `in ${path}` });
    const { call } = arrange({ diagnostics: ["a.ts", ...hiddenPaths].map(problem) });
    assert.match(await call("get_diagnostics", {}), /in a\.ts/);
    assert.doesNotMatch(await call("get_diagnostics", {}), /private|secret/);
    const text = await call("rename_symbol", { path: "a.ts", line: 1, symbol: "launchCode", new_name: "code" });
    assert.match(text, /hidden by \.agentignore/);
  });

  it("is not attached, mentioned or suggested", async () => {
    const { workspace } = arrange();
    const sources = attachmentSources({ workspace });
    assert.deepEqual(await withMentions("see @private/plan.ts and @a.ts", [], sources), [
      { kind: "file", path: "a.ts" },
    ]);
    const suggested = await createFileIndex(workspace).paths("p", new AbortController().signal);
    assert.deepEqual(
      [...suggested].filter((path) => /private|b\.secret/.test(path)),
      [],
    );
    const attachments = [
      { kind: "file" as const, path: "private/plan.ts" },
      { kind: "folder" as const, path: "private" },
      { kind: "selection" as const, path: "sub/b.secret.ts", startLine: 1, endLine: 1 },
    ];
    const { signal } = new AbortController();
    const message = await composeUserMessage("look", attachments, { sources, takesImages: true, signal });
    const text = JSON.stringify(message.content);
    assert.doesNotMatch(text, /4711/);
    assert.equal(text.match(/could not be read: \S+ is hidden by \.agentignore/g)?.length, 3);
  });

  it("is not reached through a link", async () => {
    const links = { "a.ts": "private/plan.ts" };
    assert.match(await arrange({}, links).call("read_file", { path: "a.ts" }), /hidden by \.agentignore/);
    const outside = arrange({}, { "a.ts": "../elsewhere.ts" });
    assert.doesNotMatch(await outside.call("read_file", { path: "a.ts" }), /hidden/, "that is refused elsewhere");
  });

  it("counts as soon as it is typed, and no longer than it is there", async () => {
    const { call, inner } = arrange();
    inner.unsaved.set(".agentignore", "a.ts\n");
    assert.match(await call("read_file", { path: "a.ts" }), /hidden/);
    assert.match(await call("read_file", { path: "private/plan.ts" }), /4711/);
    inner.unsaved.delete(".agentignore");
    inner.files.delete(".agentignore");
    assert.match(await call("read_file", { path: "a.ts" }), /launchCode/);
  });

  it("is everything where the rules can't be read, which is said", async () => {
    for (const broken of ["x".repeat(70_000), { mimeType: "image/png", data: "abcd" }]) {
      const { call } = arrange({ files: { ...files, ".agentignore": broken } });
      const rule = /\.agentignore can't be read, so no file can be/;
      assert.match(await call("read_file", { path: "a.ts" }), rule);
      assert.match(await call("search_text", { query: "launchCode" }), rule);
    }
  });

  it("is named in each of several folders for that folder", async () => {
    const { call, agentIgnore } = arrange({
      roots: ["one", "two"],
      files: { "one/.agentignore": "/x.ts", "one/x.ts": "1", "one/sub/x.ts": "2", "two/x.ts": "3" },
    });
    assert.match(await call("read_file", { path: "one/x.ts" }), /hidden/);
    assert.match(await call("read_file", { path: "one/sub/x.ts" }), /2/);
    assert.match(await call("read_file", { path: "two/x.ts" }), /3/);
    assert.deepEqual(
      ["one/x.ts", "two/x.ts", "one", ""].map((path) => agentIgnore.hidesNow(path)),
      [...[true, false, false, false]],
    );
  });

  it("is left out by ripgrep already, so that it takes no room among the results", async () => {
    const folder = await mkdtemp(join(tmpdir(), "arbor-ignore-"));
    try {
      const root = ripgrepRoot("rg", folder);
      assert.ok(!(await scopeOf(root, undefined, undefined)).args.includes("--ignore-file=.agentignore"));
      await writeFile(join(folder, ".agentignore"), "private/\n");
      for (const include of [undefined, "**/*.ts"]) {
        assert.ok((await scopeOf(root, include, undefined)).args.includes("--ignore-file=.agentignore"));
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
