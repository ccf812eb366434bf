import { readOwnRequest } from "./ownRequests.ts";
import { type ReplaceRequest, readReplacement } from "./replaceRequest.ts";
import { readQuery } from "./words.ts";

/** What a message asks for, as far as rules can tell. */
export type Intent =
  | { type: "replace"; request: ReplaceRequest }
  | { type: "todo"; request: TodoRequest }
  | { type: "outline"; file: string }
  | { type: "problems" }
  | { type: "tour" }
  | { type: "question"; text: string }
  | { type: "unknown" };

export interface TodoRequest {
  /** As the user wrote it: a path, or the end of one. */
  file?: string;
  line?: number;
  /** Every TODO of the file rather than the first that a rule fits. */
  all: boolean;
}

const longestRequest = 600;
const problemsAsked =
  /^\W*(?:(?:fix|solve|show|list)(?: me)?(?: all| the| these| my)*|what are the) (?:problems|errors|warnings|diagnostics)\b/i;
const tourAsked =
  /^\W*(?:(?:give|show) me (?:an? |the )?(?:tour|overview|around)\b|what does this (?:project|workspace|codebase) do\b)/i;

/** `attached` are the paths of the files that came with the message. */
export function readIntent(message: string, attached: readonly string[] = []): Intent {
  const own = readOwnRequest(message.trim(), attached);
  if (own !== undefined) {
    const added = own.added === "" ? own.intent : readTyped(own.added);
    return added.type === "unknown" ? own.intent : added;
  }
  return readTyped(message);
}

function readTyped(message: string): Intent {
  // What was pasted below the request is not the request.
  const text = message.trim().slice(0, longestRequest);
  const todo = readTodoRequest(text);
  if (todo !== undefined) return { type: "todo", request: todo };
  const replacement = readReplacement(text);
  if (replacement !== undefined) return { type: "replace", request: replacement };
  const file =
    /^\W*(?:explain|outline|describe|summari[sz]e)\s+(?:the\s+)?(?:file\s+)?[`"']?([^\s`"']*\.[\w-]+)[`"']?\s*[.!?]?$/i.exec(
      text.trim(),
    );
  if (file?.[1] !== undefined) return { type: "outline", file: file[1] };
  if (problemsAsked.test(text)) return { type: "problems" };
  if (tourAsked.test(text)) return { type: "tour" };
  const asks = /\?\s*$|^\W*(where|what|which|who|how|why|when|find|show|search|locate|look|list|is there|are there)\b/i;
  const isName = /^[`"']?[\p{L}_$][\p{L}\p{N}_$.-]*(\(\))?[`"']?$/u.test(text.trim());
  if ((asks.test(text.trim()) || isName) && readQuery(text).terms.length > 0) return { type: "question", text };
  return { type: "unknown" };
}

function readTodoRequest(text: string): TodoRequest | undefined {
  const asked =
    /\b(fix|do|resolve|implement|handle|address|finish|complete|solve|clear|work on)\b.*?\b(todo|fixme)(s)?\b(.*)$/is.exec(
      text,
    );
  if (asked === null) return undefined;
  const [, , , plural, rest = ""] = asked;
  const all = plural !== undefined || /\b(all|every|each)\b/i.test(text);
  const place =
    /\b(?:in|of|at|from)\s+(?:the\s+)?(?:file\s+)?[`"']?([^\s`"',;?!]+?)[`"']?(?:(?::|,?\s+(?:at\s+)?line\s+)(\d+))?[.?!]?\s*$/i.exec(
      rest,
    );
  const [, file, line] = place ?? [];
  return {
    ...(file === undefined || /^(this|the|file)$/i.test(file) ? {} : { file }),
    ...(line === undefined ? {} : { line: Number(line) }),
    all,
  };
}
