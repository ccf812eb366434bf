// Compares the panel in Chromium with plain text in a list, and its message path with one post per event, by turns.
import { launchBrowser } from "../../webview/support/browser.ts";
import { limitRow, median, ratioRow } from "../report.ts";
import { flowOfManyAgents } from "./manyAgents.ts";
import { perFrame, perScript } from "./measure.ts";
import { timePath } from "./messagePath.ts";
import { deltasPerRound, panelPage, plainPage } from "./pages.ts";

/** The second pass counts: the first warms up the compiler. */
const rounds = 1;
const deltas = (rounds + 1) * deltasPerRound;
const frames = 150;

export const panelRows = [
  {
    name: "20 streaming agents",
    // As a user's, which draws sixty frames a second.
    measure: (options) =>
      inBrowser([], async (browser) => {
        const flows = await samplesOf(options, () => flowOfManyAgents(browser));
        return [
          limitRow(
            "20 streaming agents, frames a second (median)",
            flows.map(({ framesPerSecond }) => framesPerSecond),
            {
              ...{ unit: "", goal: 50, isLeast: true },
            },
          ),
          limitRow(
            "the same, a key until it is shown (p95)",
            flows.map(({ keyMs }) => keyMs),
            { unit: "ms", goal: 60 },
          ),
        ];
      }),
  },
  {
    name: "script per delta at the end of 20 kB",
    measure: (options) =>
      inBrowser(unpaced, async (browser) => {
        const rows = await samplesOf(options, async () => {
          const long = await pair(browser, { messages: 0, characters: 20_000, count: deltas }, scriptOf);
          const { page, close } = await panelPage(browser, { messages: 0, characters: 2_000, count: deltas });
          const short = await scriptOf(page);
          await close();
          return { ours: long.panel.taken, plain: long.plain.taken, short };
        });
        return [
          pairRow("script per delta at the end of 20 kB", rows, ["plain", "ours"], { unit: "µs", goal: 5 }),
          pairRow("the same, 20 kB over 2 kB", rows, ["short", "ours"], { unit: "µs", goal: 1.25 }),
        ];
      }),
  },
  {
    name: "2,000 messages",
    measure: (options) =>
      inBrowser(unpaced, async (browser) => {
        const chat = { messages: 2_000, characters: 200, count: 2 * frames };
        const rows = await samplesOf(options, async () => {
          const { panel, plain } = await pair(browser, chat, framesOf);
          return {
            ...{ first: panel.firstFrameMs, plainFirst: plain.firstFrameMs },
            ...{ allDrawn: panel.allDrawnMs, longestTask: panel.longestTaskMs },
            ...{ delta: panel.taken, plainDelta: plain.taken },
          };
        });
        return [
          pairRow("2,000 messages, first frame", rows, ["plainFirst", "first"], { unit: "ms", goal: 0.28 }),
          limitRow(
            "all of their rows drawn",
            rows.map(({ allDrawn }) => allDrawn),
            { unit: "ms", goal: 400 },
          ),
          limitRow(
            "the longest task of it",
            rows.map(({ longestTask }) => longestTask),
            { unit: "ms", goal: 50 },
          ),
          pairRow("their layout and script per delta", rows, ["plainDelta", "delta"], { unit: "µs", goal: 0.16 }),
        ];
      }),
  },
  pathRow("paced deltas of one agent from host to panel", 1),
  pathRow("paced deltas of fifty opened agents from host to panel", 50),
];

const unpaced = ["--disable-frame-rate-limit", "--disable-gpu-vsync"];

async function inBrowser(flags, measure) {
  const browser = await launchBrowser(flags);
  try {
    return await measure(browser);
  } finally {
    await browser.close();
  }
}

async function samplesOf({ runs }, sample) {
  const samples = [];
  for (let run = 0; run < runs; run++) samples.push(await sample());
  return samples;
}

function pathRow(name, agents) {
  return {
    name,
    async measure(options) {
      // The pace alone costs something and varies from time to time: by turns, and the middle one of each.
      const sample = async () => {
        const taken = { nothing: [], channel: [], each: [] };
        for (let turn = 0; turn < 3; turn++) {
          for (const kind of Object.keys(taken)) taken[kind].push(await timePath(kind, agents));
        }
        const pace = median(taken.nothing);
        const [ours, each] = [median(taken.channel) - pace, median(taken.each) - pace];
        if (ours <= 0)
          throw new Error(
            `The channel took no more than the pace alone (${pace.toFixed(1)} ms): nothing was measured.`,
          );
        return { ours, each };
      };
      // An extension host runs for hours: what counts is the compiled code, not its compilation.
      await sample();
      return [pairRow(name, await samplesOf(options, sample), ["each", "ours"], { unit: "ms", goal: 0.08 })];
    },
  };
}

function pairRow(title, samples, names, { unit, goal }) {
  const lists = names.map((name) => [name, samples.map((sample) => sample[name])]);
  return ratioRow(title, Object.fromEntries(lists), { unit, goal });
}

const scriptOf = (page) => perScript(page, { count: deltasPerRound, rounds });

/** The second half counts: the first warms up the compiler. */
async function framesOf(page) {
  await perFrame(page, frames);
  return perFrame(page, frames);
}

async function pair(browser, chat, measure) {
  const measured = {};
  for (const [name, open] of Object.entries({ plain: plainPage, panel: panelPage })) {
    const { page, firstFrameMs, allDrawnMs, longestTaskMs, close } = await open(browser, chat);
    measured[name] = { firstFrameMs, allDrawnMs, longestTaskMs, taken: await measure(page) };
    await close();
  }
  return measured;
}
