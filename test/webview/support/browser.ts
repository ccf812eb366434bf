import { type Browser, chromium } from "playwright-core";

/** The browser of the machine, without a sandbox: it shows our own page only, and tests often run as root. */
export function launchBrowser(options: readonly string[] = []): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
  return chromium.launch({ executablePath, args: ["--no-sandbox", ...options] });
}
