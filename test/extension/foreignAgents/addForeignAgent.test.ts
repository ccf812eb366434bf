import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { chooseForeignAgent } from "../../../src/extension/foreignAgents/addForeignAgent.ts";
import type { Choice, Prompts } from "../../../src/extension/models/setup/prompts.ts";

/** A folder of the PATH with these programs in it. */
async function folderWith(...programs: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "arbor-path-"));
  await mkdir(folder, { recursive: true });
  for (const program of programs) {
    await writeFile(join(folder, program), "#!/bin/sh\nexit 1\n");
    await chmod(join(folder, program), program === "gemini" ? 0o644 : 0o755);
  }
  return folder;
}

async function choose(path: readonly string[], pick: string | undefined, folders: readonly string[] = []) {
  const offered: Choice<unknown>[] = [];
  const said: string[] = [];
  let saved: Record<string, unknown> | undefined;
  const prompts: Pick<Prompts, "choose" | "showMessage"> = {
    async choose({ choices }) {
      offered.push(...choices);
      return choices.find(({ label }) => label === pick)?.value;
    },
    async showMessage(text) {
      said.push(text);
      return undefined;
    },
  };
  await chooseForeignAgent({
    ...{
      prompts,
      folders,
      environment: { PATH: path.join(delimiter) },
      known: { Codex: { command: "old" }, Mine: {} },
    },
    save: async (agents) => {
      saved = agents;
    },
  });
  return { offered: offered.map(({ label, detail }) => [label, detail]), said, saved };
}

describe("adding an agent of another program", () => {
  it("offers what is installed and can be run, and writes its exact command beside the others", async () => {
    const folder = await folderWith("codex-acp", "opencode", "gemini");
    const { offered, saved } = await choose(["relative/bin", folder], "Codex");
    assert.deepEqual(offered, [
      ["Codex", join(folder, "codex-acp")],
      ["opencode", `${join(folder, "opencode")} acp`],
    ]);
    assert.deepEqual(saved, {
      Codex: { command: join(folder, "codex-acp"), args: [], env: ["OPENAI_API_KEY"] },
      Mine: {},
    });
  });

  it("offers Claude Code with Arbor's tools, and with its own", async () => {
    const folder = await folderWith("claude-agent-acp");
    const command = join(folder, "claude-agent-acp");
    const entry = { command, args: [], env: ["ANTHROPIC_API_KEY"] };
    const { offered, saved } = await choose([folder], "Claude Code, guarded");
    assert.deepEqual(offered, [
      ["Claude Code, guarded", command],
      ["Claude Code", command],
    ]);
    assert.deepEqual(saved?.["Claude Code"], { ...entry, guarded: true });
    assert.deepEqual((await choose([folder], "Claude Code")).saved?.["Claude Code"], entry);
  });

  it("offers nothing that lies in the workspace", async () => {
    const folder = await folderWith("codex-acp");
    const { offered, said, saved } = await choose([folder], "Codex", [folder]);
    assert.deepEqual([offered, saved], [[], undefined]);
    assert.match(said[0] ?? "", /No agent that speaks the Agent Client Protocol is on your PATH/);
  });

  it("changes nothing when nothing is chosen", async () => {
    const { saved } = await choose([await folderWith("codex-acp")], undefined);
    assert.equal(saved, undefined);
  });
});
