/** What the scripts that take arguments have in common. */
import { Interrupted } from "./command.mjs";

/**
 * Reads the arguments and runs `main` with them. `--help` shows the usage, as does an argument that is wrong. What
 * `main` gives is the exit code; of an error only the message is printed, since it is written for who ran the script.
 * @template {{ help?: boolean }} Chosen
 * @param {{ usage: string; readArguments: () => Chosen; main: (chosen: Chosen) => Promise<number> }} script
 */
export async function runScript({ usage, readArguments, main }) {
  let chosen;
  try {
    chosen = readArguments();
  } catch (error) {
    console.error(`${error.message}\n\n${usage}`);
    process.exitCode = 2;
    return;
  }
  if (chosen.help) {
    console.log(usage);
    return;
  }
  try {
    process.exitCode = await main(chosen);
  } catch (error) {
    const isInterrupted = error instanceof Interrupted;
    if (!isInterrupted) console.error(error.message);
    process.exitCode = isInterrupted ? error.exitCode : 1;
  }
}
