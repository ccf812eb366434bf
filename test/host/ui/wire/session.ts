import assert from "node:assert/strict";
import { cp, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { type FakeProvider, startFakeProvider } from "../../../support/fakeProvider/startFakeProvider.ts";
import type { Editor, EditorOptions } from "../../editor.ts";
import type { ArborPanel } from "../../panel.ts";
import { sampleWorkspace } from "../../places.ts";
import type { Settings } from "../../settings.ts";
import { openSharedEditor } from "../../sharedEditor.ts";
import { fakeModelSettings, keyEnvironment, type Wire } from "../fakeModel.ts";
import { pictureFailures } from "../pictureFailures.ts";

/** One editor and one fake provider for all tests of a wire. */
export interface Session {
  readonly fake: FakeProvider;
  readonly editor: Editor;
  readonly panel: ArborPanel;
  /** A copy of the sample workspace. */
  readonly workspace: string;
  close(): Promise<void>;
}

/**
 * One session for the suite it is called in, with a picture of each failure. `prepare` may change the copy of the
 * workspace before the editor opens it; `moreSettings` are the user's, `environment` is added to the editor's.
 */
export function useSession(...how: Parameters<typeof openSession>): () => Session {
  let session: Session | undefined;
  before(async () => {
    session = await openSession(...how);
  });
  after(() => session?.close());
  pictureFailures(() => session?.editor);
  return () => session ?? assert.fail("The editor did not open.");
}

async function openSession(
  wire: Wire,
  prepare?: (workspace: string) => Promise<void>,
  moreSettings: Settings = {},
  environment: (home: string) => Promise<Record<string, string>> = async () => ({}),
  editorOptions: Pick<EditorOptions, "workspaceTrust" | "isInstalled" | "builtIns"> = {},
): Promise<Session> {
  const home = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
  const workspace = path.join(home, "corner-shop");
  await cp(sampleWorkspace, workspace, { recursive: true });
  await prepare?.(workspace);
  const fake = await startFakeProvider();
  try {
    const env = { ...keyEnvironment, ...(await environment(home)) };
    const settings = { ...fakeModelSettings(fake, wire), ...moreSettings };
    const editor = await openSharedEditor({ ...editorOptions, workspace, settings, env, width: 480 });
    const close = async () => {
      await editor.close();
      await fake.stop();
      await rm(home, { recursive: true, force: true });
      assert.deepEqual(editor.faults, []);
    };
    return { fake, editor, panel: editor.panel, workspace, close };
  } catch (error) {
    await fake.stop();
    throw error;
  }
}

/** Whatever was asked before: an empty chat, and a provider that knows nothing. */
export async function startAfresh({ fake, panel }: Session): Promise<void> {
  await fake.reset();
  await panel.button("New chat").click();
  await panel.messages.first().waitFor({ state: "detached" });
}
