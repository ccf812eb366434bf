/** `npm run screenshots`: makes the pictures of media/screenshots again. */
import path from "node:path";
import { mustRun } from "./command.mjs";
import { node24 } from "./paths.mjs";
import { setUpEditorHost, setUpPackages } from "./setup.mjs";

try {
  await setUpPackages();
  const host = await setUpEditorHost();
  await mustRun(process.execPath, ["esbuild.mjs"]);
  for (const script of ["scripts/screenshots/pictures.ts", "test/webview/gallery/documentPictures.ts"]) {
    await mustRun(node24, [path.join(import.meta.dirname, "..", script)], {
      env: { ...process.env, ...host },
      live: true,
    });
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
