import assert from "node:assert/strict";
import path from "node:path";
import esbuild from "esbuild";
import { bundles, startBytes, startOutputs } from "../../scripts/build/bundles.mjs";

const root = path.resolve(import.meta.dirname, "../..");

describe("what is packaged", () => {
  const most = {
    panel: { entry: "dist/webview/panel.js", bytes: 280_000 },
    extension: { entry: "dist/extension.js", bytes: 1_200_000 },
  };

  for (const name of ["panel", "extension"] as const) {
    const { entry, bytes } = most[name];
    it(`begins with at most ${bytes / 1_000} kB of the ${name}'s scripts`, async () => {
      const bundle = bundles({ production: true })[name];
      const { metafile } = await esbuild.build({ ...bundle, absWorkingDir: root, write: false, logLevel: "silent" });
      const atStart = startBytes(metafile, entry);
      assert.ok(atStart > 100_000, `${atStart} bytes are not all of it`);
      assert.ok(
        atStart <= bytes,
        `${atStart} bytes: load what is seldom needed as a chunk, see onDemand.ts of the panel`,
      );
    });
  }

  it("draws the panel's first picture without the elements of pickers and forms", async () => {
    const { panel } = bundles({ production: true });
    const { metafile } = await esbuild.build({ ...panel, absWorkingDir: root, write: false, logLevel: "silent" });
    const isLazy = (file: string) =>
      /(?:fast-foundation\/dist\/esm|webview-ui-toolkit\/dist)\/(?:select|listbox|dropdown|option)/.test(file);
    const atStart = startOutputs(metafile, most.panel.entry).flatMap(({ inputs }) => Object.keys(inputs));
    assert.deepEqual(atStart.filter(isLazy), []);
    assert.ok(Object.keys(metafile.inputs).some(isLazy), "they are built");
  });

  it("activates with nothing of SDKs, parsers, servers of tools or other programs' agents", async () => {
    const { extension } = bundles({ production: true });
    const { metafile } = await esbuild.build({ ...extension, absWorkingDir: root, write: false, logLevel: "silent" });
    const files = startOutputs(metafile, most.extension.entry).flatMap(({ inputs }) => Object.keys(inputs));
    const packages = files.flatMap(
      (file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(file)?.[1] ?? [],
    );
    assert.deepEqual([...new Set(packages)].sort(), ["@vscode/l10n", "ignore", "picomatch", "zod"]);
    const atUse = [
      "src/extension/foreignAgents/foreignSession.ts",
      "src/extension/mcp/editorMcp.ts",
      "src/agent/providers/index.ts",
      "src/agent/providers/anthropic/anthropicConnection.ts",
    ];
    assert.deepEqual(
      atUse.filter((file) => files.includes(file)),
      [],
    );
    const all = new Set(Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs)));
    assert.deepEqual(
      atUse.filter((file) => !all.has(file)),
      [],
      "they are built",
    );
  });
});
