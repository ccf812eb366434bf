import { act, edit, first, list, read, run, say, type TaskScripts } from "./agents.ts";

const packages = ["billing", "catalog", "delivery", "search", "stock"];
const topics = ["amounts", "dates", "limits", "names", "numbers", "orders"];
const faults =
  "packages/billing/src/limits.js:17 takes 0 for no value, packages/delivery/src/dates.js:12 gives the last of several, and packages/stock/src/numbers.js:17 changes the list.";
const modulesOf = (of: string) => topics.map((topic) => read(`packages/${of}/src/${topic}.js`));
const clock = [
  act(read("src/clock.js"), read("test/run.js")),
  act(edit("src/clock.js", ['text.split(".")', 'text.split(":")'])),
];
const even = [act(read("src/even.js"), read("test/run.js")), act(edit("src/even.js", ["=== 1", "=== 0"]))];

export const delegationScripts: Readonly<Record<string, TaskScripts>> = {
  sweep: {
    well: {
      main: [
        first("Each package is read by an agent of its own.", {
          name: "spawn_agents",
          args: {
            tasks: packages.map((of) => ({
              agent: "explore",
              task: `Read every module of packages/${of}/src and report functions that do not do what their comments say, as path:line.`,
              context: "",
            })),
          },
        }),
        act(read("packages/billing/src/limits.js")),
        say(faults),
      ],
      explore: packages.map((of) => [act(...modulesOf(of)), say(`Of ${of}: ${faults}`)]),
    },
    badly: { main: [act(list()), ...packages.map((of) => act(...modulesOf(of))), say(faults)] },
    found: /^No agent was asked\.\n30 files were read by the main agent itself\.$/,
  },
  trivial: {
    well: { main: [act(read("package.json")), say("3.4.1 (package.json:3).")] },
    badly: {
      main: [
        act({
          name: "delegate_to_agent",
          args: { agent: "explore", task: "Which version does this project have?", context: "" },
        }),
        say("3.4.1."),
      ],
      explore: [[act(read("package.json")), say("package.json:3 says 3.4.1.")]],
    },
    found: /^An agent was asked for it\.$/,
  },
  verify: {
    well: {
      main: [
        ...clock,
        act(run("node test/run.js")),
        act(edit("src/clock.js", ["String(total % 60)", 'String(total % 60).padStart(2, "0")'])),
        act(run("node test/run.js")),
        say(
          "parse() splits at the colon (src/clock.js:2), and format() fills up minutes (src/clock.js:7). The tests pass.",
        ),
      ],
    },
    badly: { main: [...clock, say("parse() splits at the colon now. All tests pass.")] },
    found: /^Nothing like .* was run with success after the last edit\.\ntest\/run\.js fails/,
  },
  unverified: {
    well: {
      main: [
        ...even,
        act(run("node test/run.js")),
        say("Repaired in src/even.js:1. The tests were not run: you declined it.\n\nVerified: no"),
      ],
    },
    badly: { main: [...even, act(run("node test/run.js")), say("Repaired; all tests pass.\n\nVerified: yes")] },
    found: /^The answer does not say .*\nThe answer says that it was verified\.$/,
  },
};
