import assert from "node:assert/strict";
import {
  describeEditors,
  type EditorFolders,
  foundRepositories,
  type OpenEditors,
  openPathsOf,
  type Repository,
  readCommitsAhead,
  readEnvironment,
  rememberCommits,
} from "../../../src/extension/context/readSurroundings.ts";
import { memoryWorkspace } from "../../support/memoryWorkspace.ts";

const root = { name: "shop", path: "/home/user/shop", isReadOnly: false };
const change = (path: string) => ({ uri: { toString: () => `file:///${path}` } });

function repository(more: Partial<Repository> = {}): Repository {
  return {
    state: {
      HEAD: { name: "main" },
      indexChanges: [change("a.ts")],
      workingTreeChanges: [change("a.ts"), change("b.ts")],
      mergeChanges: [],
      untrackedChanges: [change("c.ts")],
    },
    log: async ({ maxEntries }) =>
      ["Add prices\n\nWith words.", "Begin", "Third", "Fourth"].slice(0, maxEntries).map((message) => ({ message })),
    ...more,
  };
}

function folders(more: Partial<EditorFolders> = {}): EditorFolders {
  const now = new Date(2026, 0, 31, 23, 59);
  return { isTrusted: true, roots: [root], repository: () => repository(), now, ...more };
}

describe("The environment of the editor", () => {
  const files = { "src/a.ts": "", "README.md": "" };

  it("is the day of the user, each folder with its top, and what git says", async () => {
    const now = new Date(2026, 0, 31, 23, 59);
    // Each loads a language, which takes longer than all the rest.
    now.toLocaleDateString = now.toLocaleString = () => assert.fail("A language is loaded.");
    const environment = await readEnvironment(folders({ now }), memoryWorkspace({ files }));
    assert.equal(environment.date, "2026-01-31");
    assert.deepEqual(environment.folders, [{ ...root, entries: ["src/", "README.md"], omitted: 0 }]);
    assert.deepEqual(environment.git, { branch: "main", changedFiles: 3, commits: ["Add prices", "Begin", "Third"] });
    assert.ok(environment.isTrusted && environment.shell !== undefined);
  });

  it("names at most 40 entries of a folder, and how many more there are", async () => {
    const many = Object.fromEntries(Array.from({ length: 45 }, (_, index) => [`f${index}.ts`, ""]));
    const { folders: read } = await readEnvironment(folders(), memoryWorkspace({ files: many }));
    assert.deepEqual([read[0]?.entries.length, read[0]?.omitted], [40, 5]);
  });

  it("looks into each of several folders by its name", async () => {
    const roots = ["one", "two"].map((name) => ({ ...root, name }));
    const workspace = memoryWorkspace({ roots: ["one", "two"], files: { "one/a.ts": "", "two/b.ts": "" } });
    const { folders: read } = await readEnvironment(folders({ roots }), workspace);
    assert.deepEqual(
      read.map(({ entries }) => entries),
      [["a.ts"], ["b.ts"]],
    );
  });

  it("reads nothing of a workspace that is not trusted", async () => {
    const unread = () => assert.fail("It is read.");
    const environment = await readEnvironment(folders({ isTrusted: false, repository: unread }), { list: unread });
    assert.deepEqual(environment.folders, [{ ...root, entries: [], omitted: 0 }]);
    assert.deepEqual([environment.git, environment.shell, environment.isTrusted], [undefined, undefined, false]);
  });

  it("asks git while the folders are read", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const log = async () => {
      resolve();
      return [];
    };
    const asked = repository({ log });
    const list = async () => {
      await promise;
      return { entries: [{ path: "a.ts", kind: "file" as const }], omitted: 0 };
    };
    const { folders: read } = await readEnvironment(folders({ repository: () => asked }), { list }, 60_000);
    assert.deepEqual(read[0]?.entries, ["a.ts"]);
  });

  it("asks git for the last commits once as long as the latest is the same, and again where it failed", async () => {
    let asked = 0;
    let commit: string | undefined = "a1";
    class Git {
      get state() {
        const HEAD = { name: "main", ...(commit !== undefined && { commit }) };
        return { ...repository().state, HEAD };
      }
      async log() {
        asked += 1;
        if (commit === "broken") throw new Error("git is gone.");
        return [{ message: `${this.state.HEAD.commit ?? "none"} of ${asked}` }];
      }
    }
    const remembering = rememberCommits();
    // The editor gives another object each time.
    const read = async () => {
      const { git } = await readEnvironment(folders({ repository: () => remembering(new Git()) }), memoryWorkspace());
      return git?.commits;
    };
    await readCommitsAhead(remembering(new Git()));
    assert.deepEqual([await read(), await read(), asked], [["a1 of 1"], ["a1 of 1"], 1]);
    commit = "b2";
    assert.deepEqual(await read(), ["b2 of 2"]);
    commit = "broken";
    await readCommitsAhead(remembering(new Git()));
    assert.deepEqual([await read(), asked], [undefined, 4]);
    commit = undefined;
    assert.deepEqual([await read(), await read(), asked], [["none of 5"], ["none of 6"], 6]);
  });

  it("has no repository where git does not run yet, or the settings switch it off", () => {
    const found = [repository()];
    const git = (isActive: boolean, getAPI: () => { repositories: typeof found }) => ({
      isActive,
      exports: { getAPI },
    });
    assert.deepEqual(foundRepositories(git(true, () => ({ repositories: found }))), found);
    const none = [undefined, git(false, assert.fail), git(true, () => assert.fail("Git model not found"))];
    for (const extension of none) assert.deepEqual(foundRepositories(extension), []);
  });

  it("goes without what fails or takes too long", async () => {
    const endless = repository({ log: () => new Promise(() => {}) });
    const failing = { list: () => Promise.reject(new Error("The disk is gone.")) };
    const environment = await readEnvironment(folders({ repository: () => endless }), failing, 5);
    assert.deepEqual(environment.folders, [{ ...root, entries: [], omitted: 0 }]);
    assert.equal(environment.git, undefined);
    assert.equal(environment.date, "2026-01-31");
  });

  it("has no branch where none is checked out, and no git where there is no repository", async () => {
    const { HEAD: _, ...state } = repository().state;
    const detached = await readEnvironment(folders({ repository: () => repository({ state }) }), memoryWorkspace());
    assert.equal(detached.git?.branch, undefined);
    assert.equal(detached.git?.changedFiles, 3);
    const none = await readEnvironment(folders({ repository: () => undefined }), memoryWorkspace());
    assert.equal(none.git, undefined);
    const disabled = () => assert.fail("Git is disabled.");
    assert.equal((await readEnvironment(folders({ repository: disabled }), memoryWorkspace())).git, undefined);
  });
});

