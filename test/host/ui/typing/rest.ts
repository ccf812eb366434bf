import { readFile } from "node:fs/promises";
import { readCards } from "./cards.ts";
import { tokensIn } from "./documents.ts";
import type { Step } from "./plan.ts";
import { type Round, show, within } from "./stage.ts";

/** A machine that is busy with something else needs long; what does not come to rest is judged as it is. */
const restLimitMs = 10_000;
/** Until there is anything to be seen of a step; of many there is nothing at all. */
const effectLimitMs = 700;
const pauseMs = 40;
/** So many looks, one after the other, have to show the same. */
const equalLooks = 3;

/** Waits, for a calm user, until the editor and the panel show what came of the last step, and nothing more changes. */
export async function rest(round: Round, { from, step }: { from: string; step?: Step }): Promise<void> {
  if (round.pace === "hasty") return;
  const waitsFor = step?.do === "propose" || step?.do === "type" || step?.do === "goOn" || step?.do === "answer";
  if (waitsFor) await within(effectLimitMs, async () => (await look(round)).seen !== from);
  let last = "";
  let equal = 0;
  const rested = await within(restLimitMs, async () => {
    const { seen, isBusy } = await look(round);
    equal = seen === last && !isBusy ? equal + 1 : 0;
    last = seen;
    if (equal < equalLooks) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    return equal >= equalLooks;
  });
  // The editor refused them, since another program wrote the file: no later step has to wait for them again.
  if (rested) return;
  const { saving, saved } = await round.observer.look([]);
  round.refusedSaves = saving - saved;
}

/** What there is to be seen of a round, to be compared. */
export async function seenOf(round: Round): Promise<string> {
  return round.pace === "hasty" ? "" : (await look(round)).seen;
}

async function look(round: Round): Promise<{ seen: string; isBusy: boolean }> {
  const { observer, panel, files, fake, plan, deeds, refusedSaves = 0 } = round;
  const [cards, requests, { states, ...counts }, disks] = await Promise.all([
    readCards(panel),
    fake.countRequests(),
    observer.look(files),
    Promise.all(files.map((file) => readFile(file, "utf8").catch(() => undefined))),
  ]);
  // What another program has changed too the editor does not save on its own.
  const isWritten = deeds.some(({ did }) => did === "write");
  const willSave = plan.autoSave === "afterDelay" && !isWritten && states.some(({ isDirty }) => isDirty === true);
  return {
    seen: JSON.stringify([cards, requests, counts.entries, states, disks]),
    isBusy: counts.saving - counts.saved > refusedSaves || willSave,
  };
}

/** Puts the caret into the line of a token, once all that was typed is known to the extension host, which is where lines are counted. */
export async function showExactly(round: Round, file: string, token: string): Promise<boolean> {
  const last = round.deeds.findLast((deed) => deed.did === "type" && deed.file === file);
  const typed = last?.did === "type" ? last.token : "";
  await within(5_000, async () => ((await round.observer.state(file)).text ?? "").includes(typed));
  if (!tokensIn((await round.observer.state(file)).text ?? "").includes(token)) return false;
  await show(round, file, token);
  await rest(round, { from: "" });
  return true;
}
