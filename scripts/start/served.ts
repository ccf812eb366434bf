/** Serves an editor with Arbor installed to any browser on this machine, until Ctrl+C. */
import { access, mkdir, mkdtemp, rm } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { cleanup } from "../../test/host/cleanup.ts";
import { installExtension } from "../../test/host/installExtension.ts";
import { root } from "../../test/host/places.ts";
import { type EditorServer, type ServerOptions, startServer } from "../../test/host/server.ts";
import { writeSettings } from "../../test/host/settings.ts";
import { workbenchUrl } from "../../test/host/workbench.ts";

// Browsers keep what the workbench stores (keys among it) by port: the same one each time, if it is free.
const usualPort = 8642;

const { workspace } = z.object({ workspace: z.string() }).parse(JSON.parse(process.argv[2] ?? "null"));

async function startOnUsualPort(options: ServerOptions): Promise<EditorServer> {
  try {
    return await startServer({ ...options, port: usualPort });
  } catch (error) {
    if (!String(error).includes("EADDRINUSE")) throw error;
    return startServer(options);
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

const home = path.join(root, ".arbor-start");
const userDataDir = path.join(home, "user");
const ending = cleanup();
try {
  // What the user changes there is kept from one start to the next.
  if (!(await exists(path.join(userDataDir, "User/settings.json")))) await writeSettings(userDataDir, "dark", {});
  console.log("Packing Arbor and starting an editor …");
  await mkdir(home, { recursive: true });
  // One for each start: another one may run, and lose the files that it has not read yet.
  const extensionsDir = await mkdtemp(path.join(home, "extensions-"));
  ending.add(() => rm(extensionsDir, { recursive: true, force: true }));
  await installExtension({ userDataDir, extensionsDir });
  await installExtension({ userDataDir, extensionsDir }, path.join(import.meta.dirname, "panelOpener"));
  const server = await startOnUsualPort({ userDataDir, extensionsDir, patient: true });
  ending.add(server.stop);
  console.log(`\nArbor is open on ${workspace}\n\n  ${workbenchUrl(server, workspace)}\n\nCtrl+C ends it.`);
  await server.ended;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await ending.run();
}
