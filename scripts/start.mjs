/** `npm start`: Arbor on a copy of the sample workspace, in an editor to look at or driven without a display. */
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { mustRun, run, which } from "./command.mjs";
import { runScript } from "./commandLine.mjs";
import { node24 } from "./paths.mjs";
import { setUpEditorHost, setUpPackages, setUpServer } from "./setup.mjs";
import { startDesktop } from "./start/desktop.mjs";
import { copySampleWorkspace } from "./start/workspace.mjs";

const usage = `npm start                              opens an editor with Arbor on a copy of the sample workspace
npm start -- --workspace DIR           on that folder itself
npm start -- --served                  to a browser, also where VS Code is installed
npm start -- --headless --ask "TEXT"   asks without a display, and prints what came of it
      --model PROVIDER/MODEL           default: the demo model
      --workspace DIR                  works on that folder itself, not on a copy of the sample
      --approve all|none               how edits are answered (default: none)
      --screenshot FILE                saves a picture of the editor at the end (PNG)
      --settings FILE                  user settings for the editor (JSON), arbor.providers for example`;

const headlessOnly = ["ask", "model", "approve", "screenshot", "settings"];

function readArguments() {
  const { values } = parseArgs({
    options: {
      headless: { type: "boolean", default: false },
      served: { type: "boolean", default: false },
      ask: { type: "string" },
      model: { type: "string" },
      workspace: { type: "string" },
      screenshot: { type: "string" },
      approve: { type: "string" },
      settings: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return values;
  const misplaced = headlessOnly.find((name) => values[name] !== undefined);
  if (!values.headless && misplaced) throw new Error(`--${misplaced} needs --headless.`);
  if (values.headless && !values.ask?.trim()) throw new Error('--headless needs --ask "TEXT".');
  if (values.approve !== undefined && !["all", "none"].includes(values.approve)) {
    throw new Error(`--approve is "all" or "none", not "${values.approve}".`);
  }
  if (values.model !== undefined && !/^[^/]+\/.+/.test(values.model)) {
    throw new Error(`--model is PROVIDER/MODEL, not "${values.model}".`);
  }
  if (values.workspace !== undefined && !(existsSync(values.workspace) && statSync(values.workspace).isDirectory())) {
    throw new Error(`--workspace: there is no folder ${values.workspace}.`);
  }
  return { ...values, settings: readSettings(values.settings) };
}

function readSettings(file) {
  if (file === undefined) return {};
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new Error(`--settings: ${file} cannot be read as JSON (${error.message}).`);
  }
}

/** Runs a TypeScript part of the start in Node 24 until it ends. */
async function runPart(file, job, extraEnv) {
  const env = { ...process.env, ...extraEnv };
  return (await run(node24, [path.join(import.meta.dirname, "start", file), JSON.stringify(job)], { env, live: true }))
    .code;
}

async function main({ headless, served, workspace: given, ...question }) {
  await setUpPackages();
  const workspace =
    given === undefined ? await copySampleWorkspace() : { dir: path.resolve(given), remove: async () => {} };
  try {
    if (headless) {
      await mustRun(process.execPath, ["esbuild.mjs"]);
      const job = {
        workspace: workspace.dir,
        ask: question.ask,
        settings: question.settings,
        approve: question.approve ?? "none",
        ...(question.model !== undefined && { model: question.model }),
        ...(question.screenshot !== undefined && { screenshot: path.resolve(question.screenshot) }),
      };
      return await runPart("headless.ts", job, await setUpEditorHost());
    }
    const desktop = served ? undefined : process.env.VSCODE_EXECUTABLE_PATH || (await which("code"));
    if (desktop) {
      await mustRun(process.execPath, ["esbuild.mjs"]);
      return await startDesktop(desktop, workspace.dir);
    }
    // The copy of the sample is ours; about any other folder the editor asks.
    const job = { workspace: workspace.dir, isTrusted: given === undefined };
    await setUpServer();
    return await runPart("served.ts", job, {});
  } finally {
    await workspace.remove();
  }
}

await runScript({ usage, readArguments, main });
