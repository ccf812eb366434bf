import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { commandEnvironment } from "../terminal/environment.ts";
import { type Line, LineProcess } from "../terminal/lineProcess.ts";
import type { ServerSandbox } from "./serverSandbox.ts";

/** A server that sends more than this in one message gets an error in its place. */
export const maxMessageBytes = 16 * 1_024 * 1_024;

export interface StdioOptions {
  command: string;
  args: readonly string[];
  /** Absolute. */
  cwd: string;
  /** null removes a variable. */
  env: Readonly<Record<string, string | null>>;
  /** Variables that hold keys of model providers. */
  keyNames: readonly string[];
  /** Absent: it has all of the user's rights. */
  inSandbox?: ServerSandbox;
  parseMessage(line: string): JSONRPCMessage;
  /** Called with each line of the error output, and with what makes no sense. */
  log(line: string): void;
}

/** A server as a process of its own, with all that it spawns: no more of it is left after `close` or `kill`. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: StdioOptions;
  readonly #process: LineProcess;

  constructor(options: StdioOptions) {
    const { command, args, cwd, log, inSandbox } = options;
    this.#options = options;
    this.#process = new LineProcess({
      ...{ command, args, cwd, maxLineBytes: maxMessageBytes },
      environment: (mark) => environmentOf(options, mark),
      onLine: (line) => this.#receive(line),
      onErrorLine: log,
      onExit: ({ code, signal }) =>
        log(signal === null ? `The server exited with code ${code}.` : `The server was ended by ${signal}.`),
      onEnd: () => this.onclose?.(),
      onFailure: (error) => log(String(error)),
      ...(inSandbox && {
        sandbox: (environment: Readonly<Record<string, string>>) => inSandbox.launch(environment),
        onCreated: (paths: readonly string[]) => log(`It made files that decide what runs: ${paths.join(", ")}`),
      }),
    });
  }

  /** Resolves when the process runs. Rejects when it can't be started. */
  async start(): Promise<void> {
    await this.#process.start();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#process.write(JSON.stringify(message));
  }

  /** Ends the process and all that it spawned; resolves when they have ended. */
  async close(): Promise<void> {
    await this.#process.close();
  }

  /** The same at once, for when there is no time to wait. */
  kill(): void {
    this.#process.kill();
  }

  #receive(line: Line): void {
    if (line.head.trim() === "") return;
    if (line.isCut) {
      this.#refuse(line);
      return;
    }
    let message: JSONRPCMessage;
    try {
      message = this.#options.parseMessage(line.head);
    } catch {
      this.#options.log(`Not a message: ${line.head.slice(0, 500)}`);
      return;
    }
    this.onmessage?.(message);
  }

  /** Answers the request that a message of this length was the result of, so that nothing waits for it. */
  #refuse({ head, tail, bytes }: Line): void {
    const megabytes = Math.round(bytes / 1_048_576);
    this.#options.log(`A message of ${megabytes} MB was dropped.`);
    const id = /"id"\s*:\s*(\d+)/.exec(head.slice(0, 100)) ?? /"id"\s*:\s*(\d+)\s*\}\s*$/.exec(tail);
    if (id?.[1] === undefined) return;
    const error = { code: -32_603, message: `The answer has ${megabytes} MB, which is too long.` };
    this.onmessage?.({ jsonrpc: "2.0", id: Number(id[1]), error });
  }
}

function environmentOf({ keyNames, env }: StdioOptions, mark: string): Record<string, string> {
  const environment = commandEnvironment(process.env, { mark, keyNames });
  for (const [name, value] of Object.entries(env)) {
    if (value === null) delete environment[name];
    else environment[name] = value;
  }
  return environment;
}
