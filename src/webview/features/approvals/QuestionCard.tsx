import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import { useEffect, useRef } from "preact/hooks";
import type { Question } from "../../../protocol/hostEvents.ts";
import { Markdown } from "../../markdown/Markdown.tsx";
import { oneLine, plainLine, visible } from "../../text/visible.ts";
import { Around, inset } from "../../ui/Around.tsx";
import { Button } from "../../ui/Buttons.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { useAnswerable } from "../../ui/inView.ts";
import { TextField } from "../../ui/TextFields.tsx";
import type { ApprovalsModel } from "./approvals.ts";

export interface QuestionCardProps {
  question: Question;
  model: Pick<ApprovalsModel, "guard" | "answerQuestion" | "post" | "pathOf">;
}

/** What an agent wants to know: its own answers to choose from, another one, or none. */
export function QuestionCard({ question, model }: QuestionCardProps) {
  const other = useSignal("");
  const card = useRef<HTMLDivElement>(null);
  const isReady = useAnswerable(card, question.id, model.guard);
  const isAnswered = useRef(false);
  const answer = (text: string) => {
    isAnswered.current = true;
    model.answerQuestion(question.id, text);
  };
  // What was typed here is for this card: an Enter that comes too early counts as soon as the card takes answers.
  const isEarly = useRef(false);
  useEffect(() => {
    if (!isReady || !isEarly.current) return;
    isEarly.current = false;
    const text = other.peek().trim();
    if (text !== "") answer(text);
  }, [isReady]);

  function onKeyDown(event: KeyboardEvent): void {
    if (event.isComposing) return;
    event.stopPropagation();
    if (event.key !== "Enter" || other.peek().trim() === "") return;
    event.preventDefault();
    if (isReady) answer(other.peek().trim());
    else isEarly.current = !isAnswered.current;
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a card is a group, not a field set.
    <div
      class="approval question"
      role="group"
      aria-label={t("Question: {0}", oneLine(question.text, 200))}
      tabIndex={-1}
      ref={card}
    >
      <p class="approval-lineage">
        <Icon name="question" />
        <span>
          <Around text={t("{0} asks", inset)}>
            <strong>{model.pathOf(question)}</strong>
          </Around>
        </span>
      </p>
      <div class="question-text">
        <Markdown text={question.text} post={model.post} />
      </div>
      {question.options.length > 0 && (
        <div class="buttons options">
          {question.options.map((option) => (
            <Button key={option} isUnavailable={!isReady} onClick={() => answer(option)}>
              {plainLine(visible(option))}
            </Button>
          ))}
        </div>
      )}
      <div class="approval-answer">
        <TextField
          label={t("Answer…")}
          value={other.value}
          onInput={(value) => {
            other.value = value;
          }}
          onKeyDown={onKeyDown}
        />
        <Button title={t("The agent decides and continues")} isUnavailable={!isReady} onClick={() => answer("")}>
          {t("You decide")}
        </Button>
      </div>
    </div>
  );
}
