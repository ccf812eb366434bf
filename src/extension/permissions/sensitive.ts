/**
 * Files that decide what runs on this machine, what agents are told, or who the user is. An edit of one is asked for
 * each time, whatever is allowed otherwise.
 */
const folders = new Set([
  ...[".vscode", ".git", ".idea", ".devcontainer"],
  ...[".husky", ".githooks", "git-hooks"],
  ...[".arbor", ".agents", ".claude", ".cursor", ".windsurf", ".codex", ".gemini", ".continue", ".roo", ".clinerules"],
  ...[".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker"],
]);

const names = new Set([
  ...[".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".inputrc"],
  ...[".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", ".logout"],
  ...["profile.ps1", "microsoft.powershell_profile.ps1", "config.fish"],
  ...[".gitconfig", ".gitmodules", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc", ".netrc", "_netrc", ".pgpass"],
  ...["agents.md", "claude.md", "gemini.md", "skill.md", ".cursorrules", ".windsurfrules", "copilot-instructions.md"],
  ...["mcp.json", ".mcp.json", "mcp_config.json"],
  ...["authorized_keys", "known_hosts"],
]);

const patterns: readonly RegExp[] = [
  /\.code-workspace$/,
  /^\.env/,
  /\.(?:pem|key|p12|pfx|ppk|jks|keystore|kdbx|asc|gpg)$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)/,
  /\.(?:agent|chatmode|instructions|prompt|mdc)(?:\.md)?$/,
  // How an old Windows name of `.git` or `.vscode` begins.
  /^(?:git|vscode|env)~\d/,
];

const drawsNothing = /\p{Default_Ignorable_Code_Point}/gu;

/** Judged by its text alone; a link has to be judged by where it leads, too. Slashes of either kind part a path. */
export function isSensitivePath(path: string): boolean {
  const segments = path.split(/[\\/]/).map(plainSegment);
  const name = segments.at(-1) ?? "";
  return (
    segments.some((segment) => folders.has(segment)) ||
    names.has(name) ||
    segments.some((segment) => patterns.some((pattern) => pattern.test(segment)))
  );
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
