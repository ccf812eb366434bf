import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../..");
const biome = path.join(root, "node_modules/.bin/biome");

/** Each layer's file, with what it must not import and what it may. */
const layers: Record<string, { forbidden: string[]; allowed: string[] }> = {
  "src/agent/planted.ts": {
    forbidden: ["vscode", "openai", "@anthropic-ai/sdk", "preact", "./providers/retry.ts", "../protocol/messages.ts"],
    allowed: ["zod", "./vocabulary/usage.ts"],
  },
  "src/agent/providers/planted.ts": {
    forbidden: ["vscode", "preact", "../loop/run.ts", "../agent/agent.ts", "../../extension/userError.ts"],
    allowed: ["openai", "@anthropic-ai/sdk", "../vocabulary/model.ts"],
  },
  "src/protocol/planted.ts": {
    forbidden: ["vscode", "node:fs", "openai", "preact", "../agent/loop/run.ts", "../extension/userError.ts"],
    allowed: ["zod", "../agent/types.ts", "../agent/tree.ts"],
  },
  "src/webview/planted.ts": {
    forbidden: [
      "vscode",
      "node:path",
      "openai",
      "zod",
      "@vscode/webview-ui-toolkit",
      "../agent/loop/run.ts",
      "../protocol/intents.ts",
      "../extension/userError.ts",
    ],
    allowed: ["preact", "../agent/tree.ts", "../protocol/messages.ts"],
  },
  "src/webview/features/agents/planted.ts": {
    forbidden: ["zod", "@vscode/webview-ui-toolkit", "../gauge/gaugeModel.ts", "../find/FindBar.tsx"],
    allowed: ["preact", "./rows.ts", "../../model/chat.ts", "../../../protocol/messages.ts"],
  },
  "src/webview/ui/planted.ts": {
    forbidden: ["vscode", "zod", "../../extension/userError.ts"],
    allowed: ["@vscode/webview-ui-toolkit"],
  },
  "src/extension/planted.ts": {
    forbidden: ["../webview/main.tsx", "openai", "@anthropic-ai/sdk", "preact"],
    allowed: ["vscode", "../agent/agent/agent.ts", "../protocol/messages.ts"],
  },
  "src/extension/tools/planted.ts": {
    forbidden: ["vscode", "../../webview/main.tsx"],
    allowed: ["../workspace/workspace.ts"],
  },
  "src/extension/approvals/planted.ts": { forbidden: ["vscode", "openai"], allowed: ["zod"] },
  "src/extension/changes/model/planted.ts": { forbidden: ["vscode", "preact"], allowed: ["./change.ts"] },
};

describe("the layer rule", () => {
  let project: string;

  before(async () => {
    project = await mkdtemp(path.join(os.tmpdir(), "arbor-layers-"));
    await cp(path.join(root, "biome.json"), path.join(project, "biome.json"));
    await writeFile(path.join(project, ".gitignore"), "node_modules/\n");
  });
  after(() => rm(project, { recursive: true, force: true }));

  /** The modules among `modules` that the linter refuses in that file. */
  async function refused(file: string, modules: readonly string[]): Promise<string[]> {
    const lines = modules.map((name, index) => `import * as m${index} from "${name}";\nvoid m${index};`);
    await mkdir(path.dirname(path.join(project, file)), { recursive: true });
    await writeFile(path.join(project, file), `${lines.join("\n")}\n`);
    const { stdout } = spawnSync(biome, ["lint", "--only=style/noRestrictedImports", "--reporter=json", file], {
      cwd: project,
      encoding: "utf8",
    });
    const report: { diagnostics: { category: string; location: { start: { line: number } } }[] } = JSON.parse(stdout);
    const linesOfImports = new Set(report.diagnostics.map(({ location }) => location.start.line));
    return modules.filter((_, index) => linesOfImports.has(2 * index + 1));
  }

  for (const [file, { forbidden, allowed }] of Object.entries(layers)) {
    it(`keeps ${path.dirname(file)} from what is above or beside it`, async () => {
      assert.deepEqual(await refused(file, [...forbidden, ...allowed]), forbidden);
    });
  }
});
