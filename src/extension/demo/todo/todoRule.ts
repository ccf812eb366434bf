import type { LineChange } from "../lineChanges.ts";
import type { Target } from "./target.ts";
import type { TodoComment } from "./todoComments.ts";

/** What a rule sees: one TODO and the file around it. */
export interface TodoSite {
  path: string;
  lines: readonly string[];
  todo: TodoComment;
  /** The function that the TODO is about. */
  target: Target | undefined;
}

export interface TodoFix {
  changes: LineChange[];
  /** The changes take the TODO's own lines away already. */
  removesTodo?: boolean;
  /** What was done, and what of it is a guess. */
  note: string;
}

/** Does what a TODO says when it understands all of it, else nothing. */
export type TodoRule = (site: TodoSite) => TodoFix | undefined;
