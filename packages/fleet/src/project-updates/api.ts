export { makeUpdateChecks } from '#/project-updates/checks.ts'
export { makeSourceChanges } from '#/project-updates/source-changes.ts'
export type { ProjectUpdatesParts } from '#/project-updates/parts.ts'
