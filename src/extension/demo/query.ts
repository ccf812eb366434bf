/** One thing that a question asks about. */
export interface Term {
  /** As the user wrote it. */
  word: string;
  /** Beginnings of words that mean it, lower case: its own first, with full weight. */
  forms: { stem: string; weight: number }[];
  /** Of an identifier or a quoted text, which is to be found verbatim. */
  exact?: RegExp;
}

/** A question in terms that can be searched for. */
export interface Query {
  text: string;
  terms: Term[];
}

/** What was pasted below a question is not the question. */
const maxQuestionLength = 600;
/** Each term is a few searches. */
const maxTerms = 6;

export function parseQuery(question: string): Query {
  const text = question.trim().slice(0, maxQuestionLength);
  const quotes = /`[^`]+`|"[^"]+"|“[^”]+”|'[^'\n]{3,}'(?!\w)/g;
  const terms = (text.match(quotes) ?? []).map((quoted) => exactTerm(quoted.slice(1, -1).trim()));
  const words = text.replace(quotes, " ").match(/[\p{L}\p{N}_$][\p{L}\p{N}_$.-]*[\p{L}\p{N}_$]|[\p{L}\p{N}]/gu) ?? [];
  for (const word of words) {
    if (isIdentifier(word)) terms.push(exactTerm(word));
    else {
      const parts = word.split(/[.-]/).filter((part) => part.length > 1 && !stopWords.has(part.toLowerCase()));
      terms.push(...parts.map(plainTerm));
    }
  }
  const keys = terms.map(({ exact, forms }) => `${exact?.source} ${forms[0]?.stem}`);
  return { text, terms: terms.filter((_, index) => keys.indexOf(keys[index] ?? "") === index).slice(0, maxTerms) };
}

/** The terms in one phrase, quoted. */
export function describeTerms({ terms }: Query, separator = ", "): string {
  return terms.map((term) => `“${term.word}”`).join(separator);
}

export function verbatim(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

/** A text as a word of its own: within a longer one it means something else. */
export function wholeWord(text: string, flags: "gu" | "iu"): RegExp {
  const edge = (character = "") => (/[\p{L}\p{N}_$]/u.test(character) ? String.raw`[\p{L}\p{N}_$]` : "(?!)");
  return new RegExp(`(?<!${edge(text[0])})${verbatim(text)}(?!${edge(text.at(-1))})`, flags);
}

/** The words of an identifier or a path: `parseHTTPHeader` is parse, http, header. Lower case. */
export function splitIdentifier(text: string): string[] {
  return text
    .replace(/(\p{Lu}+)(\p{Lu}\p{Ll})/gu, "$1 $2")
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());
}

/** Whether a word (lower case) is a form of the word with this stem. */
export function isFormOf(word: string, stem: string): boolean {
  if (stemOf(word) === stem) return true;
  return stem.length >= 4 && word.startsWith(stem) && word.length - stem.length <= 5;
}

const suffixed =
  /^(.{3,}?)(?:izations|ization|ations|ation|ating|ated|ates|ator|ate|ings|ing|ions|ion|ies|ied|ers|er|ors|or|ed|es|e|y|(?<![su])s)$/;

/** The root of an English word, roughly: enough to bring computed, computes and computing together. */
function stemOf(word: string): string {
  const root = suffixed.exec(word)?.[1];
  // stopped → stopp → stop
  return root?.replace(/([b-df-hj-km-np-rtv-z])\1$/, "$1") ?? word;
}

/** camelCase, snake_case, a call, or a name with digits: nothing that one writes in a sentence. */
function isIdentifier(word: string): boolean {
  return /[_$]|\p{Ll}\p{Lu}|\p{L}\p{N}|\w\.\w/u.test(word);
}

function plainTerm(word: string): Term {
  const stem = stemOf(word.toLowerCase());
  const stems = synonyms.map((group) => group.map(stemOf)).filter((group) => group.includes(stem));
  const others = [...new Set(stems.flat())].filter((other) => other !== stem);
  return { word, forms: [{ stem, weight: 1 }, ...others.map((other) => ({ stem: other, weight: 0.55 }))] };
}

function exactTerm(text: string): Term {
  const parts = splitIdentifier(text).filter((part) => part.length > 2 && !stopWords.has(part));
  // Its parts count only where the whole is nowhere to be found.
  return {
    word: text,
    exact: wholeWord(text, "iu"),
    forms: parts.map((part) => ({ stem: stemOf(part), weight: 0.25 })),
  };
}

/** Words that do not narrow a search: of grammar, of asking, and of programming at large. */
const stopWords: ReadonlySet<string> = new Set(
  `a an the this that these those it its some any all each every other another such same both either neither
  is are was were be been being am do does did done doing has have had having can could should would will shall may might must
  i you he she we they me us them my your his her our their mine yours ours who whom whose what which where when why how
  of in on at to for from by with without within into onto over under about between through during before after against
  and or but nor so if then else than as not no yes only just also too very really actually exactly currently
  here there anywhere somewhere everywhere around please thanks thank hello hi hey ok okay
  tell show find give list look search locate explain describe point know need want see get's let lets
  file files folder folders directory line lines code codebase source project repo repository workspace module modules package
  function functions method methods class classes variable variables constant constants type types interface interfaces
  place places part parts piece logic bit thing things stuff way happen happens happening happened take takes taken
  defined define defines definition declared declare declares declaration implemented implement implements implementation
  live lives located sit sits come comes coming go goes mentioned mention mentions responsible work works working
  used uses use using called calls call calling referenced reference references imported imports import invoked`.split(
    /\s+/,
  ),
);

/** Words that programs use for the same thing. */
const synonyms: readonly (readonly string[])[] =
  `compute calculate calc total sum derive evaluate; parse decode deserialize read;
  fetch load read retrieve get query; save store persist write put; delete remove drop clear erase; convert transform map;
  create make build construct generate new; check validate verify assert ensure; format render print display show;
  send post dispatch emit publish notify; start launch boot init initialize setup begin; stop end close dispose finish;
  change update modify edit set; search find lookup query; config configuration configure settings options;
  auth authenticate login signin; error exception failure fail`
    .split(";")
    .map((group) => group.trim().split(/\s+/));
