import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { Question } from "../../../protocol/hostEvents.ts";
import type { Intent } from "../../../protocol/messages.ts";
import { oneLine, visible } from "../../text/visible.ts";
import { Around, place } from "../../ui/Around.tsx";
import { Button } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { TextField } from "../../ui/TextField.tsx";

export interface QuestionCardProps {
  question: Question;
  post(intent: Intent): void;
}

/** What an agent wants to know: its own answers to choose from, another one, or none. */
export function QuestionCard({ question, post }: QuestionCardProps) {
  const other = useSignal("");

  function answer(text: string): void {
    post({ type: "answerQuestion", questionId: question.id, text });
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.isComposing) return;
    event.stopPropagation();
    if (event.key !== "Enter" || other.peek().trim() === "") return;
    event.preventDefault();
    answer(other.peek().trim());
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a card is a group, not a field set.
    <div
      class="approval question"
      role="group"
      aria-label={t("Question: {0}", oneLine(question.text, 200))}
      tabIndex={-1}
    >
      <p class="approval-lineage">
        <Icon name="question" />
        <span>
          <Around words={t("{0} asks", place)}>
            <strong>{question.agentPath.map(visible).join(" › ")}</strong>
          </Around>
        </span>
      </p>
      <p class="question-text">{question.text}</p>
      {question.options.length > 0 && (
        <div class="buttons options">
          {question.options.map((option) => (
            <Button key={option} onClick={() => answer(option)}>
              {visible(option)}
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
        <Button title={t("The agent goes on as it thinks best")} onClick={() => answer("")}>
          {t("You decide")}
        </Button>
      </div>
    </div>
  );
}
