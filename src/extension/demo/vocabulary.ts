/** Words that say nothing about what is looked for: of language, of asking, and of programming at large. */
export const stopWords: ReadonlySet<string> = new Set(
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
  live lives located sit sits come comes coming go goes used uses use using called calls call calling referenced references
  reference imported import imports mentioned mention mentions responsible work works working`.split(/\s+/),
);

/** Words that ask for the places where something is used rather than for the place where it is made. */
export const useWords: ReadonlySet<string> = new Set(
  "used uses use using called calls call calling referenced references imported imports invoked invokes".split(" "),
);

/** Irregular forms to the word they belong to. */
export const irregular: Readonly<Record<string, string>> = {
  built: "build",
  sent: "send",
  written: "write",
  wrote: "write",
  thrown: "throw",
  threw: "throw",
  chosen: "choose",
  chose: "choose",
  found: "find",
  made: "make",
  kept: "keep",
  held: "hold",
  shown: "show",
  drawn: "draw",
  bought: "buy",
  paid: "pay",
  sold: "sell",
  ran: "run",
  begun: "begin",
  began: "begin",
  caught: "catch",
  read: "read",
  hidden: "hide",
  broken: "break",
  taxes: "tax",
  indices: "index",
  children: "child",
  people: "person",
};

/** Words that programs use for the same thing. The first that is asked for counts fully, its companions a little less. */
export const synonyms: readonly (readonly string[])[] = [
  ["compute", "calculate", "calc", "total", "sum", "derive", "evaluate"],
  ["fetch", "load", "read", "retrieve", "get", "query"],
  ["save", "store", "persist", "write", "put"],
  ["delete", "remove", "drop", "clear", "erase"],
  ["create", "make", "build", "construct", "generate", "new"],
  ["check", "validate", "verify", "assert", "ensure"],
  ["parse", "decode", "deserialize", "read"],
  ["serialize", "encode", "stringify"],
  ["format", "render", "print", "display", "show"],
  ["send", "post", "dispatch", "emit", "publish", "notify"],
  ["start", "launch", "boot", "init", "initialize", "setup", "begin"],
  ["stop", "end", "close", "dispose", "shutdown", "finish"],
  ["change", "update", "modify", "edit", "set"],
  ["handle", "process", "on"],
  ["convert", "transform", "map", "translate"],
  ["sort", "order", "rank"],
  ["search", "find", "lookup", "query"],
  ["config", "configuration", "configure", "settings", "options"],
  ["auth", "authenticate", "login", "signin"],
  ["error", "exception", "failure", "fail"],
  ["log", "trace"],
  ["apply", "use"],
  ["price", "cost", "amount"],
  ["discount", "rebate", "reduction"],
  ["customer", "client", "buyer"],
  ["cart", "basket"],
];

/** What the body of a function that does such a thing tends to hold. */
export const signsOfAction: readonly { words: readonly string[]; sign: RegExp }[] = [
  {
    words: ["compute", "calculate", "calc", "total", "sum", "derive", "evaluate", "convert"],
    sign: /[\w)\]]\s*[-+*/%]\s*[\w(]|\+=|\*=|reduce\(|Math\./,
  },
  {
    words: ["check", "validate", "verify", "assert", "ensure"],
    sign: /\bthrow\b|\braise\b|return (false|true)|\.test\(/,
  },
  { words: ["parse", "decode", "deserialize"], sign: /JSON\.parse|split\(|parse(Int|Float)|match\(|exec\(/ },
  {
    words: ["format", "render", "print", "display"],
    sign: /`[^`]*\$\{|toFixed|padStart|toLocale|Intl\.|console\.|printf?\b/,
  },
  { words: ["save", "store", "persist", "write"], sign: /write|\.set\(|insert|\.put\(|setItem/i },
  { words: ["load", "fetch", "read", "retrieve"], sign: /read|fetch|\.get\(|select|getItem/i },
  { words: ["send", "post", "publish", "emit", "dispatch"], sign: /fetch|post|emit|dispatch|send|publish/i },
  { words: ["sort", "order", "rank"], sign: /sort/i },
  { words: ["apply", "change", "update", "modify"], sign: /[^=!<>]=[^=>]|return\b/ },
];
