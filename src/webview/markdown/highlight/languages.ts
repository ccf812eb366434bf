/** A chunk of its own, loaded when the first code with a language is on the page. */
import type { Emitter } from "highlight.js";
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import kotlin from "highlight.js/lib/languages/kotlin";
import lua from "highlight.js/lib/languages/lua";
import makefile from "highlight.js/lib/languages/makefile";
import markdown from "highlight.js/lib/languages/markdown";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import shell from "highlight.js/lib/languages/shell";
import sql from "highlight.js/lib/languages/sql";
import swift from "highlight.js/lib/languages/swift";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { kindOf } from "./kinds.ts";
import type { CodeToken, Highlighted, Languages } from "./tokens.ts";

const known = {
  ...{ bash, c, cpp, csharp, css, diff, dockerfile, go, ini, java, javascript, json, kotlin, lua, makefile, markdown },
  ...{ php, python, ruby, rust, shell, sql, swift, typescript, xml, yaml },
};

/** The library builds what it finds through a class that it is given; this one keeps tokens and writes no HTML. */
class TokenList implements Emitter {
  readonly tokens: CodeToken[] = [];
  readonly #scopes: string[] = [];

  startScope(name: string): void {
    this.#scopes.push(name);
  }

  endScope(): void {
    this.#scopes.pop();
  }

  /** What the library calls for stretches of several words, though its types do not say so. */
  openNode(name: string): void {
    this.startScope(name);
  }

  closeNode(): void {
    this.endScope();
  }

  addText(text: string): void {
    const scope = this.#scopes.at(-1);
    const kind = scope === undefined ? undefined : kindOf(scope);
    if (text !== "") this.#add(kind === undefined ? { text } : { text, kind });
  }

  __addSublanguage(emitter: Emitter): void {
    if (emitter instanceof TokenList) for (const token of emitter.tokens) this.#add(token);
  }

  finalize(): void {}

  toHTML(): string {
    return "";
  }

  #add(token: CodeToken): void {
    const last = this.tokens.at(-1);
    if (last !== undefined && last.kind === token.kind) last.text += token.text;
    else this.tokens.push({ ...token });
  }
}

hljs.configure({ __emitter: TokenList });
for (const [name, language] of Object.entries(known)) hljs.registerLanguage(name, language);

export const highlight: Languages["highlight"] = (code, language): Highlighted | undefined => {
  if (hljs.getLanguage(language) === undefined) return undefined;
  const { _emitter: found, _top: top, errorRaised } = hljs.highlight(code, { language, ignoreIllegals: true });
  if (!(found instanceof TokenList) || errorRaised !== undefined) return undefined;
  // The mode that code begins in has none above it.
  return { tokens: found.tokens, isOpen: top !== undefined && "parent" in top };
};
