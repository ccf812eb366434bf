import assert from "node:assert/strict";
import { ChatGrants } from "../../../src/extension/approvals/chatGrants.ts";
import { createReviews } from "../../../src/extension/changes/createReviews.ts";
import { createHunkActions } from "../../../src/extension/changes/provenance/hunkActions.ts";
import { checkpointed } from "../../../src/extension/changes/reviewedWorkspace.ts";
import { Checkpoints } from "../../../src/extension/changes/rewind/checkpoints.ts";
import { type Tidying, tidiedWorkspace, tidyingAlone } from "../../../src/extension/changes/tidiedWorkspace.ts";
import { imagedTexts, memoryStorage } from "./support/checkpointing.ts";
import { TextWorkspace } from "./support/textWorkspace.ts";

const text = "b = 1\r\na = 2\r\nthe end";

/** A review whose editor writes what is accepted in capitals. */
function tidying({ isOn = true, tidyFile }: Partial<Pick<Tidying, "tidyFile">> & { isOn?: boolean } = {}) {
  const plain = new TextWorkspace({ "a.txt": text });
  const { storage } = memoryStorage();
  const checkpoints = new Checkpoints({ storage, files: imagedTexts(plain, new Set()), warn: assert.fail });
  const failures: unknown[] = [];
  const type = (from: string, to: string) => plain.type("a.txt", (plain.files.get("a.txt") ?? "").replace(from, to));
  const capitals: Tidying["tidyFile"] = async (path, { text: before, onTidied }) => {
    plain.type(path, before.toUpperCase());
    onTidied(before.toUpperCase());
  };
  const options = (hasPending: Tidying["hasPending"]): Tidying => ({
    ...{ isOn: () => isOn, hasPending, tidyFile: tidyFile ?? capitals, maxMs: 20 },
    reportFailure: (error) => void failures.push(error),
  });
  const workspace = checkpointed(plain, checkpoints);
  let isAsked = true;
  const reviews = createReviews({
    workspace,
    acceptedWorkspace: (store) =>
      checkpointed(
        tidiedWorkspace(
          plain,
          options((path) => store.has(path)),
        ),
        checkpoints,
      ),
    mode: () => (isAsked ? "before" : "off"),
    isSensitive: async () => false,
    leadsTo: async () => undefined,
    isOpen: () => false,
    history: { read: async () => undefined, write: async () => {}, setAside: async () => {} },
    journal: {
      ...{ chats: async () => [], read: async () => [], write: async () => {} },
      ...{ remove: async () => {}, removeOld: async () => {} },
    },
    onceSaved: async () => {},
    onceIntended: async () => {},
    showError: assert.ifError,
  });
  const { store, history, proposals, written } = reviews;
  const grants = new ChatGrants({ emit: () => {}, newId: () => "g" });
  const { review } = reviews.reviewFor({ emit: () => {}, lineage: (id) => ["main", id], grants });
  const agent = { id: "edit", prefix: "edit", depth: 1 };
  const edit = (after: string, before = plain.files.get("a.txt")) => {
    const proposal = { callId: "c", toolName: "edit_file", agent, agentPath: ["main", "edit"] };
    const changes = [{ path: "a.txt", after, ...(before !== undefined && { before }) }];
    return review({ ...proposal, changes }, new AbortController().signal);
  };
  const accepted = async (after: string) => {
    const outcome = edit(after);
    while (store.proposals.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await proposals.accept({});
    return outcome;
  };
  const inTurn = <T>(step: () => Promise<T>) => proposals.inTurn(step);
  const actions = createHunkActions({ store, history, written, inTurn, newId: () => crypto.randomUUID() });
  const undoAll = () => actions.undo(new Set(history.all.flatMap(({ hunks }) => hunks.map(({ id }) => id))));
  const now = checkpointed(
    tidyingAlone(
      plain,
      options((path) => store.has(path)),
    ),
    checkpoints,
  );
  after(() => history.dispose());
  return {
    ...{ store, history, proposals, checkpoints, edit, accepted, undoAll, failures, type },
    content: () => plain.files.get("a.txt"),
    writeUnasked: (after: string) => {
      isAsked = false;
      return edit(after);
    },
    async tidy() {
      const author = history.find("a.txt")?.hunks.at(-1)?.author ?? assert.fail("an agent wrote it");
      await history.workspaceOf(author, now).replace("a.txt", []);
    },
  };
}

describe("an edit that is put in order", () => {
  it("is so when it is accepted, and the agent learns what the file holds", async () => {
    const { accepted, content } = tidying();
    const { files } = await accepted(text.replace("b = 1", "b = one"));
    assert.equal(content(), text.replace("b = 1", "b = one").toUpperCase());
    assert.match(JSON.stringify(files), /B = ONE/);
  });

  it("brings the original bytes back when it is undone", async () => {
    const { accepted, undoAll, content } = tidying();
    await accepted(text.replace("b = 1", "b = one"));
    assert.equal((await undoAll()).left, 0);
    assert.equal(content(), text);
  });

  it("brings the original bytes back when it is rewound", async () => {
    const { checkpoints, accepted, content } = tidying();
    checkpoints.begin("m");
    await accepted(text.replace("b = 1", "b = one"));
    await checkpoints.rewind("m", "r");
    assert.equal(content(), text);
  });

  it("is not so while another of the file waits, and then with that one", async () => {
    const { edit, store, proposals, content } = tidying();
    const changed = text.replace("b = 1", "b = one").replace("the end", "an end");
    const outcome = edit(changed);
    while (store.proposals.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const [first] = store.proposals[0]?.files[0]?.hunks ?? [];
    await proposals.accept({ hunkId: first?.id ?? "" });
    assert.equal(content(), text.replace("b = 1", "b = one"));
    await proposals.accept({});
    await outcome;
    assert.equal(content(), changed.toUpperCase());
  });

  it("leaves what is typed meanwhile to the user, so that undo does not take it out", async () => {
    for (const isTidied of [true, false]) {
      const typing = tidying({
        tidyFile: async (_path, { text: before, onTidied }) => {
          if (isTidied) typing.type("b = one", "B = ONE");
          if (isTidied) onTidied(before.replace("b = one", "B = ONE"));
          typing.type("the end", "typed");
        },
      });
      await typing.accepted(text.replace("b = 1", "b = one"));
      assert.equal((await typing.undoAll()).left, 0);
      assert.equal(typing.content(), text.replace("the end", "typed"), String(isTidied));
    }
  });

  it("stays as it was accepted where that is off, fails, or takes too long", async () => {
    const changed = text.replace("b = 1", "b = one");
    const off = tidying({ isOn: false });
    await off.accepted(changed);
    const failing = tidying({ tidyFile: () => Promise.reject(new Error("no formatter")) });
    await failing.accepted(changed);
    let isOver = false;
    const hanging = tidying({
      tidyFile: (_path, { signal }) => {
        signal.addEventListener("abort", () => {
          isOver = true;
        });
        return new Promise(() => {});
      },
    });
    await hanging.accepted(changed);
    assert.deepEqual([off.content(), failing.content(), hanging.content()], [changed, changed, changed]);
    assert.match(String(failing.failures), /no formatter/);
    assert.equal(isOver, true);
  });

  it("is a part of what its agent wrote also at the end of a run, so that undo and rewind bring the original bytes", async () => {
    for (const way of ["undo", "rewind"]) {
      const { checkpoints, writeUnasked, tidy, undoAll, content } = tidying();
      checkpoints.begin("m");
      const changed = text.replace("b = 1", "b = one");
      await writeUnasked(changed);
      assert.equal(content(), changed);
      await tidy();
      assert.equal(content(), changed.toUpperCase());
      if (way === "undo") assert.equal((await undoAll()).left, 0);
      else await checkpoints.rewind("m", "r");
      assert.equal(content(), text, way);
    }
  });
});
