import { readFile } from "node:fs/promises";
import path from "node:path";
import type { RecordedRequest } from "../../../support/fakeProvider/script.ts";
import { eventually } from "../../eventually.ts";
import { ask } from "../../run.ts";
import { takePicture } from "../pictureFailures.ts";
import { arrange, callOf, followUpOf, heardOf, originalText } from "./arrange.ts";
import { readCards } from "./cards.ts";
import { type FollowUp, judgeFollowUp } from "./followUp.ts";
import { type Entry, type FileRecord, judgeFile } from "./oracle.ts";
import { rest, seenOf } from "./rest.ts";
import { judgeResult, type ToolResult } from "./results.ts";
import { notifications, settleCards, settleFiles, settleWritten } from "./settle.ts";
import { gateOf, type Round, within } from "./stage.ts";
import { take } from "./user.ts";

/** A round that was played: what is wrong with it, and what was done. */
export interface Played {
  faults: string[];
  log: string[];
  round: Round;
  entries: readonly Entry[];
}

/** Plays a plan in a fresh chat on fresh files of the workspace, and judges what came of it. */
export async function playRound(...how: Parameters<typeof arrange>): Promise<Played> {
  const round = await arrange(...how);
  const { log, panel, observer } = round;
  const faults = await play(round).catch((error: unknown) => [error instanceof Error ? error.message : String(error)]);
  if (faults.length > 0) {
    log.push(`The editor says: ${await notifications(round)}`);
    await takePicture(round.page, `typing-${round.name}`);
  }
  const dialog = await closeDialogs(round);
  if (dialog !== undefined) faults.push(`A dialog was left open: ${dialog}`);
  if (await panel.stop.isVisible()) await panel.stop.click();
  await observer.run("notifications.clearAll");
  const entries = await observer.entries();
  await observer.closeAll();
  await closeDialogs(round);
  return { faults, log, round, entries };
}

/** A dialog would cover the panel in all rounds that follow. Gives its text. */
async function closeDialogs({ page }: Pick<Round, "page">): Promise<string | undefined> {
  const dialog = page.locator(".monaco-dialog-box");
  let text: string | undefined;
  for (let tried = 0; tried < 3 && (await dialog.first().isVisible()); tried++) {
    text ??= await dialog.first().innerText();
    await page.keyboard.press("Escape");
    await within(1_000, async () => !(await dialog.first().isVisible()));
  }
  return text;
}

async function play(round: Round): Promise<string[]> {
  const { panel, fake, plan } = round;
  await ask(panel, `Play ${round.name}`);
  for (const step of plan.steps) {
    const from = await seenOf(round);
    if (step.do === "settle") await settleCards(round, false);
    else await take(round, step);
    await rest(round, { from, step });
    // A user answers what is to be seen: after the first proposal there is something.
    if (step.do === "propose" && round.proposed.size === 1) await untilSeen(round);
  }
  for (const [proposal] of plan.proposals.entries()) await fake.release(gateOf(round, proposal));
  await settleCards(round, true);
  await panel.stop.waitFor({ state: "hidden" });
  await settleWritten(round);
  const faults = await settleFiles(round);
  await ask(panel, followUpOf(round));
  await panel.conversation.getByText(heardOf(round)).waitFor();
  return [...faults, ...(await judge(round))];
}

async function untilSeen({ panel, fake }: Round): Promise<void> {
  await eventually(async () => {
    const { isCard, isAnyWritten, isRunning } = await readCards(panel);
    const hasResult = (await fake.requests()).some(({ body }) => JSON.stringify(body).includes(callOf(0).slice(0, -1)));
    if (!isCard && !isAnyWritten && isRunning && !hasResult) throw new Error("No edit is to be seen.");
  });
}

async function judge(round: Round): Promise<string[]> {
  const { plan, hunks, files, deeds, name } = round;
  const records = await Promise.all(files.map((file) => recordOf(round, file)));
  const requests = await round.fake.requests();
  const ofFiles = records.flatMap((record) =>
    judgeFile(record).map((fault) => `${path.basename(record.file)}: ${fault}`),
  );
  const ofResults = plan.proposals.flatMap(({ file }, proposal) => {
    const result = resultOf(requests, round, proposal);
    const record = records[file];
    // Who is stopped does not get one.
    if (result === undefined && deeds.some(({ did }) => did === "stop")) return [];
    if (record === undefined || result === undefined) return [`Proposal ${proposal} has no result`];
    return judgeResult(
      record,
      hunks.filter((hunk) => hunk.proposal === proposal),
      result,
    );
  });
  const followUp = followUpIn(requests, round);
  const ofFollowUp =
    followUp === undefined
      ? ["The agent was not asked what it knows"]
      : records.flatMap((record) => judgeFollowUp(record, `${name}/${path.basename(record.file)}`, followUp));
  return [...ofFiles, ...ofResults, ...ofFollowUp];
}

async function recordOf(round: Round, file: string): Promise<FileRecord> {
  const { plan, hunks, deeds, observer } = round;
  const disk = await readFile(file, "utf8");
  const { text = disk } = await observer.state(file);
  return {
    ...{ file, mode: plan.mode, formatsOnSave: plan.formats, autoSave: plan.autoSave },
    original: originalText(round, file),
    hunks: hunks.filter((hunk) => hunk.file === file),
    deeds,
    entries: (await observer.entries()).filter((entry) => entry.file === file),
    ...{ buffer: text, disk },
  };
}

interface ResultPart {
  type: string;
  text?: string;
  tool_use_id?: string;
  is_error?: boolean;
  content?: string | ResultPart[];
}

function textOf(content: string | readonly ResultPart[]): string {
  return typeof content === "string"
    ? content
    : content.map((part) => part.text ?? textOf(part.content ?? "")).join("\n");
}

/** All that the agent has before it when it is asked what it knows; the question comes last. */
function followUpIn(requests: readonly RecordedRequest[], round: Round): FollowUp | undefined {
  const question = followUpOf(round);
  const { body } = requests.findLast((request) => JSON.stringify(request.body).includes(question)) ?? {};
  if (body === undefined) return undefined;
  const { messages } = body as { messages: { content: string | ResultPart[] }[] };
  const texts = messages.map(({ content }) => textOf(content));
  const hasNoResult = (proposal: number) => resultOf(requests, round, proposal) === undefined;
  const stopped = new Set(round.plan.proposals.map((_, proposal) => proposal).filter(hasNoResult));
  return { question: texts.at(-1) ?? "", before: texts.slice(0, -1).join("\n"), stopped };
}

/** What the agent of a proposal got for its edit. */
function resultOf(requests: readonly RecordedRequest[], round: Round, proposal: number): ToolResult | undefined {
  const called = round.deeds.find((deed) => deed.did === "propose" && deed.proposal === proposal);
  for (const { at, body } of requests) {
    // In the wire of Anthropic, which these rounds use.
    const { messages } = body as { messages: { content: string | ResultPart[] }[] };
    const parts = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
    const part = parts.find(({ type, tool_use_id }) => type === "tool_result" && tool_use_id === callOf(proposal));
    if (part === undefined) continue;
    return { text: textOf(part.content ?? ""), isError: part.is_error === true, calledAt: called?.at ?? 0, at };
  }
  return undefined;
}
