/** A workspace with names, files and texts that no one could have tuned anything to, the same for the same seed. */
export interface RandomWorkspace {
  files: Record<string, string>;
  /** "Where is the <noun> <verb>ed?" */
  question: string;
  /** `path:line` of the one right answer. */
  answer: string;
  /** A name that is in several files, also inside longer names. */
  name: string;
  /** A name that is nowhere. */
  freshName: string;
}

export function randomWorkspace(seed: number): RandomWorkspace {
  const random = randomNumbers(seed);
  const words = distinctWords(random, 60);
  const word = () => words.pop() ?? "word";
  const pick = <T>(list: readonly [T, ...T[]]): T => list[Math.floor(random() * list.length)] ?? list[0];
  const [noun, verb, folder, file, name] = [word(), `${word()}ate`, word(), word(), `${word()}${capital(word())}`];
  const files: Record<string, string> = {};

  for (let index = 0; index < 8; index++) {
    // Half of what is asked for is everywhere: in names of functions, in comments, in paths.
    const own = pick([word(), `${word()}${capital(noun)}`, `${verb}${capital(word())}`]);
    files[`${pick(["src", "lib", noun])}/${word()}.ts`] = distractor(own, pick([noun, verb, word()]), name);
  }
  files["README.md"] = `# ${capital(word())}\n\nHere the ${noun} is ${verb}d, among other things.\n`;
  files[`test/${file}.test.ts`] =
    `import { ${verb}${capital(noun)} } from "../src/${file}";\n\nit("${verb}s the ${noun}", () => {\n  ${verb}${capital(noun)}(1);\n});\n`;

  const before = Array.from({ length: Math.floor(random() * 12) }, () => `// ${word()} ${noun}`);
  const head = pick([
    `export function ${verb}${capital(noun)}(input: number): number {`,
    `export const ${verb}${capital(noun)} = (input: number): number => {`,
    `export async function ${noun}${capital(verb)}(input: number): Promise<number> {`,
  ]);
  const path = `${folder}/deep/${file}.ts`;
  files[path] = [...before, "", head, `  const ${name} = input;`, `  return ${name} + 1;`, "}", ""].join("\n");
  return {
    files,
    question: `Where is the ${noun} ${verb}d?`,
    answer: `${path}:${before.length + 2}`,
    name,
    freshName: `${word()}${capital(word())}`,
  };
}

function distractor(own: string, mentioned: string, name: string): string {
  return [
    `import { ${name} } from "./${own}";`,
    "",
    `/** Knows of ${mentioned}. */`,
    `export function ${own}(value: number): number {`,
    `  const ${mentioned}Count = value;`,
    `  const ${name}s = [${name}, ${mentioned}Count];`,
    `  return ${name}s.length;`,
    "}",
    "",
  ].join("\n");
}

/** mulberry32 */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Words with roots of their own, so that none is a form of another. */
function distinctWords(random: () => number, count: number): string[] {
  const letter = (letters: string) => letters[Math.floor(random() * letters.length)] ?? "a";
  const words = new Set<string>();
  while (words.size < count) {
    words.add(
      `${letter("bdfgklmnprtvz")}${letter("aiou")}${letter("bdgklmprtvz")}${letter("aiou")}${letter("bgkmnpv")}`,
    );
  }
  return [...words];
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
