/** Where the repository keeps what its scripts use. Everything below `root` that is not in git is named here once. */
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const inRoot = (...parts) => path.join(root, ...parts);

export const nodeModules = inRoot("node_modules");
/** Node 24: runs TypeScript as it is, and is what the editor's extension host runs on. */
export const node24 = inRoot("node_modules/node/bin/node");
export const mochaBin = inRoot("node_modules/mocha/bin/mocha.js");
/** Node 24 with its headers, and code-server: a whole VS Code from npm alone. */
export const editorHostDir = inRoot(".vscode-host");
export const codeServerEntry = inRoot(".vscode-host/node_modules/code-server/out/node/entry.js");
export const hostNode = inRoot(".vscode-host/node_modules", `node-linux-${process.arch}`, "bin/node");
/** What `npm start` writes: workspace copy, profile, package. */
export const startDir = inRoot(".arbor-start");
/** What `npm run evals` writes. */
export const evalsDir = inRoot("out/evals");
export const sampleWorkspace = inRoot("test/fixtures/sample-workspace");
/** What `npm run package` writes. */
export const packageDir = inRoot("out/package");
