/** Builds the extension and the panel into dist. Flag: --watch. */
import path from "node:path";
import { build } from "./scripts/build/build.mjs";
import { root } from "./scripts/paths.mjs";

await build({ outDir: path.join(root, "dist"), watch: process.argv.includes("--watch") });
