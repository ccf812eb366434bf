import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { openEditor } from "../../host/editor.ts";
import { eventually } from "../../host/eventually.ts";
import { sampleWorkspace } from "../../host/places.ts";
import { median } from "../report.ts";

/** Milliseconds by the clock, of one window. */
export interface Activation {
  /** Until the code is loaded that an activation begins with. */
  loading: number;
  /** From there until the extension is active, without what the editor takes for one that does nothing. */
  besideEmpty: number;
}

const empties = 5;
const timesFile = "times.json";

/** Opens a window with fresh user data in which another extension activates empty ones and then Arbor, as it is installed. */
export async function timeActivation(): Promise<Activation> {
  const home = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
  const names = Array.from({ length: empties }, (_, at) => `empty-${at}`);
  const clock = await writeExtension(home, "activation-clock", activationClock(names), ["*"]);
  const others = await Promise.all(
    names.map((name) => writeExtension(home, name, "export const activate = () => {};")),
  );
  // Its panel stays closed, since that would activate it.
  const editor = await openEditor({
    ...{ workspace: sampleWorkspace, builtIns: "few", isInstalled: true },
    otherExtensions: [clock, ...others],
  });
  try {
    const text = await eventually(() => readFile(path.join(clock, timesFile), "utf8"));
    const times: { loading: number; arbor: number; empty: number[]; error?: string } = JSON.parse(text);
    if (times.error !== undefined) throw new Error(times.error);
    return { loading: times.loading, besideEmpty: times.arbor - median(times.empty) };
  } finally {
    await editor.close();
    await rm(home, { recursive: true, force: true });
  }
}

/** An ES module, like Arbor. */
async function writeExtension(home: string, name: string, code: string, activationEvents: string[] = []) {
  const folder = path.join(home, name);
  await mkdir(folder);
  const manifest = {
    ...{ name, publisher: "acme", version: "1.0.0", engines: { vscode: "^1.106.0" } },
    ...{ type: "module", main: "./extension.js", activationEvents },
  };
  await writeFile(path.join(folder, "package.json"), JSON.stringify(manifest));
  await writeFile(path.join(folder, "extension.js"), code);
  return folder;
}

const activationClock = (names: readonly string[]) => `import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { extensions } from "vscode";

const untilIdle = async () => {
  const from = performance.eventLoopUtilization();
  await new Promise((resolve) => setTimeout(resolve, 500));
  if (performance.eventLoopUtilization(from).utilization > 0.05) await untilIdle();
};
const timeOf = async (step) => {
  const from = performance.now();
  await step();
  return performance.now() - from;
};
const activation = async (extension) => {
  if (extension.isActive) throw new Error(extension.id + " is active already.");
  return timeOf(() => extension.activate());
};
const measure = async () => {
  await untilIdle();
  const empty = [];
  for (const name of ${JSON.stringify(names)}) empty.push(await activation(extensions.getExtension("acme." + name)));
  const arbor = extensions.getExtension("arbor.arbor-agent");
  const main = pathToFileURL(join(arbor.extensionPath, arbor.packageJSON.main)).href;
  const loading = await timeOf(() => import(main));
  return { empty, loading, arbor: await activation(arbor) };
};
export const activate = async () => {
  const times = await measure().catch((error) => ({ error: String(error) }));
  const file = join(import.meta.dirname, "${timesFile}");
  writeFileSync(file + ".tmp", JSON.stringify(times));
  renameSync(file + ".tmp", file);
};
`;
