import { readFile } from "node:fs/promises";

const toolkit = /[\\/]node_modules[\\/]@(?:microsoft[\\/]fast-[a-z-]+|vscode[\\/]webview-ui-toolkit)[\\/].*\.js$/;

/** A list that nothing uses any more, but which fills itself when it is loaded. */
const keyCodes = /export var KeyCodes;[\s\S]*?\}\)\(KeyCodes \|\| \(KeyCodes = \{\}\)\);/;

/** Elements that the panel defines at first use, by the folder each has in the toolkit: what it is made of. */
const lazyElements = { dropdown: "select", option: "listbox-option", "text-field": "text-field" };
const lazyElement = /[\\/]webview-ui-toolkit[\\/]dist[\\/](dropdown|option|text-field)[\\/]index\.js$/;
const foundationIndex = /[\\/]fast-foundation[\\/]dist[\\/]esm[\\/]index\.js$/;
const lazyExport = /export \* from "\.\/(?:select|listbox|listbox-option|text-field)\/index\.js";/g;

/**
 * Takes out of the toolkit what no minifier can: the indents in its styles and templates, and a list of key codes. What
 * an index of all elements exports would be in the first chunk, even of elements which only a later one uses: those
 * import from their own folder.
 * @type {import("esbuild").Plugin}
 */
export const leanToolkit = {
  name: "lean-toolkit",
  setup(build) {
    build.onLoad({ filter: toolkit }, async ({ path }) => {
      let source = await readFile(path, "utf8");
      if (foundationIndex.test(path)) source = source.replace(lazyExport, "");
      const folder = lazyElements[lazyElement.exec(path)?.[1]];
      if (folder !== undefined)
        source = source.replace("@microsoft/fast-foundation", `@microsoft/fast-foundation/dist/esm/${folder}/index.js`);
      return { contents: source.replace(keyCodes, "").replace(/\n[ \t]+/g, "\n"), loader: "js" };
    });
  },
};
