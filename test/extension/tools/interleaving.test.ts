import assert from "node:assert/strict";
import fc from "fast-check";
import { createReadVersions, editorTools } from "../../../src/extension/tools/index.ts";
import type { Workspace } from "../../../src/extension/workspace/workspace.ts";
import { memoryWorkspace } from "../../support/memoryWorkspace.ts";
import { scriptedReview } from "../../support/scriptedReview.ts";
import { tries } from "../../support/soak.ts";
import { runTool } from "../../support/toolContext.ts";

const edits = 3;

/** The workspace with every call put off until the scheduler lets it go on, in an order it picks. */
function scheduled(workspace: Workspace, scheduler: fc.Scheduler): Workspace {
  const later = async (name: string) => scheduler.schedule(Promise.resolve(), name);
  return {
    ...workspace,
    async read(path, signal) {
      await later("read");
      return workspace.read(path, signal);
    },
    async stat(path) {
      await later("stat");
      return workspace.stat(path);
    },
    async replace(path, replacements, expectedVersion) {
      await later("replace");
      return workspace.replace(path, replacements, expectedVersion);
    },
  };
}

describe("Two agents on one file", () => {
  it("20 lose no update in any interleaving: each edit builds on what is there or is refused", async () => {
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const memory = memoryWorkspace({ files: { "count.txt": "count: 0\r\n" } });
        const workspace = scheduled(memory, scheduler);
        const agentPath = (id: string) => ["main", id];
        const review = scriptedReview(workspace);
        const { all } = editorTools({ workspace, review, reads: createReadVersions(), agentPath });
        const tool = (name: string) => all.find((each) => each.name === name) ?? assert.fail(name);
        async function countUp(agent: string): Promise<void> {
          for (let done = 0; done < edits; ) {
            const { text } = await runTool(tool("read_file"), { path: "count.txt" }, { agent });
            const [, count] = /count: (\d+)/.exec(text) ?? assert.fail(text);
            const change = [{ old_text: `count: ${count}`, new_text: `count: ${Number(count) + 1}` }];
            const { result, text: answer } = await runTool(
              tool("edit_file"),
              { path: "count.txt", edits: change },
              { agent },
            );
            if (!result.isError) done++;
            else {
              refused++;
              assert.match(answer, /changed since you read it by main › (left|right)\./);
            }
          }
        }
        const both = Promise.all([countUp("left"), countUp("right")]);
        await scheduler.waitFor(both);
        assert.equal(memory.files.get("count.txt"), `count: ${2 * edits}\r\n`);
      }),
      tries("interleavings"),
    );
    assert.ok(refused > 0, "some edit came too late");
  });
});
