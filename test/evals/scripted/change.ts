import { act, edit, editAll, first, list, move, read, run, say, search, type TaskScripts, write } from "./agents.ts";

const renamed = ["src/client.js", "src/profile.js", "src/settings.js", "test/run.js", "README.md"];
const wholeWord = { name: "search_text", args: { query: "\\bfetchUser\\b", regex: true } };

export const changeScripts: Readonly<Record<string, TaskScripts>> = {
  rename: {
    well: {
      main: [
        first("I look for all uses first.", wholeWord, ...renamed.map(read)),
        act(
          edit(
            "src/client.js",
            ["function fetchUser(", "function loadUser("],
            ['"fetchUser: there', '"loadUser: there'],
          ),
          edit("src/profile.js", ["{ fetchUser }", "{ loadUser }"], ["${fetchUser(id)", "${loadUser(id)"]),
          edit("src/settings.js", ["// fetchUser is", "// loadUser is"], ["client.fetchUser(", "client.loadUser("]),
          edit("test/run.js", ["{ fetchUser }", "{ loadUser }"], ["equal(fetchUser(1)", "equal(loadUser(1)"]),
          edit("README.md", ["`fetchUser(id)`", "`loadUser(id)`"]),
        ),
        act(run("node test/run.js"), wholeWord),
        say("fetchUser is loadUser everywhere; fetchUserAgent is another function and stays. The tests pass."),
      ],
    },
    badly: {
      main: [
        act(search("fetchUser"), ...renamed.map(read)),
        act(...renamed.map((path) => editAll(path, "fetchUser", "loadUser"))),
        say("Renamed fetchUser to loadUser in five files."),
      ],
    },
    found: /README\.md does not have .*fetchUserAgent[\s\S]*check\.mjs fails/,
  },
  "rename-setting": {
    well: {
      main: [
        act({ name: "search_text", args: { query: "max_retries" } }),
        act(
          ...[".env.example", "README.md", "config/app.yaml", "start.sh", "web/config.js", "worker/retry.py"].map(read),
        ),
        act(
          editAll(".env.example", "APP_MAX_RETRIES", "APP_RETRY_LIMIT"),
          edit("README.md", ["`max_retries` | `APP_MAX_RETRIES`", "`retry_limit` | `APP_RETRY_LIMIT`"]),
          edit("config/app.yaml", ["max_retries: 3", "retry_limit: 3"]),
          editAll("start.sh", "APP_MAX_RETRIES", "APP_RETRY_LIMIT"),
          editAll("web/config.js", "APP_MAX_RETRIES", "APP_RETRY_LIMIT"),
          edit(
            "worker/retry.py",
            ["Reads max_retries", "Reads retry_limit"],
            ['"APP_MAX_RETRIES", settings["max_retries"]', '"APP_RETRY_LIMIT", settings["retry_limit"]'],
          ),
        ),
        act(search("max_retries")),
        say("The setting is retry_limit in all six files; maxRetries in web/config.js:2 stays. Nothing was run."),
      ],
    },
    badly: {
      main: [
        act(search("max_retries"), read("config/app.yaml"), read("worker/retry.py")),
        act(
          edit("config/app.yaml", ["max_retries: 3", "retry_limit: 3"]),
          edit(
            "worker/retry.py",
            ["Reads max_retries", "Reads retry_limit"],
            ['"APP_MAX_RETRIES", settings["max_retries"]', '"APP_RETRY_LIMIT", settings["retry_limit"]'],
          ),
        ),
        say("The setting is renamed."),
      ],
    },
    found: /start\.sh has [\s\S]*web\/config\.js does not have/,
  },
  "add-option": {
    well: {
      main: [
        act(...["README.md", "bin/list.js", "src/list.js", "test/run.js"].map(read)),
        act(
          edit(
            "src/list.js",
            ["/** One line for each. */", "/** One line for each, or a JSON array. */"],
            ["{ reverse = false } = {}", "{ reverse = false, json = false } = {}"],
            ['return items.join("\\n");', 'return json ? JSON.stringify(items) : items.join("\\n");'],
          ),
          edit(
            "bin/list.js",
            ['last to the first");', 'last to the first\\n--json     as a JSON array");'],
            ['options.includes("--reverse") }', 'options.includes("--reverse"), json: options.includes("--json") }'],
          ),
          edit("test/run.js", [
            'console.log("ok");',
            'assert.deepEqual(JSON.parse(run("--json", "--reverse")), ["cherry", "banana", "apple"]);\nconsole.log("ok");',
          ]),
          edit("README.md", ["to the first |\n", "to the first |\n| `--json` | as a JSON array |\n"]),
        ),
        act(run("node test/run.js")),
        say("Added --json (src/list.js:6) with help, test and README. The tests pass."),
      ],
    },
    badly: {
      main: [
        act(read("bin/list.js"), read("src/list.js")),
        act(
          edit(
            "src/list.js",
            ["{ reverse = false } = {}", "{ reverse = false, json = false } = {}"],
            ['return items.join("\\n");', 'return json ? JSON.stringify(items) : items.join("\\n");'],
          ),
          edit("bin/list.js", ['("--reverse") }', '("--reverse"), json: options.includes("--json") }']),
        ),
        act(run("node bin/list.js --json")),
        say("--json works."),
      ],
    },
    found: /test\/run\.js does not notice [\s\S]*README\.md does not have[\s\S]*check\.mjs fails/,
  },
  "move-module": {
    well: {
      main: [
        act(list(), search("dates.js")),
        act(move("src/util/dates.js", "src/time/format.js")),
        act(read("README.md"), search("util/dates")),
        act(edit("README.md", ["`src/util/dates.js`", "`src/time/format.js`"])),
        act(run("node test/run.js")),
        say("Moved to src/time/format.js; its imports and README.md:3 follow. The tests pass."),
      ],
    },
    badly: {
      main: [
        act(read("src/util/dates.js"), read("src/report.js")),
        act(
          write("src/time/format.js", "export function isoDay(date) {\n  return date.toISOString().slice(0, 10);\n}\n"),
          edit("src/report.js", ["./util/dates.js", "./time/format.js"]),
        ),
        say("Moved."),
      ],
    },
    found: /^The old file is still there\.\nREADME\.md does not have/,
  },
};
