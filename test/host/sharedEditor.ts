/** Editors of tests, which run one after the other on the same processes where what they ask for allows it. */
import { isDeepStrictEqual } from "node:util";
import { type Editor, type EditorOptions, fillUserData, openOn, processOptionsOf } from "./editor.ts";
import { type EditorProcesses, type ProcessOptions, startProcesses } from "./editorProcesses.ts";
import { plainSettings } from "./settings.ts";

interface Idle {
  readonly options: ProcessOptions;
  readonly processes: EditorProcesses;
}

/** Most tests ask for one of two: an editor with few extensions of its own, or one with all. */
const maxIdle = 2;
const idle: Idle[] = [];

after(async () => {
  for (const { processes } of idle.splice(0)) await processes.close();
});

/**
 * An editor as new: a fresh window with fresh user data, on processes that an earlier one has left where it asked for
 * the same environment, trust and extensions. Few of the editor's own extensions are there, unless all are asked for or
 * Arbor is installed as users get it.
 */
export async function openSharedEditor(asked: EditorOptions = {}): Promise<Editor> {
  const builtIns = processOptionsOf(asked).isInstalled ? "all" : "few";
  const options: EditorOptions = { builtIns, ...asked, settings: { ...plainSettings, ...asked.settings } };
  const processOptions = processOptionsOf(options);
  const reused = await takeIdle(processOptions);
  const fill = (userDataDir: string) => fillUserData(userDataDir, options);
  const processes = reused ?? (await startProcesses(processOptions, fill));
  try {
    if (reused) await fill(processes.userDataDir);
    const { context } = processes;
    const page = context.pages()[0] ?? (await context.newPage());
    return await openOn(processes, page, options, () => leave({ options: processOptions, processes }));
  } catch (error) {
    await processes.close();
    throw error;
  }
}

/** Those that an earlier editor has left, if they still run: the end of one test's server is no fault of the next. */
async function takeIdle(options: ProcessOptions): Promise<EditorProcesses | undefined> {
  const found = idle.findIndex((one) => isDeepStrictEqual(one.options, options));
  const [left] = found === -1 ? [] : idle.splice(found, 1);
  if (left === undefined || (await left.processes.isUp())) return left?.processes;
  await left.processes.close();
  return undefined;
}

/** Nothing of it runs on but server and browser. */
async function leave(left: Idle): Promise<void> {
  try {
    await left.processes.forget();
  } catch (error) {
    await left.processes.close();
    throw error;
  }
  idle.push(left);
  while (idle.length > maxIdle) await idle.shift()?.processes.close();
}
