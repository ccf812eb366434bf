// Compares the panel in Chromium with plain text in a list, and its message path with one post per event, by turns:
// `npm run bench -- panel [--runs 5] [--only <part of a name>]`.
import { launchBrowser } from "../../webview/support/browser.ts";
import { flowOfManyAgents } from "./manyAgents.ts";
import { perFrame, perScript } from "./measure.ts";
import { timePath } from "./messagePath.ts";
import { deltasPerRound, panelPage, plainPage } from "./pages.ts";

const rounds = 5;
const deltas = (rounds + 1) * deltasPerRound;
const frames = 200;

/** @param {{ runs: number, only: string | undefined }} options */
export async function runPanelBench({ runs, only = "" }) {
  const browser = await launchBrowser(["--disable-frame-rate-limit", "--disable-gpu-vsync"]);
  // As a user's, which draws sixty frames a second.
  const paced = await launchBrowser();
  try {
    const rows = [];
    for (const row of allRows(browser, paced).filter(({ name }) => name.includes(only))) {
      const samples = [];
      for (let run = 0; run < (row.warmUps ?? 1); run++) await row.sample();
      for (let run = 0; run < runs; run++) samples.push(await row.sample());
      rows.push(...row.report(samples));
    }
    console.log(table(rows));
  } finally {
    await paced.close();
    await browser.close();
  }
}

function allRows(browser, paced) {
  return [
    {
      name: "20 streaming agents",
      warmUps: 0,
      sample: () => flowOfManyAgents(paced),
      report(samples) {
        const frames = median(samples.map(({ framesPerSecond }) => framesPerSecond));
        const key = median(samples.map(({ keyMs }) => keyMs));
        return [
          limitRow("20 streaming agents, frames a second (median)", frames, {
            unit: "",
            goal: "≥ 50",
            isMet: frames >= 50,
          }),
          limitRow("the same, a key until it is shown (p95)", key, { unit: " ms", goal: "≤ 60", isMet: key <= 60 }),
        ];
      },
    },
    {
      name: "delta at the end of a message",
      async sample() {
        const long = await pair(browser, { messages: 0, characters: 20_000, count: deltas }, scriptOf);
        const short = await pair(browser, { messages: 0, characters: 2_000, count: deltas }, scriptOf);
        return { ours: long.panel.taken, plain: long.plain.taken, short: short.panel.taken };
      },
      report: (samples) => [
        rowOf("script per delta at the end of 20 kB", samples, "ours", "plain", { unit: "µs", goal: 5 }),
        rowOf("the same, 20 kB over 2 kB", samples, "ours", "short", { unit: "µs", goal: 1.25 }),
      ],
    },
    {
      name: "2,000 messages",
      async sample() {
        const { panel, plain } = await pair(browser, { messages: 2_000, characters: 200, count: 2 * frames }, framesOf);
        return {
          first: panel.firstFrameMs,
          plainFirst: plain.firstFrameMs,
          allDrawn: panel.allDrawnMs,
          longestTask: panel.longestTaskMs,
          delta: panel.taken,
          plainDelta: plain.taken,
        };
      },
      report: (samples) => [
        rowOf("2,000 messages, first frame", samples, "first", "plainFirst", { unit: "ms", goal: 0.28 }),
        ...limitRows(samples, {
          allDrawn: ["all of their rows drawn", 400],
          longestTask: ["the longest task of it", 50],
        }),
        rowOf("their layout and script per delta", samples, "delta", "plainDelta", { unit: "µs", goal: 0.16 }),
      ],
    },
    {
      name: "events from host to panel",
      // An extension host runs for hours: what counts is the compiled code, not its compilation.
      warmUps: 2,
      async sample() {
        const of = async (agents) => {
          const pace = await timePath("nothing", agents);
          const [ours, each] = [await timePath("channel", agents), await timePath("each", agents)];
          return { ours: Math.max(0, ours - pace), each: each - pace };
        };
        return { one: await of(1), fifty: await of(50) };
      },
      report: (samples) => [
        pathRow("2,000 paced deltas of one agent to the panel (CPU)", samples, "one"),
        pathRow("the same of fifty agents that are opened", samples, "fifty"),
      ],
    },
  ];
}

function pathRow(title, samples, which) {
  return rowOf(
    title,
    samples.map((sample) => sample[which]),
    "ours",
    "each",
    { unit: "ms", goal: 0.08 },
  );
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

function rowOf(title, samples, ours, other, { unit, goal, stretch = "" }) {
  const value = median(samples.map((sample) => sample[ours]));
  const reference = median(samples.map((sample) => sample[other]));
  const ratio = value / reference;
  return [
    title,
    `${reference.toFixed(1)} ${unit}`,
    `${value.toFixed(1)} ${unit}`,
    ratio.toFixed(2),
    goal,
    stretch,
    ratio <= goal ? "met" : "MISSED",
  ];
}

function limitRows(samples, limits) {
  return Object.entries(limits).map(([key, [title, goal]]) => {
    const value = median(samples.map((sample) => sample[key]));
    return limitRow(title, value, { unit: " ms", goal: `≤ ${goal} ms`, isMet: value <= goal });
  });
}

function limitRow(title, value, { unit, goal, isMet }) {
  return [title, "", `${value.toFixed(1)}${unit}`, "", goal, "", isMet ? "met" : "MISSED"];
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function table(rows) {
  const head = ["scenario", "compared with", "Arbor", "ratio", "goal", "stretch", ""];
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
