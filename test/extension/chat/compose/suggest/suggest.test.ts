import assert from "node:assert/strict";
import { createFileIndex } from "../../../../../src/extension/chat/compose/suggest/fileIndex.ts";
import { type SuggestionSources, suggest } from "../../../../../src/extension/chat/compose/suggest/suggest.ts";
import { attachmentSources } from "../../../../support/attachmentSources.ts";
import { type MemoryWorkspaceOptions, memoryWorkspace } from "../../../../support/memoryWorkspace.ts";

const { signal } = new AbortController();
const files = {
  ".gitignore": "node_modules\n",
  "node_modules/x/index.js": "",
  "src/auth.ts": "export function login() {}",
  "src/cart/total.ts": "export class Total {}",
};

function sources(
  changes: Partial<SuggestionSources> = {},
  options: MemoryWorkspaceOptions = { files },
): SuggestionSources {
  const workspace = memoryWorkspace(options);
  return {
    workspace,
    files: createFileIndex(workspace),
    attachments: attachmentSources({ workspace }),
    recentFiles: () => [],
    hasRepository: () => false,
    problemCount: () => 0,
    ...changes,
  };
}

const labels = async (query: string, from = sources()) =>
  (await suggest("mention", query, from, signal)).map(({ attachment, mention }) => `${attachment.kind} ${mention}`);

describe("suggestions for a mention", () => {
  it("are the workspace's files and folders, without what is ignored", async () => {
    assert.deepEqual(await labels("tot"), ["file src/cart/total.ts"]);
    assert.deepEqual(await labels("cart"), ["folder src/cart/", "file src/cart/total.ts"]);
    assert.deepEqual(await labels("index"), []);
  });

  it("are resources of MCP servers too, once something is typed", async () => {
    const note = { kind: "resource", server: "shop", uri: "note://1", name: "note" } as const;
    const from = sources({ attachments: attachmentSources({ resources: () => [note] }) });
    assert.deepEqual(await labels("note", from), ["resource note"]);
    assert.ok(!(await labels("", from)).includes("resource note"));
  });

  it("offer nothing that is not there: no selection, problems, repository or output", async () => {
    assert.deepEqual(
      (await labels("")).filter((label) => !/^(file|folder) /.test(label)),
      ["agent explore"],
    );
  });

  it("offer what there is, before the files", async () => {
    const attachments = attachmentSources({
      selection: () => ({ path: "src/auth.ts", startLine: 1, endLine: 4 }),
      terminal: () => ({ command: "npm test", output: "", omitted: 0 }),
    });
    const all = sources({ attachments, hasRepository: () => true, problemCount: () => 2 });
    assert.deepEqual((await labels("", all)).slice(0, 5), [
      "selection selection",
      "problems problems",
      "diff diff",
      "terminal terminal",
      "agent explore",
    ]);
    assert.deepEqual(await labels("di", all), ["diff diff"]);
  });

  it("show the folder beside the name", async () => {
    assert.deepEqual(await suggest("mention", "auth", sources(), signal), [
      { attachment: { kind: "file", path: "src/auth.ts" }, label: "auth.ts", detail: "src", mention: "src/auth.ts" },
    ]);
  });

  it("list the workspace once while letters are added, and again for the next mention", async () => {
    const workspace = memoryWorkspace({ files });
    let lists = 0;
    const counted = {
      ...workspace,
      findFiles: (...args: Parameters<typeof workspace.findFiles>) => {
        lists++;
        return workspace.findFiles(...args);
      },
    };
    const from = sources({ files: createFileIndex(counted) });
    for (const query of ["", "a", "au", "aut", "au", "", "t"]) await labels(query, from);
    assert.equal(lists, 2);
  });

  it("offer open files at once while the workspace is listed, and only those that are there", async () => {
    const gate = Promise.withResolvers<undefined>();
    const workspace = memoryWorkspace({ files });
    const from = sources({
      files: createFileIndex({
        roots: workspace.roots,
        findFiles: async (...args) => {
          await gate.promise;
          return workspace.findFiles(...args);
        },
      }),
      recentFiles: () => ["src/cart/total.ts", "src/gone.ts"],
    });
    const offered = Promise.withResolvers<string[]>();
    const mentions = (items: Awaited<ReturnType<typeof suggest>>) => items.map(({ mention }) => mention);
    const all = suggest("mention", "t", from, signal, (known) => offered.resolve(mentions(known)));
    assert.deepEqual(await offered.promise, ["src/cart/total.ts", "src/cart/"]);
    gate.resolve(undefined);
    assert.ok(mentions(await all).includes("src/auth.ts"));
    await suggest("mention", "to", from, signal, () => assert.fail("they are listed"));
  });

  it("do not restart the list with each key while it is being made", async () => {
    const workspace = memoryWorkspace({ files });
    const started: AbortSignal[] = [];
    const gate = Promise.withResolvers<undefined>();
    const index = createFileIndex({
      roots: () => ["shop"],
      async findFiles(pattern, limit, stop) {
        started.push(stop);
        await gate.promise;
        return workspace.findFiles(pattern, limit, stop);
      },
    });
    const first = new AbortController();
    const left = index.paths("a", first.signal);
    first.abort();
    const asked = index.paths("au", signal);
    gate.resolve(undefined);
    await assert.rejects(left);
    assert.ok(new Set(await asked).has("src/auth.ts"));
    assert.deepEqual(
      started.map(({ aborted }) => aborted),
      [false],
    );
  });

  it("try again after a list that failed", async () => {
    const workspace = memoryWorkspace({ files });
    let fails = true;
    const index = createFileIndex({
      roots: () => ["shop"],
      findFiles: (...args) => (fails ? Promise.reject(new Error("broken")) : workspace.findFiles(...args)),
    });
    await assert.rejects(index.paths("a", signal), /broken/);
    fails = false;
    assert.ok(new Set(await index.paths("au", signal)).has("src/auth.ts"));
  });

  it("search by name where there are more files than are listed", async () => {
    const asked: string[] = [];
    const index = createFileIndex({
      roots: () => ["shop"],
      findFiles: async (pattern) => {
        asked.push(pattern);
        return pattern === "**/*"
          ? { paths: ["a.ts"], truncated: true }
          : { paths: ["deep/Zebra.ts"], truncated: false };
      },
    });
    assert.deepEqual(await labels("zeb", sources({ files: index })), ["file deep/Zebra.ts"]);
    assert.deepEqual(asked, ["**/*", "**/*[zZ][eE][bB]*"]);
  });

  it("are no files where no folder is open", async () => {
    assert.deepEqual(await labels("", sources({}, { roots: [] })), ["agent explore"]);
  });

  it("give up when they are not wanted any more", async () => {
    await assert.rejects(suggest("mention", "a", sources(), AbortSignal.abort()));
  });
});

describe("suggestions for a symbol", () => {
  it("come from the language server with their place", async () => {
    const [first] = await suggest("symbol", "Total", sources(), signal);
    assert.deepEqual(first, {
      attachment: { kind: "symbol", path: "src/cart/total.ts", name: "Total", startLine: 1 },
      label: "Total",
      detail: "class · src/cart/total.ts:1",
      mention: "Total",
    });
  });

  it("come from lines that look like declarations where there is none, once the word is long enough", async () => {
    const from = sources({}, { files, withoutLanguage: true });
    assert.deepEqual(
      (await suggest("symbol", "log", from, signal)).map(({ label, detail }) => `${label} ${detail}`),
      ["login src/auth.ts:1"],
    );
    assert.deepEqual(await suggest("symbol", "lo", from, signal), []);
  });
});
