/** Brings what the other scripts need onto this machine. Run directly it brings everything. */
import { pathToFileURL } from "node:url";
import { checkPlatform, ensureEditorHost } from "./setup/editorHost.mjs";
import { installPackages } from "./setup/packages.mjs";
import { ensureBrowser, ensureGit, ensureSandbox } from "./setup/systemPackages.mjs";

const say = (line) => console.log(line);

/** npm packages, git and the sandbox for commands: enough for checks, unit tests and the build. */
export async function setUpPackages() {
  await ensureGit(say);
  await ensureSandbox(say);
  await installPackages(say);
}

/** Installs once, however many suites ask for it side by side. */
function once(install) {
  let installed;
  return () => {
    installed ??= install();
    return installed;
  };
}

/**
 * Chromium alone: enough to show the panel outside an editor.
 * @type {() => Promise<{ CHROMIUM_PATH: string }>} what those who use it find in their environment
 */
export const setUpBrowser = once(async () => ({ CHROMIUM_PATH: await ensureBrowser(say) }));

/** code-server alone: enough to serve an editor to a browser of the user's. */
export const setUpServer = once(() => ensureEditorHost(say));

/** Chromium and code-server: an editor that needs no display. */
export const setUpEditorHost = once(async () => {
  checkPlatform();
  const browser = await setUpBrowser();
  await setUpServer();
  return browser;
});

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  try {
    await setUpPackages();
    await setUpEditorHost();
    say("Everything is in place.");
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
