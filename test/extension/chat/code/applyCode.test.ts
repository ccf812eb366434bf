import assert from "node:assert/strict";
import { applyCode } from "../../../../src/extension/chat/code/applyCode.ts";
import { memoryWorkspace } from "../../../support/memoryWorkspace.ts";
import { scriptedReview } from "../../../support/scriptedReview.ts";

interface Arranged {
  apply(text: string, path?: string): Promise<void>;
  review: ReturnType<typeof scriptedReview>;
  workspace: ReturnType<typeof memoryWorkspace>;
}

function arranged({ active, isTrusted = true }: { active?: string; isTrusted?: boolean } = {}): Arranged {
  const image = { mimeType: "image/png", data: "" };
  const workspace = memoryWorkspace({ files: { "src/a.ts": "one();\ntwo();\nthree();\n", "b.png": image } });
  const review = scriptedReview(workspace);
  const dependencies = {
    ...{ workspace, review, signal: new AbortController().signal },
    isTrusted: () => isTrusted,
    activeFile: () => active,
  };
  return {
    ...{ workspace, review },
    apply: (text, path) => applyCode({ text, ...(path !== undefined && { path }) }, dependencies),
  };
}

const code = "one();\nsecond();\nthree();\n";

describe("applying code of an answer", () => {
  it("proposes it in the user's name for the file that it names, and writes what is accepted", async () => {
    const { apply, review, workspace } = arranged({ active: "b.png" });
    await apply(code, "./src/a.ts");
    const [proposal] = review.proposals;
    assert.deepEqual(proposal?.agentPath, ["You"]);
    assert.deepEqual(proposal?.changes, [{ path: "src/a.ts", before: "one();\ntwo();\nthree();\n", after: code }]);
    assert.equal(workspace.files.get("src/a.ts"), code);
  });

  it("is for the open file when it names none", async () => {
    const { apply, workspace } = arranged({ active: "src/a.ts" });
    await apply(code);
    assert.equal(workspace.files.get("src/a.ts"), code);
  });

  it("becomes a new file where there is none", async () => {
    const { apply, workspace } = arranged();
    await apply("const a = 1;", "src/new.ts");
    assert.equal(workspace.files.get("src/new.ts"), "const a = 1;\n");
  });

  for (const [what, options, text, path, words] of [
    ["without a file", {}, code, undefined, /names no file\. Open the file/],
    ["outside of the workspace", {}, code, "../../etc/passwd", /outside/i],
    ["that is an image", {}, code, "b.png", /is an image/],
    ["that is a folder", {}, code, "src", /is a folder/],
    ["in Restricted Mode", { isTrusted: false }, code, "src/a.ts", /Trust the workspace/],
    ["that has it already", {}, "one();\ntwo();\nthree();", "src/a.ts", /has this code already/],
    ["without a place for it", {}, "none();\nof();\nthese();", "src/a.ts", /Insert at cursor/],
    ["of which it leaves parts out", {}, "one();\n// ... rest of the code ...", "src/a.ts", /leaves parts/],
  ] as const) {
    it(`proposes nothing for a file ${what}, and says what to do`, async () => {
      const { apply, review } = arranged(options);
      await assert.rejects(apply(text, path), words);
      assert.deepEqual(review.proposals, []);
    });
  }
});
