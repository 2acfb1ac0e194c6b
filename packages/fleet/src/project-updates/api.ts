export { makeUpdateChecks } from '#/project-updates/checks.ts'
export { makeSourceChanges } from '#/project-updates/source-changes.ts'
export type { ProjectUpdatesDeps } from '#/project-updates/deps.ts'
