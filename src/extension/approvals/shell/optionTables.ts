/**
 * How the options of a command are written down, separated by blanks:
 * `-abc` letters without a value, `-n:` a letter with a value, `-I?` one whose value follows it at once or is absent,
 * `-f<` one with a file that is read,
 * `--all` a long option, `--lines=` one with a value, `--color=?` one whose value may be absent, `--file<` a file,
 * `!-o` and `!--output` one that writes, runs or fetches something: no rule allows it.
 * What is not listed is asked for.
 */
export interface CommandTable {
  options: string;
  /** What is no option: files that are read, plain text, one pattern and then files, or nothing. With `anything`, options are text too. Default: files. */
  operands?: "files" | "text" | "pattern" | "none" | "anything";
  /** How many operands there may be: of some, the second one is a file that is written. */
  maxOperands?: number;
  /** Every operand must match. */
  operandPattern?: RegExp;
  /** Letters and long options by which it reads all files below its operands. `always` where it does so without an option. */
  recursive?: RegExp | "always";
  /** Below a folder it reads files whose names begin with a dot only with these options. Default: always. */
  hiddenWith?: RegExp;
  /** Prints names and figures, never what is in a file. */
  namesOnly?: boolean;
  /** Without operands it looks at the folder that it runs in. */
  listsHere?: boolean;
  /** Links are followed with these options. */
  followsLinks?: RegExp;
}

const help = "--help --version";
const text = (options = ""): CommandTable => ({ options: `${options} ${help}`, operands: "text" });
const files = (options: string, more: Partial<CommandTable> = {}): CommandTable => ({
  options: `${options} ${help}`,
  ...more,
});
const grepOptions =
  "-EFGPivwxycLlqsbHhnTZUzaoIrR0123456789 -e: -f< -m: -A: -B: -C: -D: -d: -g: --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp= --file< --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --color=? --colour=? --files-without-match --files-with-matches --max-count= --only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename --label= --line-number --initial-tab --null --after-context= --before-context= --context= --text --binary-files= --devices= --directories= --exclude= --exclude-dir= --include= --recursive --dereference-recursive --line-buffered --binary --null-data";
const grep: CommandTable = {
  ...files(grepOptions),
  operands: "pattern",
  recursive: /^-(?:r|R|-recursive|-dereference-recursive)$/,
  followsLinks: /^-(?:R|-dereference-recursive)$/,
};
const checksum = files("-bt --binary --text --tag --zero -z", { namesOnly: true });

