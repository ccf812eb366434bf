/** Programs that come from the system: the browser that shows the editor, and the compiler its native modules need. */
import { existsSync } from "node:fs";
import { mustRun, which } from "../command.mjs";

/** Chromium without a toolbar of its own: the full browser spends a third of a core on drawing one, even headless. */
const headlessShell = "chromium-headless-shell";
const browserNames = [headlessShell, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** @returns {Promise<string | undefined>} the path of a Chromium on this machine, the headless shell first */
async function findBrowser() {
  for (const name of browserNames) {
    const found = await which(name);
    if (found) return found;
  }
  return undefined;
}

async function aptInstall(packages, purpose, say) {
  const canInstall = process.getuid?.() === 0 && (await which("apt-get"));
  if (!canInstall) {
    throw new Error(
      `${purpose} is missing. Install it and try again, on Debian or Ubuntu with:\n` +
        `  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${packages.join(" ")}`,
    );
  }
  say(`${purpose}: installing (apt-get install ${packages.join(" ")})`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  await mustRun("apt-get", ["update"], { env });
  await mustRun("apt-get", ["install", "-y", "--no-install-recommends", ...packages], { env });
}

/**
 * @param {(line: string) => void} say
 * @returns {Promise<string>} the path of the browser, `CHROMIUM_PATH` first
 */
export async function ensureBrowser(say) {
  const given = process.env.CHROMIUM_PATH;
  if (given) {
    if (!existsSync(given)) throw new Error(`CHROMIUM_PATH names ${given}, which does not exist.`);
    return given;
  }
  const found = await findBrowser();
  if (found) return found;
  try {
    await aptInstall([headlessShell, "fonts-dejavu-core"], "Chromium", say);
  } catch (error) {
    // Older releases have the full browser only.
    if (!(await which("apt-get"))) throw error;
    await aptInstall(["chromium", "fonts-dejavu-core"], "Chromium", say);
  }
  const installed = await findBrowser();
  if (!installed) throw new Error("Chromium was installed but is not on PATH. Set CHROMIUM_PATH to its executable.");
  return installed;
}

/** @param {(line: string) => void} say */
export async function ensureCompiler(say) {
  const tools = { "g++": "g++", make: "make", python3: "python3" };
  const missing = [];
  for (const [program, debianPackage] of Object.entries(tools)) {
    if (!(await which(program))) missing.push(debianPackage);
  }
  if (missing.length > 0)
    await aptInstall(missing, `A compiler for the editor's native modules (${missing.join(", ")})`, say);
}

/**
 * What agents' commands are isolated with. Without it they run as they do where no sandbox works.
 * @param {(line: string) => void} say
 */
export async function ensureSandbox(say) {
  if (process.platform !== "linux" || (await which("bwrap"))) return;
  try {
    await aptInstall(["bubblewrap"], "bubblewrap, the sandbox for commands", say);
  } catch (error) {
    say(`${error.message}\nUntil then commands run without a sandbox, and tests of the sandbox run nothing.`);
  }
}

/** @param {(line: string) => void} say */
export async function ensureGit(say) {
  if (!(await which("git"))) await aptInstall(["git", "ca-certificates"], "git", say);
}
