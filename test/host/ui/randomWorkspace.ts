import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";

/** A made-up project with one function to be found and one to be renamed, both with made-up names. */
export interface RandomProject {
  readonly files: Readonly<Record<string, string>>;
  /** What the function works out: the word a question asks about. */
  readonly noun: string;
  /** What it does to it, as a question says it: "measured". */
  readonly participle: string;
  readonly definition: { readonly file: string; readonly line: number };
  readonly oldName: string;
  readonly newName: string;
  /** The files that have `oldName`, in order of their paths. */
  readonly users: readonly string[];
}

const letters = (from: string) => fc.constantFrom(...from);
const syllable = fc.tuple(letters("bdfgklmprtvz"), letters("aeiou")).map((pair) => pair.join(""));
/** Three syllables and an end: no English word, and none that another one contains. */
const word = fc.tuple(syllable, syllable, syllable, letters("kmx")).map((parts) => parts.join(""));
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const verbs = fc.constantFrom(
  ["measure", "measured"],
  ["compute", "computed"],
  ["resolve", "resolved"],
  ["collect", "collected"],
);
const sentence = fc.array(word, { minLength: 4, maxLength: 9 }).map((words) => `${capital(words.join(" "))}.`);

function otherFunction(name: string, comment: string, call: string | undefined): string {
  const body = call === undefined ? `  return value + "${name}";` : `  return ${call}(value) + "${name}";`;
  return [`/** ${comment} */`, `export function ${name}(value: string): string {`, body, "}", ""].join("\n");
}

interface Parts {
  words: string[];
  verb: string[];
  sentences: string[];
  padding: number;
}

function project({ words, verb, sentences, padding }: Parts): RandomProject {
  const [noun = "", oldTail = "", newTail = "", folderA = "", folderB = "", place = "", ...names] = words;
  const [verbStem = "", participle = ""] = verb;
  const oldName = `show${capital(oldTail)}`;
  const newName = `show${capital(newTail)}`;
  const folders = [`src/${folderA}`, `src/${folderB}`, "lib"];
  const files: Record<string, string> = { "README.md": `# ${capital(folderA)}\n\n${sentences.join(" ")}\n` };
  const users: string[] = [];
  for (const [index, name] of names.entries()) {
    const file = `${folders[index % folders.length]}/${name}.ts`;
    const uses = index % 3 !== 1;
    const head = uses ? `import { ${oldName} } from "../format.ts";\n\n` : "";
    files[file] = head + otherFunction(`keep${capital(name)}`, sentences[index] ?? "", uses ? oldName : undefined);
    if (uses) users.push(file);
  }
  files["src/format.ts"] = otherFunction(oldName, sentences[0] ?? "", undefined);
  users.push("src/format.ts");

  // Mentioned elsewhere too: only the declaration is the answer.
  files[`docs/${folderB}.md`] = `Nothing to do with the ${noun} but its name.\n\n${sentences[1]}\n`;
  const file = `${folders[1]}/${place}.ts`;
  const lines = sentences.slice(0, padding).map((text) => `// ${text}`);
  const declaration = `export function ${verbStem}${capital(noun)}(parts: number[]): number {`;
  files[file] = [...lines, declaration, "  return parts.reduce((a, b) => a + b, 0);", "}", ""].join("\n");
  return {
    files,
    noun,
    participle,
    definition: { file, line: lines.length + 1 },
    oldName,
    newName,
    users: users.sort(),
  };
}

const projects = fc
  .record({
    words: fc.uniqueArray(word, { minLength: 15, maxLength: 19 }),
    verb: verbs.map((pair) => [...pair]),
    sentences: fc.array(sentence, { minLength: 14, maxLength: 14 }),
    padding: fc.integer({ min: 1, max: 12 }),
  })
  .map(project);

/** The same seed gives the same project. */
export function randomProject(seed: number): RandomProject {
  const [made] = fc.sample(projects, { seed, numRuns: 1 });
  if (!made) throw new Error("No project was made.");
  return made;
}

/** Writes it into a new folder, which is the caller's to remove. */
export async function writeProject({ files }: RandomProject): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
  for (const [file, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), text);
  }
  return folder;
}
