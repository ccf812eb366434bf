import { escapeRegex } from "../../common/escapeRegex.ts";
import { keyValue, secretName } from "../../terminal/environment.ts";

const mask = "•••";
/** What is shorter is in many texts that hold no secret. */
const minSecretLength = 8;

const keyName =
  "(?:api|access|private|secret|encryption|signing)[-_]?key|token|secret|passw(?:or)?d|passwd|passphrase|credential";
const keyStart = /-----BEGIN [A-Z ]*PRIVATE KEY/;
const keyEnd = /-----END [A-Z ]*PRIVATE KEY/;
const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY[A-Z ]*-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY[A-Z ]*-----|$)/g;
const knownKey = new RegExp(
  `(?:${keyValue.source})[\\w./+=-]*|\\bsk-[\\w-]{8,}|\\beyJ[\\w-]{6,500}\\.[\\w-]{1,8000}\\.[\\w-]+`,
  "g",
);
/** Of services that no model provider is. */
const serviceKey =
  /\b(?:AIza[\w-]{30,}|[rs]k_(?:live|test)_\w{8,}|ASIA[A-Z0-9]{16}|ya29\.[\w-]{16,}|pypi-[\w-]{16,}|hvs\.[\w-]{16,}|SG\.[\w-]{16,}\.[\w-]{16,}|AGE-SECRET-KEY-1\w{16,}|hooks\.slack\.com\/services\/[\w/]+)/g;
const authorization = /\b(bearer|basic)(\s+)[\w.+/=~-]{8,}/gi;
const authorizationHeader =
  /(\bauthorization\\?["'`]?\s*[:=]\s*\\?["'`]?(?:[a-z]{1,20}\s+)?)(?=[a-z.+/=~_-]*\d)[\w.+/=~-]{8,}/gi;
const cookie = /(\bcookie\\?["'`]?\s*:\s*\\?["'`]?)[^\r\n"'`=]{1,80}=[^\r\n"'`]+/gi;
const inAddress = /(:\/\/)[^\s/@"'`<>]+@/g;
/** `-u name:password` */
const login = /(\s(?:-u|--user)\s+\\?["'`]?[^\s:"'`\\]{1,100}:)[^\s"'`\\]+/g;
const flagName = `\\B--?[\\w-]{0,60}?(?:${keyName})[\\w-]{0,40}`;
/** What is between quotes, whatever it holds. */
const quotedValue = "(\\\\?[\"'`])(?:(?!\\2)\\\\?[^\\n]){1,2000}(?=\\2)";
/** `--token value` */
const flag = new RegExp(`(${flagName}\\s+)[^\\s"'\`-][^\\s"'\`]{3,}`, "gi");
const quotedFlag = new RegExp(`(${flagName}\\s+)${quotedValue}`, "gi");
/** `NAME=value`, `"name": "value"`, also as JSON in a JSON text. */
const named = new RegExp(
  `((?:${keyName})[\\w-]{0,40}\\\\?["'\`]?)(\\s*(?:=>|[:=])\\s*)(\\\\?["'\`]?)([^\\s"'\`,;(){}<>\\\\]{4,})`,
  "gi",
);
const quotedNamed = new RegExp(`((?:${keyName})[\\w-]{0,40}\\\\?["'\`]?\\s*(?:=>|[:=])\\s*)${quotedValue}`, "gi");

/**
 * Replaces secrets in texts: those that are known, and what looks like one or is named as one. The folder `home`, in
 * which the user's name is, becomes `~`.
 */
export function createMask(
  secrets: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  home = "",
): (text: string) => string {
  const ofEnvironment = Object.entries(environment).flatMap(([name, value = ""]) =>
    secretName.test(name) || /key$/i.test(name) || keyValue.test(value) ? [value.trim()] : [],
  );
  const homes = home.length > 1 ? homePattern(home) : undefined;
  const known = [...new Set([...secrets, ...ofEnvironment].flatMap(writings))]
    .filter((secret) => secret.length >= minSecretLength)
    // One that is a part of another one would leave the rest of it.
    .sort((one, other) => other.length - one.length);
  return (text) => {
    let masked = text;
    for (const secret of known) masked = masked.replaceAll(secret, mask);
    masked = masked
      .replace(privateKey, mask)
      .replace(knownKey, (match) => `${/^\w/.test(match) ? "" : match.charAt(0)}${mask}`)
      .replace(serviceKey, mask)
      .replace(authorization, `$1$2${mask}`)
      .replace(authorizationHeader, `$1${mask}`)
      .replace(cookie, `$1${mask}`)
      .replace(inAddress, `$1${mask}@`)
      .replace(login, `$1${mask}`)
      .replace(quotedFlag, `$1$2${mask}`)
      .replace(flag, `$1${mask}`)
      .replace(quotedNamed, `$1$2${mask}`)
      .replace(named, (match, name: string, sign: string, quote: string, value: string) =>
        isValue({ name, sign, quote, value }) ? `${name}${sign}${quote}${mask}` : match,
      );
    return homes === undefined ? masked : masked.replace(homes, "~");
  };
}

/** A secret as it is, in a JSON text and in an address. */
function writings(secret: string): string[] {
  // A half of a pair of surrogates is in no address.
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())];
}

/** The folder as it is, in a JSON text and in addresses; not the beginning of another name. */
function homePattern(home: string): RegExp {
  const slashed = home.replaceAll("\\", "/");
  const all = new Set([...writings(home).slice(0, 2), slashed, encodeURI(slashed.toWellFormed())]);
  const sources = [...all].map(escapeRegex);
  return new RegExp(`(?<![\\w.-])(?:${sources.join("|")})(?![\\w-]|\\.\\w)`, "gi");
}

/** The lines of a file, as many as they are: a private key goes over several, and may begin before them. */
export function maskLines(lines: readonly string[], maskText: (text: string) => string): string[] {
  const first = lines.find((line) => keyStart.test(line) || keyEnd.test(line));
  let isKey = first !== undefined && !keyStart.test(first);
  return lines.map((line) => {
    isKey ||= keyStart.test(line);
    const masked = isKey ? mask : maskText(line);
    if (keyEnd.test(line)) isKey = false;
    return masked;
  });
}

/** A type, a variable or a count is none: `token: string`, `maxTokens: 8000`. */
function isValue({ name, sign, quote, value }: Record<"name" | "sign" | "quote" | "value", string>): boolean {
  if (value.includes(mask)) return false;
  if (/^\d+(?:\.\d+)?$/.test(value)) return !/token/i.test(name);
  return quote !== "" || sign === "=" || /\d/.test(value);
}

/** An argument of a program after which a secret comes. */
export function isSecretFlag(argument: unknown): boolean {
  return typeof argument === "string" && /^--?[\w-]{1,100}$/.test(argument) && namesSecret(argument);
}

/** The name of a property that holds a secret, whatever it looks like. */
export function namesSecret(name: string): boolean {
  return secretName.test(name);
}
