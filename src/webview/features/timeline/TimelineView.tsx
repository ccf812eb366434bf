import { effect, type ReadonlySignal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { HostMessage } from "../../../protocol/messages.ts";
import type { ChatModel } from "../../model/chatModel.ts";
import type { PanelTiming } from "../../timing.ts";
import { TimelineChart } from "./TimelineChart.tsx";
import { createTimeline, type Timeline } from "./timelineFold.ts";

/** The latest part of the log that the host has sent. */
type RecordingPart = Extract<HostMessage, { type: "recording" }>;

interface TimelineViewProps {
  chat: ChatModel;
  recording: ReadonlySignal<RecordingPart | undefined>;
}

/** The timeline of the chat on show, which the host sends from its beginning and then as it goes on. */
export function TimelineView({ chat, recording }: TimelineViewProps) {
  const model = useMemo(() => followTimeline(chat, recording), []);
  useEffect(model.follow, []);
  const isLive = chat.isRunning.value;
  const current = model.current.value;
  return (
    <TimelineChart
      key={current.id}
      timeline={current.timeline}
      version={model.version}
      until={() => model.until(isLive)}
      isLive={isLive}
      timing={chat.timing}
      selectedId={chat.selected.value?.meta.id}
      select={(agentId, moment) => {
        chat.select(agentId);
        showMoment(chat.timing, moment);
      }}
      openInEditor={() => chat.post({ type: "openInEditor", view: "timeline" })}
    />
  );
}

function followTimeline({ post, timing, chatId }: ChatModel, recording: TimelineViewProps["recording"]) {
  let id = 0;
  const current = signal<{ id: number; timeline: Timeline }>({ id, timeline: createTimeline() });
  const version = signal(0);
  let isWhole = false;
  /** The clock of the host may be another one than the panel's. */
  let received = { end: 0, at: timing.now() };

  function add(part: RecordingPart): void {
    if (part.isFirst) current.value = { id: ++id, timeline: createTimeline() };
    const { timeline } = current.peek();
    for (const entry of part.entries) timeline.add(entry);
    isWhole = part.isWhole;
    if (timeline.end !== received.end) received = { end: timeline.end, at: timing.now() };
    version.value = version.peek() + 1;
  }

  return {
    current,
    version,
    until(isLive: boolean) {
      const { end } = current.peek().timeline;
      return isLive && isWhole && end > 0 ? end + Math.max(0, timing.now() - received.at) : end;
    },
    follow() {
      const before = recording.peek();
      const stop = effect(() => {
        const part = recording.value;
        if (part !== undefined && part !== before && part.chatId === chatId.peek()) add(part);
      });
      post({ type: "followRecording" });
      return () => {
        stop();
        post({ type: "leaveRecording" });
      };
    },
  };
}

const stepMs = 50;
/** A transcript that has to be fetched takes a moment; one that does not hold the moment never shows it. */
const maxSteps = 40;

/** Scrolls the transcript to a message or a call, by its id, as soon as it is there. */
function showMoment({ later }: PanelTiming, id: string | undefined): void {
  if (id === undefined) return;
  const look = (steps: number) => {
    const element = document.querySelector<HTMLElement>(`.conversation [data-moment="${CSS.escape(id)}"]`);
    if (element === null) {
      if (steps < maxSteps) later(() => look(steps + 1), stepMs);
      return;
    }
    element.scrollIntoView({ block: "center" });
    for (const other of document.querySelectorAll(".conversation .at-moment")) other.classList.remove("at-moment");
    element.classList.add("at-moment");
  };
  later(() => look(0), 0);
}
