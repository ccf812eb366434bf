import { ownIdentity } from "../../../src/extension/common/processIdentity.ts";
import { Worktrees } from "../../../src/extension/isolation/worktrees.ts";
import { folderWorkspace } from "../../../src/extension/workspace/folderWorkspace.ts";

/** Twenty agents at once, each with a worktree of its own, that write until they are done or killed. */
const [folder = "", storage = ""] = process.argv.slice(2);
const { signal } = new AbortController();
const worktrees = new Worktrees({ storage, owner: ownIdentity, ignoredFiles: () => ({ node_modules: "link" }) });

async function write(agent: number): Promise<void> {
  const worktree = await worktrees.create(folder, { key: `agent ${agent}`, signal });
  console.log(`made ${agent}`);
  const workspace = folderWorkspace(worktree.folder, "project");
  for (let round = 0; round < 5; round++) {
    await workspace.create(`by/${process.pid}-${agent}-${round}.ts`, `${agent}\n`);
    const { text } = await workspace
      .read("src/a.ts", signal)
      .then((read) => (read.kind === "text" ? read : { text: "" }));
    await workspace.replace("src/a.ts", [{ start: 0, end: text.length, text: `${agent} ${round}\n${text}` }]);
    console.log(`wrote ${agent} ${round}`);
  }
  await worktree.changes();
  await worktree.remove();
  console.log(`removed ${agent}`);
}

await Promise.all(Array.from({ length: 20 }, (_, agent) => write(agent)));
