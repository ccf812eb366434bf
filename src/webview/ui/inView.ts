import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import type { AnswerGuard } from "../model/answers.ts";

/**
 * Whether a card takes an answer: it does when it has been in view for a moment, with the same answers to choose from. A
 * page that is hidden shows nothing.
 */
export function useAnswerable(
  card: RefObject<HTMLElement | null>,
  id: string,
  guard: AnswerGuard,
  answers = "",
): boolean {
  useEffect(() => {
    if (card.current === null) return undefined;
    const observer = new IntersectionObserver((entries) => {
      guard.setInView(id, entries.at(-1)?.isIntersecting === true);
    });
    observer.observe(card.current);
    return () => {
      observer.disconnect();
      guard.setInView(id, false);
    };
  }, [id, answers]);
  return guard.isReady(id);
}
