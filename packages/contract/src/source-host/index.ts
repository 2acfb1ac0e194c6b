import * as list from './list.ts'
import * as trust from './trust.ts'

export * from './login-errors.ts'
export * from './records.ts'

export const sourceHostOperations = { ...list, ...trust }
