import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseServers, type ServerDefinition } from "../../../../src/extension/mcp/configuration.ts";
import { McpServer, type McpServerOptions } from "../../../../src/extension/mcp/mcpServer.ts";
import { resolveLaunch } from "../../../../src/extension/mcp/variables.ts";

const script = (name: string) => join(import.meta.dirname, `${name}.ts`);

/** A definition as it would be read from a file. */
export function define(name: string, launch: unknown, kind: "user" | "workspace" = "user"): ServerDefinition {
  const source = { kind, name: ".vscode/mcp.json", folder: tmpdir() };
  const { servers, problems } = parseServers({ servers: { [name]: launch } }, source);
  assert.deepEqual(problems, []);
  assert.ok(servers[0]);
  return servers[0];
}

export const regular = (...args: string[]) => ({ command: process.execPath, args: [script("regularServer"), ...args] });
export const hostile = (mode: string) => ({ command: process.execPath, args: [script("hostileServer"), mode] });

/** Servers that end with the test, whatever becomes of it. */
export class TestServers {
  readonly #servers: McpServer[] = [];
  readonly #processes: ChildProcess[] = [];

  create(launch: unknown, options: Partial<McpServerOptions> & { name?: string } = {}): McpServer {
    const { name = "test", ...others } = options;
    return this.of(define(name, launch), others);
  }

  of(definition: ServerDefinition, options: Partial<McpServerOptions> = {}): McpServer {
    const server = new McpServer({
      definition,
      resolve: (each, signal) =>
        resolveLaunch(each, { environment: {}, askInput: () => Promise.reject(new Error("no input")) }, signal),
      keyNames: () => ["MY_MODEL_SECRET"],
      folders: () => [{ name: "work", path: "/work" }],
      onChange() {},
      ...options,
    });
    this.#servers.push(server);
    return server;
  }

  /** The address of a server that speaks HTTP. */
  async http(...args: string[]): Promise<string> {
    const child = spawn(process.execPath, [script("regularServer"), "http", ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#processes.push(child);
    const [address] = await once(createInterface({ input: child.stdout }), "line");
    return String(address);
  }

  async dispose(): Promise<void> {
    await Promise.all(this.#servers.splice(0).map((server) => server.stop()));
    for (const child of this.#processes.splice(0)) child.kill();
  }
}
