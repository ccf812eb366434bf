import assert from "node:assert/strict";
import fc from "fast-check";
import type { AttachmentSources } from "../../../../src/extension/chat/compose/attach/sources.ts";
import { composeUserMessage } from "../../../../src/extension/chat/compose/userMessage.ts";
import { type Attachment, attachmentsOf, imagesOf, imageTypes } from "../../../../src/protocol/attachments.ts";
import { attachmentSources } from "../../../support/attachmentSources.ts";
import { memoryWorkspace } from "../../../support/memoryWorkspace.ts";

const { signal } = new AbortController();

function compose(attachments: Attachment[], sources: Partial<AttachmentSources> = {}, takesImages = true) {
  return composeUserMessage("Words", attachments, { sources: attachmentSources(sources), takesImages, signal });
}

/** What the attachments brought, as text. */
async function brought(attachments: Attachment[], sources: Partial<AttachmentSources> = {}): Promise<string[]> {
  const { content } = await compose(attachments, sources);
  return content.slice(1).map((part) => (part.type === "text" ? part.text : `[${part.mimeType}]`));
}

describe("what attachments bring", () => {
  it("95 a file with secrets: its name, also as a selection and by a link, since a mention may have been pasted", async () => {
    const workspace = memoryWorkspace({ files: { ".env": "KEY=sk-0815\n", "notes.txt": "KEY=sk-0815\n" } });
    const { read } = workspace;
    workspace.read = async (path, abort) => ({
      ...(await read(path, abort)),
      ...(path === "notes.txt" && { leadsTo: ".env" }),
    });
    const texts = await brought(
      [
        { kind: "file", path: ".env" },
        { kind: "selection", path: ".env", startLine: 1, endLine: 1 },
        { kind: "file", path: "notes.txt" },
      ],
      { workspace },
    );
    assert.equal(texts.length, 3);
    for (const text of texts) {
      assert.match(text, /read_file asks the user for it/);
      assert.equal(text.includes("sk-0815"), false);
    }
  });

  it("94 nothing of the workspace in Restricted Mode, but what the message brings itself", async () => {
    const workspace = memoryWorkspace({ files: { "a.ts": "needle" } });
    const terminal = { command: "ls", output: "needle", omitted: 0 };
    const texts = await brought(
      [
        { kind: "file", path: "a.ts" },
        { kind: "selection", path: "a.ts", startLine: 1, endLine: 1 },
        { kind: "folder", path: "" },
        { kind: "symbol", path: "a.ts", name: "a" },
        ...(["problems", "terminal", "diff"] as const).map((kind) => ({ kind })),
        { kind: "resource", server: "docs", uri: "docs://a", name: "a" },
        { kind: "text", name: "note", text: "pasted" },
      ],
      {
        isTrusted: () => false,
        workspace,
        terminal: () => terminal,
        changes: async () => assert.fail("Git was asked."),
        readResource: async () => assert.fail("A server was asked."),
      },
    );
    assert.equal(texts.filter((text) => text.includes("Restricted Mode")).length, 8);
    assert.equal(texts.join("").includes("needle"), false);
    assert.match(texts.at(-1) ?? "", /pasted/);
  });

  it("a file: its text; a selection: its lines", async () => {
    const workspace = memoryWorkspace({ files: { "a.ts": "1\n2\n3\n4" } });
    assert.deepEqual(
      await brought(
        [
          { kind: "file", path: "a.ts" },
          { kind: "selection", path: "a.ts", startLine: 2, endLine: 3 },
        ],
        {
          workspace,
        },
      ),
      [
        '<attached_file path="a.ts">\n1\n2\n3\n4\n</attached_file>',
        '<attached_file path="a.ts" lines="2-3">\n2\n3\n</attached_file>',
      ],
    );
  });

  it("a long file: as many whole lines as fit, and where to read on", async () => {
    const text = Array.from({ length: 3_000 }, (_, index) => `${index + 1} ${"x".repeat(60)}`).join("\n");
    const [part = ""] = await brought([{ kind: "file", path: "a.ts" }], {
      workspace: memoryWorkspace({ files: { "a.ts": text } }),
    });
    const [, left, next] = /\((\d+) more lines: read on with start_line=(\d+)\.\)/.exec(part) ?? [];
    assert.ok(part.length < 101_000);
    assert.equal(Number(left) + Number(next) - 1, 3_000);
    assert.ok(part.includes(`\n${Number(next) - 1} x`));
    assert.ok(!part.includes(`\n${next} x`));
  });

  it("many files: no more than fits together, and what is left out is named", async () => {
    const text = `${"x".repeat(70)}\n`.repeat(1_400);
    const names = Array.from({ length: 8 }, (_, index) => `f${index}.ts`);
    const workspace = memoryWorkspace({ files: Object.fromEntries(names.map((name) => [name, text])) });
    const parts = await brought(
      names.map((path) => ({ kind: "file", path })),
      { workspace },
    );
    assert.equal(parts.length, 8);
    assert.ok(parts.join("").length < 420_000);
    assert.match(parts[7] ?? "", /^<attached_file path="f7.ts">\n\(left out: the message is long/);
  });

  it("a resource of an MCP server: its text, or why there is none", async () => {
    const resource: Attachment = { kind: "resource", server: "shop", uri: "note://1", name: "note" };
    assert.deepEqual(await brought([resource], { readResource: async () => "Buy milk." }), [
      '<attached_resource server="shop" uri="note://1">\nBuy milk.\n</attached_resource>',
    ]);
    const [failed = ""] = await brought([resource], { readResource: () => Promise.reject(new Error("It is gone.")) });
    assert.match(failed, /shop: note:\/\/1.*\n\(could not be read: It is gone\.\)/);
  });

  it("a folder: what is in it, without what is ignored", async () => {
    const workspace = memoryWorkspace({
      files: { ".gitignore": "out\n", "src/a.ts": "", "src/out/b.ts": "", "src/c/d.ts": "" },
    });
    assert.deepEqual(await brought([{ kind: "folder", path: "src" }], { workspace }), [
      '<attached_folder path="src">\nsrc/c/\nsrc/c/d.ts\nsrc/a.ts\n</attached_folder>',
    ]);
  });

  it("a symbol: its lines, up to the next one beside it", async () => {
    const workspace = memoryWorkspace({
      files: { "a.ts": "const a = 1;\nfunction total() {\n  return a;\n}\nclass Other {}" },
    });
    assert.deepEqual(await brought([{ kind: "symbol", path: "a.ts", name: "total", startLine: 2 }], { workspace }), [
      '<attached_symbol path="a.ts" name="total" lines="2-4">\nfunction total() {\n  return a;\n}\n</attached_symbol>',
    ]);
  });

  it("problems: errors before warnings, nothing milder", async () => {
    const at = { line: 3, column: 1, source: "ts" };
    const workspace = memoryWorkspace({
      diagnostics: [
        { ...at, path: "a.ts", severity: "warning", message: "Unused" },
        { ...at, path: "b.ts", severity: "error", message: "Not found" },
        { ...at, path: "b.ts", severity: "hint", message: "Nicer" },
      ],
    });
    assert.deepEqual(await brought([{ kind: "problems" }, { kind: "problems", path: "a.ts" }], { workspace }), [
      "<problems>\nb.ts:3:1 error: Not found (ts)\na.ts:3:1 warning: Unused (ts)\n</problems>",
      '<problems path="a.ts">\na.ts:3:1 warning: Unused (ts)\n</problems>',
    ]);
  });

  it("the terminal: the end of the last command's output", async () => {
    const terminal = () => ({ command: 'npm "test"', output: "2 failing", omitted: 12, exitCode: 1 });
    assert.deepEqual(await brought([{ kind: "terminal" }], { terminal }), [
      '<terminal command="npm \\"test\\"" exit_code="1">\n(12 characters before this are left out)\n2 failing\n</terminal>',
    ]);
  });

  it("the diff: each file's, new files whole, and what does not fit by name", async () => {
    const long = `diff --git a/long b/long\n${"+x\n".repeat(60_000)}`;
    const changes = async () => ({
      files: [
        { path: "a.ts", text: "diff --git a/a.ts b/a.ts\n-1\n+2\n", isUntracked: false },
        { path: "new.md", text: "New.", isUntracked: true },
        { path: "long", text: long, isUntracked: false },
        { path: "last.ts", text: "diff", isUntracked: false },
      ],
      omitted: 2,
    });
    const [part = ""] = await brought([{ kind: "diff" }], { changes });
    assert.ok(
      part.startsWith(
        "<git_diff>\ndiff --git a/a.ts b/a.ts\n-1\n+2\nnew file new.md, not added yet:\nNew.\ndiff --git",
      ),
    );
    assert.ok(
      part.endsWith(
        "(the rest of long is left out)\n(left out, because it would be too long: last.ts)\n(2 more changed files are left out)\n</git_diff>",
      ),
      part.slice(-300),
    );
    assert.ok(part.length < 101_000);
  });

  it("a pasted text: all of it, however long", async () => {
    const text = "x".repeat(1_048_576);
    const [part = ""] = await brought([{ kind: "text", name: "Pasted text", text }]);
    assert.equal(part, `<pasted_text name="Pasted text">\n${text}\n</pasted_text>`);
  });

  it("a picture of the workspace: the picture, or words where the model can't be shown it", async () => {
    const sources = { workspace: memoryWorkspace({ files: { "logo.png": { mimeType: "image/png", data: "QUJD" } } }) };
    const file: Attachment = { kind: "file", path: "logo.png" };
    assert.deepEqual(await brought([file], sources), [
      '<attached_file path="logo.png">\n(the picture follows)\n</attached_file>',
      "[image/png]",
    ]);
    const blind = await compose([file], sources, false);
    assert.match(JSON.stringify(blind.content), /a picture, which this model can't be shown/);
    assert.equal(blind.content.length, 2);
  });

  it("what is not there or may not be read: a sentence that says so", async () => {
    const parts = await brought([
      { kind: "file", path: "gone.ts" },
      { kind: "file", path: "../secret" },
      { kind: "problems" },
      { kind: "terminal" },
      { kind: "diff" },
    ]);
    assert.deepEqual(parts, [
      '<attached_file path="gone.ts">\n(could not be read: gone.ts does not exist.)\n</attached_file>',
      '<attached_file path="../secret">\n(could not be read: "../secret" is outside the workspace. Use a path inside it.)\n</attached_file>',
      "<problems>\n(the editor shows none)\n</problems>",
      "<terminal>\n(no command's output is known)\n</terminal>",
      "<git_diff>\n(there is no git repository)\n</git_diff>",
    ]);
  });

  it("lists itself without pictures and long texts, which are in the content alone", async () => {
    const message = await compose([
      { kind: "image", name: "shot", mimeType: "image/png", data: "QUJD" },
      { kind: "text", name: "log", text: "long" },
    ]);
    assert.deepEqual(message.meta, {
      attachments: [
        { kind: "image", name: "shot", mimeType: "image/png" },
        { kind: "text", name: "log" },
      ],
    });
  });
});

describe("the attachments of a message", () => {
  const name = fc.string({ minLength: 1 });
  const line = fc.integer({ min: 1, max: 9_999 });
  const attachment: fc.Arbitrary<Attachment> = fc.oneof(
    fc.record({ kind: fc.constantFrom("file", "folder"), path: name }),
    fc.record({ kind: fc.constant("selection"), path: name, startLine: line, endLine: line }),
    fc.record({ kind: fc.constant("symbol"), path: name, name, startLine: line }),
    fc.record({ kind: fc.constantFrom("problems", "terminal", "diff") }),
    fc.record({ kind: fc.constant("agent"), name }),
    fc.record({ kind: fc.constant("text"), name, text: fc.string() }),
    fc.record({
      kind: fc.constant("image"),
      name,
      mimeType: fc.constantFrom(...imageTypes),
      data: fc.base64String({ minLength: 4 }),
    }),
  );

  it("come back whole from it, whatever they are and after any text", async () => {
    const files = { "logo.png": { mimeType: "image/png", data: "QUJD" } };
    const sources = { workspace: memoryWorkspace({ files }) };
    const picture: Attachment = { kind: "file", path: "logo.png" };
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(attachment, fc.constant(picture))), async (generated) => {
        const attachments = generated.map((each) => ({ ...each }));
        const message = await compose(attachments, sources);
        assert.deepEqual(attachmentsOf(message), attachments);
        assert.equal(imagesOf(message).length, attachments.length);
      }),
    );
  });

  it("are none where the content lacks what they brought", () => {
    const base = { role: "user" as const, id: "u", content: [{ type: "text" as const, text: "" }], timestamp: 0 };
    const image = { kind: "image", name: "x", mimeType: "image/png" };
    for (const attachments of [undefined, [image], [{ kind: "text", name: "x" }]]) {
      assert.deepEqual(attachmentsOf({ ...base, meta: { attachments } }), []);
    }
  });
});
