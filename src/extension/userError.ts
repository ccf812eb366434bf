/** An expected failure, shown verbatim: one sentence that says what to do next. */
export class UserError extends Error {
  override readonly name = "UserError";
}
