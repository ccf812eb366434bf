/** Instructions kept in a folder with a SKILL.md; with a description, the model loads them when it needs them. */
export interface Skill {
  name: string;
  description?: string;
  /** The body of SKILL.md. */
  content: string;
  /** Where files that the content mentions are found. */
  dir: string;
}
