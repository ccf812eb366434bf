/**
 * Files that decide what runs on this machine, what agents are instructed, or who the user is. An edit of one is asked for
 * each time, whatever is allowed otherwise.
 */
const folders = new Set([
  ...[".vscode", ".git", ".idea", ".devcontainer"],
  ...[".husky", ".githooks", "git-hooks", ".circleci"],
  ...[".arbor", ".agents", ".claude", ".cursor", ".windsurf", ".codex", ".gemini", ".continue", ".roo", ".clinerules"],
  ...[".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker"],
]);

const names = new Set([
  ...[".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".inputrc"],
  ...[".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", ".logout"],
  ...["profile.ps1", "microsoft.powershell_profile.ps1", "config.fish"],
  ...[".gitconfig", ".gitmodules", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc", ".netrc", "_netrc", ".pgpass"],
  ...["agents.md", "claude.md", "gemini.md", "skill.md", ".cursorrules", ".windsurfrules", "copilot-instructions.md"],
  ...["claude.local.md", ".agentignore", "mcp.json", ".mcp.json", "mcp_config.json"],
  ...["authorized_keys", "known_hosts"],
  // What a build, a test or a check runs: an allowed command would run an edit of it unasked.
  ...["package.json", "conftest.py", "setup.py", "noxfile.py", "build.rs", "makefile", "gnumakefile", "justfile"],
  ...["rakefile", "gruntfile.js", "gulpfile.js", ".gitlab-ci.yml", ".devcontainer.json"],
]);

const patterns: readonly RegExp[] = [
  /\.code-workspace$/,
  // Configuration that is a program, such as eslint.config.js, .eslintrc.cjs and build.gradle.
  /\.config\.[cm]?[jt]sx?$/,
  /^\..+rc\.[cm]?[jt]s$/,
  /\.gradle(?:\.kts)?$/,
  // A repository without a working tree: its settings name programs that git runs.
  /.\.git$/,
  /^\.env/,
  /\.(?:pem|key|p12|pfx|ppk|jks|keystore|kdbx|asc|gpg)$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)/,
  /\.(?:agent|chatmode|instructions|prompt|mdc)(?:\.md)?$/,
  // How an old Windows name of `.git` or `.vscode` begins.
  /^(?:git|vscode|env)~\d/,
];

/** Folders of `.github` whose files are run, or instruct agents. */
const githubFolders = new Set(["workflows", "actions", "agents", "prompts", "skills"]);

const drawsNothing = /\p{Default_Ignorable_Code_Point}/gu;

/** Judged by its text alone; a link has to be judged by where it leads, too. Slashes of either kind part a path. */
export function isSensitivePath(path: string): boolean {
  const segments = path.split(/[\\/]/).map(plainSegment);
  const name = segments.at(-1) ?? "";
  return (
    segments.some((segment) => folders.has(segment)) ||
    segments.some((segment, index) => segment === ".github" && githubFolders.has(segments[index + 1] ?? "")) ||
    names.has(name) ||
    segments.some((segment) => patterns.some((pattern) => pattern.test(segment)))
  );
}

/** Files that hold passwords, tokens or private keys by their name, wherever they are. */
const secretNames = new Set([
  ...[".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc", ".netrc", "_netrc", ".pgpass", ".my.cnf", ".htpasswd"],
  ...[".git-credentials", ".dockercfg", ".dockerconfigjson", ".vault-token", ".boto", ".s3cfg", ".terraformrc"],
  ...["credentials", "credentials.json", "secrets.json", "secrets.yml", "secrets.yaml", "secrets.toml"],
]);

/** Folders of which each file counts. Of git's own, a link to a remote may hold a password. */
const secretFolders = new Set([".git", ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker"]);

const secretPatterns: readonly RegExp[] = [
  /^\.env/,
  /^[^.].*\.env$/,
  /\.(?:pem|key|p12|pfx|ppk|jks|keystore|kdbx)$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?!.*\.pub$)/,
  /^env~\d/,
];

/** What shows which variables there are, with values that belong to no user. */
const exampleOfEnvironment =
  /(?:^|[._-])env(?:rc)?(?=[._-]).*[._-](?:example|sample|template|dist)$|^(?:example|sample|template)\.env$/;

/** As globs, for a search of the files that `isSecretPath` may mean; it means a few less. */
export const secretGlob = `{${[
  ...[".env*", "*.env", "*.{pem,key,p12,pfx,ppk,jks,keystore,kdbx}", "id_{rsa,dsa,ecdsa,ed25519}*"],
  ...secretNames,
  ...[...secretFolders].filter((folder) => folder !== ".git").map((folder) => `**/${folder}/**`),
].join(",")}}`;

/**
 * Whether a file holds what only its owner should see: keys, passwords, tokens. Judged by its text alone, like
 * `isSensitivePath`.
 */
export function isSecretPath(path: string): boolean {
  const segments = path.split(/[\\/]/).map(plainSegment);
  const name = segments.at(-1) ?? "";
  if (segments.slice(0, -1).some((segment) => secretFolders.has(segment) || /^git~\d/.test(segment))) {
    return !name.endsWith(".pub");
  }
  if (exampleOfEnvironment.test(name)) return false;
  return secretNames.has(name) || secretPatterns.some((pattern) => pattern.test(name));
}

/** As file systems that know no case, no trailing dots and no streams read it. */
function plainSegment(segment: string): string {
  const stream = segment.indexOf(":", 1);
  const name = stream < 0 ? segment : segment.slice(0, stream);
  return name
    .normalize("NFC")
    .replace(drawsNothing, "")
    .replace(/[. ]+$/, "")
    .toLowerCase();
}
