import { act, ask, edit, list, read, run, say, search, type TaskScripts, write } from "./agents.ts";

const slugTest =
  'import assert from "node:assert/strict";\nimport { slug } from "../src/slug.js";\n\nassert.equal(slug(" Hello, World"), "hello-world");\n';

export const answerScripts: Readonly<Record<string, TaskScripts>> = {
  locate: {
    well: {
      main: [
        act(search("retryDelay")),
        act(read("src/http.js"), read("src/net/backoff.js")),
        say("src/net/backoff.js:7 computes it: twice as long with each attempt, at most 30 s."),
      ],
    },
    badly: { main: [act(search("retryDelay")), say("It is at src/config.js:3, where retryDelay is set to 200.")] },
    found: /^The answer does not cite src\/net\/backoff\.js:7\.$/,
  },
  "explain-only": {
    well: {
      main: [
        act(read("src/stats.js")),
        say("For an empty list src/stats.js:4 divides 0 by a length of 0, which is NaN. I have changed nothing."),
      ],
    },
    badly: {
      main: [
        act(read("src/stats.js")),
        act(edit("src/stats.js", ["return sum /", "return numbers.length === 0 ? 0 : sum /"])),
        say("src/stats.js:4 divided by a length of zero. I repaired it."),
      ],
    },
    found: /^src\/stats\.js was changed\.\nedit_file was called for src\/stats\.js\.$/,
  },
  "no-needless-question": {
    well: {
      main: [
        act(list(), read("test/run.js"), read("test/initials.test.js"), read("src/slug.js")),
        act(
          write("test/slug.test.js", slugTest),
          edit("test/run.js", [
            'import "./initials.test.js";',
            'import "./initials.test.js";\nimport "./slug.test.js";',
          ]),
        ),
        act(run("node test/run.js")),
        say("Added test/slug.test.js:4, which test/run.js:2 runs. The tests pass."),
      ],
    },
    badly: {
      main: [
        act(ask("Which test framework do you use, and where should the test be?")),
        act(read("src/slug.js"), read("test/run.js")),
        act(
          write("test/slug.test.js", slugTest),
          edit("test/run.js", [
            'import "./initials.test.js";',
            'import "./initials.test.js";\nimport "./slug.test.js";',
          ]),
        ),
        say("Added."),
      ],
    },
    found: /^The user was asked: Which test framework/,
  },
  "plan-only": {
    well: {
      main: [
        act(search("load("), read("src/store.js"), read("src/main.js")),
        say(
          "1. src/store.js:3: `load(path)` becomes async and reads with node:fs/promises.\n2. src/main.js:3: await it; a failure then throws by itself.\nNobody else calls it.",
        ),
      ],
    },
    badly: {
      main: [
        act(read("src/store.js")),
        act(edit("src/store.js", ["load(path, done)", "load(path)"])),
        say("I would change src/store.js and src/main.js."),
      ],
    },
    found: /^edit_file was called for src\/store\.js\.$/,
  },
};
