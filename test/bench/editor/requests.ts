import { openEditor } from "../../host/editor.ts";
import type { ArborPanel } from "../../host/panel.ts";
import { sampleWorkspace } from "../../host/places.ts";
import { fakeModelSettings, keyEnvironment } from "../../host/ui/fakeModel.ts";
import type { RecordedRequest, StreamReply } from "../../support/fakeProvider/script.ts";
import { type FakeProvider, startFakeProvider } from "../../support/fakeProvider/startFakeProvider.ts";

/** Milliseconds by the clock, of one window. */
export interface Waits {
  first: number;
  laterChat: number;
  laterMessage: number;
  /** The median of some turns. */
  nextTurn: number;
}

const turns = 8;
const question = "Where is the price computed?";
const typingMs = 60;
/** One who has sent a message reads before writing the next. */
const pauseMs = 1_500;

const readOneFile: StreamReply = { steps: [{ tool: "read_file", arguments: { path: "src/cart/cart.ts" } }] };
const lastAnswer: StreamReply = { steps: [{ text: "In src/cart/cart.ts." }] };

/** Opens a window with fresh user data and asks twice in a chat and once in another. */
export async function timeRequests(): Promise<Waits> {
  const fake = await startFakeProvider();
  const settings = fakeModelSettings(fake, "anthropic");
  const editor = await openEditor({
    ...{ workspace: sampleWorkspace, settings, env: keyEnvironment, width: 480, builtIns: "few" },
  });
  try {
    const { panel } = editor;
    const first = await waitOf(panel, fake, turns);
    const nextTurn = median(gapsBetween(first.requests));
    const laterMessage = await waitOf(panel, fake, 0);
    await panel.button("New chat").click();
    await panel.messages.first().waitFor({ state: "detached" });
    const laterChat = await waitOf(panel, fake, 0);
    return { first: first.ms, nextTurn, laterMessage: laterMessage.ms, laterChat: laterChat.ms };
  } finally {
    await editor.close();
    await fake.stop();
  }
}

/** Types, sends by Enter and waits until all is answered. */
async function waitOf(panel: ArborPanel, fake: FakeProvider, calls: number) {
  await fake.script(...Array.from({ length: calls }, () => readOneFile), lastAnswer);
  const before = await fake.countRequests();
  const { composer } = panel;
  await composer.click();
  await composer.pressSequentially(question, { delay: typingMs });
  await composer.evaluate(noteKey);
  await composer.press("Enter");
  const sentAt: number = await composer.evaluate("keyAt");
  const requests = (await fake.requestCount(before + calls + 1)).slice(before);
  await fake.settled(before + calls);
  const [request] = requests;
  if (request === undefined) throw new Error("No request came.");
  const ms = request.at - sentAt;
  await new Promise((resolve) => setTimeout(resolve, pauseMs));
  return { ms, requests: (await fake.requests()).slice(before) };
}

/** Runs in the panel: it notes when the next key is pressed, by the machine's clock. */
const noteKey = `globalThis.keyAt = undefined;
addEventListener("keydown", ({ timeStamp }) => { keyAt = performance.timeOrigin + timeStamp; }, {
  once: true,
  capture: true,
});`;

const gapsBetween = (requests: readonly RecordedRequest[]) =>
  requests.slice(1).map(({ at }, before) => at - (requests[before]?.settledAt ?? Number.NaN));

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
