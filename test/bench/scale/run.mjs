// What a unit takes of ten times as much: files of a workspace, events of a session, agents of a run, megabytes of a transcript.
import { join } from "node:path";
import { builtFolder } from "../report.ts";
import { ripgrep } from "../search/run.mjs";
import { timeAgents } from "./agents.ts";
import { manyFiles, timeFind } from "./files.ts";
import { scaleRows as rowsOf } from "./measured.ts";
import { timeSession } from "./sessions.ts";

const rounds = 3;
const number = new Intl.NumberFormat("en");
const pair = (small, unit, measure) =>
  [small, 10 * small].map((count) => ({ name: `${number.format(count)} ${unit}`, measure: () => measure(count) }));

export const scaleRows = [
  {
    name: "find_files in 500,000 files",
    async measure() {
      const binary = await ripgrep();
      const folder = (count) => manyFiles(join(builtFolder, `names-${count}`), count);
      const sizes = pair(50_000, "files", (count) => timeFind(binary, folder(count), count));
      return rowsOf("find_files", sizes, rounds);
    },
  },
  {
    name: "a session of 100,000 events is opened and read",
    measure: () =>
      rowsOf(
        "a session",
        pair(10_000, "events", (count) =>
          timeSession({ words: 20, unit: "events", isLongEnough: ({ events }) => events >= count }),
        ),
        rounds,
      ),
  },
  {
    name: "a transcript of 50 MB is opened and read",
    measure: () =>
      rowsOf(
        "a transcript",
        pair(5, "MB", (count) =>
          timeSession({ words: 2_000, unit: "megabytes", isLongEnough: ({ bytes }) => bytes >= count * 1e6 }),
        ),
        rounds,
      ),
  },
  { name: "200 agents in one run", measure: () => rowsOf("a run", pair(20, "agents", timeAgents), rounds) },
];
