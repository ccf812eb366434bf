import assert from "node:assert/strict";
import fc from "fast-check";
import { createReadVersions, editorTools } from "../../../src/extension/tools/index.ts";
import type { FileCollision } from "../../../src/protocol/hostEvents.ts";
import { memoryWorkspace } from "../../support/memoryWorkspace.ts";
import { scriptedReview } from "../../support/scriptedReview.ts";
import { tries } from "../../support/soak.ts";
import { runTool } from "../../support/toolContext.ts";

/** Ids from the root agent down: `below` works for `left`. */
const lineages = { main: ["main"], left: ["main", "left"], below: ["main", "left", "below"], right: ["main", "right"] };
type Id = keyof typeof lineages;
const ids = Object.keys(lineages) as Id[];
const files = ["a.txt", "b.txt"];

const isBeside = (one: Id, other: Id) => !lineages[one].includes(other) && !lineages[other].includes(one);

/** Each agent has a line of its own in each file, so that nothing but the file is shared. */
const textOf = () => ids.map((id) => `${id}: 0\n\n\n`).join("");

function stage() {
  const workspace = memoryWorkspace({ files: Object.fromEntries(files.map((file) => [file, textOf()])) });
  const reports: (FileCollision & { isBeforeWrite: boolean })[] = [];
  let whileOpen: (() => Promise<void>) | undefined;
  let writes = 0;
  let isOpen = false;
  const review = scriptedReview(
    {
      ...workspace,
      replace: (...args) => {
        writes++;
        isOpen = false;
        return workspace.replace(...args);
      },
    },
    { whileOpen: async () => whileOpen?.() },
  );
  const reads = createReadVersions();
  const { all } = editorTools({
    ...{ workspace, review, reads },
    agentPath: (id) => lineages[id as Id],
    collisions: {
      isBeside: (one, other) => isBeside(one as Id, other as Id),
      report: (collision) => reports.push({ ...collision, isBeforeWrite: isOpen }),
    },
  });
  const tool = (name: string) => all.find((each) => each.name === name) ?? assert.fail(name);
  const counts = new Map<string, number>();
  return {
    reads,
    reports,
    writes: () => writes,
    read: (agent: Id, path: string) => runTool(tool("read_file"), { path }, { agent }),
    async edit(agent: Id, path: string, meanwhile?: () => Promise<void>) {
      const key = `${agent} ${path}`;
      const count = counts.get(key) ?? 0;
      whileOpen = meanwhile;
      isOpen = true;
      const edits = [{ old_text: `${agent}: ${count}`, new_text: `${agent}: ${count + 1}` }];
      const { result, text } = await runTool(tool("edit_file"), { path, edits }, { agent });
      assert.notEqual(result.isError, true, text);
      counts.set(key, count + 1);
      return text;
    },
  };
}

describe("Agents that meet at a file", () => {
  it("are named before the write, in its result, and with what they did", async () => {
    const { read, edit, reports } = stage();
    await read("right", "a.txt");
    await read("left", "a.txt");
    const text = await edit("left", "a.txt");
    assert.match(text, /^main › right read an older version of a\.txt\.$/m);
    assert.deepEqual(
      reports.map(({ agentId, path, others, isBeforeWrite }) => ({ agentId, path, others, isBeforeWrite })),
      [
        {
          ...{ agentId: "left", path: "a.txt", isBeforeWrite: true },
          others: [{ agentId: "right", agentPath: ["main", "right"], did: "read" }],
        },
      ],
    );
    await read("right", "a.txt");
    assert.match(await edit("right", "a.txt"), /^main › left wrote an older version of a\.txt\.$/m);
  });

  it("are named when they read it while the write waits for its review", async () => {
    const { read, edit, reports } = stage();
    await read("left", "a.txt");
    const text = await edit("left", "a.txt", async () => void (await read("right", "a.txt")));
    assert.match(text, /^main › right read an older version of a\.txt\.$/m);
    assert.deepEqual(reports.at(-1)?.isBeforeWrite, true);
  });

  it("are not named when they have ended, work above or below, or for other files", async () => {
    const { read, edit, reports, reads } = stage();
    for (const agent of ["main", "below", "right"] as const) await read(agent, "a.txt");
    await read("right", "b.txt");
    reads.forget("right");
    await read("left", "a.txt");
    assert.doesNotMatch(await edit("left", "a.txt"), /older version/);
    assert.deepEqual(reports, []);
  });

  it("are all named in random schedules, and no others", async () => {
    const step = fc.record({
      agent: fc.constantFrom(...ids),
      file: fc.constantFrom(...files),
      does: fc.constantFrom("read", "edit", "editWhileRead", "end"),
      reader: fc.constantFrom(...ids),
      readFile: fc.constantFrom(...files),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 15 }), async (steps) => {
        const { read, edit, reports, reads, writes } = stage();
        /** Which agents know which files. */
        const known = new Map(ids.map((id) => [id, new Set<string>()]));
        const look = (id: Id, file: string) => known.get(id)?.add(file);
        for (const { agent, file, does, reader, readFile } of steps) {
          if (does === "end") {
            reads.forget(agent);
            known.set(agent, new Set());
          } else if (does === "read") {
            await read(agent, file);
            look(agent, file);
          } else {
            await read(agent, file);
            look(agent, file);
            const readsMeanwhile = does === "editWhileRead" && reader !== agent;
            const before = { reports: reports.length, writes: writes() };
            const meanwhile = async () => {
              await read(reader, readFile);
              look(reader, readFile);
            };
            await edit(agent, file, readsMeanwhile ? meanwhile : undefined);
            assert.equal(writes(), before.writes + 1);
            const wanted = ids.filter((id) => isBeside(agent, id) && known.get(id)?.has(file));
            const named = reports.slice(before.reports);
            assert.deepEqual(
              [...(named.at(-1)?.others ?? [])].map(({ agentId }) => agentId).sort(),
              [...wanted].sort(),
            );
            assert.ok(named.every(({ isBeforeWrite, path }) => isBeforeWrite && path === file));
            look(agent, file);
          }
        }
      }),
      tries("collisions"),
    );
  });
});
