import type { Rule, Work } from "./conversation.ts";
import { parseQuery } from "./query.ts";
import { answerQuestion } from "./question.ts";
import { parseReplacement, replaceText } from "./replace.ts";
import { outline, showAround, showCommand, showProblems } from "./show.ts";

const notAModel = "I am the demo model: rules, not a language model.";
const abilities = `- **Find a place**: “Where is the price computed?”, “Where is \`formatPrice\`?”
- **Replace a name or a text**: “replace \`formatPrice\` with \`formatMoney\`”, “rename total to sum in src/”
- **Show what is there**: “show me around”, “explain cart.ts” (an outline), “show the problems”
- **Run a command**: “run \`npm test\`”

For anything else, connect a language model: **Arbor: Set Up a Model** in the command palette.`;
export const introduction = `${notAModel} I work offline with the same tools, agents and approvals as a real model, and I can do four things:\n\n${abilities}`;
/** In a workspace that is not trusted, agents get no tools. */
export const withoutTools = `${notAModel} I have no tools to look into this workspace. Open a folder and trust it, then ask again.`;
const refusal = `${notAModel} I can't do that: it takes a language model. What I can do:\n\n${abilities}`;

/** What was pasted below a request is not the request. */
const maxRequestLength = 600;
const politely = String.raw`^\W*(?:(?:please|(?:can|could|would) you(?: please)?|now|then)\s+)*`;
const begins = (rest: string) => new RegExp(`${politely}(?:${rest})`, "iu");
const project = `(?:this|the|my|your) (?:whole |entire )?(?:project|code ?base|code|repo(?:sitory)?|workspace|folder|app)`;
/** How requests begin, by what they ask for. */
const asksFor = {
  tour: String.raw`(?:give|show) me (?:an? |the )?(?:tour|overview|around|(?:all )?(?:the )?files)\b|(?:explain|describe|summari[sz]e|show|understand|explore) ${project}\b|what (?:does|is|can) ${project}(?: (?:do|about|for))?\W*$|what(?:'s| is) this(?: about)?\W*$|(?:list|show)(?: all)?(?: the)? files\W*$|(?:tour|overview|readme)\W*$`,
  outline: String.raw`(?:(?:explain|describe|summari[sz]e|outline|open|read|show|cat)\s+(?:me\s+)?(?:the\s+)?(?:file\s+)?)[\x60"']?(?<path>(?:[\w@.-]+\/)*[\w@-][\w@.-]*\.\w{1,8})[\x60"']?[\s.!?]*$`,
  command: String.raw`(?:run|execute)\s+(?:\x60(?<quoted>[^\x60]+)\x60|(?<named>(?:npm|npx|pnpm|yarn|node|git|make|cargo|go|python3?|pytest|ls|cat|echo|mvn|gradle|dotnet)\b[^\n]*?))\s*[.!?]?$`,
  tests: String.raw`(?:run|execute|start)\s+(?:all\s+)?(?:the\s+|my\s+)?tests?(?:\s+with\s+\x60(?<command>[^\x60]+)\x60)?(?:[\s.!?]|$)|(?<typed>npm (?:test|run [\w:-]+))\s*$`,
  problems: String.raw`(?:fix|show|list|find|what are|are there)\s+(?:(?:me|all|the|any|my|these|open|\d+)\s+)*(?:problems?|errors?|warnings?)(?:\s+(?:that\s+the\s+editor\s+(?:reports|shows)|(?:in|of)\s+(?:this|the|my)\s+\w+|here))?\W*$|what(?:'s| is) wrong\b`,
};

type Groups = Partial<Record<string, string>>;

