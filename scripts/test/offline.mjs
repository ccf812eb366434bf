/** Runs commands where there is no network but a loopback of their own. */
import { run } from "../command.mjs";

const program = "bwrap";
/** All files as they are. Whatever asks for a host outside is refused by the system, also what ignores proxies. */
const args = ["--dev-bind", "/", "/", "--unshare-net", "--"];
/** Says so to what runs there. */
const mark = { ARBOR_OFFLINE: "1" };

/** @typedef {{ command: string[]; env: Record<string, string> }} Place What a command line begins with there. */

/** @type {Promise<Place> | undefined} */
let known;

/** Without a network, or as any other where the system can't do that, which is said once. */
export function offline() {
  known ??= run(program, [...args, "true"]).then(({ code, output }) => {
    if (code === 0) return { command: [program, ...args], env: mark };
    console.log(`The network is not blocked: ${program} can't do it here. ${output.trim()}`);
    return { command: [], env: {} };
  });
  return known;
}
