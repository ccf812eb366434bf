import { ToolError } from "../../common/userError.ts";

export type EditErrorKind =
  | "no-match"
  | "ambiguous"
  | "empty-search"
  | "no-change"
  | "malformed"
  | "missing-file"
  | "exists"
  | "placeholder";

/** An edit that can't be made as asked. The message says what the model has to send instead. */
export class EditError extends ToolError {
  override readonly name = "EditError";
  readonly kind: EditErrorKind;

  constructor(kind: EditErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
