export { isSourceGone, makeSourceAccess, type SourceAccessDeps } from '#/source-access/apply.ts'
export { PATHS as SOURCE_PATHS } from './commands/apply-access.ts'
export type { ServedCheckout, ServedSource } from '#/source-access/ports.ts'
export type * from '#/source-access/source-access.ts'
