import assert from "node:assert/strict";
import { toolBench } from "../../support/editorTools.ts";

const files = {
  "src/price.ts": "export function price(net: number) {\n  return net;\n}\n",
  "src/cart.ts":
    'import { price } from "./price";\n\nexport const total = price(1) + price(2);\nconst priceless = 0;\n',
};
const at = { path: "src/cart.ts", line: 3, symbol: "price" };

describe("find_symbols", () => {
  it("finds symbols of the workspace by a part of their name", async () => {
    const { text } = await toolBench({ files }).call("find_symbols", { query: "pri" });
    assert.equal(text, "src/price.ts:1: function price\nsrc/cart.ts:4: const priceless");
  });

  it("gives the outline of a file", async () => {
    const { text } = await toolBench({ files }).call("find_symbols", { query: "", path: "src/cart.ts" });
    assert.equal(text, "3: const total\n4: const priceless");
  });

  it("names what a file has when it has nothing like the query", async () => {
    const { text } = await toolBench({ files }).call("find_symbols", { query: "zebra", path: "src/cart.ts" });
    assert.equal(text, "src/cart.ts has no symbol like zebra. It has: total, priceless.");
  });

  it("falls back to lines that look like declarations, and says so", async () => {
    const { call } = toolBench({ files, withoutLanguage: true });
    const { text } = await call("find_symbols", { query: "pric" });
    assert.equal(
      text,
      "No language server knows a symbol like pric.\nThese lines look like declarations:\nsrc/cart.ts\n  4: const priceless = 0;\nsrc/price.ts\n  1: export function price(net: number) {",
    );
    const inFile = await call("find_symbols", { query: "", path: "src/price.ts" });
    assert.equal(
      inFile.text,
      "No language server knows symbols of src/price.ts.\nThese lines look like declarations:\nsrc/price.ts\n  1: export function price(net: number) {",
    );
    assert.match((await call("find_symbols", { query: "zebra" })).text, /No line looks like a declaration/);
  });

  it("wants a query or a path, and a path that is there", async () => {
    const { call } = toolBench({ files });
    assert.equal((await call("find_symbols", { query: " " })).text, "Give a query, or the path of a file.");
    assert.match((await call("find_symbols", { query: "", path: "src/cat.ts" })).text, /Did you mean .*src\/cart\.ts/);
    assert.match((await call("find_symbols", { query: "", path: "src" })).text, /is a folder/);
  });
});

describe("go_to_definition", () => {
  it("gives the place with its line", async () => {
    const { text } = await toolBench({ files }).call("go_to_definition", at);
    assert.equal(text, "src/price.ts\n  1: export function price(net: number) {");
  });

  it("falls back to lines that look like the definition, and says so", async () => {
    const { text } = await toolBench({ files, withoutLanguage: true }).call("go_to_definition", at);
    assert.equal(
      text,
      "No language server knows the definition.\nThese lines look like a definition of price:\nsrc/price.ts\n  1: export function price(net: number) {",
    );
  });

  it("says which lines have the symbol when the given one has not", async () => {
    const { call } = toolBench({ files });
    assert.equal(
      (await call("go_to_definition", { ...at, line: 2 })).text,
      "Line 2 of src/cart.ts has no price. It is in lines 1, 3.",
    );
    assert.match((await call("go_to_definition", { ...at, line: 99, symbol: "zebra" })).text, /does not have it/);
    assert.match((await call("go_to_definition", { ...at, symbol: "" })).text, /^symbol is empty/);
  });

  it("shows a place outside the workspace without its text", async () => {
    const { call, workspace } = toolBench({ files });
    workspace.definition = async () => [{ path: "/usr/lib/lib.d.ts", line: 7, column: 1, isOutside: true }];
    assert.equal((await call("go_to_definition", at)).text, "/usr/lib/lib.d.ts:7 (outside the workspace)");
  });
});

describe("find_references", () => {
  it("gives the places by file with their lines", async () => {
    const { text, result } = await toolBench({ files }).call("find_references", at);
    assert.equal(
      text,
      '5 places in 2 files:\nsrc/price.ts\n  1: export function price(net: number) {\nsrc/cart.ts\n  1: import { price } from "./price";\n  3: export const total = price(1) + price(2);',
    );
    assert.deepEqual(result.details, { places: 5, files: 2 });
  });

  it("falls back to the word, and says that it may mean something else", async () => {
    const { text } = await toolBench({ files, withoutLanguage: true }).call("find_references", at);
    assert.match(
      text,
      /^No language server knows the references\. The word price is in these lines, where it may mean/,
    );
    assert.match(text, /src\/cart\.ts\n {2}1: .*\n {2}3: export const total/);
    assert.doesNotMatch(text, /priceless/);
  });
});

describe("rename_symbol", () => {
  const rename = { ...at, new_name: "cost" };

  it("is one proposal over all files, written as far as it is accepted", async () => {
    const { call, workspace, review } = toolBench(
      { files },
      { answer: (_, path) => (path === "src/cart.ts" ? "accept" : { reject: "no" }) },
    );
    const { text } = await call("rename_symbol", rename);
    assert.equal(review.proposals.length, 1);
    assert.deepEqual(
      review.proposals[0]?.changes.map(({ path }) => path),
      ["src/price.ts", "src/cart.ts"],
    );
    assert.match(
      workspace.files.get("src/cart.ts")?.toString() ?? "",
      /total = cost\(1\) \+ cost\(2\);\nconst priceless/,
    );
    assert.equal(workspace.files.get("src/price.ts"), files["src/price.ts"]);
    assert.match(text, /The user rejected the edit of src\/price\.ts/);
    assert.match(text, /Edited src\/cart\.ts/);
  });

  it("says what to do where no server can rename", async () => {
    const { call, review } = toolBench({ files, withoutLanguage: true });
    const { text, result } = await call("rename_symbol", rename);
    assert.equal(result.isError, true);
    assert.match(text, /^No language server can rename price in src\/cart\.ts\. Find its uses with search_text/);
    assert.match((await call("rename_symbol", { ...at, new_name: "price" })).text, /has this name already/);
    assert.match((await call("rename_symbol", { ...at, new_name: " " })).text, /^new_name is empty/);
    assert.equal(review.proposals.length, 0);
  });

  it("waits for an edit of another agent and renames what that made", async () => {
    const editing = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const { call, workspace } = toolBench(
      { files },
      {
        whileOpen: async ({ toolName }) => {
          if (toolName !== "edit_file") return;
          editing.resolve();
          await answered.promise;
        },
      },
    );
    const edit = call("edit_file", { path: "src/cart.ts", edits: [{ old_text: "price(2)", new_text: "price(3)" }] });
    await editing.promise;
    const renaming = call("rename_symbol", rename, { agent: "other" });
    answered.resolve();
    await Promise.all([edit, renaming]);
    assert.match(workspace.files.get("src/cart.ts")?.toString() ?? "", /total = cost\(1\) \+ cost\(3\);/);
  });
});
