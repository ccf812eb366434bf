/** Runs commands, quietly while they succeed. */
import { spawn } from "node:child_process";
import { root } from "./paths.mjs";

/** @typedef {{ code: number; output: string }} Outcome */

/** Somebody ended this process while a command ran. */
export class Interrupted extends Error {
  /** @param {number} exitCode */
  constructor(exitCode) {
    super("Interrupted.");
    this.exitCode = exitCode;
  }
}

const running = new Set();
/** @type {Interrupted | undefined} */
let interruption;

// The commands end first, with what they have to clean up (an editor, a browser); then `run` resolves.
for (const [signal, number] of Object.entries({ SIGINT: 2, SIGTERM: 15, SIGHUP: 1 })) {
  process.on(signal, () => {
    if (running.size === 0) process.exit(128 + number);
    interruption ??= new Interrupted(128 + number);
    for (const child of running) child.kill(signal === "SIGINT" ? "SIGINT" : "SIGTERM");
  });
}

/**
 * Runs a command to its end. A command that cannot be started has code 127; only an interruption rejects.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string; env?: NodeJS.ProcessEnv; live?: boolean }} [options] `live` shows the output as it comes.
 * @returns {Promise<Outcome>}
 */
export function run(command, args, { cwd = root, env = process.env, live = false } = {}) {
  return new Promise((resolve, reject) => {
    if (interruption) throw interruption;
    // npm and its like are .cmd files on Windows, which only a shell starts.
    const child = spawn(command, args, {
      cwd,
      env,
      shell: process.platform === "win32",
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.add(child);
    const chunks = [];
    const settle = (code) => {
      running.delete(child);
      if (interruption) reject(interruption);
      else resolve({ code, output: chunks.join("") });
    };
    const collect = (stream) => (chunk) => {
      chunks.push(chunk.toString());
      if (live) stream.write(chunk);
    };
    child.stdout.on("data", collect(process.stdout));
    child.stderr.on("data", collect(process.stderr));
    child.once("error", (error) => {
      chunks.push(`${error.message}\n`);
      settle(127);
    });
    child.once("close", (code, signal) => settle(code ?? (signal ? 1 : 0)));
  });
}

/**
 * As `run`, but a failure is an error with the whole output.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string; env?: NodeJS.ProcessEnv; live?: boolean }} [options]
 * @returns {Promise<string>} the output
 */
export async function mustRun(command, args, options) {
  const { code, output } = await run(command, args, options);
  if (code !== 0) throw new Error(`\`${[command, ...args].join(" ")}\` ended with ${code}:\n${output}`);
  return output;
}

/**
 * The path of a program, if it is installed.
 * @param {string} name
 * @returns {Promise<string | undefined>}
 */
export async function which(name) {
  const { code, output } = await run(process.platform === "win32" ? "where" : "which", [name]);
  return code === 0 ? output.split("\n")[0].trim() || undefined : undefined;
}
