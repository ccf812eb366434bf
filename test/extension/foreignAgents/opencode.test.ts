import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describeReal, installedPackage } from "../../support/installedPackage.ts";
import { answers, type Program, place, rows, usage } from "./realAgents.ts";

const version = "1.18.33";

/** Its binary comes in a package for each system, which its own package only chooses from. */
const opencode: Program = {
  async commandLine() {
    const system = process.platform === "win32" ? "windows" : process.platform;
    const folder = await installedPackage(`opencode-${system}-${process.arch}`, version);
    return [join(folder, "bin", process.platform === "win32" ? "opencode.exe" : "opencode"), "acp"];
  },
  async prepare({ home, url }) {
    const folder = join(home, ".config", "opencode");
    await mkdir(folder, { recursive: true });
    const options = { baseURL: `${url}/v1`, apiKey: "key" };
    const settings = {
      ...{ autoupdate: false, share: "disabled", model: "anthropic/claude-sonnet-4-5" },
      provider: { anthropic: { options } },
    };
    await writeFile(join(folder, "opencode.json"), JSON.stringify(settings));
  },
};

describeReal("opencode 1.18, the real one", () => {
  const made = place("opencode", version, opencode);
  const work = { tool: "edit" };

  async function scriptEdit() {
    const { provider, file } = made;
    await provider.script(
      { when: work, times: 1, reply: { steps: [{ tool: "read", arguments: { filePath: file } }], usage } },
      {
        when: work,
        times: 1,
        reply: {
          steps: [{ tool: "edit", arguments: { filePath: file, oldString: "two", newString: "TWO" } }],
          usage,
        },
      },
      { when: {}, reply: answers("All done.") },
    );
  }

  it("asks before it edits, and what it wrote waits for review", async () => {
    await scriptEdit();
    const { run, asked, adopted, tree, emitted } = made.arrange(["change it"]);
    assert.deepEqual(await run(), ["All done."]);
    assert.deepEqual(
      asked.map((each) => each.kind === "foreign" && each.isEdit),
      [true],
    );
    assert.equal(await readFile(made.file, "utf8"), "one\nTWO\nthree\n");
    assert.deepEqual(
      adopted.map(({ path, hunks }) => [path, hunks.map(({ hunk }) => [hunk.oldText, hunk.newText])]),
      [["a.txt", [["two\n", "TWO\n"]]]],
    );
    assert.deepEqual(rows(tree().nodes), ["Tester done", "  agent:read done", "  agent:edit done"]);
    const known = emitted.findLast((event) => event.type === "foreign_agent");
    assert.equal(known?.type === "foreign_agent" && known.supervision, "asks");
  });

  it("leaves the file as it is where the edit is rejected", async () => {
    await scriptEdit();
    const { run, adopted } = made.arrange(["change it"], { allows: false });
    await run();
    assert.equal(await readFile(made.file, "utf8"), "one\ntwo\nthree\n");
    assert.deepEqual(adopted, []);
  });
});
