/**
 * What the changelog says of a version; of one that is not released yet, what is unreleased.
 * @param {string} changelog
 * @param {string} version
 */
export function releaseNotes(changelog, version) {
  const sections = changelog.split(/^## (?=\[)/m).slice(1);
  const find = (name) => sections.find((section) => section.startsWith(`[${name}]`));
  const section = find(version) ?? find("Unreleased");
  const text = section?.slice(section.indexOf("\n")).trim() ?? "";
  if (text === "") throw new Error(`CHANGELOG.md says nothing of ${version}.`);
  return `# Arbor ${version}\n\n${text}\n`;
}
