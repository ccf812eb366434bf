// What a user waits for in the real editor, by the clock: the extension's start, from a key to a request, and from an
// answer to the next request.
import { mustRun } from "../../../scripts/command.mjs";
import { setUpEditorHost } from "../../../scripts/setup.mjs";
import { limitRow } from "../report.ts";

export const editorRows = [
  {
    name: "activation in the editor",
    async measure({ runs }) {
      await prepareEditor();
      const { timeActivation } = await import("./activation.ts");
      const row = rowsOf(await samplesOf(runs, timeActivation));
      return [
        row("activation beside an empty extension's", "besideEmpty", 20),
        row("its code is loaded before", "loading"),
      ];
    },
  },
  {
    name: "requests in the editor",
    async measure({ runs }) {
      await prepareEditor();
      const { timeRequests } = await import("./requests.ts");
      const row = rowsOf(await samplesOf(runs, timeRequests));
      return [
        row("from Enter to the first request of a new window", "first", 100),
        row("to the first request of a later chat", "laterChat", 100),
        row("to the request of a later message", "laterMessage", 20),
        row("from the end of an answer to the next request, one read_file between", "nextTurn", 15),
      ];
    },
  },
  {
    name: "an approved edit in the editor",
    async measure({ runs }) {
      await prepareEditor();
      const { timeApprovedEdits } = await import("./approvedEdits.ts");
      const row = rowsOf(await samplesOf(runs, timeApprovedEdits));
      return [
        row("from Accept of an edit to the next request, beside the editor's own save", "besideSaving", 40),
        row("the same with the save", "nextRequest"),
      ];
    },
  },
];

async function prepareEditor() {
  Object.assign(process.env, await setUpEditorHost());
  await mustRun(process.execPath, ["esbuild.mjs"]);
}

async function samplesOf(runs, measure) {
  const samples = [];
  for (let run = 0; run < runs; run++) samples.push(await measure());
  return samples;
}

const rowsOf = (samples) => (title, name, goal) =>
  limitRow(
    title,
    samples.map((sample) => sample[name]),
    { unit: "ms", ...(goal !== undefined && { goal }) },
  );
