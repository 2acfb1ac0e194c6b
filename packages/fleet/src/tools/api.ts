export type { ToolManagers } from './apt-manager.ts'
export { makeTools, type ToolsDomain, type ToolsParts } from './make.ts'
export { ensurePackages, type PackageParts, type Wanted } from './packages.ts'
export { packagesQuestion } from './commands/packages-question.ts'
