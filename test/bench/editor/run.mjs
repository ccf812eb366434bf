// What a user waits for in the real editor, by the clock: the extension's start, from a key to a request, and from an
// answer to the next request.
import { mustRun } from "../../../scripts/command.mjs";
import { setUpEditorHost } from "../../../scripts/setup.mjs";
import { limitRow } from "../report.ts";

/** One measurement of each window gives the figures of several rows: title, name in the sample, goal in milliseconds. */
const editorRow = (name, load, rows) => ({
  name,
  async measure({ runs }) {
    Object.assign(process.env, await setUpEditorHost());
    await mustRun(process.execPath, ["esbuild.mjs"]);
    const time = await load();
    const samples = [];
    for (let run = 0; run < runs; run++) samples.push(await time());
    return rows.map(([title, figure, goal]) =>
      limitRow(
        title,
        samples.map((sample) => sample[figure]),
        { unit: "ms", ...(goal !== undefined && { goal }) },
      ),
    );
  },
});

export const editorRows = [
  editorRow("activation in the editor", async () => (await import("./activation.ts")).timeActivation, [
    ["activation beside an empty extension's", "besideEmpty", 20],
    ["its code is loaded before", "loading"],
  ]),
  editorRow("requests in the editor", async () => (await import("./requests.ts")).timeRequests, [
    ["from Enter to the first request of a new window", "first", 100],
    ["to the first request of a later chat", "laterChat", 100],
    ["to the request of a later message", "laterMessage", 20],
    ["from the end of an answer to the next request, one read_file between", "nextTurn", 15],
  ]),
  editorRow("an approved edit in the editor", async () => (await import("./approvedEdits.ts")).timeApprovedEdits, [
    ["from Accept of an edit to the next request, beside the editor's own save", "besideSaving", 40],
    ["the same with the save", "nextRequest"],
  ]),
];
