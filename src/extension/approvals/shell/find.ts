import { type Assessment, acts, here, type ReadPath, unknown } from "./options.ts";
import type { ShellWord } from "./words.ts";

const alone = new Set(
  "-print -print0 -ls -prune -quit -not ! -a -and -o -or , ( ) -empty -readable -writable -executable -follow -mount -xdev -depth -d -daystart -noleaf -true -false -nogroup -nouser -warn -nowarn -ignore_readdir_race".split(
    " ",
  ),
);
const withValue = new Set(
  "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -lname -ilname -type -xtype -size -mtime -mmin -atime -amin -ctime -cmin -perm -user -group -uid -gid -links -inum -maxdepth -mindepth -fstype -used -printf".split(
    " ",
  ),
);
const withFile = /^-(?:newer(?:[aBcm][aBcmt])?|anewer|cnewer|samefile)$/;
const acting = /^-(?:exec|execdir|ok|okdir|delete|fls|fprint|fprint0|fprintf|files0-from)$/;

/** `find` prints names unless its expression runs, deletes or writes. */
export function judgeFind(args: readonly ShellWord[]): Assessment {
  const reads: ReadPath[] = [];
  let at = 0;
  for (; /^-(?:[HLP]|O[0-3])$/.test(args[at]?.text ?? ""); at++);
  const isStart = (word: ShellWord | undefined) => word !== undefined && !/^(?:-|[!(),]$)/.test(word.text);
  for (let word = args[at]; word !== undefined && isStart(word); word = args[++at]) {
    if (/^[*?[]/.test(word.source)) return unknown("A file's name could be taken for a part of the expression.");
    reads.push({ word, namesOnly: true });
  }
  for (let word = args[at]; word !== undefined; word = args[++at]) {
    if (acting.test(word.text)) return acts(`${word.text} writes, deletes or runs something.`);
    // A wildcard outside quotes becomes names of files, and one of them could be an expression.
    if (word.isGlob) return unknown("A file's name could be taken for a part of the expression.");
    if (alone.has(word.text)) continue;
    const value = args[at + 1];
    const takesFile = withFile.test(word.text);
    if (!takesFile && !withValue.has(word.text)) return unknown(`${word.text} is not known to be harmless.`);
    if (value === undefined) return unknown(`${word.text} has no value.`);
    if (value.isGlob && (takesFile || /^[*?[]/.test(value.source)))
      return unknown(`The pattern of ${word.text} is not in quotes.`);
    if (takesFile) reads.push({ word: value, namesOnly: true });
    at++;
  }
  return { kind: "reads", reads: reads.length > 0 ? reads : [{ word: here, namesOnly: true }] };
}
