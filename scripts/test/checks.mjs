/** The checks that run no code of the product. Each counts as one test. */
import path from "node:path";
import { run } from "../command.mjs";
import { nodeModules, root } from "../paths.mjs";

const bin = (name) => path.join(nodeModules, ".bin", name);

const checks = {
  "format, lint, layers, import cycles": [bin("biome"), "ci", "--colors=off", "--max-diagnostics=200"],
  "types of extension and tests": [bin("tsc"), "-p", "tsconfig.json"],
  "types of the panel": [bin("tsc"), "-p", "tsconfig.webview.json"],
  "types of the panel's tests": [bin("tsc"), "-p", "test/webview/tsconfig.json"],
  "dead files, exports, dependencies": [bin("knip"), "--no-progress"],
  "structure of the source": [process.execPath, path.join(root, "scripts/house.mjs")],
};

/** @returns {import("./report.mjs").Suite[]} */
export function checkSuites() {
  return Object.entries(checks).map(([name, [command, ...args]]) => ({
    name,
    part: "checks",
    async run() {
      const { code, output } = await run(command, args, { cwd: root });
      return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1, problem: output };
    },
  }));
}