export const optionTables: Readonly<Record<string, CommandTable>> = {
  ls: files(
    "-aAbBcCdDfFgGhHiklLmnNopqQrRsStuUvxXZ1@e -I: -T: -w: --all --almost-all --author --escape --block-size= --ignore-backups --color=? --directory --dired --classify=? --file-type --format= --full-time --group-directories-first --no-group --human-readable --si --dereference-command-line --hide= --hyperlink=? --indicator-style= --inode --ignore= --kibibytes --dereference --numeric-uid-gid --literal --hide-control-chars --show-control-chars --quote-name --quoting-style= --reverse --recursive --size --sort= --time= --time-style= --tabsize= --width= --context --zero",
    { namesOnly: true, listsHere: true },
  ),
  cat: files(
    "-AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting",
  ),
  head: files("-qvz0123456789 -n: -c: --bytes= --lines= --quiet --silent --verbose --zero-terminated"),
  tail: files(
    "-qvzfFr0123456789 -n: -c: -s: -b: --bytes= --lines= --quiet --silent --verbose --zero-terminated --follow=? --retry --sleep-interval= --pid= --max-unchanged-stats=",
  ),
  wc: files("-clmLw --bytes --chars --lines --max-line-length --words --total=", { namesOnly: true }),
  nl: files(
    "-p -b: -d: -f: -h: -i: -l: -n: -s: -v: -w: --body-numbering= --line-increment= --number-format= --number-separator= --number-width= --starting-line-number=",
  ),
  tac: files("-br -s: --before --regex --separator="),
  rev: files(""),
  cut: files(
    "-nsz -b: -c: -d: -f: --bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter= --zero-terminated",
  ),
  paste: files("-sz -d: --delimiters= --serial --zero-terminated"),
  comm: files("-123z --check-order --nocheck-order --output-delimiter= --total --zero-terminated"),
  join: files(
    "-iz -a: -e: -j: -o: -t: -v: -1: -2: --ignore-case --check-order --nocheck-order --header --zero-terminated",
  ),
  fold: files("-bs -w: --bytes --spaces --width="),
  fmt: files("-cstu -p: -w: -g: --crown-margin --split-only --tagged-paragraph --uniform-spacing --width= --goal="),
  expand: files("-i -t: --initial --tabs="),
  unexpand: files("-a -t: --all --first-only --tabs="),
  cmp: files("-bls -i: -n: --print-bytes --ignore-initial= --verbose --bytes= --quiet --silent"),
  diff: files(
    "-abBcdeEiHnNpPqrstTuwyZ0123456789 -C: -F: -I: -L: -S: -U: -W: -x: -X< --normal --brief --report-identical-files --context=? --unified=? --ed --rcs --side-by-side --width= --left-column --suppress-common-lines --show-c-function --show-function-line= --label= --expand-tabs --initial-tab --tabsize= --suppress-blank-empty --recursive --no-dereference --new-file --unidirectional-new-file --ignore-file-name-case --exclude= --exclude-from< --starting-file= --from-file< --to-file< --ignore-case --ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines= --text --strip-trailing-cr --minimal --speed-large-files --color=? !-l !--paginate",
    { recursive: /^-(?:r|-recursive)$/ },
  ),
  uniq: files(
    "-cdDiuz -f: -s: -w: --count --repeated --all-repeated=? --skip-fields= --group=? --ignore-case --skip-chars= --unique --zero-terminated --check-chars=",
    { maxOperands: 1 },
  ),
  sort: files(
    "-bdfghiMnRrVcCmsuz -k: -t: --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort --reverse --sort= --version-sort --check=? --debug --key= --merge --stable --field-separator= --parallel= --unique --zero-terminated !-o !--output !--compress-program !-T !--temporary-directory !--files0-from",
  ),
  column: files(
    "-tnxelJ -s: -o: -N: -H: -R: -T: -W: -E: -O: -d --table --separator= --output-separator= --table-columns= --table-right= --table-hide= --table-noheadings --json",
  ),
  od: files(
    "-abcdfhilosvx -A: -t: -j: -N: -S: -w: --address-radix= --format= --skip-bytes= --read-bytes= --strings=? --output-duplicates --width=?",
  ),
  hexdump: files("-bcCdovx -e: -n: -s:"),
  // Its second operand is a file that is written, and with -r it writes bytes.
  xxd: files("-abeiup -c: -g: -l: -n: -o: -s: !-r", { maxOperands: 1 }),
  strings: files(
    "-adfow -n: -t: -e: -s: -U: --all --data --print-file-name --bytes= --radix= --encoding= --output-separator=",
  ),
  base64: files("-diD -w: --decode --ignore-garbage --wrap= !-o !--output"),
  base32: files("-di -w: --decode --ignore-garbage --wrap="),
  md5sum: checksum,
  sha1sum: checksum,
  sha224sum: checksum,
  sha256sum: checksum,
  sha384sum: checksum,
  sha512sum: checksum,
  b2sum: checksum,
  cksum: files("-a: --algorithm= --untagged --base64 --raw", { namesOnly: true }),
  shasum: files("-bt -a: --binary --text --algorithm=", { namesOnly: true }),
  stat: files("-Lftx -c: -s --dereference --file-system --format= --printf= --terse", { namesOnly: true }),
  file: files(
    "-bikLhNnprsv0 -e: -F: -P: --brief --mime --mime-type --mime-encoding --extension --dereference --no-dereference --no-pad --separator= --exclude= !-C !--compile",
    {
      namesOnly: true,
    },
  ),
  du: files(
    "-0abcDHhklLmPsSx -B: -d: -t: --null --all --apparent-size --block-size= --bytes --total --dereference-args --max-depth= --human-readable --inodes --dereference --count-links --no-dereference --separate-dirs --si --summarize --threshold= --time=? --time-style= --exclude= --one-file-system",
    { namesOnly: true, listsHere: true },
  ),
  df: files(
    "-aBhHiklmPT -B: -t: -x: --all --block-size= --human-readable --si --inodes --local --no-sync --output=? --portability --print-type --total --type= --exclude-type=",
    {
      namesOnly: true,
    },
  ),
  tree: files(
    "-acdDfghilnpqrsStuvxACFJNQUX -H: -I: -L: -P: -T: --charset= --dirsfirst --filesfirst --du --filelimit= --gitignore --ignore-case --inodes --matchdirs --metafirst --noreport --nolinks --prune --si --sort=? --timefmt= !-o !-R !--output",
    { namesOnly: true, listsHere: true },
  ),
  realpath: files(
    "-emLPqsz --canonicalize-existing --canonicalize-missing --logical --physical --quiet --relative-to= --relative-base= --strip --no-symlinks --zero",
    {
      namesOnly: true,
    },
  ),
  readlink: files(
    "-femnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero",
    {
      namesOnly: true,
    },
  ),
  basename: text("-az -s: --multiple --suffix= --zero"),
  dirname: text("-z --zero"),
  echo: { options: "", operands: "anything" },
  printf: { options: "", operands: "text" },
  pwd: { ...text("-LP --logical --physical"), operands: "none" },
  true: { options: "", operands: "anything" },
  false: { options: "", operands: "anything" },
  ":": { options: "", operands: "anything" },
  sleep: { ...text(), operandPattern: /^[0-9.]{1,8}[smh]?$/ },
  seq: { ...text("-w -f: -s: --equal-width --format= --separator="), operandPattern: /^-?[0-9.]{1,9}$/ },
  tr: text("-cCdst --complement --delete --squeeze-repeats --truncate-set1"),
  numfmt: text(
    "-d: --debug --delimiter= --field= --format= --from= --from-unit= --grouping --header=? --invalid= --padding= --round= --suffix= --to= --to-unit=",
  ),
  date: {
    ...text("-uR -I? -d: -j --utc --universal --date= --iso-8601=? --rfc-3339= --rfc-email !-s !--set !-f !--file"),
    operandPattern: /^\+/,
  },
  uname: {
    ...text(
      "-asnrvmpio --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor --operating-system",
    ),
    operands: "none",
  },
  free: { ...text("-bkmghtlw --bytes --kibi --mebi --gibi --human --si --lohi --total --wide"), operands: "none" },
  lscpu: { ...text("-aeJp --all --json --parse"), operands: "none" },
  cal: { ...text("-13jmsy"), operandPattern: /^\d{1,4}$/ },
  arch: { ...text(), operands: "none" },
  nproc: { ...text("--all --ignore="), operands: "none" },
  whoami: { ...text(), operands: "none" },
  id: text("-agGnruz --group --groups --name --real --user --zero"),
  groups: text(),
  hostname: { ...text("-fis"), operands: "none" },
  tty: { ...text("-s"), operands: "none" },
  uptime: { ...text("-ps"), operands: "none" },
  which: text("-as --all"),
  whereis: text("-bmsu"),
  type: text("-afptP"),
  test: { options: "-efdrwxsLhnzbcpSgukOG", operands: "files", namesOnly: true },
  grep,
  egrep: grep,
  fgrep: grep,
  rg: {
    ...files(
      "-aAbBcCFHIiLlNnoPpqSsTtUuVvwx0. -A: -B: -C: -d: -e: -f< -g: -j: -M: -m: -r: -t: -T: -E: --after-context= --auto-hybrid-regex --before-context= --binary --block-buffered --byte-offset --case-sensitive --color= --colors= --column --context= --context-separator= --count --count-matches --crlf --debug --dfa-size-limit= --encoding= --engine= --field-context-separator= --field-match-separator= --file< --files --files-with-matches --files-without-match --fixed-strings --follow --glob= --glob-case-insensitive --heading --hidden --iglob= --ignore-case --ignore-file< --ignore-file-case-insensitive --include-zero --invert-match --json --line-buffered --line-number --line-regexp --max-columns= --max-columns-preview --max-count= --max-depth= --max-filesize= --mmap --multiline --multiline-dotall --no-config --no-filename --no-heading --no-hidden --no-ignore --no-ignore-dot --no-ignore-exclude --no-ignore-files --no-ignore-global --no-ignore-messages --no-ignore-parent --no-ignore-vcs --no-line-number --no-messages --no-mmap --no-unicode --null --null-data --one-file-system --only-matching --passthru --path-separator= --pcre2 --pretty --quiet --regex-size-limit= --regexp= --replace= --smart-case --sort= --sortr= --stats --stop-on-nonmatch --text --threads= --trace --trim --type= --type-not= --type-add= --type-clear= --type-list --unrestricted --vimgrep --with-filename --word-regexp --pcre2-version !--pre !--pre-glob !--hostname-bin !-z !--search-zip !--hyperlink-format",
    ),
    operands: "pattern",
    recursive: "always",
    followsLinks: /^-(?:L|-follow)$/,
    hiddenWith: /^-(?:\.|u|-hidden|-unrestricted)$/,
  },
  findstr: text(),
};

/** How programs that do much else are asked for their version, which needs no question. */
export const versionQuestions: Readonly<Record<string, readonly string[]>> = {
  ...{ node: ["-v"], npm: ["-v"], ruby: ["-v"], perl: ["-v"], php: ["-v"], make: ["-v"], gcc: ["-v"], clang: ["-v"] },
  // Not those that a file of the project makes run another version of themselves: cargo, go, pnpm, yarn, mvn.
  ...{ deno: ["-V"], bun: ["-v"], pip: ["-V"], pip3: ["-V"], docker: ["-v"], tar: [], curl: ["-V"], less: ["-V"] },
  ...{ "g++": ["-v"], cc: ["-v"], ld: ["-v"], uv: ["-V"] },
  ...{ python: ["-V"], python3: ["-V"], java: ["-version"], javac: ["-version"], cmake: [], git: [] },
};
