import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import esbuild from "esbuild";
import { requireBanner, startFiles } from "./bundles.mjs";

/**
 * Joins what is loaded with an entry into the entry's one file. esbuild makes a chunk of what the same entries and lazy
 * modules share, a hundred of them, and each is resolved, read and linked on its own, for which a user waits. What is
 * loaded later finds what it needs of a joined chunk in the entry: the chunk's file passes it on.
 * @param {object} built
 * @param {import("esbuild").Metafile} built.metafile
 * @param {string} built.base The folder that its names are relative to.
 * @param {string} built.entry Like these names.
 * @param {string} built.without An entry that runs without that one: its chunks stay as they are.
 * @param {boolean} built.production
 */
export async function joinStart({ metafile, base, entry, without, production }) {
  const kept = new Set(startFiles(metafile, without));
  const chunks = startFiles(metafile, entry)
    .filter((file) => file !== entry && !kept.has(file))
    .map((file, at) => ({
      file: path.resolve(base, file),
      names: metafile.outputs[file].exports.map((name) => ({ name, inEntry: `chunk${at}_${name}` })),
    }));
  const start = path.resolve(base, entry);
  const isJoined = new Set([start, ...chunks.map(({ file }) => file)]);
  const passOn = ({ file, names }) =>
    `export { ${names.map(({ name, inEntry }) => `${name} as ${inEntry}`)} } from ${JSON.stringify(file)};`;
  const { outputFiles } = await esbuild.build({
    stdin: {
      contents: [`export * from ${JSON.stringify(start)};`, ...chunks.map(passOn)].join("\n"),
      resolveDir: path.dirname(start),
    },
    outfile: start,
    ...{ bundle: true, write: false, format: "esm", platform: "node", target: "node22" },
    ...{ minify: production, sourcemap: production ? false : "linked" },
    banner: { js: requireBanner },
    plugins: [joining(isJoined, path.dirname(start))],
  });
  for (const { path: file, contents } of outputFiles) await writeFile(file, contents);
  for (const { file, names } of chunks) {
    const given = names.map(({ name, inEntry }) => `${inEntry} as ${name}`);
    await writeFile(file, `export { ${given} } from ${JSON.stringify(named(path.dirname(file), start))};\n`);
  }
}

/** As an import names it. */
function named(folder, file) {
  const name = path.relative(folder, file).replaceAll(path.sep, "/");
  return name.startsWith(".") ? name : `./${name}`;
}

/**
 * Only these files are bundled, each without the banner that the whole has once.
 * @param {ReadonlySet<string>} files
 * @param {string} folder Of the bundle.
 * @returns {import("esbuild").Plugin}
 */
function joining(files, folder) {
  return {
    name: "joining",
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /.*/ }, ({ path: name, importer }) => {
        if (!name.startsWith(".") && !path.isAbsolute(name)) return { path: name, external: true };
        const file = path.resolve(path.dirname(importer), name);
        return files.has(file) ? { path: file } : { path: named(folder, file), external: true };
      });
      // The lines stay where their source maps have them.
      const lines = requireBanner.replace(/[^\n]/g, "");
      onLoad({ filter: /\.js$/ }, async ({ path: file }) => ({
        contents: (await readFile(file, "utf8")).replace(requireBanner, lines),
        loader: "js",
      }));
    },
  };
}
