import path from "node:path";

/** The repository, which is also the development extension. */
export const root = path.resolve(import.meta.dirname, "../..");
const editorHost = path.join(root, ".vscode-host/node_modules");
/** The editor server runs on the Node it was built for. */
export const hostNode = path.join(editorHost, `node-linux-${process.arch}`, "bin/node");
export const codeServerEntry = path.join(editorHost, "code-server/out/node/entry.js");
export const builtInExtensions = path.join(editorHost, "code-server/lib/vscode/extensions");
export const browserExecutable = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
export const sampleWorkspace = path.join(root, "test/fixtures/sample-workspace");
