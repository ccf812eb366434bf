import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentEvent } from "../../../src/agent/index.ts";
import type { Span } from "../../../src/extension/traces/attributes.ts";
import { readTrace, TraceFiles } from "../../../src/extension/traces/traceFiles.ts";
import { TraceRecorder } from "../../../src/extension/traces/traceRecorder.ts";
import { arrangedRuns } from "../../support/chatRuns.ts";
import { call, text } from "../../support/scriptedModel.ts";

const span: Span = {
  traceId: "0".repeat(32),
  spanId: "1".repeat(16),
  name: "chat m",
  kind: "client",
  startTime: 1_700_000_000_123,
  endTime: 1_700_000_001_123,
  attributes: { "gen_ai.request.model": "m", "gen_ai.response.finish_reasons": ["stop"] },
  status: "unset",
};

describe("trace files", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "arbor-traces-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("hold a span a line, which reads back as it was", async () => {
    const file = await new TraceFiles(folder).open(0, "abcdef012345");
    const spans = [span, { ...span, spanId: "2".repeat(16), parentSpanId: span.spanId, status: "error" as const }];
    await file.append(spans);
    assert.deepEqual(await readTrace(file.path), spans);
    if (process.platform !== "win32") assert.equal((await stat(file.path)).mode & 0o077, 0);
    const [line] = (await readFile(file.path, "utf8")).split("\n");
    assert.equal(JSON.parse(line ?? "").startTimeUnixNano, "1700000000123000000");
  });

  it("are read without the line that was cut off, and without what is no span", async () => {
    const file = await new TraceFiles(folder).open(0, "a");
    await file.append([span]);
    await writeFile(file.path, `{"a":1}\nnull\n${await readFile(file.path, "utf8")}{"spanId":"x`);
    assert.deepEqual(await readTrace(file.path), [span]);
  });

  it("are kept up to a number and a size, the latest ones", async () => {
    const files = new TraceFiles(folder, { files: 3, bytes: 1_000_000 });
    for (let run = 0; run < 5; run++) await (await files.open(run, `run${run}`)).append([span]);
    assert.deepEqual(
      (await readdir(folder)).sort().map((name) => name.slice(-10)),
      ["run2.jsonl", "run3.jsonl", "run4.jsonl"].map((name) => name.slice(-10)),
    );
    assert.match((await files.latest()) ?? "", /run4\.jsonl$/);
    const small = new TraceFiles(folder, { files: 10, bytes: 500 });
    await (await small.open(9, "last")).append([span]);
    assert.ok((await readdir(folder)).length <= 2);
  });

  it("have no latest where there is no folder", async () => {
    assert.equal(await new TraceFiles(join(folder, "nothing")).latest(), undefined);
  });

  describe("of a recorder", () => {
    const record = async (isEnabled: () => boolean, observed: (recorder: TraceRecorder) => Promise<void>) => {
      const warnings: string[] = [];
      const sent: number[] = [];
      const recorder = new TraceRecorder({
        isEnabled,
        files: new TraceFiles(folder),
        sender: { send: (spans) => sent.push(spans.length) },
        warn: (message) => warnings.push(message),
      });
      await observed(recorder);
      await recorder.settled();
      return { warnings, sent };
    };
    const run = async (recorder: TraceRecorder, words: string) => {
      const { agent } = arrangedRuns([call("nothing", { key: words }), text(words)], {
        observe: (event: AgentEvent) => recorder.observe(event),
      });
      await agent.prompt(words);
    };

    it("are one for each run, without a word of what was said", async () => {
      await record(
        () => true,
        async (recorder) => {
          await run(recorder, "sk-canary");
          await run(recorder, "sk-canary");
        },
      );
      const names = await readdir(folder);
      assert.equal(names.length, 2);
      for (const name of names) {
        const written = await readFile(join(folder, name), "utf8");
        assert.ok(!written.includes("sk-canary"));
        assert.equal((await readTrace(join(folder, name))).length, 4);
      }
    });

    it("are none while traces are off, also when they are turned on in the middle of a run", async () => {
      let isEnabled = false;
      const { sent } = await record(
        () => isEnabled,
        async (recorder) => {
          const { agent } = arrangedRuns([text("end")], {
            observe: (event: AgentEvent) => {
              recorder.observe(event);
              isEnabled = true;
            },
          });
          await agent.prompt("go");
        },
      );
      assert.deepEqual([await readdir(folder), sent], [[], []]);
    });

    it("that can't be written are reported once, and the run goes on", async () => {
      await writeFile(join(folder, "file"), "");
      const blocked = new TraceFiles(join(folder, "file", "below"));
      const warnings: string[] = [];
      const recorder = new TraceRecorder({
        isEnabled: () => true,
        files: blocked,
        sender: { send: () => {} },
        warn: (message) => warnings.push(message),
      });
      await run(recorder, "go");
      await recorder.settled();
      assert.equal(warnings.length, 1);
      assert.match(warnings[0] ?? "", /trace could not be written/);
    });
  });
});
