import { readFile } from "node:fs/promises";

const toolkit = /[\\/]node_modules[\\/]@(?:microsoft[\\/]fast-[a-z-]+|vscode[\\/]webview-ui-toolkit)[\\/].*\.js$/;

/** A list that nothing uses any more, but which fills itself when it is loaded. */
const keyCodes = /export var KeyCodes;[\s\S]*?\}\)\(KeyCodes \|\| \(KeyCodes = \{\}\)\);/;

/**
 * Takes out of the toolkit what no minifier can: the indents in its styles and templates, and a list of key codes.
 * @type {import("esbuild").Plugin}
 */
export const leanToolkit = {
  name: "lean-toolkit",
  setup(build) {
    build.onLoad({ filter: toolkit }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      return { contents: source.replace(keyCodes, "").replace(/\n[ \t]+/g, "\n"), loader: "js" };
    });
  },
};