/** What is answered by which rule, or by what text. A request to run the tests may leave the command to the project. */
const rules: readonly [RegExp, string | ((groups: Groups, work: Work) => Rule)][] = [
  [begins(asksFor.tour), showAround],
  [begins(asksFor.outline), ({ path = "" }) => outline(path)],
  [begins(asksFor.command), ({ quoted, named }, { tools }) => showCommand(quoted ?? named, tools)],
  [begins(asksFor.tests), ({ command, typed }, { tools }) => showCommand(command ?? typed, tools)],
  [begins(asksFor.problems), showProblems],
  [
    /^\W*(?:hi|hey|hello|yo|good (?:morning|afternoon|evening)|moin)(?: there| arbor| all)?\W*$/i,
    `Hello! ${introduction}`,
  ],
  [
    /^\W*(?:thanks?|thank you|thx|cheers|great|nice|cool|perfect)\b[^?]{0,40}$/i,
    `You're welcome. What I can do:\n\n${abilities}`,
  ],
  [
    /^\W*(?:undo|revert|stop|cancel|go back)\b.{0,20}$/i,
    "**Rewind to here** at a message of yours restores the files; **Stop** ends a run.",
  ],
  [
    /^\W*(?:(?:help|help me|ok(?:ay)?|yes|no|test|testing|start)\W*$|(?:what|how) (?:can|do|should|could) (?:you|i|we) (?:do|use|ask|try|start|begin|set|choose|connect|add a|work|help)\b.{0,40}$|what else\b.{0,20}$|(?:who|what|which)\b.{0,24}\b(?:are you|is your name|do you use)\W*$|are you\b)/i,
    introduction,
  ],
];
/** Work that only a model does: no names to look for. */
const isWork = begins(
  String.raw`(?:fix|add|write|create|make|build|implement|refactor|improve|optimi[sz]e|delete|remove|change|update|review|debug|test|document|translate|commit|deploy|install|find (?:all |the |any )?bugs)\b`,
);
const asksQuestion =
  /\?\s*$|^\W*(where|what|which|who|how|why|when|find|show|search|locate|look|list|explain|describe|is there|are there)\b/i;
const isName = /^[`"']?[\p{L}_$][\p{L}\p{N}_$.-]*(\(\))?[`"']?$/u;

/** Words that a sentence in English seldom has, and what to say to who uses them. */
const languages: readonly [RegExp, string][] = [
  [
    /(?<!\p{L})(?:hallo|bitte|danke|wo|wie|warum|welche[rs]?|ist|und|nicht|dieses?|diesen|eine[nrms]?|zeig\p{L}*|erklär\p{L}*|mach\p{L}*|kannst|wird|füge|schreib\p{L}*)(?!\p{L})/iu,
    "Ich bin das Demo-Modell: Regeln, kein Sprachmodell, und verstehe nur Englisch. Das kann ich, auf Englisch:",
  ],
  [
    /(?<!\p{L})(?:bonjour|salut|merci|où|quel(?:le)?s?|pourquoi|est-ce|ce projet|explique\p{L}*|ajoute\p{L}*)(?!\p{L})/iu,
    "Je suis le modèle de démonstration : des règles, pas un modèle de langage, et je ne comprends que l’anglais. Voici ce que je sais faire, en anglais :",
  ],
  [
    /[¿¡]|(?<!\p{L})(?:hola|gracias|qué|dónde|cómo|por favor|proyecto|explica\p{L}*|añad\p{L}*)(?!\p{L})/iu,
    "Soy el modelo de demostración: reglas, no un modelo de lenguaje, y solo entiendo inglés. Esto es lo que sé hacer, en inglés:",
  ],
  [
    /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Cyrl}\p{sc=Arab}\p{sc=Hebr}\p{sc=Grek}\p{sc=Deva}\p{sc=Thai}]{2}/u,
    `${notAModel} I understand English only. What I can do:`,
  ],
];

/** The rule that answers a message, or the answer. */
export function ruleFor(message: string, offer: Work): Rule | string {
  const text = message.slice(0, maxRequestLength).trim();
  const replacement = parseReplacement(text);
  if (replacement !== undefined) return replaceText(replacement, message, offer);
  for (const [pattern, answer] of rules) {
    const match = pattern.exec(text);
    if (match !== null) return typeof answer === "string" ? answer : answer(match.groups ?? {}, offer);
  }
  const words = text.replace(/`[^`]*`/g, " ");
  const onlyEnglish = languages.find(([pattern]) => pattern.test(words))?.[1];
  if (onlyEnglish !== undefined) return `${onlyEnglish}\n\n${abilities}`;
  if (isWork.test(text)) return refusal;
  const isQuestion = asksQuestion.test(text) || isName.test(text);
  return isQuestion && parseQuery(text).terms.length > 0 ? answerQuestion(text, offer) : introduction;
}
