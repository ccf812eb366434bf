/** What reads and writes the files of this machine, and so needs Node. */
export { findAgentsMd, nodeFiles, type SkillFiles } from "./context/projectFiles.ts";
export { loadSkills, type Skill } from "./context/skills.ts";
export { JsonlSessionStore } from "./session/jsonl.ts";
export { type LoadTeamOptions, loadTeam } from "./team/teamFile.ts";
