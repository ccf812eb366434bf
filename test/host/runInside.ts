/** Runs the suite of test/host/inside in the extension host of an editor, desktop or not. */
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { runTests } from "@vscode/test-electron";
import { build } from "esbuild";
import { root, sampleWorkspace } from "./places.ts";
import { writeSettings } from "./settings.ts";
import { stageExtension } from "./stagedExtension.ts";

/** The editor runs JavaScript: each test file becomes one, next to the entry point that loads them. */
async function bundleTests(outDir: string): Promise<string> {
  await rm(outDir, { recursive: true, force: true });
  await build({
    entryPoints: ["test/host/inside/index.ts", "test/host/inside/**/*.test.ts"],
    absWorkingDir: root,
    outbase: "test/host/inside",
    outdir: outDir,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    platform: "node",
    target: "node22",
    format: "cjs",
    sourcemap: "inline",
    logLevel: "warning",
    // The worker that it finds turns HTML into Markdown, which is tested without an editor.
    logOverride: { "empty-import-meta": "silent" },
    external: ["vscode", "mocha"],
  });
  return path.join(outDir, "index.cjs");
}

async function main(): Promise<void> {
  // Below the repository, so that what is not bundled is found.
  const testsDir = path.join(root, "out/inside");
  const home = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
  try {
    const workspace = path.join(home, "workspace");
    // A workspace file, so that a test can open a further folder without a restart of the extension host.
    const opened = path.join(home, "sample.code-workspace");
    const userDataDir = path.join(home, "user");
    await mkdir(userDataDir);
    await cp(sampleWorkspace, workspace, { recursive: true });
    await writeFile(opened, JSON.stringify({ folders: [{ path: "workspace" }] }));
    // As it is when it was installed.
    const extensions = path.join(home, "extensions");
    await cp(path.join(root, "test/fixtures/second-extension"), path.join(extensions, "acme.second-1.0.0"), {
      recursive: true,
    });
    await writeSettings(userDataDir, "dark", {});
    const executable = process.env.VSCODE_EXECUTABLE_PATH;
    await runTests({
      ...(executable && { vscodeExecutablePath: executable }),
      extensionDevelopmentPath: await stageExtension(),
      extensionTestsPath: await bundleTests(testsDir),
      launchArgs: [opened, `--user-data-dir=${userDataDir}`, `--extensions-dir=${extensions}`],
      extensionTestsEnv: {
        ARBOR_TEST_FILES: testsDir,
        ARBOR_TEST_REPORTER: path.join(root, "scripts/test/specAndJson.cjs"),
      },
    });
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
