import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describeReal, installedPackage } from "../../support/installedPackage.ts";
import type { DelegationOptions } from "./delegations.ts";
import { answers, type Program, place, rows, said, usage } from "./realAgents.ts";

const version = "0.61.0";
const text = "one\ntwo\nthree\n";

const gemini: Program = {
  commandLine: async () => [
    process.execPath,
    join(await installedPackage("@google/gemini-cli", version), "bundle", "gemini.js"),
    "--acp",
  ],
  environment: (url) => ({ GEMINI_API_KEY: "key", GOOGLE_GEMINI_BASE_URL: url, GEMINI_MODEL: "gemini-2.5-flash" }),
  async prepare({ home }) {
    await mkdir(join(home, ".gemini"), { recursive: true });
    const settings = {
      security: { auth: { selectedType: "gemini-api-key" } },
      ...{ privacy: { usageStatisticsEnabled: false }, general: { disableAutoUpdate: true } },
    };
    await writeFile(join(home, ".gemini", "settings.json"), JSON.stringify(settings));
  },
};

describeReal("Gemini CLI 0.61, the real one", () => {
  const made = place("gemini-cli", version, gemini);
  const work = { tool: "replace" };

  async function scriptEdit() {
    const { provider, file } = made;
    const edit = { file_path: file, old_string: "one\ntwo\nthree", new_string: "ONE\ntwo\nTHREE", instruction: "x" };
    await provider.script(
      { when: { ...work, turn: 0 }, times: 1, reply: { steps: [{ tool: "replace", arguments: edit }], usage } },
      { when: {}, reply: answers("All done.") },
    );
  }
  const arrange = (tasks: string[], options: DelegationOptions = {}) =>
    made.arrange(tasks, { files: { "a.txt": text }, ...options });
  const inEditor = async ({ workspace }: ReturnType<typeof arrange>) => {
    const content = await workspace.read("a.txt", new AbortController().signal);
    return content.kind === "text" ? content.text : "";
  };

  it("has the editor write what is accepted of its edit by hunk, and asks once", async () => {
    await scriptEdit();
    const arranged = arrange(["change it"], {
      answer: { answer: ({ oldLines }) => (oldLines[0] === "one" ? { reject: "keep it" } : "accept") },
    });
    assert.deepEqual(await arranged.run(), ["All done."]);
    assert.deepEqual(arranged.asked, []);
    assert.equal(await inEditor(arranged), "one\ntwo\nTHREE\n");
    assert.equal(await readFile(made.file, "utf8"), text, "it has not written by itself");
    const sent = JSON.stringify((await made.provider.requests()).at(-1)?.body);
    assert.match(sent, /What came of your edit of .*rejected 1.*keep it/s);
    const known = arranged.emitted.findLast((event) => event.type === "foreign_agent");
    assert.equal(known?.type === "foreign_agent" && known.supervision, "asks");
    assert.deepEqual(rows(arranged.tree().nodes), ["Tester done", "  agent:edit error"]);
  });

  it("leaves the file as it is where the edit is rejected", async () => {
    await scriptEdit();
    const arranged = arrange(["change it"], { answer: { answer: () => ({ reject: "no" }) } });
    await arranged.run();
    assert.equal(await inEditor(arranged), text);
    assert.equal(await readFile(made.file, "utf8"), text);
  });

  it("stops when it is stopped, with what it said", async () => {
    await made.provider.script({ steps: [{ text: "Half of it." }, { gate: "never" }, { text: "All." }], usage });
    const { worker, tree } = arrange([]);
    const agent = worker();
    const run = agent.prompt("go on");
    await said(agent, "Half of it.");
    await agent.abort();
    await assert.rejects(run, { code: "aborted" });
    assert.ok(Object.values(tree().nodes).every(({ status }) => status === "aborted"));
  });

  it("goes on with its session in another process", async () => {
    await made.provider.script({ when: {}, reply: answers("Noted.") });
    const first = arrange([]);
    const agent = first.worker();
    await agent.prompt("the word is tree");
    for (const part of first.owned) part.dispose();
    const second = arrange([], { host: JSON.parse(JSON.stringify(first.chat.host)) });
    await second.worker(agent.messages).prompt("which word?");
    const sent = JSON.stringify((await made.provider.requests()).at(-1)?.body);
    assert.match(sent, /the word is tree.*which word\?/s);
  });
});
