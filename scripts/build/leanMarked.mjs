import { readFile } from "node:fs/promises";

/** What follows the classes makes one of each, so that no bundler sees that those which write HTML are not used. */
const afterClasses = /var (\w+)=new \w+;function \w+\(\w+,\w+\)\{return \1\.parse/;

/** Leaves out of `marked` what writes HTML: the panel makes elements of its tokens. @type {import("esbuild").Plugin} */
export const leanMarked = {
  name: "lean-marked",
  setup(build) {
    build.onLoad({ filter: /[\\/]marked[\\/]lib[\\/]marked\.esm\.js$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const end = source.search(afterClasses);
      const lexer = /(\w+) as Lexer\b/.exec(source)?.[1];
      if (end < 0 || lexer === undefined)
        throw new Error(`${path} is put together otherwise: see scripts/leanMarked.mjs.`);
      return { contents: `${source.slice(0, end)}export{${lexer} as Lexer};`, loader: "js" };
    });
  },
};
