/** What an agent reads of the project and of the editor. What comes from files and names there can't end its block. */

/** A file of the project's own instructions, with its path. */
export function projectFile(path: string, text: string): string {
  return `<instructions_file path=${JSON.stringify(path)}>\n${withoutClosings(text.trim())}\n</instructions_file>`;
}

/** A closing tag of a block that a file of instructions may try to end early is shown with its bracket escaped. */
export function withoutClosings(text: string): string {
  return text.replace(
    /<(?=\/\s*(?:instructions_file|project_context|instructions|identity|environment|available_agents|available_skills|skills|hook_context|hook_feedback)\b)/gi,
    "&lt;",
  );
}

/** A name on one line, which can't look like a tag. */
function plain(name: string): string {
  return name.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").replaceAll("<", "&lt;");
}

export interface GitState {
  /** Undefined where no branch is checked out. */
  branch: string | undefined;
  changedFiles: number;
  /** Subjects, the latest first. */
  commits: readonly string[];
}

export interface Environment {
  /** As 2026-01-31. */
  date: string;
  /** The system and the processor's architecture: "Linux, x64". */
  system: string;
  /** Undefined where no command can run. */
  shell: string | undefined;
  folders: readonly {
    name: string;
    /** Where it is; undefined for one that is on no disk. */
    path: string | undefined;
    /** What is at its top, folders ended by a slash. */
    entries: readonly string[];
    /** How many more there are. */
    omitted: number;
    isReadOnly: boolean;
  }[];
  git: GitState | undefined;
  isTrusted: boolean;
}

/** Where an agent works, as it was when its chat began. */
export function environmentText({ date, system, shell, folders, git, isTrusted }: Environment): string {
  const lines = [
    `Date: ${date}`,
    `System: ${system}${shell === undefined ? "" : `; commands run in ${shell}`}`,
    ...folders.flatMap(({ name, path, entries, omitted, isReadOnly }) => [
      `Workspace folder ${plain(name)}${path === undefined ? "" : `: ${plain(path)}`}${isReadOnly ? " (read-only)" : ""}`,
      ...(entries.length === 0
        ? []
        : [`  ${entries.map(plain).join(" ")}${omitted > 0 ? ` and ${omitted} more` : ""}`]),
    ]),
    ...(folders.length === 0 ? ["No folder is open."] : []),
    ...(git === undefined ? [] : gitLines(git)),
    ...(isTrusted ? [] : ["The workspace is in Restricted Mode: there are no tools until the user trusts it."]),
  ];
  return `<environment>\n${lines.join("\n")}\n</environment>`;
}

function gitLines({ branch, changedFiles, commits }: GitState): string[] {
  const where = branch === undefined ? "no branch" : `branch ${plain(branch)}`;
  return [
    `Git: ${where}, ${changedFiles === 0 ? "no changed files" : `changed files: ${changedFiles}`}`,
    ...(commits.length === 0 ? [] : ["Last commits:", ...commits.map((subject) => `  ${plain(subject)}`)]),
  ];
}

export interface EditorState {
  active: { path: string; line: number; selection?: { start: number; end: number } } | undefined;
  /** Others that are open. */
  open: readonly { path: string; isUnsaved: boolean }[];
  /** Errors and warnings by file, most first. */
  problems: readonly { path: string; count: number }[];
}

/** What the user looks at when they write a message. */
export function editorStateText({ active, open, problems }: EditorState): string {
  const lines = [
    "What the user has open. The request may or may not be about it.",
    active === undefined ? "Active file: none" : activeLine(active),
    ...(open.length === 0
      ? []
      : [
          `Other open files: ${open.map(({ path, isUnsaved }) => plain(path) + (isUnsaved ? " (unsaved)" : "")).join(", ")}`,
        ]),
    ...(problems.length === 0
      ? []
      : [`Problems: ${problems.map(({ path, count }) => `${plain(path)} ${count}`).join(", ")}`]),
  ];
  return `<editor_state>\n${lines.join("\n")}\n</editor_state>`;
}

function activeLine({ path, line, selection }: NonNullable<EditorState["active"]>): string {
  const selected = selection === undefined ? "" : `, lines ${selection.start}-${selection.end} selected`;
  return `Active file: ${plain(path)}, cursor in line ${line}${selected}`;
}

/** The editor state that a text repeats; undefined where it has none. */
export function editorStateIn(text: string): string | undefined {
  const start = text.lastIndexOf("<editor_state>");
  const end = text.indexOf("</editor_state>", start);
  return start < 0 || end < 0 ? undefined : text.slice(start, end + "</editor_state>".length);
}
