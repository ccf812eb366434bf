/** Scripts with letters that are drawn like Latin ones. */
const similarScripts =
  /[\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Armenian}\p{sc=Cherokee}\p{sc=Coptic}\p{sc=Lisu}\p{sc=Deseret}\p{sc=Georgian}\p{sc=Gothic}]/u;
/** Greek letters of formulas and units are used beside Latin ones, and look like none of them. */
const formulaLetters = /[ΓΔΘΛΞΠΣΦΨΩΩαβγδεζηθλμξπσςφψω]/gu;
/** Letters of other scripts that are drawn as Latin ones are: a word of these alone can be read as another one. */
const twins = /^[АВЕЅІЈКМНОРСТУХҮԌԚԜаеѕіјорсухһӏԁԛԝүΑΒΕΖΗΙΚΜΝΟΡΤΥΧονρικυχ]+$/u;
const word = /[\p{L}\p{M}\p{Nd}\p{So}]+/gu;

/**
 * Words that could be taken for others: their letters are of several scripts that look alike, or of one that looks like
 * another, or they are drawn like plain letters and are none. A letter and its accent apart are drawn like the one letter
 * that they usually are. Each with its unusual letters written as code points.
 */
export function lookalikes(text: string): string[] {
  const words = new Set(text.match(word) ?? []);
  const hasLatin = /[a-z]/i.test(text);
  return [...words]
    .filter((each) => each !== each.normalize("NFC") || canBeMistaken(each, hasLatin))
    .map((each) => `${each} (${codePoints(each)})`);
}

function canBeMistaken(text: string, isAmongLatin: boolean): boolean {
  const others = text.replace(formulaLetters, "");
  if (/\p{sc=Latin}/u.test(text) && similarScripts.test(others)) return true;
  if (isAmongLatin && twins.test(text)) return true;
  // Full width and mathematical letters.
  return [...text].some((letter) => /[\p{L}\p{Nd}]/u.test(letter) && isDisguised(letter));
}

function isDisguised(letter: string): boolean {
  const plain = letter.normalize("NFKC");
  return plain !== letter && /^[\x20-\x7e]+$/.test(plain);
}

const twinLetters = "АВЕЅІЈКМНОРСТУХҮԌԚԜаеѕіјорсухһӏԁԛԝүΑΒΕΖΗΙΚΜΝΟΡΤΥΧονρικυχα";
const latinTwins = "ABESIJKMHOPCTYXYGQWaesijopcyxhldqwyABEZHIKMNOPTYXovpikuxa";

/** As it is read: without what hides in it and without accents, with Latin letters for those that are drawn like them. */
export function asRead(text: string): string {
  const plain = text.normalize("NFKD").replace(/[\p{Cf}\p{M}]/gu, "");
  return plain.replace(/\P{ASCII}/gu, (letter) => latinTwins[twinLetters.indexOf(letter)] ?? letter);
}

function codePoints(text: string): string {
  const unusual = [...text].filter((letter) => (letter.codePointAt(0) ?? 0) > 0x7f);
  return unusual
    .map((letter) => `U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`)
    .join(" ");
}