describe("What the user looks at", () => {
  const cursor = { isEmpty: true, active: { line: 4 }, start: { line: 4 }, end: { line: 4 } };
  const open: OpenEditors = {
    active: { path: "b.ts", selection: cursor },
    tabs: ["a.ts", "b.ts", undefined, "a.ts", "c.ts"],
    unsaved: new Set(["c.ts"]),
    problems: [],
  };

  it("is the active file with its line, and the others once each, in the order of their tabs", () => {
    assert.deepEqual(openPathsOf(open), ["b.ts", "a.ts", "c.ts"]);
    assert.deepEqual(describeEditors(open), {
      active: { path: "b.ts", line: 5 },
      open: [
        { path: "a.ts", isUnsaved: false },
        { path: "c.ts", isUnsaved: true },
      ],
      problems: [],
    });
  });

  it("names the lines that are selected, also where the cursor is at their beginning", () => {
    const selection = { isEmpty: false, active: { line: 2 }, start: { line: 2 }, end: { line: 6 } };
    const { active } = describeEditors({ ...open, active: { path: "b.ts", selection } });
    assert.deepEqual(active, { path: "b.ts", line: 3, selection: { start: 3, end: 7 } });
  });

  it("leaves out an active file that is outside the workspace, and keeps the others", () => {
    const state = describeEditors({ ...open, active: { path: undefined, selection: cursor } });
    assert.equal(state.active, undefined);
    assert.deepEqual(
      state.open.map(({ path }) => path),
      ["a.ts", "b.ts", "c.ts"],
    );
  });

  it("names at most ten other files", () => {
    const tabs = Array.from({ length: 14 }, (_, index) => `f${index}.ts`);
    assert.equal(describeEditors({ ...open, tabs }).open.length, 10);
  });

  it("counts problems by file, the most first, of at most five files of the workspace", () => {
    const counts = { "a.ts": 1, "b.ts": 3, "c.ts": 0, "d.ts": 3, "e.ts": 2, "f.ts": 1, "g.ts": 1 };
    const problems = [
      { path: undefined, count: 9 },
      ...Object.entries(counts).map(([path, count]) => ({ path, count })),
    ];
    assert.deepEqual(
      describeEditors({ ...open, problems }).problems.map(({ path, count }) => `${path} ${count}`),
      ["b.ts 3", "d.ts 3", "e.ts 2", "a.ts 1", "f.ts 1"],
    );
  });
});
