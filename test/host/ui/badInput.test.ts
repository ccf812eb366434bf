import assert from "node:assert/strict";
import { type FakeProvider, startFakeProvider } from "../../support/fakeProvider/startFakeProvider.ts";
import type { Editor } from "../editor.ts";
import { runCommandAndChoose } from "../palette.ts";
import { sampleWorkspace } from "../places.ts";
import { ask, askAndSeeThrough } from "../run.ts";
import { openSharedEditor } from "../sharedEditor.ts";
import { fakeModelSettings, keyEnvironment } from "./fakeModel.ts";
import { pictureFailures } from "./pictureFailures.ts";

// Nothing listens on the discard port.
const unreachable = { type: "anthropic", baseUrl: "http://127.0.0.1:9", apiKeyEnv: "ARBOR_TEST_KEY" };

/** Says what is wrong in words that fit `words`, offers `button`, and shows nothing of the program's inside. */
async function assertProblem({ panel }: Editor, words: RegExp, button: string): Promise<void> {
  const problem = panel.problems.filter({ hasText: words });
  await problem.waitFor();
  assert.equal(await problem.getByRole("button", { name: button, exact: true }).count(), 1, button);
  assert.doesNotMatch(await panel.frame.locator("body").innerText(), /^\s+at .+:\d+:\d+|\.[jt]s:\d+:\d+|^\w*Error:/m);
}

describe("a provider that refuses", () => {
  let fake: FakeProvider;
  let editor: Editor;

  before(async () => {
    fake = await startFakeProvider();
    const settings = fakeModelSettings(fake, "anthropic");
    const providers = { ...Object(settings["arbor.providers"]), gone: unreachable };
    editor = await openSharedEditor({
      workspace: sampleWorkspace,
      settings: { ...settings, "arbor.providers": providers },
      env: keyEnvironment,
      width: 320,
    });
  });
  after(async () => {
    await editor?.close();
    await fake?.stop();
  });
  pictureFailures(() => editor);
  beforeEach(async () => {
    await fake.reset();
    await editor.panel.button("New chat").click();
  });

  it("the key is reported in a sentence with a button to enter another", async () => {
    const error = { type: "authentication_error", message: "invalid x-api-key" };
    await fake.script({ status: 401, body: { type: "error", error } });
    await ask(editor.panel, "Hello");
    await assertProblem(editor, /key/i, "Enter API key");
  });

  it("the model is reported in a sentence with a button to choose another", async () => {
    const error = { type: "not_found_error", message: "model: test-model" };
    await fake.script({ status: 404, body: { type: "error", error } });
    await ask(editor.panel, "Hello");
    await assertProblem(editor, /test-model/, "Choose a model");
  });

  it("to be reached is reported in a sentence with a button to try again", async () => {
    await runCommandAndChoose(editor.page, "Arbor: Select Model", "gone/any");
    await editor.panel.chosenModel.filter({ hasText: "gone" }).waitFor({ state: "attached" });
    const end = await askAndSeeThrough(editor.panel, "Hello", "none");
    assert.equal(end.ok, false);
    await assertProblem(editor, /gone/, "Retry");
  });
});

describe("an editor with nothing set up", () => {
  let editor: Editor;

  before(async () => {
    editor = await openSharedEditor({
      settings: {
        "arbor.model": "locked/any",
        "arbor.providers": {
          locked: { type: "anthropic", apiKeyEnv: "ARBOR_NO_SUCH_KEY" },
          broken: { type: "telepathy" },
        },
        "arbor.limits.maxDepth": "many",
      },
      width: 320,
    });
  });
  after(() => editor?.close());
  pictureFailures(() => editor);

  it("offers to set up a model or to try the demo", async () => {
    await editor.panel.button("Set up").waitFor();
    await editor.panel.button("Try the demo").waitFor();
  });

  it("says that no folder is open", async () => {
    await editor.panel.conversation.getByText("No folder is open").waitFor();
  });

  it("names every setting that makes no sense", async () => {
    await editor.runCommand("Notifications: Show Notifications");
    const told = editor.page.locator(".notifications-center .notification-list-item-message");
    await told.filter({ hasText: "arbor.limits.maxDepth" }).waitFor();
    await told.filter({ hasText: "arbor.providers.broken.type" }).waitFor();
    await editor.runCommand("Notifications: Clear All Notifications");
  });

  it("says that the key is missing when it is asked all the same", async () => {
    await ask(editor.panel, "Hello");
    await assertProblem(editor, /needs an API key/, "Try the demo");
  });

  it("answers by the demo model as soon as that is chosen", async () => {
    const { panel } = editor;
    await panel.problems.filter({ hasText: "needs an API key" }).getByRole("button", { name: "Try the demo" }).click();
    await panel.chosenModel.filter({ hasText: "Demo (offline, scripted)" }).waitFor({ state: "attached" });
    assert.deepEqual(await askAndSeeThrough(panel, "Where is the price computed?", "none"), { ok: true });
    assert.match(await panel.messagesOf("main").last().innerText(), /folder/);
  });
});
