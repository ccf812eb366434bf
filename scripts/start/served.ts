/** Serves an editor with Arbor installed to any browser on this machine, until Ctrl+C. */
import { access, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import * as z from "zod";
import { cleanup } from "../../test/host/cleanup.ts";
import { installExtension } from "../../test/host/installExtension.ts";
import { root } from "../../test/host/places.ts";
import { startServer } from "../../test/host/server.ts";
import { writeSettings } from "../../test/host/settings.ts";
import { workbenchUrl } from "../../test/host/workbench.ts";
import { type Gate, openGate } from "./gate.ts";

const job = z.object({ workspace: z.string(), isTrusted: z.boolean() });
const { workspace, isTrusted } = job.parse(JSON.parse(process.argv[2] ?? "null"));

const home = path.join(root, ".arbor-start");
const portFile = path.join(home, "port");

/** Browsers keep what the workbench stores (keys among it) by port: the random one of the first start, if it is free. */
async function openOnUsualPort(socketPath: string): Promise<Gate> {
  const usual = Number(await readFile(portFile, "utf8").catch(() => "0"));
  try {
    const gate = await openGate(socketPath, usual);
    await writeFile(portFile, gate.authority.split(":")[1] ?? "");
    return gate;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    return openGate(socketPath, 0);
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

const userDataDir = path.join(home, "user");
const ending = cleanup();
try {
  // What the user changes there is kept from one start to the next.
  if (!(await exists(path.join(userDataDir, "User/settings.json")))) {
    await writeSettings(userDataDir, "dark", { "security.workspace.trust.startupPrompt": "once" });
  }
  console.log("Packing Arbor and starting an editor …");
  await mkdir(home, { recursive: true });
  // One for each start: another one may run, and lose the files that it has not read yet.
  const extensionsDir = await mkdtemp(path.join(home, "extensions-"));
  ending.add(() => rm(extensionsDir, { recursive: true, force: true }));
  await installExtension({ userDataDir, extensionsDir });
  await installExtension({ userDataDir, extensionsDir }, path.join(import.meta.dirname, "panelOpener"));
  // Readable for this user alone, as the path of a socket has to be short.
  const socketDir = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
  ending.add(() => rm(socketDir, { recursive: true, force: true }));
  const socket = path.join(socketDir, "server");
  const server = await startServer({ userDataDir, extensionsDir, patient: true, socket, workspaceTrust: !isTrusted });
  ending.add(server.stop);
  const gate = await openOnUsualPort(socket);
  ending.add(gate.close);
  console.log(`\nArbor is open on ${workspace}\n\n  ${gate.enter(workbenchUrl(gate, workspace))}\n\nCtrl+C ends it.`);
  await server.ended;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await ending.run();
}
