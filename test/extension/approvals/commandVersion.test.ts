import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { commandFiles } from "../../../src/extension/approvals/commandVersion.ts";
import { type GrantableRequest, grantOf, isGranted } from "../../../src/extension/approvals/grants.ts";

const files = {
  "package.json": JSON.stringify({
    scripts: { test: "node scripts/test.mjs", pretest: "sh ./prepare.sh", build: "node scripts/build.mjs" },
  }),
  "prepare.sh": ". ./lib/common.sh\n",
  "lib/common.sh": "true\n",
  "scripts/test.mjs": 'import "./test/run.mjs";\n',
  "scripts/test/run.mjs": "run();\n",
  "scripts/build.mjs": "build();\n",
  "tools/check.py": "from tools import rules\nimport helper\n",
  "tools/helper.py": "pass\n",
  "src/a.ts": "",
};

async function commandVersion(command: string, folder: string, root: string): Promise<string> {
  return (await commandFiles(command, folder, root)).version;
}

describe("What a command runs", () => {
  let root: string;
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  };
  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), "arbor-runs-")));
    for (const [path, text] of Object.entries(files)) await write(path, text);
  });
  afterEach(() => rm(root, { recursive: true }));

  for (const [command, changed, folder = ""] of [
    ["npm test", "package.json"],
    ["npm test", "scripts/test.mjs"],
    ["npm test", "scripts/test/run.mjs"],
    ["npm test", "prepare.sh"],
    ["npm test", "lib/common.sh"],
    ["cd src && npm run build", "scripts/build.mjs", "src"],
    ["node scripts/build.mjs --fast", "scripts/build.mjs"],
    ["./prepare.sh", "lib/common.sh"],
    ["python tools/check.py", "tools/helper.py"],
  ]) {
    it(`is another version of ${command} when ${changed} changes`, async () => {
      const version = () => commandVersion(command ?? "", join(root, folder), root);
      const before = await version();
      assert.equal(await version(), before);
      await write(changed ?? "", `${changed === "package.json" ? '{"scripts":{"test":"other"}}' : "other\n"}`);
      assert.notEqual(await version(), before);
    });
  }

  it("stays the same when other files change", async () => {
    const version = await commandVersion("npm test", root, root);
    await write("src/a.ts", "new");
    await write("scripts/build.mjs", "new");
    assert.equal(await commandVersion("npm test", root, root), version);
  });

  it("stays the same when the file changes that its output goes to, unless that is run, too", async () => {
    const version = (command: string) => commandVersion(command, root, root);
    const commands = [
      "npm test > src/a.ts",
      "npm test 2>>src/a.ts; ls",
      "npm test &> 'src/a.ts'",
      "npm test >| src/a.ts",
    ];
    const before = await Promise.all(commands.map(version));
    const run = await version("npm test > src/a.ts && node src/a.ts");
    await write("src/a.ts", "new");
    assert.deepEqual(await Promise.all(commands.map(version)), before);
    assert.notEqual(await version("npm test > src/a.ts && node src/a.ts"), run);
  });

  it("stays the same when a file changes that is only shown, unless what is shown could be run", async () => {
    await write("logs/server.log", "started");
    const versions = (commands: readonly string[]) =>
      Promise.all(commands.map((command) => commandVersion(command, root, root)));
    const shown = [
      "tail -20 logs/server.log",
      "until [ -e logs/server.log ]; do sleep 0.1; done; cat logs/server.log",
      "until [ -e logs/server.log ]; do sleep 0.1; done; rm logs/server.log; printf made > made.txt",
      "cat logs/server.log > copy.txt",
      "npm test 2>&1; grep -c failed ./logs/server.log | sort",
    ];
    const run = [
      "cat logs/server.log | sh",
      "sh logs/server.log",
      "sleep 1; . logs/server.log",
      "eval $(cat logs/server.log)",
      "cat logs/server.log > run.sh; sh run.sh",
      "xargs < logs/server.log env",
      "rg --pre ./logs/server.log failed",
      "sort --compress-program=./logs/server.log names",
      "sh \\\n./logs/server.log",
    ];
    const [shownBefore, runBefore] = [await versions(shown), await versions(run)];
    await write("logs/server.log", "ready");
    assert.deepEqual(await versions(shown), shownBefore);
    for (const [index, version] of (await versions(run)).entries()) {
      assert.notEqual(version, runBefore[index], run[index]);
    }
  });

  it("is looked for in the workspace alone", async () => {
    const inner = join(root, "src");
    const version = await commandVersion("node ../scripts/build.mjs", inner, inner);
    await write("scripts/build.mjs", "new");
    assert.equal(await commandVersion("node ../scripts/build.mjs", inner, inner), version);
  });

  it("ends an answer for the session when it changes", () => {
    const request = (version: string): GrantableRequest => ({
      ...{ kind: "command", command: "npm test", cwd: ".", folder: root, version, toolName: "run_command" },
      ...{ callId: "c", agent: { id: "a", prefix: "a", depth: 0 } },
    });
    const grant = grantOf(request("one"), "session", { id: "g", agentPath: ["main"] });
    assert.ok(grant !== undefined);
    assert.equal(isGranted(grant, request("one"), ["a"]), true);
    assert.equal(isGranted(grant, request("two"), ["a"]), false);
  });
});
