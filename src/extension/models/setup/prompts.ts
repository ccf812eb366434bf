import type { ModelItem, Picked } from "./modelItems.ts";

/** How the user is asked; undefined means that they left. */
export interface Prompts {
  choose<Value>(question: ChoiceQuestion<Value>): Promise<Value | undefined>;
  askText(question: TextQuestion): Promise<string | undefined>;
  pickModel(question: ModelQuestion): Promise<Picked | undefined>;
  /** Says something, perhaps with buttons; resolves to the one that was clicked. It can be left unanswered. */
  showMessage(text: string, ...buttons: string[]): Promise<string | undefined>;
  /** Shows that something is under way, which the user may stop. */
  during<Result>(title: string, task: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
}

export interface ChoiceQuestion<Value> {
  title: string;
  placeholder: string;
  choices: readonly Choice<Value>[];
  /** Takes a text that was pasted in place of a choice; undefined for one that is to be searched for. */
  readPasted?(text: string): Value | undefined;
}

/** A page that helps to answer, behind a button. */
export interface HelpPage {
  label: string;
  url: string;
}

export interface Choice<Value> {
  label: string;
  page?: HelpPage;
  description?: string;
  detail?: string;
  /** Choices of one group are listed under its name. */
  group?: string;
  value: Value;
}

export interface TextQuestion {
  title: string;
  prompt: string;
  placeholder?: string;
  isSecret?: boolean;
  page?: HelpPage;
  /** What keeps a text from being an answer, as a sentence. Nothing is said of an empty one before it is sent. */
  findFault(value: string): string | undefined;
}

export interface ModelQuestion {
  title: string;
  items(): Promise<ModelItem[]>;
  /** Asks providers again; resolves to sentences about those that failed. With `force` also those who said it lately. */
  refresh(force: boolean): Promise<string[]>;
  toggleFavourite(name: string): Promise<void>;
}
