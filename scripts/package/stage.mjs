import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { build } from "../build/build.mjs";
import { root } from "../paths.mjs";

/** What .vscodeignore lets into the package and is not in the repository as it is packaged. */
const made = /^(?:package\b|dist\/|README\.md|NOTICE)/;
const isTranslation = /^package\.nls(?:\.[\w-]+)?\.json$/;

/**
 * Puts into `folder` what is packaged, and nothing else: the editor runs it from there, too.
 * @param {string} folder
 */
export async function stagePackage(folder) {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const notices = await build({ outDir: path.join(folder, "dist"), production: true });
  await writeFile(path.join(folder, "NOTICE"), notices);
  const translations = (await readdir(root)).filter((file) => isTranslation.test(file));
  for (const file of [".vscodeignore", ...(await copied()), ...translations]) {
    await cp(path.join(root, file), path.join(folder, file), { recursive: true });
  }
  // Everything is bundled: no script runs there, and no dependency goes along.
  const { scripts, dependencies, devDependencies, ...manifest } = await readJson("package.json");
  await writeFile(path.join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  const readme = await readFile(path.join(root, "README.md"), "utf8");
  await writeFile(path.join(folder, "README.md"), withoutFileLinks(readme));
}

/** What is packaged as it is in the repository. */
async function copied() {
  const lines = (await readFile(path.join(root, ".vscodeignore"), "utf8")).split("\n");
  const packaged = lines.flatMap((line) => (line.startsWith("!") ? line.slice(1).replace(/\/\*\*$/, "") : []));
  return packaged.filter((file) => !made.test(file));
}

const readJson = async (file) => JSON.parse(await readFile(path.join(root, file), "utf8"));

/**
 * Leaves only the text of links to other files: some are not packaged, others get another name.
 * @param {string} markdown
 */
function withoutFileLinks(markdown) {
  return markdown.replace(/(?<!!)\[([^\]]*)\]\((?!https?:|#)[^)\s]+\)/g, "$1");
}
